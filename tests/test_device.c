/* The device room: selection, buffers, launches, the program cache, and what bad use gets. */
#include "device/ceilings.h"
#include "device/device.h"
#include "device/opencl.h"
#include "device/tuning.h"

#include <dirent.h>
#include <math.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

static char cache_folder[] = "/tmp/ritz-test-device-XXXXXX";

/* y = a x + y, and the reversal of each work-group through local memory. */
static const char kernels[] = "__kernel void axpy(real a, __global const real *x, __global real *y, int n)\n"
                              "{\n"
                              "    int i = get_global_id(0);\n"
                              "    if (i < n)\n"
                              "        y[i] += a * x[i];\n"
                              "}\n"
                              "__kernel void reverse(__global int *x, __local int *group)\n"
                              "{\n"
                              "    int i = get_local_id(0), n = get_local_size(0);\n"
                              "    group[i] = x[get_global_id(0)];\n"
                              "    barrier(CLK_LOCAL_MEM_FENCE);\n"
                              "    x[get_global_id(0)] = group[n - 1 - i];\n"
                              "}\n";

static ritz_device *open_device(void)
{
    ritz_device *device = NULL;
    if (ritz_device_open(NULL, &device) != RITZ_OK)
        fail_msg("%s", ritz_message());
    return device;
}

static ritz_program *get_program(ritz_device *device, ritz_precision precision)
{
    ritz_program *program = NULL;
    if (ritz_program_get(device, precision, kernels, NULL, 0, "", &program) != RITZ_OK)
        fail_msg("%s", ritz_message());
    return program;
}

static void assert_message(const char *part)
{
    if (!strstr(ritz_message(), part))
        fail_msg("'%s' is not in the message: %s", part, ritz_message());
}

/* The simulator takes the loader's place, and counts misuse that a test makes on purpose as a finding. */
static bool under_oclgrind(void)
{
    const char *preload = getenv("LD_PRELOAD");
    return preload && strstr(preload, "oclgrind");
}

static const char no_driver[] = "--without-driver"; /* this program, asked what it finds in an empty folder */

/* A program of its own, because loaders read their settings once, some before main: all that any of them reads names
   an empty folder, and lists of drivers beside it are gone. */
static void test_no_driver(void **state)
{
    (void)state;
    if (under_oclgrind())
        skip();
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        char empty[320];
        snprintf(empty, sizeof empty, "%s/no-drivers", cache_folder);
        mkdir(empty, 0700);
        setenv("OCL_ICD_VENDORS", empty, 1);
        setenv("OPENCL_VENDOR_PATH", empty, 1);
        unsetenv("OCL_ICD_FILENAMES");
        unsetenv("LD_PRELOAD");
        execl("/proc/self/exe", "test_device", no_driver, (char *)NULL);
        _exit(2);
    }
    int result = -1;
    assert_int_equal(waitpid(child, &result, 0), child);
    assert_int_equal(result, 0);
}

/* In a process of its own: y = 2 x + y by the shared program. */
static int build_and_run(void)
{
    ritz_device *device = NULL;
    ritz_program *program;
    ritz_kernel *kernel;
    ritz_buffer *x = NULL, *y = NULL;
    float values[64];
    for (int i = 0; i < 64; i++)
        values[i] = (float)i;
    bool good = ritz_device_open(NULL, &device) == RITZ_OK &&
                ritz_program_get(device, RITZ_F32, kernels, NULL, 0, "", &program) == RITZ_OK &&
                ritz_kernel_get(program, "axpy", &kernel) == RITZ_OK &&
                ritz_buffer_create_from(device, values, sizeof values, "x", &x) == RITZ_OK &&
                ritz_buffer_create_from(device, values, sizeof values, "y", &y) == RITZ_OK &&
                RITZ_LAUNCH(kernel, ((ritz_range){.global = {64}}), NULL, RITZ_REAL(RITZ_F32, 2), RITZ_BUFFER(x),
                            RITZ_BUFFER(y), RITZ_INT(64)) == RITZ_OK &&
                ritz_buffer_read(y, 0, values, sizeof values) == RITZ_OK;
    for (int i = 0; good && i < 64; i++)
        good = values[i] == 3.0f * (float)i;
    if (!good)
        fprintf(stderr, "%s\n", ritz_message());
    ritz_buffer_destroy(&x);
    ritz_buffer_destroy(&y);
    ritz_device_close(&device);
    return good ? 0 : 1;
}

/* Whether a file of the cache holds the program of this test; others come from the library's own probes. */
static bool is_own_program(const char *path)
{
    static char content[16384];
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    size_t n = fread(content, 1, sizeof content - 1, file);
    fclose(file);
    content[n] = '\0';
    return strstr(content, "reverse") != NULL;
}

/* Counts the cached files of this test's program, and gives the path of the last. */
static int find_cached(char *path, size_t bytes)
{
    int n = 0;
    char other[512];
    DIR *folder = opendir(cache_folder);
    assert_non_null(folder);
    for (struct dirent *entry; (entry = readdir(folder));) {
        snprintf(other, sizeof other, "%s/%s", cache_folder, entry->d_name);
        if (strncmp(entry->d_name, "program-", 8) == 0 && is_own_program(other)) {
            snprintf(path, bytes, "%s", other);
            n++;
        }
    }
    closedir(folder);
    return n;
}

