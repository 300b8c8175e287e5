/* Programs: put together, taken from memory or from the disk cache, else compiled. */
#include "base/cache.h"
#include "base/lock.h"
#include "device/opencl.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Leaves out the header of PoCL's compiler, for which builtins.cl stands. */
#define WITHOUT_HEADER "-D_OPENCL_H_"

static ritz_status add_file(ritz_text *text, const char *path)
{
    ritz_status status = RITZ_OK;
    const char *file = ritz_kernel_source(path);
    RITZ_REQUIRE(file, RITZ_ERROR_DEVICE, "there is no kernel file '%s' in the library; build it again", path);
    ritz_text_add(text, "#line 1 \"%s\"\n%s\n", path, file);
done:
    return status;
}

/* builtins.cl where it serves, real.cl, the generated header and the kernel files in one text; #line keeps the compiler's
   messages readable. */
static ritz_status join_source(const ritz_device *device, const char *header, const char *const *paths, int n_paths,
                               char **source)
{
    ritz_status status = RITZ_OK;
    ritz_text text = {0};
    if (ritz_is_known_pocl(device))
        RITZ_TRY(add_file(&text, "device/kernels/builtins.cl"));
    RITZ_TRY(add_file(&text, "device/kernels/real.cl"));
    ritz_text_add(&text, "#line 1 \"generated header\"\n%s\n", header);
    for (int i = 0; i < n_paths; i++)
        RITZ_TRY(add_file(&text, paths[i]));
    RITZ_TRY(ritz_text_take(&text, source));
done:
    ritz_text_free(&text);
    return status;
}

/* What tells a program from the others that the device has: kernel files are the library's own, their names will do. */
static ritz_status make_request(const char *options, const char *header, const char *const *paths, int n_paths,
                                char **request)
{
    ritz_text text = {0};
    ritz_text_add(&text, "%s\n", options);
    for (int i = 0; i < n_paths; i++)
        ritz_text_add(&text, "%s\n", paths[i]);
    ritz_text_add(&text, "%s", header);
    return ritz_text_take(&text, request);
}

/* Everything that the binary depends on, as the readable head of a cached file. */
static ritz_status make_key(const ritz_device *device, const char *options, const char *source, char **key)
{
    return ritz_format(key, "ritz %s\ndevice %s\ndriver %s\nversion %s\nplatform %s, %s\noptions %s\nsource\n%s",
                       ritz_version(), device->info.name, device->info.driver, device->info.version,
                       device->info.platform, device->platform_version, options, source);
}

/* RITZ_PROGRAM_CACHE=driver: what the driver itself keeps of programs serves, and is believed. */
static bool is_left_to_driver(void)
{
    const char *whose = getenv("RITZ_PROGRAM_CACHE");
    return whose && strcmp(whose, "driver") == 0;
}

static bool build_program(ritz_device *device, cl_program program, const char *options, cl_int *error)
{
    ritz_keep_signals();
    *error = clBuildProgram(program, 1, &device->id, options, NULL, NULL);
    ritz_give_back_signals();
    return *error == CL_SUCCESS;
}

/* The message for a program that does not compile: the first lines of the compiler's log. */
static ritz_status build_failed(const ritz_device *device, cl_program program, cl_int error, const char *what)
{
    enum { SHOWN = 2000 };
    ritz_status status = RITZ_OK;
    char *log = NULL;
    size_t bytes = 0;
    RITZ_TRY(ritz_check_interrupt()); /* LLVM removes its files at a signal, and then fails for want of them */
    clGetProgramBuildInfo(program, device->id, CL_PROGRAM_BUILD_LOG, 0, NULL, &bytes);
    RITZ_NEW(log, bytes + 1);
    clGetProgramBuildInfo(program, device->id, CL_PROGRAM_BUILD_LOG, bytes, log, NULL);
    status = ritz_fail(RITZ_ERROR_DEVICE, "%s does not compile on '%s' (%s):\n%.*s", what, device->info.name,
                       ritz_opencl_error(error), SHOWN, log);
done:
    ritz_free(log);
    return status;
}

/* Keeps the binary on disk. PoCL makes it of what its folder of the program holds, whose files are listed before. */
static void store_binary(ritz_program *p, const char *key)
{
    size_t bytes = 0;
    unsigned char *binary = NULL;
    if (!ritz_cache_is_kept() || is_left_to_driver()) /* a binary is half of PoCL's work */
        return;
    if ((ritz_is_pocl(p->device) && !ritz_pocl_has_memory()) ||
        clGetProgramInfo(p->program, CL_PROGRAM_BINARY_SIZES, sizeof bytes, &bytes, NULL) != CL_SUCCESS || bytes == 0 ||
        ritz_allocate((void **)&binary, (int64_t)bytes, 1) != RITZ_OK) {
        ritz_log("program cache: '%s' gives no binary", p->device->info.name);
        return;
    }
    if (clGetProgramInfo(p->program, CL_PROGRAM_BINARIES, sizeof binary, &binary, NULL) == CL_SUCCESS &&
        ritz_pocl_folder(binary, (int64_t)bytes, &p->pocl_folder) == RITZ_OK) {
        if (p->pocl_folder)
            ritz_pocl_list(p->pocl_folder);
        ritz_cache_store("program", key, binary, (int64_t)bytes);
    }
    ritz_free(binary);
}

