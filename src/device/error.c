/* OpenCL's error numbers in words. */
#include "device/opencl.h"

#include <stdarg.h>
#include <stdio.h>

static const struct {
    cl_int number;
    const char *text;
} errors[] = {
    {CL_DEVICE_NOT_FOUND, "CL_DEVICE_NOT_FOUND"},
    {CL_DEVICE_NOT_AVAILABLE, "CL_DEVICE_NOT_AVAILABLE: another process may hold the device for itself"},
    {CL_COMPILER_NOT_AVAILABLE, "CL_COMPILER_NOT_AVAILABLE: the driver was installed without its compiler"},
    {CL_MEM_OBJECT_ALLOCATION_FAILURE, "CL_MEM_OBJECT_ALLOCATION_FAILURE: the device's memory is full"},
    {CL_OUT_OF_RESOURCES, "CL_OUT_OF_RESOURCES: the device's memory is full, or an earlier kernel failed on it"},
    {CL_OUT_OF_HOST_MEMORY, "CL_OUT_OF_HOST_MEMORY: the driver got no more host memory"},
    {CL_PROFILING_INFO_NOT_AVAILABLE, "CL_PROFILING_INFO_NOT_AVAILABLE"},
    {CL_BUILD_PROGRAM_FAILURE, "CL_BUILD_PROGRAM_FAILURE"},
    {CL_MAP_FAILURE, "CL_MAP_FAILURE"},
    {CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST,
     "CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST: the kernel failed on the device"},
    {CL_COMPILE_PROGRAM_FAILURE, "CL_COMPILE_PROGRAM_FAILURE"},
    {CL_LINK_PROGRAM_FAILURE, "CL_LINK_PROGRAM_FAILURE"},
    {CL_INVALID_VALUE, "CL_INVALID_VALUE"},
    {CL_INVALID_DEVICE, "CL_INVALID_DEVICE"},
    {CL_INVALID_CONTEXT, "CL_INVALID_CONTEXT"},
    {CL_INVALID_COMMAND_QUEUE, "CL_INVALID_COMMAND_QUEUE: an earlier kernel failed on the device"},
    {CL_INVALID_MEM_OBJECT, "CL_INVALID_MEM_OBJECT"},
    {CL_INVALID_BINARY, "CL_INVALID_BINARY"},
    {CL_INVALID_BUILD_OPTIONS, "CL_INVALID_BUILD_OPTIONS: the compiler does not know one of the options"},
    {CL_INVALID_PROGRAM, "CL_INVALID_PROGRAM"},
    {CL_INVALID_PROGRAM_EXECUTABLE, "CL_INVALID_PROGRAM_EXECUTABLE"},
    {CL_INVALID_KERNEL_NAME, "CL_INVALID_KERNEL_NAME: the program has no kernel of this name"},
    {CL_INVALID_KERNEL, "CL_INVALID_KERNEL"},
    {CL_INVALID_ARG_INDEX, "CL_INVALID_ARG_INDEX"},
    {CL_INVALID_ARG_VALUE, "CL_INVALID_ARG_VALUE: a buffer where a value belongs, or the other way round"},
    {CL_INVALID_ARG_SIZE, "CL_INVALID_ARG_SIZE: the number of bytes is not that of the kernel's parameter"},
    {CL_INVALID_KERNEL_ARGS, "CL_INVALID_KERNEL_ARGS: an argument was not set"},
    {CL_INVALID_WORK_DIMENSION, "CL_INVALID_WORK_DIMENSION"},
    {CL_INVALID_WORK_GROUP_SIZE,
     "CL_INVALID_WORK_GROUP_SIZE: the work-group is too large or does not divide the range"},
    {CL_INVALID_WORK_ITEM_SIZE, "CL_INVALID_WORK_ITEM_SIZE: the work-group is too long in one direction"},
    {CL_INVALID_BUFFER_SIZE, "CL_INVALID_BUFFER_SIZE: larger than the driver allocates at once"},
    {CL_INVALID_GLOBAL_WORK_SIZE, "CL_INVALID_GLOBAL_WORK_SIZE: the range is too long"},
    {CL_INVALID_OPERATION, "CL_INVALID_OPERATION"},
};

const char *ritz_opencl_error(cl_int error)
{
    static _Thread_local char unknown[32];
    for (size_t i = 0; i < sizeof errors / sizeof *errors; i++)
        if (errors[i].number == error)
            return errors[i].text;
    snprintf(unknown, sizeof unknown, "OpenCL error %d", (int)error);
    return unknown;
}

void ritz_fail_opencl(cl_int error, const char *format, ...)
{
    char text[1024];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    ritz_fail(RITZ_ERROR_DEVICE, "%s (%s)", text, ritz_opencl_error(error));
}