static void test_processes_at_once(void **state)
{
    enum { N = 4 };
    pid_t children[N];
    char path[512];
    (void)state;
    for (int i = 0; i < N; i++) {
        children[i] = fork();
        assert_true(children[i] >= 0);
        if (children[i] == 0)
            _exit(build_and_run());
    }
    for (int i = 0; i < N; i++) {
        int result = -1;
        assert_int_equal(waitpid(children[i], &result, 0), children[i]);
        assert_int_equal(result, 0);
    }
    assert_int_equal(find_cached(path, sizeof path), 1); /* one program, no temporary left */

    ritz_device *device = open_device();
    int64_t compiled = ritz_device_get_counters(device)->programs_compiled;
    get_program(device, RITZ_F32);
    assert_int_equal(ritz_device_get_counters(device)->programs_compiled, compiled);
    assert_int_equal(ritz_device_get_counters(device)->programs_cached, 1);
    ritz_device_close(&device);
}

static void test_list(void **state)
{
    (void)state;
    ritz_device_info *infos = NULL;
    int32_t n_devices = 0;
    assert_int_equal(ritz_device_list(&infos, &n_devices), RITZ_OK);
    assert_true(n_devices >= 1);
    for (int32_t i = 0; i < n_devices; i++) {
        assert_true(strlen(infos[i].name) > 0 && strlen(infos[i].platform) > 0 && strlen(infos[i].driver) > 0);
        assert_true(infos[i].global_memory > 0 && infos[i].largest_allocation > 0 && infos[i].local_memory >= 16384);
        assert_true(infos[i].largest_allocation <= infos[i].global_memory);
        assert_true(infos[i].constant_memory >= 65536 && infos[i].work_group_size >= 1 && infos[i].compute_units >= 1);
        assert_true(infos[i].group_multiple >= 1 && infos[i].vector_width_f32 >= 1 && infos[i].vector_width_f64 >= 1);
        if (i > 0)
            assert_true(infos[i - 1].kind == infos[i].kind ? infos[i].number == infos[i - 1].number + 1
                                                           : infos[i].number == 0);
    }
    ritz_device_list_free(&infos);
    assert_null(infos);
}

/* Opens by `selector` and compares the device's name with `name`. */
static void assert_opens(const char *selector, const char *name)
{
    ritz_device *device = NULL;
    if (ritz_device_open(selector, &device) != RITZ_OK)
        fail_msg("%s", ritz_message());
    assert_string_equal(ritz_device_get_info(device)->name, name);
    ritz_device_close(&device);
    assert_null(device);
}

/* Places on the PCI bus among devices that are made up, and among those that tell none. */
static void test_pci(void **state)
{
    (void)state;
    ritz_found found[3] = {{.info = {.name = "first", .pci = "0000:3b:00.0"}},
                           {.info = {.name = "silent"}},
                           {.info = {.name = "second", .pci = "0001:af:1f.7"}}};
    static const struct {
        const char *selector;
        int32_t chosen;
    } right[] = {{"pci:0000:3b:00.0", 0}, {"PCI:3B:00.0", 0}, {"pci:0001:AF:1F.7", 2}};
    static const char *const malformed[] = {"pci:",        "pci:3b",      "pci:3b:00",
                                            "pci:3b:00.8", "pci:3b:20.0", "pci:3b:00.0 "};
    int32_t chosen = -1;
    for (size_t i = 0; i < sizeof right / sizeof *right; i++) {
        assert_int_equal(ritz_select_device(right[i].selector, found, 3, &chosen), RITZ_OK);
        assert_int_equal(chosen, right[i].chosen);
    }
    for (size_t i = 0; i < sizeof malformed / sizeof *malformed; i++) {
        assert_int_equal(ritz_select_device(malformed[i], found, 3, &chosen), RITZ_ERROR_INPUT);
        assert_message("pci:0000:3b:00.0");
    }
    assert_int_equal(ritz_select_device("pci:0000:af:1f.7", found, 3, &chosen), RITZ_ERROR_DEVICE);
    assert_message("0001:af:1f.7 'second'");
    assert_int_equal(ritz_select_device("pci:3b:00.0", &found[1], 1, &chosen), RITZ_ERROR_DEVICE);
    assert_message("cl_khr_pci_bus_info");
    assert_message("silent");
}

static void test_selectors(void **state)
{
    (void)state;
    ritz_device_info *infos = NULL;
    int32_t n_devices = 0;
    char selector[512];
    assert_int_equal(ritz_device_list(&infos, &n_devices), RITZ_OK);
    assert_opens(NULL, infos[0].name);
    assert_opens("auto", infos[0].name);
    assert_opens(ritz_device_kind_name(infos[0].kind), infos[0].name);
    snprintf(selector, sizeof selector, "%s:0", ritz_device_kind_name(infos[0].kind));
    assert_opens(selector, infos[0].name);
    snprintf(selector, sizeof selector, "%s", infos[0].name); /* a part of the name, in the other case */
    for (char *c = selector; *c; c++)
        *c = *c >= 'a' && *c <= 'z' ? (char)(*c - 'a' + 'A') : *c;
    selector[strlen(selector) - 1] = '\0';
    assert_opens(selector + 1, infos[0].name);
    assert_opens(infos[0].platform, infos[0].name);

    ritz_device *device = NULL;
    static const char *const wrong[] = {"abacus", "gpu:77", "cpu:77", "cpu:", "gpu:x", "cpu:-1"};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        assert_int_equal(ritz_device_open(wrong[i], &device), RITZ_ERROR_DEVICE);
        assert_null(device);
        assert_message(wrong[i]);
        assert_message(infos[0].name); /* what there is instead */
    }
    ritz_device_list_free(&infos);
}

