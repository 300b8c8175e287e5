/* Devices: list them, open one, know its limits, measure its ceilings. */
#ifndef RITZ_DEVICE_H
#define RITZ_DEVICE_H

#include "ritz/base.h"

#include <stdbool.h>

RITZ_BEGIN_DECLS

/* It serves one thread at a time, with all that is made on it: threads open one each. Callers let those on the processor take turns even so:
   PoCL 3.1 fails where two of its devices run kernels at once. A child process (fork) opens its own, and before its parent uses OpenCL. */
typedef struct ritz_device ritz_device;

typedef enum ritz_device_kind { RITZ_DEVICE_CPU, RITZ_DEVICE_GPU, RITZ_DEVICE_OTHER } ritz_device_kind;

/* What a device reports: the limits that launch plans are made from. Sizes in bytes. */
typedef struct ritz_device_info {
    char name[256], vendor[128], platform[128], driver[128], version[128];
    ritz_device_kind kind;
    int32_t number; /* among the devices of its kind: 1 is the one that the selector "gpu:1" opens */
    int64_t global_memory, largest_allocation, local_memory, constant_memory, global_cache;
    int64_t largest_local_memory; /* of a group, as static arrays: local_memory or more */
    int64_t work_group_size;      /* largest number of work-items in a group */
    int64_t group_multiple;       /* warp or wavefront width; 1 on CPUs without a preference */
    int32_t compute_units;
    int32_t clock_mhz;
    int32_t vector_width_f32, vector_width_f64; /* native, 1 on GPUs */
    bool has_f64;
    bool unified_memory;      /* device memory is host memory */
    bool orders_atomics;      /* writes before an atomic operation are visible to whoever reads its result */
    bool has_ptx;             /* inline PTX compiles */
    bool has_f64_matrix_unit; /* multiply-adds of 16x8x4 doubles by inline PTX compile */
    char pci[16];             /* "0000:3b:00.0", its PCI address; "" where the driver does not report it */
} ritz_device_info;

/* Ceilings read on the device: medians of repeated runs. Filled by a measurement, except its size. */
typedef struct ritz_device_ceilings {
    size_t size;      /* of this struct, set by the caller; 0: the library's own */
    double copy_gb_s; /* bytes read plus bytes written */
    double store_gb_s;
    double f32_gflop_s; /* multiply-add counted as two */
    double f64_gflop_s; /* 0 without f64 */
} ritz_device_ceilings;

/* Work since the device was opened. */
typedef struct ritz_device_counters {
    int64_t bytes_to_device, bytes_from_device; /* over the bus (or copied, on a CPU device) */
    int64_t peak_bytes;                         /* largest sum of live buffers */
    int64_t launches, programs_compiled, programs_cached;
    double seconds_compile, seconds_allocate, seconds_to_device, seconds_from_device; /* host time waited for each */
} ritz_device_counters;

/* All devices, in the order in which `auto` prefers them: GPUs, then CPUs. *infos is the caller's:
   ritz_device_list_free. */
RITZ_API ritz_status ritz_device_list(ritz_device_info **infos, int32_t *n_devices);
RITZ_API void ritz_device_list_free(ritz_device_info **infos);
/* "gpu", "cpu" or "other", as selectors say it; "unknown" for other values. */
RITZ_API const char *ritz_device_kind_name(ritz_device_kind kind);

/* Opens the device that `selector` names: "auto" (or NULL), "gpu", "cpu", "gpu:1" (the second one), or part of the name
   of a device, vendor or platform, case-blind, which takes a number too ("h200:1"); "pci:0000:3b:00.0" is the one with
   that PCI address, where drivers report it. RITZ_ERROR_DEVICE: the message lists the devices, or the package to
   install. */
RITZ_API ritz_status ritz_device_open(const char *selector, ritz_device **device);
/* The device of an OpenCL context and a command queue of it, both handles of OpenCL, that the caller has made; both
   are retained until the device's end. The queue runs in order: commands of the library and the caller are executed in
   the order in which they are sent. Without CL_QUEUE_PROFILING_ENABLE times of kernels are taken from the host's clock.
   */
RITZ_API ritz_status ritz_device_from_opencl(void *context, void *queue, ritz_device **device);
/* The OpenCL context and command queue of a device, for kernels of the caller's on its vectors; the device keeps
   them. */
RITZ_API void *ritz_device_opencl_context(const ritz_device *device);
RITZ_API void *ritz_device_opencl_queue(const ritz_device *device);
/* Matrices and solvers that live on the device keep it alive until they are destroyed, too. */
RITZ_API void ritz_device_close(ritz_device **device);

/* Owned by the device. */
RITZ_API const ritz_device_info *ritz_device_get_info(const ritz_device *device);
/* As they are now and as they go on; NULL where `device` is. */
RITZ_API const ritz_device_counters *ritz_device_get_counters(const ritz_device *device);
RITZ_API ritz_status ritz_device_measure(ritz_device *device, ritz_device_ceilings *ceilings);

RITZ_END_DECLS

#endif
