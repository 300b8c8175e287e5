/* What the files of the device room share: the OpenCL side of the handles. Nothing outside src/device/ includes this.
   Only calls of OpenCL 1.2 are made, so that every driver serves. */
#ifndef RITZ_SRC_DEVICE_OPENCL_H
#define RITZ_SRC_DEVICE_OPENCL_H

#include "device/device.h"
#include "device/tuning.h"

#define CL_USE_DEPRECATED_OPENCL_1_2_APIS
#include <CL/cl.h>
#include <CL/cl_ext.h>
#include <time.h>

/* Events of launches whose times are asked for later (stage.c). */
typedef struct ritz_kept_times {
    bool on;
    cl_event *events; /* [capacity], n of them in use, oldest first */
    int64_t n, capacity;
} ritz_kept_times;

/* Memory that buffers gave back (buffer_pool.c). */
enum { RITZ_POOL_MOST = 256 };
typedef struct ritz_pooled_buffer {
    cl_mem memory;
    int64_t bytes;
} ritz_pooled_buffer;
typedef struct ritz_buffer_pool {
    ritz_pooled_buffer kept[RITZ_POOL_MOST]; /* oldest first */
    int n;
    int64_t bytes; /* of all together */
} ritz_buffer_pool;

/* Host memory that the driver has pinned, for transfers (pinned.c). */
typedef struct ritz_pinned {
    cl_command_queue queue; /* by which it is mapped, for life */
    cl_mem memory;
    char *host; /* NULL: there is none */
} ritz_pinned;

/* The device's ceilings as they are in force (ceilings.c). */
typedef struct ritz_known_ceilings {
    bool known, confirmed, told; /* confirmed: measured twice; told: that a share is too high */
    ritz_device_ceilings ceilings;
    char when[32];
} ritz_known_ceilings;

typedef struct ritz_command_log ritz_command_log; /* commands.c */

struct ritz_device {
    ritz_device_info info;
    char platform_version[256];
    cl_platform_id platform;
    cl_device_id id;
    cl_context context;
    cl_command_queue queue;     /* in order */
    bool tells_times;           /* the queue profiles; one of a caller's may not */
    cl_command_queue transfers; /* a second one like it, for transfers beside kernels; NULL until a stage is made */
    ritz_kept_times kept;
    ritz_command_log *commands;         /* NULL unless RITZ_LOG asks for it */
    int64_t own_memory, own_allocation; /* limits as found, while ritz_device_plan_within lowers those of `info` */
    int64_t memory_limit; /* bytes that buffers may take together: RITZ_MAX_DEVICE_BYTES or the device's memory */
    int64_t live_bytes;
    const char *leaner; /* what takes less memory, for messages; NULL: nothing */
    ritz_buffer_pool pool;
    bool tried_pinned; /* to have it: */
    ritz_pinned pinned;
    ritz_known_ceilings ceilings;
    ritz_device_counters counters;
    int64_t n_holders;              /* users: the opener, until it is closed, and each buffer; the last one frees it */
    double tuned[RITZ_N_CONSTANTS]; /* constants without facts, as of... */
    int tuned_generation;           /* ...this state of the tables */
    ritz_program *programs;         /* list of all programs made so far, newest first */
};

struct ritz_buffer {
    ritz_device *device;
    cl_mem memory;
    int64_t bytes; /* as asked for */
    int64_t room;  /* of `memory`: no less, and at least 16 */
    char what[64]; /* for messages */
    bool foreign;  /* memory that a caller has made: released, never kept in the pool nor counted */
};

struct ritz_program {
    ritz_device *device;
    cl_program program;
    char *request;     /* options, names of files and header that it was asked for by */
    char *pocl_folder; /* what PoCL keeps of it; NULL with other drivers */
    ritz_kernel *kernels;
    ritz_program *next;
};

struct ritz_kernel {
    ritz_program *program;
    cl_kernel kernel;
    char *name;
    cl_uint n_arguments;
    int64_t work_group_size, private_bytes, local_bytes;
    ritz_kernel *next;
};

