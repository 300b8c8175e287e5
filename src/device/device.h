/* Device room, internal side: buffers, programs, kernels and launches without an OpenCL type in sight.
   Only files under src/device/ include OpenCL; another device API could stand behind this header. */
#ifndef RITZ_SRC_DEVICE_H
#define RITZ_SRC_DEVICE_H

#include "base/base.h"
#include "ritz/device.h"

typedef struct ritz_buffer ritz_buffer;
typedef struct ritz_program ritz_program;
typedef struct ritz_kernel ritz_kernel;
typedef struct ritz_stage ritz_stage;

/* ---- Buffers: device memory. All calls are in order with launches; reads block until the data is there. ---- */

/* `what` names the content in the message when memory is short ("needs 3.2 GB for the matrix values, the device has
   2.0 GB free of 8 GB: ..."). Content is undefined. bytes 0 is allowed. */
ritz_status ritz_buffer_create(ritz_device *device, int64_t bytes, const char *what, ritz_buffer **buffer);
/* *buffer, where it is large enough, else a new one in its place: what was in it is lost. */
ritz_status ritz_buffer_reserve(ritz_device *device, int64_t bytes, const char *what, ritz_buffer **buffer);
/* A buffer that starts as a copy of `data`. */
ritz_status ritz_buffer_create_from(ritz_device *device, const void *data, int64_t bytes, const char *what,
                                    ritz_buffer **buffer);
/* A buffer around OpenCL memory of at least so many bytes, in the device's context: retained, or with `owned` released in
   the end. */
ritz_status ritz_buffer_around(ritz_device *device, void *memory, int64_t bytes, bool owned, const char *what,
                               ritz_buffer **buffer);
/* Its OpenCL memory, which it keeps. */
void *ritz_buffer_opencl(const ritz_buffer *buffer);
ritz_device *ritz_buffer_device(const ritz_buffer *buffer);
/* NULL or pointer to NULL is allowed. */
void ritz_buffer_destroy(ritz_buffer **buffer);
int64_t ritz_buffer_bytes(const ritz_buffer *buffer);
ritz_status ritz_buffer_write(ritz_buffer *buffer, int64_t offset, const void *data, int64_t bytes);
ritz_status ritz_buffer_read(const ritz_buffer *buffer, int64_t offset, void *data, int64_t bytes);
/* n doubles to and from a buffer of reals, from its number `first` on. */
ritz_status ritz_buffer_write_reals(ritz_buffer *buffer, ritz_precision precision, int64_t first, const double *from,
                                    int64_t n);
ritz_status ritz_buffer_read_reals(const ritz_buffer *buffer, ritz_precision precision, int64_t first, double *to,
                                   int64_t n);
ritz_status ritz_buffer_copy(const ritz_buffer *from, int64_t from_offset, ritz_buffer *to, int64_t to_offset,
                             int64_t bytes);
ritz_status ritz_buffer_zero(ritz_buffer *buffer);
/* The few numbers from `offset` on, a multiple of 4. */
ritz_status ritz_buffer_zero_end(ritz_buffer *buffer, int64_t offset);
/* Reads all of a buffer of zeros on the device and writes nothing: one much larger than the caches leaves them without
   anything else, and without anything to write back while the next kernel is timed. */
ritz_status ritz_buffer_read_through(ritz_buffer *zeros);

/* ---- Programs: kernel files embedded in the library, after a generated header. ---- */

/* A file under src/, by its path there ("solve/kernels/vector.cl"); NULL if there is none. */
const char *ritz_kernel_source(const char *path);

/* Compiles `header` (generated defines and functions, may be "") followed by the kernel files named in `paths`
   (n_paths of them, joined in order), with `options` (may be ""). Every program starts with device/kernels/real.cl,
   which turns -DREAL_F32 or -DREAL_F64 (put there by `precision`) into the types `real` and `realN`; for PoCL 3.1 with
   device/kernels/builtins.cl, which declares what kernels may use.
   Binaries are cached on disk, keyed by source, options, device and driver, safe under several processes, and in memory
   for the life of the device: asking twice gives the same program. The device owns it.
   A compile error is RITZ_ERROR_DEVICE with the first lines of the build log. */
ritz_status ritz_program_get(ritz_device *device, ritz_precision precision, const char *header,
                             const char *const *paths, int n_paths, const char *options, ritz_program **program);

/* The kernel `name`; owned by the program (asking twice gives the same one). */
ritz_status ritz_kernel_get(ritz_program *program, const char *name, ritz_kernel **kernel);
/* Largest work-group this kernel can be launched with on its device. */
int64_t ritz_kernel_work_group_size(const ritz_kernel *kernel);
/* Bytes of private memory a work-item (spills), where the driver tells; 0 otherwise. */
int64_t ritz_kernel_private_bytes(const ritz_kernel *kernel);

/* ---- Launches ---- */