/* Takes the program from the disk cache; p->program stays NULL if it is not there or the driver does not take it. */
static ritz_status load_binary(ritz_program *p, const char *key, const char *options)
{
    ritz_status status = RITZ_OK;
    unsigned char *binary = NULL;
    const char *built_with = NULL;
    int64_t bytes = 0, head = 0;
    cl_int error, binary_status = CL_SUCCESS;
    int lock = -1;
    if (!is_left_to_driver())
        ritz_cache_load("program", key, &binary, &bytes);
    if (!binary)
        return RITZ_OK;
    RITZ_TRY(ritz_pocl_unpack(binary, bytes, &p->pocl_folder, &built_with, &head));
    if (!built_with)
        RITZ_TRY(ritz_pocl_folder(binary, bytes, &p->pocl_folder));
    if (p->pocl_folder)
        lock = ritz_pocl_mend(p->pocl_folder);
    const size_t size = (size_t)(bytes - head);
    const unsigned char *start = binary + head;
    cl_program program =
        clCreateProgramWithBinary(p->device->context, 1, &p->device->id, &size, &start, &binary_status, &error);
    if (error == CL_SUCCESS && binary_status == CL_SUCCESS &&
        build_program(p->device, program, built_with ? built_with : options, &error)) {
        p->program = program;
        if (lock >= 0)
            ritz_pocl_list(p->pocl_folder);
    } else {
        ritz_log("program cache: the driver refuses a stored binary (%s); compiling again", ritz_opencl_error(error));
        if (program)
            clReleaseProgram(program);
        ritz_free(p->pocl_folder);
        p->pocl_folder = NULL;
    }
done:
    ritz_unlock_folder(lock);
    ritz_free(binary);
    return status;
}

/* Lines on builds that take longer are notes, which programs show to people who wait. */
static const double SLOW_SECONDS = 1;

static void tell_compiled(const char *what, double start)
{
    const double seconds = ritz_seconds() - start;
    ritz_log("%sprogram: compiled %s in %.0f ms", seconds > SLOW_SECONDS ? "note: " : "", what, 1e3 * seconds);
}

static ritz_status compile_program(ritz_device *device, const char *source, const char *options, const char *what,
                                   cl_program *program)
{
    ritz_status status = RITZ_OK;
    cl_int error;
    double start = ritz_seconds();
    ritz_progress("compiling kernels", -1);
    char *fresh = NULL;
    cl_program p = NULL;
    if (ritz_is_pocl(device) && !is_left_to_driver()) {
        RITZ_TRY(ritz_pocl_fresh_options(options, &fresh));
        options = fresh;
    }
    p = clCreateProgramWithSource(device->context, 1, &source, NULL, &error);
    RITZ_CL(error, "the driver of '%s' takes no program", device->info.name);
    if (!build_program(device, p, options, &error)) {
        status = build_failed(device, p, error, what);
        goto done;
    }
    tell_compiled(what, start);
    *program = p;
    p = NULL;
done:
    if (p)
        clReleaseProgram(p);
    ritz_free(fresh);
    return status;
}

/* The same for PoCL, by way of bitcode, which is kept; p->program stays NULL where that is not possible. */
static ritz_status compile_for_pocl(ritz_program *p, const char *key, const char *source, const char *options,
                                    const char *what)
{
    ritz_status status = RITZ_OK;
    cl_int error, binary_status = CL_SUCCESS;
    cl_program from = NULL;
    char *fresh = NULL;
    unsigned char *bitcode = NULL, *kept = NULL;
    int64_t bytes = 0, kept_bytes = 0;
    struct timespec since;
    const double start = ritz_seconds();
    ritz_progress("compiling kernels", -1);
    RITZ_TRY(ritz_pocl_fresh_options(options, &fresh));
    from = clCreateProgramWithSource(p->device->context, 1, &source, NULL, &error);
    RITZ_CL(error, "the driver of '%s' takes no program", p->device->info.name);
    RITZ_TRY(ritz_pocl_compile_bitcode(p->device, from, fresh, &bitcode, &bytes));
    if (!bitcode)
        goto done;
    clock_gettime(CLOCK_REALTIME, &since);
    const size_t size = (size_t)bytes;
    const unsigned char *code = bitcode;
    p->program = clCreateProgramWithBinary(p->device->context, 1, &p->device->id, &size, &code, &binary_status, &error);
    if (error != CL_SUCCESS || binary_status != CL_SUCCESS || !build_program(p->device, p->program, fresh, &error)) {
        if (p->program)
            clReleaseProgram(p->program);
        p->program = NULL;
        goto done;
    }
    tell_compiled(what, start);
    RITZ_TRY(ritz_pocl_find_new(&since, &p->pocl_folder));
    if (!p->pocl_folder)
        goto done;
    RITZ_TRY(ritz_pocl_pack(p->pocl_folder, fresh, bitcode, bytes, &kept, &kept_bytes));
    ritz_pocl_list(p->pocl_folder);
    ritz_cache_store("program", key, kept, kept_bytes);
done:
    if (from)
        clReleaseProgram(from);
    ritz_free(fresh);
    ritz_free(bitcode);
    ritz_free(kept);
    return status;
}