static void test_buffers(void **state)
{
    enum { N = 300001 }; /* past the size from which an own kernel zeroes, and odd */
    (void)state;
    ritz_device *device = open_device();
    ritz_buffer *a = NULL, *b = NULL, *empty = NULL;
    int32_t *data = calloc(N, sizeof *data), *back = calloc(N, sizeof *back);
    for (int32_t i = 0; i < N; i++)
        data[i] = 7 * i + 1;
    assert_int_equal(ritz_buffer_create_from(device, data, N * 4, "test data", &a), RITZ_OK);
    assert_int_equal(ritz_buffer_create(device, N * 4, "a copy", &b), RITZ_OK);
    assert_int_equal(ritz_buffer_create(device, 0, "nothing", &empty), RITZ_OK);
    assert_int_equal(ritz_buffer_bytes(a), N * 4);
    assert_int_equal(ritz_buffer_bytes(empty), 0);
    assert_int_equal(ritz_buffer_copy(a, 0, b, 0, N * 4), RITZ_OK);
    assert_int_equal(ritz_buffer_read(b, 0, back, N * 4), RITZ_OK);
    assert_memory_equal(back, data, N * 4);

    assert_int_equal(ritz_buffer_write(b, 8, data, 4), RITZ_OK);
    assert_int_equal(ritz_buffer_read(b, 4, back, 12), RITZ_OK);
    assert_int_equal(back[0], data[1]);
    assert_int_equal(back[1], data[0]);
    assert_int_equal(back[2], data[3]);

    assert_int_equal(ritz_buffer_zero(a), RITZ_OK);
    assert_int_equal(ritz_buffer_zero(empty), RITZ_OK);
    assert_int_equal(ritz_buffer_read(a, 0, back, N * 4), RITZ_OK);
    for (int32_t i = 0; i < N; i++)
        assert_int_equal(back[i], 0);

    ritz_device_counters counters = *ritz_device_get_counters(device);
    assert_int_equal(counters.bytes_to_device, N * 4 + 4);
    assert_int_equal(counters.bytes_from_device, 2 * N * 4 + 12);
    assert_int_equal(counters.peak_bytes, 2 * N * 4);

    assert_int_equal(ritz_buffer_write(b, N * 4 - 2, data, 4), RITZ_ERROR_INPUT);
    assert_message("a copy");
    assert_int_equal(ritz_buffer_read(b, -1, back, 4), RITZ_ERROR_INPUT);
    assert_int_equal(ritz_buffer_copy(a, 0, empty, 0, 1), RITZ_ERROR_INPUT);
    ritz_buffer_destroy(&a);
    ritz_buffer_destroy(&b);
    ritz_buffer_destroy(&empty);
    ritz_buffer_destroy(&empty);
    ritz_buffer_destroy(NULL);
    free(data);
    free(back);
    ritz_device_close(&device);
}

static void run_axpy(ritz_device *device, ritz_precision precision)
{
    enum { N = 1000 };
    double x[N], y[N];
    float x32[N], y32[N];
    for (int i = 0; i < N; i++) {
        x32[i] = (float)(x[i] = 1.0 / (i + 1));
        y32[i] = (float)(y[i] = i);
    }
    bool f64 = precision == RITZ_F64;
    int64_t bytes = N * ritz_real_bytes(precision);
    ritz_buffer *bx = NULL, *by = NULL;
    ritz_kernel *kernel = NULL, *again = NULL;
    ritz_program *program = get_program(device, precision);
    assert_ptr_equal(program, get_program(device, precision));
    assert_int_equal(ritz_kernel_get(program, "axpy", &kernel), RITZ_OK);
    assert_int_equal(ritz_kernel_get(program, "axpy", &again), RITZ_OK);
    assert_ptr_equal(kernel, again);
    assert_true(ritz_kernel_work_group_size(kernel) >= 1);
    assert_int_equal(ritz_buffer_create_from(device, f64 ? (void *)x : (void *)x32, bytes, "x", &bx), RITZ_OK);
    assert_int_equal(ritz_buffer_create_from(device, f64 ? (void *)y : (void *)y32, bytes, "y", &by), RITZ_OK);
    double seconds = 0;
    assert_int_equal(RITZ_LAUNCH(kernel, ((ritz_range){.global = {1024}, .local = {64}}), &seconds,
                                 RITZ_REAL(precision, 0.3), RITZ_BUFFER(bx), RITZ_BUFFER(by), RITZ_INT(N)),
                     RITZ_OK);
    assert_true(seconds > 0 && seconds < 10);
    assert_int_equal(ritz_buffer_read(by, 0, f64 ? (void *)y : (void *)y32, bytes), RITZ_OK);
    for (int i = 0; i < N; i++) {
        double want = i + 0.3 / (i + 1), got = f64 ? y[i] : (double)y32[i];
        assert_true(fabs(got - want) <= (f64 ? 1e-15 : 1e-6) * (i + 1));
    }
    ritz_buffer_destroy(&bx);
    ritz_buffer_destroy(&by);
}

/* 0 if the process does at signals what it did before a driver and its compiler started; else the number of one. */
static int find_taken_signal(void)
{
    static const int numbers[] = {SIGHUP, SIGINT, SIGTERM, SIGSEGV, SIGUSR1, SIGXFSZ};
    enum { N = sizeof numbers / sizeof *numbers };
    struct sigaction before[N], after;
    for (int i = 0; i < N; i++)
        sigaction(numbers[i], NULL, &before[i]);
    ritz_device *device = open_device();
    get_program(device, RITZ_F32);
    for (int i = 0; i < N; i++) {
        sigaction(numbers[i], NULL, &after);
        if (before[i].sa_handler != after.sa_handler)
            return numbers[i];
    }
    return 0;
}

/* In a process of its own: tests that start processes need one without a driver's threads. */
static void test_signals(void **state)
{
    (void)state;
    int how = 0;
    const pid_t child = fork();
    if (child == 0)
        _exit(find_taken_signal());
    assert_true(child > 0 && waitpid(child, &how, 0) == child && WIFEXITED(how));
    if (WEXITSTATUS(how))
        fail_msg("signal %d was taken", WEXITSTATUS(how));
}

