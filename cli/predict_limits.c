/* Limits of a device from the command line. */
#include "predict.h"

#include "base/base.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

enum {
    KIND,
    LOCAL,
    LARGEST_LOCAL,
    GROUP,
    MULTIPLE,
    UNITS,
    GLOBAL,
    LARGEST,
    CACHE,
    WIDTH_F32,
    WIDTH_F64,
    F64,
    PTX,
    MATRIX_UNIT,
    N_LIMITS
};

static const ritz_cli_limit limits_table[N_LIMITS] = {
    [KIND] = {"kind", "gpu or cpu"},
    [LOCAL] = {"local-memory", "bytes per work-group"},
    [LARGEST_LOCAL] = {"largest-local-memory",
                       "bytes per work-group as static arrays, where more than local-memory works"},
    [GROUP] = {"work-group", "most work-items per group"},
    [MULTIPLE] = {"group-multiple", "width of a warp"},
    [UNITS] = {"compute-units", "multiprocessors or cores"},
    [GLOBAL] = {"global-memory", "bytes"},
    [LARGEST] = {"largest-allocation", "bytes"},
    [CACHE] = {"global-cache", "bytes of the last cache before memory"},
    [WIDTH_F32] = {"vector-width-f32", "native vectors"},
    [WIDTH_F64] = {"vector-width-f64", "native vectors"},
    [F64] = {"f64", "yes or no"},
    [PTX] = {"ptx", "yes or no: inline PTX"},
    [MATRIX_UNIT] = {"f64-matrix-unit", "yes or no: reached by inline PTX"},
};

const ritz_cli_limit *ritz_cli_limits(int *n_limits)
{
    *n_limits = N_LIMITS;
    return limits_table;
}

/* What an ordinary device of a kind has where the command line leaves it open. */
static const ritz_device_info ordinary_gpu = {.name = "none",
                                              .kind = RITZ_DEVICE_GPU,
                                              .global_memory = INT64_C(4) << 30,
                                              .local_memory = 48 << 10,
                                              .constant_memory = 64 << 10,
                                              .work_group_size = 1024,
                                              .group_multiple = 32,
                                              .compute_units = 16,
                                              .vector_width_f32 = 1,
                                              .vector_width_f64 = 1,
                                              .has_f64 = true};
static const ritz_device_info ordinary_cpu = {.name = "none",
                                              .kind = RITZ_DEVICE_CPU,
                                              .global_memory = INT64_C(16) << 30,
                                              .local_memory = 256 << 10,
                                              .constant_memory = 256 << 10,
                                              .work_group_size = 4096,
                                              .group_multiple = 1,
                                              .compute_units = 8,
                                              .vector_width_f32 = 8,
                                              .vector_width_f64 = 4,
                                              .has_f64 = true,
                                              .unified_memory = true};

/* A whole number, with K, M or G for powers of 1024. */
static ritz_status read_size(int limit, const char *text, int64_t least, int64_t most, int64_t *number)
{
    static const char units[] = "KMG";
    char digits[32];
    const size_t length = strlen(text);
    const char *unit = length ? strchr(units, text[length - 1]) : NULL;
    const int shift = unit ? 10 * (int)(unit - units + 1) : 0;
    snprintf(digits, sizeof digits, "%.*s", (int)(unit ? length - 1 : length), text);
    if (length >= sizeof digits || !ritz_cli_read_integer(digits, 0, most >> shift, number) ||
        (*number <<= shift) < least)
        return ritz_fail(RITZ_ERROR_INPUT, "--%s takes a whole number from %lld to %lld (%s), not '%s'",
                         limits_table[limit].name, (long long)least, (long long)most, limits_table[limit].meaning,
                         text);
    return RITZ_OK;
}

static ritz_status read_small(int limit, const char *text, int32_t least, int32_t most, int32_t *number)
{
    int64_t wide;
    const ritz_status status = read_size(limit, text, least, most, &wide);
    if (status == RITZ_OK)
        *number = (int32_t)wide;
    return status;
}

static ritz_status read_switch(int limit, const char *text, bool *value)
{
    *value = strcmp(text, "yes") == 0;
    return *value || strcmp(text, "no") == 0
               ? RITZ_OK
               : ritz_fail(RITZ_ERROR_INPUT, "--%s takes yes or no, not '%s'", limits_table[limit].name, text);
}