static void free_program(ritz_program *p)
{
    while (p->kernels) {
        ritz_kernel *k = p->kernels;
        p->kernels = k->next;
        clReleaseKernel(k->kernel);
        ritz_free(k->name);
        ritz_free(k);
    }
    if (p->program)
        clReleaseProgram(p->program);
    ritz_free(p->request);
    ritz_free(p->pocl_folder);
    ritz_free(p);
}

/* Makes the program of these files and puts it at the head of the device's list, which owns it. */
static ritz_status add_program(ritz_device *device, const char *request, const char *header, const char *const *paths,
                               int n_paths, const char *options)
{
    ritz_status status = RITZ_OK;
    ritz_program *p = NULL;
    char *source = NULL, *key = NULL;
    const char *what = n_paths > 0 ? paths[n_paths - 1] : "the generated kernel";
    RITZ_TRY(ritz_require_kernel());
    RITZ_NEW(p, 1);
    p->device = device;
    RITZ_TRY(ritz_copy_text(request, &p->request));
    RITZ_TRY(join_source(device, header, paths, n_paths, &source));
    RITZ_TRY(make_key(device, options, source, &key));
    RITZ_TRY(load_binary(p, key, options));
    if (p->program) {
        device->counters.programs_cached++;
    } else {
        RITZ_TRY(ritz_require_build());
        if (ritz_pocl_takes_bitcode(device) && ritz_pocl_has_memory() && ritz_cache_is_kept() && !is_left_to_driver())
            RITZ_TRY(compile_for_pocl(p, key, source, options, what));
        if (!p->program) {
            RITZ_TRY(compile_program(device, source, options, what, &p->program));
            store_binary(p, key);
        }
        device->counters.programs_compiled++;
    }
    p->next = device->programs;
    device->programs = p;
    p = NULL;
done:
    if (p)
        free_program(p);
    ritz_free(source);
    ritz_free(key);
    return status;
}

ritz_status ritz_program_get(ritz_device *device, ritz_precision precision, const char *header,
                             const char *const *paths, int n_paths, const char *options, ritz_program **program)
{
    ritz_status status = RITZ_OK;
    char *all_options = NULL, *request = NULL;
    const char *asked = getenv("RITZ_CL_OPTIONS"); /* of the user, beside ours */
    RITZ_REQUIRE(
        precision != RITZ_F64 || device->info.has_f64, RITZ_ERROR_DEVICE,
        "the device '%s' has no double precision: choose single precision (`precision: single` in the problem file, "
        "`--precision f32` on the command line) or another device",
        device->info.name);
    /* Contraction to fused multiply-add is as exact as two roundings; relaxed mathematics is not and stays off. Without
       -w compilers print to stderr that they have a warning. */
    RITZ_TRY(ritz_format(&all_options, "-w -cl-std=CL1.2 -cl-mad-enable -DREAL_F%d%s%s%s%s%s",
                         precision == RITZ_F64 ? 64 : 32, ritz_is_known_pocl(device) ? " " WITHOUT_HEADER : "",
                         *options ? " " : "", options, asked ? " " : "", asked ? asked : ""));
    RITZ_TRY(make_request(all_options, header, paths, n_paths, &request));
    ritz_program *p = device->programs;
    while (p && strcmp(p->request, request) != 0)
        p = p->next;
    if (!p) {
        const double start = ritz_seconds();
        RITZ_TRY(add_program(device, request, header, paths, n_paths, all_options));
        device->counters.seconds_compile += ritz_seconds() - start;
        p = device->programs;
    }
    *program = p;
done:
    ritz_free(all_options);
    ritz_free(request);
    return status;
}

void ritz_programs_free(ritz_device *device)
{
    while (device->programs) {
        ritz_program *p = device->programs;
        device->programs = p->next;
        if (p->pocl_folder) /* it may have kernels for more sizes of work-groups by now */
            ritz_pocl_list(p->pocl_folder);
        free_program(p);
    }
}