static void test_kernel_in_both_precisions(void **state)
{
    (void)state;
    ritz_device *device = open_device();
    run_axpy(device, RITZ_F32);
    if (ritz_device_get_info(device)->has_f64)
        run_axpy(device, RITZ_F64);
    /* A device without double precision, as far as the library can see. */
    ((ritz_device_info *)ritz_device_get_info(device))->has_f64 = false;
    ritz_program *program = NULL;
    assert_int_equal(ritz_program_get(device, RITZ_F64, kernels, NULL, 0, "", &program), RITZ_ERROR_DEVICE);
    assert_message("precision: single");
    assert_message("--precision f32");
    ritz_device_close(&device);
}

static void test_local_memory(void **state)
{
    (void)state;
    ritz_device *device = open_device();
    ritz_kernel *kernel;
    ritz_buffer *buffer = NULL;
    int32_t x[64];
    for (int i = 0; i < 64; i++)
        x[i] = i;
    assert_int_equal(ritz_kernel_get(get_program(device, RITZ_F32), "reverse", &kernel), RITZ_OK);
    assert_int_equal(ritz_buffer_create_from(device, x, sizeof x, "x", &buffer), RITZ_OK);
    assert_int_equal(RITZ_LAUNCH(kernel, ((ritz_range){.global = {64}, .local = {16}}), NULL, RITZ_BUFFER(buffer),
                                 RITZ_LOCAL(16 * 4)),
                     RITZ_OK);
    assert_int_equal(RITZ_LAUNCH(kernel, ((ritz_range){.global = {0}, .local = {16}}), NULL, RITZ_BUFFER(buffer),
                                 RITZ_LOCAL(16 * 4)),
                     RITZ_OK); /* nothing to do */
    assert_int_equal(ritz_buffer_read(buffer, 0, x, sizeof x), RITZ_OK);
    for (int i = 0; i < 64; i++)
        assert_int_equal(x[i], i / 16 * 16 + 15 - i % 16);
    assert_int_equal(ritz_device_get_counters(device)->launches, 1);
    ritz_buffer_destroy(&buffer);
    ritz_device_close(&device);
}

static void test_wrong_launches(void **state)
{
    (void)state;
    ritz_device *device = open_device();
    ritz_program *program = get_program(device, RITZ_F32);
    ritz_kernel *kernel = NULL;
    ritz_buffer *buffer = NULL;
    if (!under_oclgrind()) {
        assert_int_equal(ritz_kernel_get(program, "no_such_kernel", &kernel), RITZ_ERROR_DEVICE);
        assert_message("no_such_kernel");
    }
    assert_int_equal(ritz_kernel_get(program, "reverse", &kernel), RITZ_OK);
    assert_int_equal(ritz_buffer_create(device, 256, "x", &buffer), RITZ_OK);
    ritz_range range = {.global = {64}, .local = {16}};
    assert_int_equal(RITZ_LAUNCH(kernel, range, NULL, RITZ_BUFFER(buffer)), RITZ_ERROR_DEVICE);
    assert_message("'reverse' takes 2 arguments, not 1");
    range.local[0] = 15;
    assert_int_equal(RITZ_LAUNCH(kernel, range, NULL, RITZ_BUFFER(buffer), RITZ_LOCAL(64)), RITZ_ERROR_DEVICE);
    assert_message("reverse");
    range.local[0] = range.global[0] = 1 << 20;
    assert_int_equal(RITZ_LAUNCH(kernel, range, NULL, RITZ_BUFFER(buffer), RITZ_LOCAL(64)), RITZ_ERROR_DEVICE);
    assert_message("work-groups of at most");
    range = (ritz_range){.global = {64}, .local = {16}};
    assert_int_equal(RITZ_LAUNCH(kernel, range, NULL, RITZ_BUFFER(buffer), RITZ_LOCAL(0)), RITZ_ERROR_DEVICE);
    assert_message("argument 1 of kernel 'reverse'");
    assert_int_equal(ritz_device_finish(device), RITZ_OK);
    ritz_buffer_destroy(&buffer);
    ritz_device_close(&device);
}

static void test_compile_error(void **state)
{
    (void)state;
    if (under_oclgrind())
        skip();
    ritz_device *device = open_device();
    ritz_program *program = NULL;
    static const char *const missing[] = {"device/kernels/no_such_file.cl"};
    assert_int_equal(ritz_program_get(device, RITZ_F32,
                                      "__kernel void f(__global int *x)\n{\n    x[0] = undeclared_name;\n}\n", NULL, 0,
                                      "", &program),
                     RITZ_ERROR_DEVICE);
    assert_message("does not compile");
    assert_message("undeclared_name"); /* from the compiler's log */
    assert_int_equal(ritz_program_get(device, RITZ_F32, "", missing, 1, "", &program), RITZ_ERROR_DEVICE);
    assert_message("no_such_file.cl");
    assert_null(program);
    /* The user's own options reach the compiler, and make another program. */
    static const char asking[] = "#ifndef ASKED\n#error nothing was asked\n#endif\nkernel void nothing(void) {}\n";
    assert_int_equal(ritz_program_get(device, RITZ_F32, asking, NULL, 0, "", &program), RITZ_ERROR_DEVICE);
    setenv("RITZ_CL_OPTIONS", "-DASKED", 1);
    const ritz_status asked = ritz_program_get(device, RITZ_F32, asking, NULL, 0, "", &program);
    unsetenv("RITZ_CL_OPTIONS");
    assert_int_equal(asked, RITZ_OK);
    assert_int_equal(ritz_program_get(device, RITZ_F32, asking, NULL, 0, "", &program), RITZ_ERROR_DEVICE);
    ritz_device_close(&device);
}

static void change_byte(const char *path, long offset, int whence)
{
    FILE *file = fopen(path, "r+b");
    assert_non_null(file);
    fseek(file, offset, whence);
    int byte = fgetc(file);
    fseek(file, offset, whence);
    fputc(byte ^ 0x55, file);
    fclose(file);
}