/* A device as it is found, before it is opened. */
typedef struct ritz_found {
    cl_platform_id platform;
    cl_device_id id;
    ritz_device_info info;
    char platform_version[256];
    bool is_nvidia; /* its compiler may take inline PTX */
} ritz_found;

/* Devices that are there, in order of preference. Freed with ritz_free. */
ritz_status ritz_find_devices(ritz_found **found, int32_t *n_found);
ritz_status ritz_open_found(const ritz_found *found, ritz_device **device);
/* Around a context and a queue that there are, which are retained; with NULL for both, new ones. */
ritz_status ritz_open_around(const ritz_found *found, cl_context context, cl_command_queue queue, bool tells_times,
                             ritz_device **device);
/* All of *found from its id. */
ritz_status ritz_describe_found(ritz_found *found);
/* found->info.pci; "" where the driver does not tell. */
void ritz_find_pci(ritz_found *found, bool has_bus_info);
/* "pci:..." in any case, and the device that it means: an index into found[n_found]. */
bool ritz_is_pci_selector(const char *selector);
ritz_status ritz_select_by_pci(const char *selector, const ritz_found *found, int32_t n_found, int32_t *chosen);
/* One holder less; the last one frees the device. */
void ritz_device_release(ritz_device *device);
/* The one that `selector` names; an index into found[n_found]. */
ritz_status ritz_select_device(const char *selector, const ritz_found *found, int32_t n_found, int32_t *chosen);
/* Sets what of device->info is found by trying: has_ptx, has_f64_matrix_unit, largest_local_memory. */
void ritz_probe(ritz_device *device, bool is_nvidia);
/* Names of the devices in one line. */
ritz_status ritz_name_devices(const ritz_found *found, int32_t n_found, char **names);

/* "CL_OUT_OF_RESOURCES" and a few words on what it means. */
const char *ritz_opencl_error(cl_int error);

/* PoCL's own cache of machine code (pocl.c). The folder of it: below ours unless the user placed it, for this process
   alone (with a warning) where those cannot be written. Before the first OpenCL call. */
void ritz_pocl_choose_folder(void);
bool ritz_is_pocl(const ritz_device *device);
/* PoCL of the version whose compiler was looked into: 3.1. */
bool ritz_is_known_pocl(const ritz_device *device);
#define RITZ_POCL_LIST "ritz.files" /* in a program's folder: its other files */
/* Whether there is the memory to ask PoCL for a binary. */
bool ritz_pocl_has_memory(void);
/* Build options under which PoCL compiles into a folder that nobody has used. */
ritz_status ritz_pocl_fresh_options(const char *options, char **fresh);
/* The folder of a binary's program; NULL where the binary is not PoCL's. */
ritz_status ritz_pocl_folder(const unsigned char *binary, int64_t bytes, char **folder);
/* Lists the files of the folder that are not listed yet. */
void ritz_pocl_list(const char *folder);
/* Compares the folder with its list and removes it unless all is as it was. Then a lock is returned (else -1), to be
   given to ritz_unlock_folder after the program was built and listed. */
int ritz_pocl_mend(const char *folder);
/* Removes a file, or a folder with all in it. */
void ritz_pocl_remove(const char *path);
/* The whole file with a NUL after it; *content is NULL when it cannot be read. */
ritz_status ritz_pocl_read_file(const char *path, char **content, int64_t *bytes);

/* Programs as bitcode in the place of PoCL's binaries (pocl_bitcode.c). */
bool ritz_pocl_takes_bitcode(const ritz_device *device);
/* Of a program's source; *bitcode NULL: it does not compile, or PoCL does not show it. */
ritz_status ritz_pocl_compile_bitcode(ritz_device *device, cl_program source, const char *options,
                                      unsigned char **bitcode, int64_t *bytes);
/* The folder of the program that was linked since then; NULL: it is not known which one. */
ritz_status ritz_pocl_find_new(const struct timespec *since, char **folder);
/* What is kept of a program, and its parts again: *options NULL: it is something else. */
ritz_status ritz_pocl_pack(const char *folder, const char *options, const unsigned char *bitcode, int64_t bytes,
                           unsigned char **kept, int64_t *kept_bytes);
