/* What a device can do beyond what its driver tells, found by trying: inline PTX, the f64 matrix unit, local memory
   beyond the limit that it reports. */
#include "device/opencl.h"

#include <stdio.h>
#include <string.h>

/* Whether a kernel file compiles. Asked of NVIDIA's compiler alone: others may end the process at text they do not
   know. */
static bool kernel_compiles(ritz_device *device, const char *path, const char *header, ritz_program **program)
{
    return ritz_program_get(device, RITZ_F32, header, &path, 1, "", program) == RITZ_OK;
}

/* Whether a static array of so many bytes of local memory works: all of it is written and read back. */
static bool has_local_memory(ritz_device *device, int64_t bytes)
{
    enum { ITEMS = 64 };
    ritz_status status = RITZ_OK;
    char header[48];
    int32_t wrong[ITEMS];
    ritz_program *program;
    ritz_kernel *kernel;
    ritz_buffer *buffer = NULL;
    memset(wrong, 1, sizeof wrong);
    snprintf(header, sizeof header, "#define BYTES %lld\n", (long long)bytes);
    RITZ_REQUIRE(kernel_compiles(device, "device/kernels/local_memory.cl", header, &program), RITZ_ERROR_DEVICE,
                 "%lld bytes of local memory do not compile", (long long)bytes);
    RITZ_TRY(ritz_kernel_get(program, "local_memory", &kernel));
    RITZ_TRY(ritz_buffer_create_from(device, wrong, sizeof wrong, "the probe of local memory", &buffer));
    RITZ_TRY(RITZ_LAUNCH(kernel, ((ritz_range){.global = {ITEMS}, .local = {ITEMS}}), NULL, RITZ_BUFFER(buffer)));
    RITZ_TRY(ritz_buffer_read(buffer, 0, wrong, sizeof wrong));
done:
    ritz_buffer_destroy(&buffer);
    for (int k = 0; k < ITEMS; k++)
        if (wrong[k])
            return false;
    return status == RITZ_OK;
}

void ritz_probe(ritz_device *device, bool is_nvidia)
{
    /* What groups of NVIDIA's devices can have, in steps of generations; static arrays above the reported limit are
       not documented but work. */
    static const int64_t sizes[] = {232440, 166904, 101368};
    ritz_program *program;
    ritz_device_info *info = &device->info;
    if (!is_nvidia)
        return;
    info->has_ptx = kernel_compiles(device, "device/kernels/ptx.cl", "", &program);
    info->has_f64_matrix_unit =
        info->has_ptx && info->has_f64 && kernel_compiles(device, "device/kernels/matrix_unit.cl", "", &program);
    for (size_t k = 0; k < sizeof sizes / sizeof sizes[0] && info->largest_local_memory == info->local_memory; k++)
        if (sizes[k] > info->local_memory && has_local_memory(device, sizes[k]))
            info->largest_local_memory = sizes[k];
}