/* Opens the device anew, asks for the program, runs it, and says what that took. */
static ritz_device_counters start_again(void)
{
    ritz_device *device = open_device();
    run_axpy(device, RITZ_F32);
    ritz_device_counters counters = *ritz_device_get_counters(device);
    ritz_device_close(&device);
    return counters;
}

static void remove_programs(void)
{
    char command[256];
    snprintf(command, sizeof command, "rm -f %s/program-*", cache_folder);
    assert_int_equal(system(command), 0);
}

static void test_cache(void **state)
{
    char path[512];
    (void)state;
    remove_programs();
    assert_int_equal(start_again().programs_compiled, 1);
    ritz_device_counters second = start_again();
    assert_int_equal(second.programs_compiled, 0);
    assert_int_equal(second.programs_cached, 1);
    for (int damage = 0; damage < 5; damage++) {
        assert_int_equal(find_cached(path, sizeof path), 1);
        if (damage == 0)
            change_byte(path, -10, SEEK_END); /* in the binary */
        else if (damage == 1)
            change_byte(path, 120, SEEK_SET); /* in the key */
        else if (damage == 2)
            change_byte(path, 3, SEEK_SET); /* in the magic */
        else
            assert_int_equal(truncate(path, damage == 3 ? 700 : 0), 0);
        assert_int_equal(start_again().programs_compiled, 1);
        assert_int_equal(start_again().programs_compiled, 0);
    }
}

/* A cache folder that cannot be made slows down, no more. The variable is put back even under a failing check. */
static void test_cache_unwritable(void **state)
{
    (void)state;
    setenv("RITZ_CACHE_DIR", "/proc/no/such/folder", 1);
    ritz_device_counters counters = start_again();
    setenv("RITZ_CACHE_DIR", cache_folder, 1);
    assert_int_equal(counters.programs_compiled, 1);
}

static void test_memory_limit(void **state)
{
    (void)state;
    ritz_device *device = NULL;
    ritz_buffer *buffer = NULL, *second = NULL;
    setenv("RITZ_MAX_DEVICE_BYTES", "many", 1);
    assert_int_equal(ritz_device_open(NULL, &device), RITZ_ERROR_INPUT);
    assert_message("RITZ_MAX_DEVICE_BYTES");
    setenv("RITZ_MAX_DEVICE_BYTES", "8e6", 1);
    device = open_device();
    unsetenv("RITZ_MAX_DEVICE_BYTES");
    assert_int_equal(ritz_device_free_bytes(device), 8000000);
    assert_int_equal(ritz_buffer_create(device, 5000000, "the first part", &buffer), RITZ_OK);
    assert_int_equal(ritz_device_free_bytes(device), 3000000);
    assert_int_equal(ritz_buffer_create(device, 4000000, "the matrix values", &second), RITZ_ERROR_DEVICE);
    assert_null(second);
    assert_message("needs 4.000 MB for the matrix values");
    assert_message("3.000 MB free of 8.000 MB");
    assert_int_equal(ritz_buffer_create(device, -1, "x", &second), RITZ_ERROR_INPUT);
    ritz_buffer_destroy(&buffer);
    assert_int_equal(ritz_buffer_create(device, 8000000, "the matrix values", &second), RITZ_OK);
    ritz_buffer_destroy(&second);
    assert_int_equal(ritz_device_get_counters(device)->peak_bytes, 8000000);
    ritz_device_close(&device);

    device = open_device(); /* more than any machine has */
    assert_int_equal(ritz_buffer_create(device, INT64_C(1) << 60, "the matrix values", &buffer), RITZ_ERROR_DEVICE);
    assert_message("the matrix values");
    assert_null(buffer);
    ritz_device_close(&device);
}

/* Memory given back serves the next buffer of its size, contents and all, and is given up where it stands in the way. */
static void test_buffer_pool(void **state)
{
    enum { BYTES = 100000, N = 100 };
    (void)state;
    if (getenv("RITZ_TEST_SMALL")) /* the host's part, whatever the device */
        skip();
    ritz_device *device = NULL;
    ritz_buffer *buffers[N] = {0}, *all = NULL;
    int32_t one = 0;
    setenv("RITZ_MAX_DEVICE_BYTES", "64e6", 1); /* an eighth of it is kept: eighty buffers */
    device = open_device();
    unsetenv("RITZ_MAX_DEVICE_BYTES");
    for (int round = 0; round < 2; round++) {
        for (int32_t i = 0; i < N; i++)
            assert_int_equal(ritz_buffer_create(device, BYTES, "a part", &buffers[i]), RITZ_OK);
        for (int32_t i = 0; i < N; i++) { /* no two are the same */
            assert_int_equal(ritz_buffer_write(buffers[i], 4 * i, &i, 4), RITZ_OK);
            assert_int_equal(ritz_buffer_write(buffers[i], 4 * N, &i, 4), RITZ_OK);
        }
        for (int32_t i = 0; i < N; i++) {
            assert_int_equal(ritz_buffer_read(buffers[i], 4 * i, &one, 4), RITZ_OK);
            assert_int_equal(one, i);
            ritz_buffer_destroy(&buffers[i]);
        }
        assert_int_equal(ritz_device_free_bytes(device), 64000000);
        assert_int_equal(ritz_buffer_create(device, BYTES, "the last part again", &all), RITZ_OK);
        assert_int_equal(ritz_buffer_read(all, 4 * N, &one, 4), RITZ_OK);
        assert_int_equal(one, N - 1);
        ritz_buffer_destroy(&all);
    }
    assert_int_equal(ritz_buffer_create(device, 64000000, "all there is", &all), RITZ_OK);
    ritz_buffer_destroy(&all);
    ritz_device_close(&device);
}

