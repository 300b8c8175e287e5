/* Which devices are there, and what they say of themselves. */
#include "device/opencl.h"

#include <ctype.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Queries of vendors' extensions and of OpenCL 3.0. */
enum { WARP_SIZE_NVIDIA = 0x4003, WAVEFRONT_WIDTH_AMD = 0x4043, WORK_GROUP_MULTIPLE = 0x1067 };
enum { NO_PLATFORM = -1001 }; /* CL_PLATFORM_NOT_FOUND_KHR, from the loader */

const char *ritz_device_kind_name(ritz_device_kind kind)
{
    static const char *const names[] = {
        [RITZ_DEVICE_CPU] = "cpu", [RITZ_DEVICE_GPU] = "gpu", [RITZ_DEVICE_OTHER] = "other"};
    return kind >= RITZ_DEVICE_CPU && kind <= RITZ_DEVICE_OTHER ? names[kind] : "unknown";
}

static ritz_status no_devices(void)
{
    const int64_t gpu_driver = INT64_C(1) << 40; /* some map the memory of host and device as one */
    return ritz_fail(
        RITZ_ERROR_DEVICE,
        "no OpenCL device was found: install the driver of your GPU's vendor, or the package pocl-opencl-icd "
        "(apt-get install pocl-opencl-icd), which makes a device of the CPU%s",
        ritz_has_addresses(gpu_driver) ? ""
                                       : "; or raise the limit of memory (ulimit -v), within which no driver starts");
}

static void ask_text(cl_device_id id, cl_device_info query, char *text, size_t bytes)
{
    if (clGetDeviceInfo(id, query, bytes, text, NULL) != CL_SUCCESS)
        snprintf(text, bytes, "?");
    text[bytes - 1] = '\0';
    size_t length = strlen(text), start = strspn(text, " ");
    while (length > start && text[length - 1] == ' ')
        text[--length] = '\0';
    memmove(text, text + start, length - start + 1);
}

/* An integer of any width that OpenCL answers with; 0 when the query is not known. */
static int64_t ask_number(cl_device_id id, cl_device_info query)
{
    union {
        cl_uint narrow;
        cl_ulong wide;
    } answer = {.wide = 0};
    size_t bytes = 0;
    if (clGetDeviceInfo(id, query, sizeof answer, &answer, &bytes) != CL_SUCCESS)
        return 0;
    return bytes == sizeof(cl_uint) ? (int64_t)answer.narrow : (int64_t)answer.wide;
}

/* Whether the device's list of extensions has one, or one that starts like it. */
static ritz_status has_extension(cl_device_id id, const char *extension, bool *has)
{
    ritz_status status = RITZ_OK;
    char *extensions = NULL;
    size_t bytes = 0;
    *has = false;
    if (clGetDeviceInfo(id, CL_DEVICE_EXTENSIONS, 0, NULL, &bytes) != CL_SUCCESS)
        return RITZ_OK;
    RITZ_NEW(extensions, bytes + 1);
    if (clGetDeviceInfo(id, CL_DEVICE_EXTENSIONS, bytes, extensions, NULL) == CL_SUCCESS)
        *has = strstr(extensions, extension) != NULL;
done:
    ritz_free(extensions);
    return status;
}

/* Width of a warp or wavefront. Each query is made only where the driver says that it knows it. */
static ritz_status ask_group_multiple(const ritz_found *found, int64_t *multiple)
{
    ritz_status status = RITZ_OK;
    bool amd = false;
    RITZ_TRY(has_extension(found->id, "cl_amd_device_attribute_query", &amd));
    int version = 1;
    sscanf(found->info.version, "OpenCL %d", &version);
    int64_t answer = found->is_nvidia ? ask_number(found->id, WARP_SIZE_NVIDIA)
                     : amd            ? ask_number(found->id, WAVEFRONT_WIDTH_AMD)
                     : version >= 3   ? ask_number(found->id, WORK_GROUP_MULTIPLE)
                                      : 0;
    *multiple = answer > 0 ? answer : found->info.kind == RITZ_DEVICE_GPU ? 32 : 1;
done:
    return status;
}