ritz_status ritz_pocl_unpack(unsigned char *kept, int64_t bytes, char **folder, const char **options, int64_t *start);

/* What the process does at signals: kept before a driver starts or compiles, and given back after it (signals.c). Calls may
   overlap. */
void ritz_keep_signals(void);
void ritz_give_back_signals(void);

/* Waits for a command, and adds to *seconds its own time on the device. */
ritz_status ritz_event_wait(cl_event event, const char *what, double *seconds);
/* Remembers the event of a launch for ritz_device_collect_times; takes a reference of its own. */
ritz_status ritz_keep_event(ritz_device *device, cl_event event);

/* RITZ_ERROR_MEMORY where the process has too few addresses left for a driver to start, to build a program or to launch a new
   kernel; whether it has enough for a new buffer (addresses.c). */
ritz_status ritz_require_start(void);
ritz_status ritz_require_build(void);
ritz_status ritz_require_kernel(void);
bool ritz_has_addresses_for(const ritz_device *device, int64_t bytes);

/* The table of commands (commands.c). Without a table or an event nothing is done; of the event a reference of
   its own is taken. `size` of a kernel: its work-items. Closing prints the table and frees it. */
ritz_status ritz_commands_open(ritz_device *device);
void ritz_commands_add_kernel(ritz_device *device, const char *name, int64_t work_items, cl_event event);
void ritz_commands_add_transfer(ritz_device *device, const char *kind, const char *what, int64_t bytes, cl_event event);
void ritz_commands_close(ritz_device *device);

/* A buffer of `bytes`; large ones on CPU devices get large pages, kept from other buffers or new (pages.c). NULL and *error on
   failure. */
cl_mem ritz_create_paged(ritz_device *device, int64_t bytes, cl_int *error);
bool ritz_is_paged(const ritz_device *device, int64_t bytes);
/* Bytes of the pages that are kept; gives them up. */
int64_t ritz_pages_bytes(void);
void ritz_pages_release(void);
/* Memory of the machine, or the most that the container may take. */
int64_t ritz_host_bytes(void);
/* Memory of so many bytes, or a little more, that was kept, or NULL; memory to keep, or to release if it is too much; all given
   up. *room: its bytes. */
cl_mem ritz_pool_take(ritz_device *device, int64_t bytes, int64_t *room);
void ritz_pool_keep(ritz_device *device, cl_mem memory, int64_t bytes);
void ritz_pool_release(ritz_device *device);
/* *pinned is all 0 after a failure. */
cl_int ritz_pinned_create(ritz_device *device, cl_command_queue queue, int64_t bytes, ritz_pinned *pinned);
void ritz_pinned_release(ritz_pinned *pinned);
/* Whether transfers of so many bytes go through pinned memory (pinned.c). */
bool ritz_pinned_serves(ritz_device *device, int64_t bytes);
/* Of bytes [offset, offset + bytes) of a buffer, one of `from` and `to` being NULL. Returns when it is complete. */
ritz_status ritz_pinned_transfer(const ritz_buffer *buffer, int64_t offset, int64_t bytes, const void *from, void *to);
void ritz_programs_free(ritz_device *device);

/* Fails with RITZ_ERROR_DEVICE and the error's name after the text when an OpenCL call does not return CL_SUCCESS. */
#define RITZ_CL(call, ...)                                                                                             \
    do {                                                                                                               \
        cl_int cl_error_ = (call);                                                                                     \
        if (cl_error_ != CL_SUCCESS) {                                                                                 \
            ritz_fail_opencl(cl_error_, __VA_ARGS__);                                                                  \
            status = RITZ_ERROR_DEVICE;                                                                                \
            goto done;                                                                                                 \
        }                                                                                                              \
    } while (0)
void ritz_fail_opencl(cl_int error, const char *format, ...) __attribute__((format(printf, 2, 3)));

#endif