/* Large buffers of a CPU share pages that others gave back, of any size: no two live ones have the same. */
static void test_large_buffers(void **state)
{
    enum { N = 8, MB = 1 << 20, STEP = 1 << 18, ROUNDS = 60 }; /* a number each 256 kB */
    (void)state;
    if (getenv("RITZ_TEST_SMALL")) /* simulated devices are no CPUs, and slow with so many bytes */
        skip();
    ritz_device *device = open_device();
    ritz_buffer *buffers[N] = {0};
    uint32_t seed = 1;
    int32_t own[N] = {0};
    for (int32_t round = 1; round <= ROUNDS; round++) {
        seed = seed * 1664525u + 1013904223u;
        const int at = (int)(seed >> 8) % N;
        for (int64_t i = 0; buffers[at] && i < ritz_buffer_bytes(buffers[at]); i += STEP) {
            int32_t one = 0;
            assert_int_equal(ritz_buffer_read(buffers[at], i, &one, 4), RITZ_OK);
            assert_int_equal(one, own[at]);
        }
        ritz_buffer_destroy(&buffers[at]);
        const int64_t bytes = (int64_t)(4 + (seed >> 16) % 13) * MB + (seed >> 12) % 2 * 4096;
        own[at] = round;
        assert_int_equal(ritz_buffer_create(device, bytes, "a large part", &buffers[at]), RITZ_OK);
        for (int64_t i = 0; i < bytes; i += STEP)
            assert_int_equal(ritz_buffer_write(buffers[at], i, &round, 4), RITZ_OK);
    }
    for (int at = 0; at < N; at++)
        ritz_buffer_destroy(&buffers[at]);
    ritz_device_close(&device);
}

/* Where addresses run out, a large buffer is refused: PoCL takes it, and ends the process when it is first used. */
static void test_no_addresses(void **state)
{
    const int64_t slack = 300 << 20, bytes = 1 << 30;
    (void)state;
    ritz_device *device = open_device();
    ritz_buffer *buffer = NULL;
    struct rlimit before, limit;
    long long pages = 0;
    FILE *file = fopen("/proc/self/statm", "r");
    if (!ritz_is_paged(device, bytes) || !file)
        skip();
    assert_int_equal(fscanf(file, "%lld", &pages), 1);
    fclose(file);
    assert_int_equal(getrlimit(RLIMIT_AS, &before), 0);
    limit = before;
    limit.rlim_cur = (rlim_t)(pages * sysconf(_SC_PAGESIZE) + slack);
    assert_int_equal(setrlimit(RLIMIT_AS, &limit), 0);
    const ritz_status status = ritz_buffer_create(device, bytes, "a large part", &buffer);
    assert_int_equal(setrlimit(RLIMIT_AS, &before), 0);
    assert_int_equal(status, RITZ_ERROR_DEVICE);
    assert_non_null(strstr(ritz_message(), "1.074 GB for a large part"));
    ritz_device_close(&device);
}

/* Of many pieces where a device has a memory of its own, to and from any byte; what is beside them stays. */
static void test_long_transfers(void **state)
{
    enum { N = 27000013, BEFORE = 5, AFTER = 6 };
    (void)state;
    if (getenv("RITZ_TEST_SMALL")) /* the host's part, whatever the device */
        skip();
    ritz_device *device = open_device();
    ritz_buffer *buffer = NULL;
    unsigned char *data = malloc(N), *back = calloc(BEFORE + N + AFTER, 1);
    for (int64_t i = 0; i < N; i++)
        data[i] = (unsigned char)((uint64_t)(i + 1) * 2654435761u >> 24);
    assert_int_equal(ritz_buffer_create(device, BEFORE + N + AFTER, "long data", &buffer), RITZ_OK);
    assert_int_equal(ritz_buffer_zero(buffer), RITZ_OK);
    assert_int_equal(ritz_buffer_write(buffer, BEFORE, data, N), RITZ_OK);
    assert_int_equal(ritz_buffer_read(buffer, 0, back, BEFORE + N + AFTER), RITZ_OK);
    for (int i = 0; i < BEFORE; i++)
        assert_int_equal(back[i], 0);
    assert_memory_equal(back + BEFORE, data, N);
    for (int i = 0; i < AFTER; i++)
        assert_int_equal(back[BEFORE + N + i], 0);
    memset(back, 0, N);
    assert_int_equal(ritz_buffer_read(buffer, BEFORE + 1, back + 1, N - 2), RITZ_OK);
    assert_memory_equal(back + 1, data + 1, N - 2);
    assert_int_equal(back[0], 0);
    assert_int_equal(ritz_device_get_counters(device)->bytes_to_device, N);
    ritz_buffer_destroy(&buffer);
    free(data);
    free(back);
    ritz_device_close(&device);
}

/* Every allocation of a first use fails once; each time the status says so or the cache alone suffered. */
static ritz_status use_once(void)
{
    ritz_device *device = NULL;
    ritz_program *program;
    ritz_kernel *kernel;
    ritz_buffer *buffer = NULL;
    int32_t x[16] = {0};
    ritz_status status = ritz_device_open(NULL, &device);
    if (status == RITZ_OK)
        status = ritz_program_get(device, RITZ_F32, kernels, NULL, 0, "", &program);
    if (status == RITZ_OK)
        status = ritz_kernel_get(program, "reverse", &kernel);
    if (status == RITZ_OK)
        status = ritz_buffer_create_from(device, x, sizeof x, "x", &buffer);
    ritz_buffer_destroy(&buffer);
    ritz_device_close(&device);
    return status;
}