static ritz_status describe_device(ritz_found *found)
{
    ritz_status status = RITZ_OK;
    cl_device_id id = found->id;
    ritz_device_info *info = &found->info;
    ask_text(id, CL_DEVICE_NAME, info->name, sizeof info->name);
    ask_text(id, CL_DEVICE_VENDOR, info->vendor, sizeof info->vendor);
    ask_text(id, CL_DRIVER_VERSION, info->driver, sizeof info->driver);
    ask_text(id, CL_DEVICE_VERSION, info->version, sizeof info->version);
    if (clGetPlatformInfo(found->platform, CL_PLATFORM_NAME, sizeof info->platform, info->platform, NULL) != CL_SUCCESS)
        snprintf(info->platform, sizeof info->platform, "?");
    if (clGetPlatformInfo(found->platform, CL_PLATFORM_VERSION, sizeof found->platform_version, found->platform_version,
                          NULL) != CL_SUCCESS)
        snprintf(found->platform_version, sizeof found->platform_version, "?");

    int64_t type = ask_number(id, CL_DEVICE_TYPE);
    info->kind = type & CL_DEVICE_TYPE_GPU   ? RITZ_DEVICE_GPU
                 : type & CL_DEVICE_TYPE_CPU ? RITZ_DEVICE_CPU
                                             : RITZ_DEVICE_OTHER;
    info->orders_atomics = info->kind == RITZ_DEVICE_CPU;
    info->global_memory = ask_number(id, CL_DEVICE_GLOBAL_MEM_SIZE);
    info->largest_allocation = ask_number(id, CL_DEVICE_MAX_MEM_ALLOC_SIZE);
    info->local_memory = ask_number(id, CL_DEVICE_LOCAL_MEM_SIZE);
    info->largest_local_memory = info->local_memory;
    info->constant_memory = ask_number(id, CL_DEVICE_MAX_CONSTANT_BUFFER_SIZE);
    info->global_cache = ask_number(id, CL_DEVICE_GLOBAL_MEM_CACHE_SIZE);
    info->work_group_size = ask_number(id, CL_DEVICE_MAX_WORK_GROUP_SIZE);
    info->compute_units = (int32_t)ask_number(id, CL_DEVICE_MAX_COMPUTE_UNITS);
    info->clock_mhz = (int32_t)ask_number(id, CL_DEVICE_MAX_CLOCK_FREQUENCY);
    info->vector_width_f32 = (int32_t)ritz_max64(1, ask_number(id, CL_DEVICE_NATIVE_VECTOR_WIDTH_FLOAT));
    info->vector_width_f64 = (int32_t)ritz_max64(1, ask_number(id, CL_DEVICE_NATIVE_VECTOR_WIDTH_DOUBLE));
    info->unified_memory = ask_number(id, CL_DEVICE_HOST_UNIFIED_MEMORY) != 0;
    info->has_f64 = ask_number(id, CL_DEVICE_DOUBLE_FP_CONFIG) != 0;
    if (!info->has_f64)
        RITZ_TRY(has_extension(id, "cl_khr_fp64", &info->has_f64));
    RITZ_TRY(has_extension(id, "cl_nv_", &found->is_nvidia));
    RITZ_TRY(ask_group_multiple(found, &info->group_multiple));
    bool has_pci = false;
    RITZ_TRY(has_extension(id, "cl_khr_pci_bus_info", &has_pci));
    ritz_find_pci(found, has_pci);
done:
    return status;
}

ritz_status ritz_describe_found(ritz_found *found)
{
    ritz_status status = RITZ_OK;
    ritz_found *all = NULL;
    int32_t n_all = 0;
    RITZ_CL(clGetDeviceInfo(found->id, CL_DEVICE_PLATFORM, sizeof found->platform, &found->platform, NULL),
            "the command queue's device cannot be asked");
    RITZ_TRY(describe_device(found));
    RITZ_TRY(ritz_find_devices(&all, &n_all)); /* for its number; a part of a device is not among them and has 0 */
    for (int32_t i = 0; i < n_all; i++)
        if (all[i].id == found->id)
            found->info.number = all[i].info.number;
done:
    ritz_free(all);
    return status;
}

/* Adds the devices of one platform that can compile and run kernels. */
static ritz_status add_platform(cl_platform_id platform, ritz_found **found, int32_t *n_found)
{
    ritz_status status = RITZ_OK;
    cl_device_id *ids = NULL;
    cl_uint n_ids = 0;
    if (clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 0, NULL, &n_ids) != CL_SUCCESS || n_ids == 0)
        return RITZ_OK; /* a driver without its hardware */
    RITZ_TRY(ritz_allocate((void **)&ids, n_ids, sizeof(cl_device_id)));
    RITZ_CL(clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, n_ids, ids, NULL),
            "the OpenCL driver does not list its devices");
    RITZ_RESIZE(*found, *n_found + (int32_t)n_ids);
    for (cl_uint i = 0; i < n_ids; i++) {
        if (!ask_number(ids[i], CL_DEVICE_AVAILABLE) || !ask_number(ids[i], CL_DEVICE_COMPILER_AVAILABLE))
            continue;
        ritz_found *fresh = &(*found)[*n_found];
        *fresh = (ritz_found){.platform = platform, .id = ids[i]};
        RITZ_TRY(describe_device(fresh));
        ++*n_found;
    }
done:
    ritz_free(ids);
    return status;
}

/* GPUs before CPUs before the rest, the drivers' order otherwise; and each one's number among its kind. */
static void sort_by_kind(ritz_found *found, int32_t n_found)
{
    static const int rank[] = {[RITZ_DEVICE_GPU] = 0, [RITZ_DEVICE_CPU] = 1, [RITZ_DEVICE_OTHER] = 2};
    for (int32_t i = 1; i < n_found; i++) {
        ritz_found moved = found[i];
        int32_t j = i;
        for (; j > 0 && rank[found[j - 1].info.kind] > rank[moved.info.kind]; j--)
            found[j] = found[j - 1];
        found[j] = moved;
    }
    for (int32_t i = 0; i < n_found; i++)
        found[i].info.number = i > 0 && found[i].info.kind == found[i - 1].info.kind ? found[i - 1].info.number + 1 : 0;
}