static ritz_status read_limit(int limit, const char *text, ritz_device_info *limits)
{
    switch (limit) {
    case LOCAL:
        return read_size(limit, text, 1, INT64_C(1) << 40, &limits->local_memory);
    case LARGEST_LOCAL:
        return read_size(limit, text, 1, INT64_C(1) << 40, &limits->largest_local_memory);
    case GROUP:
        return read_size(limit, text, 1, 1 << 20, &limits->work_group_size);
    case MULTIPLE:
        return read_size(limit, text, 1, 1 << 20, &limits->group_multiple);
    case UNITS:
        return read_small(limit, text, 1, 1 << 20, &limits->compute_units);
    case GLOBAL:
        return read_size(limit, text, 1, INT64_C(1) << 50, &limits->global_memory);
    case LARGEST:
        return read_size(limit, text, 1, INT64_C(1) << 50, &limits->largest_allocation);
    case CACHE:
        return read_size(limit, text, 0, INT64_C(1) << 40, &limits->global_cache);
    case WIDTH_F32:
        return read_small(limit, text, 1, 16, &limits->vector_width_f32);
    case WIDTH_F64:
        return read_small(limit, text, 1, 16, &limits->vector_width_f64);
    case F64:
        return read_switch(limit, text, &limits->has_f64);
    case PTX:
        return read_switch(limit, text, &limits->has_ptx);
    case MATRIX_UNIT:
        return read_switch(limit, text, &limits->has_f64_matrix_unit);
    default:
        return RITZ_OK;
    }
}

/* Limits that follow from others where they are not given. */
static void derive_limits(const ritz_limit_arguments *given, bool from_device, ritz_device_info *limits)
{
    if (!given->texts[LARGEST_LOCAL] && (given->texts[LOCAL] || !from_device))
        limits->largest_local_memory = limits->local_memory;
    if (!given->texts[LARGEST] && !from_device) /* the least that OpenCL 1.2 asks of a device */
        limits->largest_allocation = limits->global_memory / 4;
    if (!given->texts[LARGEST])
        limits->largest_allocation = ritz_min64(limits->largest_allocation, limits->global_memory);
    if (!given->texts[MULTIPLE])
        limits->group_multiple = ritz_min64(limits->group_multiple, limits->work_group_size);
}

static ritz_status check_limit_pairs(const ritz_device_info *l)
{
    ritz_status status = RITZ_OK;
    RITZ_REQUIRE(l->largest_allocation <= l->global_memory, RITZ_ERROR_INPUT,
                 "a largest allocation of %lld bytes is more than the global memory of %lld: give --global-memory too",
                 (long long)l->largest_allocation, (long long)l->global_memory);
    RITZ_REQUIRE(l->largest_local_memory >= l->local_memory, RITZ_ERROR_INPUT,
                 "static arrays of at most %lld bytes are less than the local memory of %lld: leave "
                 "--largest-local-memory out",
                 (long long)l->largest_local_memory, (long long)l->local_memory);
    RITZ_REQUIRE(l->group_multiple <= l->work_group_size, RITZ_ERROR_INPUT,
                 "work-groups of at most %lld do not hold a warp of %lld: give --group-multiple too",
                 (long long)l->work_group_size, (long long)l->group_multiple);
    RITZ_REQUIRE(!l->has_f64_matrix_unit || (l->has_ptx && l->has_f64), RITZ_ERROR_INPUT,
                 "the f64 matrix unit is reached by inline PTX on doubles: give --ptx yes and --f64 yes too");
done:
    return status;
}

ritz_status ritz_cli_make_limits(const ritz_limit_arguments *given, const ritz_device_info *device,
                                 ritz_device_info *limits)
{
    ritz_status status = RITZ_OK;
    const char *kind = given->texts[KIND];
    const bool cpu = kind && strcmp(kind, "cpu") == 0;
    RITZ_REQUIRE(!kind || cpu || strcmp(kind, "gpu") == 0, RITZ_ERROR_INPUT, "--kind takes gpu or cpu, not '%s'", kind);
    *limits = device ? *device : cpu ? ordinary_cpu : ordinary_gpu;
    if (kind)
        limits->kind = cpu ? RITZ_DEVICE_CPU : RITZ_DEVICE_GPU;
    for (int limit = 0; limit < N_LIMITS; limit++)
        if (given->texts[limit])
            RITZ_TRY(read_limit(limit, given->texts[limit], limits));
    derive_limits(given, device != NULL, limits);
    RITZ_TRY(check_limit_pairs(limits));
done:
    return status;
}