static void test_failing_allocations(void **state)
{
    (void)state;
    assert_int_equal(use_once(), RITZ_OK);
    ritz_fail_allocation(0);
    assert_int_equal(use_once(), RITZ_OK);
    int64_t n = ritz_fail_allocation(0);
    assert_true(n > 5);
    int failures = 0;
    for (int64_t i = 1; i <= n; i++) {
        ritz_fail_allocation(i);
        ritz_status status = use_once();
        ritz_fail_allocation(0);
        assert_true(status == RITZ_OK || status == RITZ_ERROR_MEMORY);
        failures += status == RITZ_ERROR_MEMORY;
    }
    assert_true(failures > 5);
}

typedef struct asker {
    ritz_device_ceilings ceilings;
    char when[32];
    ritz_status status;
} asker;

static void *ask_ceilings(void *argument)
{
    asker *a = argument;
    ritz_device *device = NULL;
    a->status = ritz_device_open(NULL, &device);
    if (a->status == RITZ_OK)
        a->status = ritz_device_known_ceilings(device, false, &a->ceilings, a->when);
    ritz_device_close(&device);
    return NULL;
}

/* What the device keeps of the table of measured constants is what stands there. */
static void test_tuned(void **state)
{
    (void)state;
    ritz_device *device = open_device();
    for (int c = 0; c < RITZ_N_CONSTANTS; c++)
        assert_true(ritz_device_tuned(device, (ritz_constant)c) ==
                    ritz_tuned(ritz_device_get_info(device), (ritz_constant)c, NULL, 0));
    assert_int_equal(ritz_tuning_override("krylov.group * 5\n"), RITZ_OK);
    assert_true(ritz_device_tuned(device, RITZ_KRYLOV_GROUP) == 5);
    assert_int_equal(ritz_tuning_override(NULL), RITZ_OK);
    assert_true(ritz_device_tuned(device, RITZ_KRYLOV_GROUP) != 5);
    ritz_device_close(&device);
}

/* Those who ask at once for ceilings that nobody has measured get the same figures, which stay in force until they are
   measured anew. */
static void test_ceilings_at_once(void **state)
{
    (void)state;
    if (under_oclgrind())
        skip();
    enum { N = 3 };
    pthread_t threads[N];
    asker askers[N + 1] = {0};
    for (int i = 0; i < N; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, ask_ceilings, &askers[i]), 0);
    for (int i = 0; i < N; i++)
        pthread_join(threads[i], NULL);
    ask_ceilings(&askers[N]);
    for (int i = 0; i <= N; i++) {
        assert_int_equal(askers[i].status, RITZ_OK);
        assert_memory_equal(&askers[i].ceilings, &askers[0].ceilings, sizeof askers[0].ceilings);
        assert_string_equal(askers[i].when, askers[0].when);
    }
    ritz_device_ceilings anew;
    char when[32];
    ritz_device *device = open_device();
    assert_int_equal(ritz_device_known_ceilings(device, true, &anew, when), RITZ_OK);
    assert_memory_not_equal(&anew, &askers[0].ceilings, sizeof anew);
    ritz_device_close(&device);
}

static void count_warnings(const char *line, void *count)
{
    *(int *)count += strncmp(line, "warning: ", 9) == 0;
}

/* A share above 105 % has the ceilings measured once more, for all who come after; one that stays is told of once. */
static void test_shares_too_high(void **state)
{
    (void)state;
    if (under_oclgrind())
        skip();
    bool again = true;
    int n_warnings = 0;
    ritz_device_ceilings before, after;
    char when[32];
    ritz_device *device = open_device();
    ritz_set_log(count_warnings, &n_warnings);
    assert_int_equal(ritz_device_known_ceilings(device, true, &before, when), RITZ_OK);
    assert_int_equal(ritz_device_check_share(device, 1.04, &again), RITZ_OK);
    assert_false(again);
    assert_int_equal(ritz_device_check_share(device, NAN, &again), RITZ_OK);
    assert_false(again);
    assert_int_equal(ritz_device_check_share(device, 1.63, &again), RITZ_OK);
    assert_true(again);
    assert_int_equal(ritz_device_known_ceilings(device, false, &after, when), RITZ_OK);
    assert_true(after.copy_gb_s >= before.copy_gb_s && after.store_gb_s >= before.store_gb_s);
    assert_true(after.f32_gflop_s >= before.f32_gflop_s && after.f64_gflop_s >= before.f64_gflop_s);
    for (int k = 0; k < 2; k++) {
        assert_int_equal(n_warnings, k);
        assert_int_equal(ritz_device_check_share(device, 1.63, &again), RITZ_OK);
        assert_false(again);
        assert_int_equal(ritz_device_check_share(device, 1.64, &again), RITZ_OK);
        assert_int_equal(n_warnings, k + 1);
        ritz_device_close(&device);
        device = open_device();
        assert_int_equal(ritz_device_known_ceilings(device, false, &before, when), RITZ_OK);
        assert_memory_equal(&after, &before, sizeof after);
    }
    ritz_set_log(NULL, NULL);
    ritz_device_close(&device);
}

static int make_cache(void **state)
{
    (void)state;
    unsetenv("RITZ_MAX_DEVICE_BYTES");
    return mkdtemp(cache_folder) && setenv("RITZ_CACHE_DIR", cache_folder, 1) == 0 ? 0 : -1;
}

static int remove_cache(void **state)
{
    char command[256];
    (void)state;
    snprintf(command, sizeof command, "rm -rf %s", cache_folder);
    return system(command) == 0 ? 0 : -1;
}

static int open_without_driver(void)
{
    ritz_device *device = NULL;
    const ritz_status status = ritz_device_open("auto", &device);
    if (status == RITZ_ERROR_DEVICE && strstr(ritz_message(), "pocl-opencl-icd"))
        return 0;
    fprintf(stderr, "%s\n", status == RITZ_OK ? ritz_device_get_info(device)->name : ritz_message());
    ritz_device_close(&device);
    return 1;
}