static ritz_status find_devices(ritz_found **found, int32_t *n_found)
{
    static bool started; /* drivers stay in the process, and need no room for that again */
    ritz_status status = RITZ_OK;
    cl_platform_id *platforms = NULL;
    cl_uint n_platforms = 0;
    ritz_found *all = NULL;
    int32_t n_all = 0;
    if (!started)
        RITZ_TRY(ritz_require_start());
    ritz_pocl_choose_folder();
    cl_int error = clGetPlatformIDs(0, NULL, &n_platforms);
    if (error == NO_PLATFORM || (error == CL_SUCCESS && n_platforms == 0))
        return no_devices();
    RITZ_CL(error, "the OpenCL loader does not list its platforms");
    RITZ_TRY(ritz_allocate((void **)&platforms, n_platforms, sizeof(cl_platform_id)));
    RITZ_CL(clGetPlatformIDs(n_platforms, platforms, NULL), "the OpenCL loader does not list its platforms");
    RITZ_NEW(all, 1);
    for (cl_uint i = 0; i < n_platforms; i++)
        RITZ_TRY(add_platform(platforms[i], &all, &n_all));
    if (n_all == 0) {
        status = no_devices();
        goto done;
    }
    started = true;
    sort_by_kind(all, n_all);
    *found = all;
    *n_found = n_all;
    all = NULL;
done:
    ritz_free(platforms);
    ritz_free(all);
    return status;
}

/* One thread at a time: starting a driver is none that PoCL survives on two threads at once. */
ritz_status ritz_find_devices(ritz_found **found, int32_t *n_found)
{
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    pthread_mutex_lock(&lock);
    ritz_keep_signals();
    const ritz_status status = find_devices(found, n_found);
    ritz_give_back_signals();
    pthread_mutex_unlock(&lock);
    return status;
}

ritz_status ritz_name_devices(const ritz_found *found, int32_t n_found, char **names)
{
    ritz_text text = {0};
    for (int32_t i = 0; i < n_found; i++)
        ritz_text_add(&text, "%s%s:%d '%s' (%s)", i ? ", " : "", ritz_device_kind_name(found[i].info.kind),
                      found[i].info.number, found[i].info.name, found[i].info.platform);
    return ritz_text_take(&text, names);
}

/* Whether `word`, of n letters, stands somewhere in `text`, case-blind. */
static bool contains_word(const char *text, const char *word, size_t n)
{
    for (; *text; text++) {
        size_t i = 0;
        while (i < n && text[i] && tolower((unsigned char)text[i]) == tolower((unsigned char)word[i]))
            i++;
        if (i == n)
            return true;
    }
    return false;
}

/* Whether the first n letters of a selector mean this device. */
static bool device_matches(const ritz_found *found, const char *selector, size_t n)
{
    if (n == 0 || (n == 4 && contains_word("auto", selector, n)))
        return true;
    for (int kind = RITZ_DEVICE_CPU; kind <= RITZ_DEVICE_OTHER; kind++) {
        const char *name = ritz_device_kind_name((ritz_device_kind)kind);
        if (n == strlen(name) && contains_word(name, selector, n))
            return (int)found->info.kind == kind;
    }
    return contains_word(found->info.name, selector, n) || contains_word(found->info.platform, selector, n) ||
           contains_word(found->info.vendor, selector, n);
}

/* The `number`-th device that the first n letters of a selector mean, or -1. */
static int32_t pick_device(const ritz_found *found, int32_t n_found, const char *selector, size_t n, long number)
{
    for (int32_t i = 0; i < n_found; i++)
        if (device_matches(&found[i], selector, n) && number-- == 0)
            return i;
    return -1;
}

ritz_status ritz_select_device(const char *selector, const ritz_found *found, int32_t n_found, int32_t *chosen)
{
    ritz_status status = RITZ_OK;
    char *names = NULL;
    selector = selector ? selector : "auto";
    if (ritz_is_pci_selector(selector))
        return ritz_select_by_pci(selector, found, n_found, chosen);
    int32_t best = pick_device(found, n_found, selector, strlen(selector), 0);
    const char *colon = strrchr(selector, ':');
    if (best < 0 && colon && isdigit((unsigned char)colon[1]) && colon[1 + strspn(colon + 1, "0123456789")] == '\0')
        best = pick_device(found, n_found, selector, (size_t)(colon - selector), strtol(colon + 1, NULL, 10));
    if (best < 0) {
        RITZ_TRY(ritz_name_devices(found, n_found, &names));
        RITZ_FAIL(RITZ_ERROR_DEVICE, "no device matches '%s'; there %s %s", selector, n_found == 1 ? "is" : "are",
                  names);
    }
    *chosen = best;
done:
    ritz_free(names);
    return status;
}