/* An argument of a kernel: a buffer, a value, or local memory. */
typedef struct ritz_argument {
    const ritz_buffer *buffer; /* else NULL */
    const void *value;         /* else NULL: `bytes` of local memory */
    int64_t bytes;
} ritz_argument;
#define RITZ_BUFFER(b) ((ritz_argument){.buffer = (b)})
#define RITZ_INT(v) ((ritz_argument){.value = &(int32_t){(v)}, .bytes = 4})
#define RITZ_LONG(v) ((ritz_argument){.value = &(int64_t){(v)}, .bytes = 8})
/* A `real` of the program's precision p. */
#define RITZ_REAL(p, v)                                                                                                \
    ((p) == RITZ_F64 ? (ritz_argument){.value = &(double){(v)}, .bytes = 8}                                            \
                     : (ritz_argument){.value = &(float){(float)(v)}, .bytes = 4})
#define RITZ_LOCAL(b) ((ritz_argument){.bytes = (b)})

typedef struct ritz_range {
    int64_t global[3]; /* work-items; a multiple of local where local is given */
    int64_t local[3];  /* 0: the driver chooses */
} ritz_range;

/* Starts a kernel; does not wait. Unused dimensions of the range may be 0. With `seconds`, waits and adds the
   kernel's own time (from device events) to *seconds. A global size of 0 launches nothing. */
ritz_status ritz_launch(ritz_kernel *kernel, ritz_range range, const ritz_argument *arguments, int n_arguments,
                        double *seconds);
#define RITZ_LAUNCH(kernel, range, seconds, ...)                                                                       \
    ritz_launch((kernel), (range), (ritz_argument[]){__VA_ARGS__},                                                     \
                (int)(sizeof((ritz_argument[]){__VA_ARGS__}) / sizeof(ritz_argument)), (seconds))

/* Sends everything queued to the device / waits until all of it is done (reports faults of earlier launches). */
ritz_status ritz_device_flush(ritz_device *device);
ritz_status ritz_device_finish(ritz_device *device);

/* Bytes of device memory that buffers may still take; a plan for chunks asks this. / that they take now. */
int64_t ritz_device_free_bytes(const ritz_device *device);
int64_t ritz_device_live_bytes(const ritz_device *device);
/* What else takes less memory, for messages that tell of too little from now on: "preconditioner: jacobi"; NULL: nothing. The text stays
   the caller's. */
void ritz_device_set_leaner(ritz_device *device, const char *leaner);
/* Counts the peak from now on: for several measurements with one open device. */
void ritz_device_restart_peak(ritz_device *device);
/* Launch plans see a device with no more than `bytes` of memory; 0: with what it has. Buffers beyond it are not refused: the
   caller keeps to the bound. */
void ritz_device_plan_within(ritz_device *device, int64_t bytes);

/* ---- Transfers to the host that overlap launches. ----

   A stage is the place of one such transfer at a time: ritz_stage_fetch, ritz_stage_wait, use of the data,
   ritz_stage_release, and again. On CPU devices the data is the buffer itself, without a copy; elsewhere it is
   page-locked memory of the driver's, which transfers reach at the full speed of the bus. */

/* For up to `bytes`; `what` names the content in messages. */
ritz_status ritz_stage_create(ritz_device *device, int64_t bytes, const char *what, ritz_stage **stage);
/* Waits for a transfer under way. Before the buffer that was fetched is destroyed. Pointer to NULL is allowed. */
void ritz_stage_destroy(ritz_stage **stage);
/* Whether the data is a copy: then the buffer may be written again once ritz_stage_wait has returned, otherwise only
   after ritz_stage_release. */
bool ritz_stage_copies(const ritz_stage *stage);
/* Starts the transfer of the first bytes of a buffer as they are after all launches so far; does not wait. */
ritz_status ritz_stage_fetch(ritz_stage *stage, const ritz_buffer *buffer, int64_t bytes);
/* Waits for this transfer alone. *data is the stage's until it is released; adds the transfer's own time to *seconds
   when not NULL. */
ritz_status ritz_stage_wait(ritz_stage *stage, const void **data, double *seconds);
void ritz_stage_release(ritz_stage *stage);

/* Times of kernels without waiting for them: while they are kept, launches without `seconds` of their own are
   remembered, and ritz_device_collect_times adds the times of those that have ended since the last call. Turning it
   on or off forgets what was not collected. */
void ritz_device_keep_times(ritz_device *device, bool keep);
ritz_status ritz_device_collect_times(ritz_device *device, double *seconds);

static inline int64_t ritz_real_bytes(ritz_precision precision)
{
    return precision == RITZ_F64 ? 8 : 4;
}
/* Number i of an array of reals on the host. */
static inline double ritz_get_real(ritz_precision precision, const void *reals, int64_t i)
{
    return precision == RITZ_F64 ? ((const double *)reals)[i] : (double)((const float *)reals)[i];
}
static inline void ritz_set_real(ritz_precision precision, void *reals, int64_t i, double value)
{
    if (precision == RITZ_F64)
        ((double *)reals)[i] = value;
    else
        ((float *)reals)[i] = (float)value;
}

/* Bytes that the machine itself can still give; INT64_MAX where the system does not tell. */
int64_t ritz_host_free_bytes(void);

#endif