/* y = 2 x + y again and again while earlier results are on their way: each arrives as it was when it was fetched. */
static void test_stages(void **state)
{
    enum { N = 1 << 16, TURNS = 6 };
    (void)state;
    ritz_device *device = open_device();
    ritz_kernel *kernel = NULL;
    ritz_buffer *x = NULL, *y[2] = {NULL};
    ritz_stage *stages[2] = {NULL};
    const void *data;
    double seconds = 0, transfer = 0;
    float *ones = malloc(N * sizeof *ones);
    for (int i = 0; i < N; i++)
        ones[i] = 1;
    assert_int_equal(ritz_kernel_get(get_program(device, RITZ_F32), "axpy", &kernel), RITZ_OK);
    assert_int_equal(ritz_buffer_create_from(device, ones, N * 4, "x", &x), RITZ_OK);
    for (int s = 0; s < 2; s++) {
        assert_int_equal(ritz_buffer_create_from(device, ones, N * 4, "y", &y[s]), RITZ_OK);
        assert_int_equal(ritz_stage_create(device, N * 4, "y", &stages[s]), RITZ_OK);
    }
    ritz_device_keep_times(device, true);
    for (int turn = 0; turn < TURNS + 2; turn++) {
        const int s = turn % 2;
        if (turn >= 2) {
            assert_int_equal(ritz_stage_wait(stages[s], &data, &transfer), RITZ_OK);
            assert_int_equal(ritz_stage_wait(stages[s], &data, NULL), RITZ_ERROR_INPUT);
            const int launches = turn / 2; /* of the slot */
            for (int i = 0; i < N; i += 1000)
                assert_true(((const float *)data)[i] == 1 + 2 * (float)launches);
            ritz_stage_release(stages[s]);
        }
        if (turn >= TURNS)
            continue;
        assert_int_equal(RITZ_LAUNCH(kernel, ((ritz_range){.global = {N}, .local = {64}}), NULL, RITZ_REAL(RITZ_F32, 2),
                                     RITZ_BUFFER(x), RITZ_BUFFER(y[s]), RITZ_INT(N)),
                         RITZ_OK);
        assert_int_equal(ritz_stage_fetch(stages[s], y[s], N * 4), RITZ_OK);
        assert_int_equal(ritz_stage_fetch(stages[s], y[s], N * 4), RITZ_ERROR_INPUT); /* one at a time */
    }
    assert_int_equal(ritz_device_finish(device), RITZ_OK);
    assert_int_equal(ritz_device_collect_times(device, &seconds), RITZ_OK);
    assert_true(seconds > 0 && seconds < 10 && transfer > 0);
    const double once = seconds;
    assert_int_equal(ritz_device_collect_times(device, &seconds), RITZ_OK); /* each launch once */
    assert_true(seconds == once);
    ritz_device_keep_times(device, false);
    assert_int_equal(ritz_stage_fetch(stages[0], y[0], N * 4 + 1), RITZ_ERROR_INPUT);
    assert_int_equal(ritz_stage_fetch(stages[0], y[0], N * 4), RITZ_OK); /* destroyed under way */
    for (int s = 0; s < 2; s++) {
        ritz_stage_destroy(&stages[s]);
        ritz_buffer_destroy(&y[s]);
    }
    ritz_buffer_destroy(&x);
    assert_int_equal(ritz_device_live_bytes(device), 0);
    free(ones);
    ritz_device_close(&device);
}

/* Plans see less memory; what is held against the device's memory stays. */
static void test_plan_within(void **state)
{
    (void)state;
    ritz_device *device = open_device();
    const ritz_device_info *info = ritz_device_get_info(device), before = *info;
    const int64_t room = ritz_device_free_bytes(device);
    ritz_device_plan_within(device, 1000000);
    assert_int_equal(info->global_memory, 1000000);
    assert_int_equal(info->largest_allocation, 1000000);
    assert_true(ritz_device_free_bytes(device) > room / 2);
    ritz_device_plan_within(device, INT64_MAX);
    assert_int_equal(info->global_memory, before.global_memory);
    ritz_device_plan_within(device, 0);
    assert_memory_equal(info, &before, sizeof before);
    ritz_device_close(&device);
    assert_int_equal(ritz_device_open("cpu+cpu", &device), RITZ_ERROR_DEVICE);
    assert_message("names several devices; only `ritz integrate` runs on several at once");
}

int main(int argc, char **argv)
{
    if (argc == 2 && strcmp(argv[1], no_driver) == 0)
        return open_without_driver();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_signals), /* first: before a driver has started */
        cmocka_unit_test(test_no_driver),
        cmocka_unit_test(test_processes_at_once),
        cmocka_unit_test(test_list),
        cmocka_unit_test(test_selectors),
        cmocka_unit_test(test_pci),
        cmocka_unit_test(test_buffers),
        cmocka_unit_test(test_kernel_in_both_precisions),
        cmocka_unit_test(test_local_memory),
        cmocka_unit_test(test_wrong_launches),
        cmocka_unit_test(test_compile_error),
        cmocka_unit_test(test_cache),
        cmocka_unit_test(test_cache_unwritable),
        cmocka_unit_test(test_memory_limit),
        cmocka_unit_test(test_buffer_pool),
        cmocka_unit_test(test_large_buffers),
        cmocka_unit_test(test_no_addresses),
        cmocka_unit_test(test_long_transfers),
        cmocka_unit_test(test_stages),
        cmocka_unit_test(test_plan_within),
        cmocka_unit_test(test_tuned),
        cmocka_unit_test(test_ceilings_at_once),
        cmocka_unit_test(test_shares_too_high),
        cmocka_unit_test(test_failing_allocations),
    };
    return cmocka_run_group_tests(tests, make_cache, remove_cache);
}
