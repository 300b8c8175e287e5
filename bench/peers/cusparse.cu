/* The vendor's sparse products beside Ritz's: y = A x by cuSPARSE's generic interface with compressed rows, block
   compressed rows and sliced ELL, every algorithm it has for them, from cold caches.

       cusparse [--block B] [--repeat N] [--name NAME] FILE.mtx
       cusparse --hex NODES [--repeat N] [--name NAME]

   FILE: coordinate, real, general, full blocks of B, as `ritz bench spmv --write` makes it. --hex: the pattern of
   elasticity on NODES^3 nodes with random values, which is too large for a text file. One line of JSON a case: medians
   and least of N products between two events each, before which 512 MB are read; the largest |y - A x| / |A| |x|
   against a plain kernel in double; and the time that the same events take around an empty kernel. Values, vectors and
   sums are of one type. Built by cusparse.sh. */
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <vector>

#include <cuda_runtime.h>
#include <cusparse.h>

static void fail(const char *what, const char *why)
{
    fprintf(stderr, "cusparse: %s: %s\n", what, why);
    exit(1);
}
#define CUDA(call)                                                                                                     \
    do {                                                                                                               \
        cudaError_t error_ = (call);                                                                                   \
        if (error_ != cudaSuccess)                                                                                     \
            fail(#call, cudaGetErrorString(error_));                                                                   \
    } while (0)
#define SPARSE(call)                                                                                                   \
    do {                                                                                                               \
        cusparseStatus_t error_ = (call);                                                                              \
        if (error_ != CUSPARSE_STATUS_SUCCESS)                                                                         \
            fail(#call, cusparseGetErrorString(error_));                                                               \
    } while (0)

template <typename T> static T *on_device(int64_t n)
{
    void *p = NULL;
    CUDA(cudaMalloc(&p, (size_t)std::max<int64_t>(n, 1) * sizeof(T)));
    return (T *)p;
}

template <typename T> static T *to_device(const std::vector<T> &v)
{
    T *p = on_device<T>((int64_t)v.size());
    CUDA(cudaMemcpy(p, v.data(), v.size() * sizeof(T), cudaMemcpyHostToDevice));
    return p;
}

/* ---- The matrix: block rows; values stay away for a pattern with random ones ---- */

struct blocks {
    int b;
    int64_t rows; /* block rows */
    std::vector<int32_t> start, columns;
    std::vector<double> values; /* [blocks][b][b] */
};

/* Lines [from, to) of a file as rows, columns and values, 0-based. */
static void read_lines(const char *from, const char *to, int64_t at, int32_t *row, int32_t *column, double *value)
{
    while (from < to) {
        char *end;
        row[at] = (int32_t)strtol(from, &end, 10) - 1;
        column[at] = (int32_t)strtol(end, &end, 10) - 1;
        value[at++] = strtod(end, &end);
        from = (const char *)memchr(end, '\n', (size_t)(to - end));
        from = from ? from + 1 : to;
    }
}

static blocks read_file(const char *path, int b)
{
    int file = open(path, O_RDONLY);
    struct stat about;
    if (file < 0 || fstat(file, &about) != 0)
        fail(path, "can not be read");
    const char *text = (const char *)mmap(NULL, (size_t)about.st_size, PROT_READ, MAP_PRIVATE, file, 0);
    if (text == MAP_FAILED)
        fail(path, "can not be mapped");
    const char *end = text + about.st_size, *line = text;
    if (strncmp(text, "%%MatrixMarket matrix coordinate real general", 45) != 0)
        fail(path, "is not coordinate real general");
    while (*line == '%')
        line = (const char *)memchr(line, '\n', (size_t)(end - line)) + 1;
    long long n, n_columns, nonzeros;
    if (sscanf(line, "%lld %lld %lld", &n, &n_columns, &nonzeros) != 3 || n != n_columns || n % b != 0)
        fail(path, "is not square, or no multiple of the block");
    line = (const char *)memchr(line, '\n', (size_t)(end - line)) + 1;

    const int parts = 64;
    const char *cut[parts + 1];
    int64_t before[parts + 1] = {0};
    for (int p = 0; p <= parts; p++) {
        cut[p] = line + (end - line) / parts * p;
        if (p == parts)
            cut[p] = end;
        else if (p > 0) {
            const char *next = (const char *)memchr(cut[p], '\n', (size_t)(end - cut[p]));
            cut[p] = next ? next + 1 : end;
        }
    }
#pragma omp parallel for schedule(dynamic)
    for (int p = 0; p < parts; p++)
        before[p + 1] = std::count(cut[p], cut[p + 1], '\n');
    for (int p = 0; p < parts; p++)
        before[p + 1] += before[p];
    if (before[parts] != nonzeros)
        fail(path, "has another number of lines than its second line says");
    std::vector<int32_t> row((size_t)nonzeros), column((size_t)nonzeros);
    std::vector<double> value((size_t)nonzeros);
#pragma omp parallel for schedule(dynamic)
    for (int p = 0; p < parts; p++)
        read_lines(cut[p], cut[p + 1], before[p], row.data(), column.data(), value.data());
    munmap((void *)text, (size_t)about.st_size);

    blocks m = {b, n / b, {}, {}, {}};
    std::vector<int64_t> first((size_t)n + 1, 0), next;
    for (int32_t r : row)
        first[(size_t)r + 1]++;
    for (int64_t r = 0; r < n; r++)
        first[(size_t)r + 1] += first[(size_t)r];
    next = first;
    std::vector<int64_t> place((size_t)nonzeros);
    for (int64_t k = 0; k < nonzeros; k++)
        place[(size_t)next[(size_t)row[(size_t)k]]++] = k;
    m.start.assign((size_t)m.rows + 1, 0);
    for (int64_t r = 0; r < m.rows; r++) {
        std::vector<int32_t> own;
        for (int64_t at = first[(size_t)(r * b)]; at < first[(size_t)((r + 1) * b)]; at++)
            own.push_back(column[(size_t)place[(size_t)at]] / b);
        std::sort(own.begin(), own.end());
        own.erase(std::unique(own.begin(), own.end()), own.end());
        m.start[(size_t)r + 1] = m.start[(size_t)r] + (int32_t)own.size();
        m.columns.insert(m.columns.end(), own.begin(), own.end());
    }
    if ((int64_t)m.columns.size() * b * b != nonzeros)
        fail(path, "has blocks that are not full; give --block 1");
    m.values.assign((size_t)nonzeros, 0);
#pragma omp parallel for schedule(dynamic, 256)
    for (int64_t r = 0; r < m.rows; r++)
        for (int64_t at = first[(size_t)(r * b)]; at < first[(size_t)((r + 1) * b)]; at++) {
            const size_t k = (size_t)place[(size_t)at];
            const int32_t *from = m.columns.data() + m.start[(size_t)r], *to = m.columns.data() + m.start[(size_t)r + 1];
            const size_t block = (size_t)(std::lower_bound(from, to, column[k] / b) - m.columns.data());
            m.values[(block * (size_t)b + (size_t)(row[k] % b)) * (size_t)b + (size_t)(column[k] % b)] = value[k];
        }
    return m;
}

static blocks make_hex(int nodes)
{
    blocks m = {3, (int64_t)nodes * nodes * nodes, {}, {}, {}};
    m.start.assign((size_t)m.rows + 1, 0);
    auto reach = [nodes](int64_t i) { return std::make_pair(std::max<int64_t>(i - 1, 0), std::min<int64_t>(i + 1, nodes - 1)); };
    for (int64_t r = 0; r < m.rows; r++) {
        int64_t n = 1;
        for (int64_t i : {r % nodes, r / nodes % nodes, r / nodes / nodes})
            n *= reach(i).second - reach(i).first + 1;
        m.start[(size_t)r + 1] = m.start[(size_t)r] + (int32_t)n;
    }
    m.columns.resize((size_t)m.start.back());
#pragma omp parallel for schedule(static)
    for (int64_t r = 0; r < m.rows; r++) {
        size_t at = (size_t)m.start[(size_t)r];
        const auto x = reach(r % nodes), y = reach(r / nodes % nodes), z = reach(r / nodes / nodes);
        for (int64_t k = z.first; k <= z.second; k++)
            for (int64_t j = y.first; j <= y.second; j++)
                for (int64_t i = x.first; i <= x.second; i++)
                    m.columns[at++] = (int32_t)((k * nodes + j) * nodes + i);
    }
    return m;
}

/* ---- Kernels: formats from blocks, the truth, cold caches ---- */

__host__ __device__ static double random_of(uint64_t i)
{
    uint64_t z = (i + 1) * 0x9e3779b97f4a7c15u; /* splitmix64 */
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return (double)((z ^ z >> 31) >> 11) * 0x1p-52 - 1;
}

template <typename T> __global__ void fill_random(int64_t n, uint64_t seed, T *x)
{
    for (int64_t i = blockIdx.x * (int64_t)blockDim.x + threadIdx.x; i < n; i += (int64_t)gridDim.x * blockDim.x)
        x[i] = (T)(float)random_of((uint64_t)i + seed);
}

template <typename T> __global__ void narrow(int64_t n, const double *from, T *to)
{
    for (int64_t i = blockIdx.x * (int64_t)blockDim.x + threadIdx.x; i < n; i += (int64_t)gridDim.x * blockDim.x)
        to[i] = (T)from[i];
}

/* Scalar rows: start[r + 1], then columns and values, a thread a row. */
template <typename T>
__global__ void make_csr(int b, int64_t rows, const int32_t *start, const int32_t *columns, const T *values,
                         int32_t *csr_start, int32_t *csr_columns, T *csr_values)
{
    const int64_t r = blockIdx.x * (int64_t)blockDim.x + threadIdx.x;
    if (r > rows * b)
        return;
    const int64_t block = r / b, inner = r % b;
    if (r == rows * b) {
        csr_start[r] = (int32_t)((int64_t)start[rows] * b * b);
        return;
    }
    const int64_t n = start[block + 1] - start[block];
    int64_t at = (int64_t)start[block] * b * b + inner * n * b;
    csr_start[r] = (int32_t)at;
    for (int64_t k = start[block]; k < start[block + 1]; k++)
        for (int c = 0; c < b; c++, at++) {
            csr_columns[at] = columns[k] * b + c;
            csr_values[at] = values[(k * b + inner) * b + c];
        }
}

template <typename T>
__global__ void make_sell(int64_t n, int slice, const int32_t *csr_start, const int32_t *csr_columns,
                          const T *csr_values, const int64_t *offsets, int32_t *columns, T *values)
{
    const int64_t r = blockIdx.x * (int64_t)blockDim.x + threadIdx.x, s = r / slice;
    if (s * slice >= n)
        return;
    const int64_t width = (offsets[s + 1] - offsets[s]) / slice, first = r < n ? csr_start[r] : 0,
                  length = r < n ? csr_start[r + 1] - first : 0;
    for (int64_t k = 0; k < width; k++) {
        const int64_t to = offsets[s] + k * slice + r % slice;
        columns[to] = k < length ? csr_columns[first + k] : -1;
        values[to] = k < length ? csr_values[first + k] : (T)0;
    }
}

template <typename T>
__global__ void plain(int64_t n, const int32_t *start, const int32_t *columns, const T *values, const T *x, double *y,
                      double *scale)
{
    const int64_t r = blockIdx.x * (int64_t)blockDim.x + threadIdx.x;
    if (r >= n)
        return;
    double sum = 0, size = 0;
    for (int64_t k = start[r]; k < start[r + 1]; k++) {
        const double term = (double)values[k] * (double)x[columns[k]];
        sum += term;
        size += fabs(term);
    }
    y[r] = sum;
    scale[r] = size;
}

__global__ void read_through(const uint4 *from, int64_t n, uint32_t *to)
{
    uint32_t found = 0;
    for (int64_t i = blockIdx.x * (int64_t)blockDim.x + threadIdx.x; i < n; i += (int64_t)gridDim.x * blockDim.x)
        found |= from[i].x | from[i].y | from[i].z | from[i].w;
    if (found)
        *to = found;
}

__global__ void nothing() {}

/* ---- Timing ---- */

static const int64_t flush_bytes = 512 << 20;
static uint4 *flush;
static uint32_t *found;
static int repeat = 20;
static cudaEvent_t begin_event, end_event;

template <typename F> static std::vector<double> time_cold(F run)
{
    std::vector<double> times;
    for (int r = 0; r < repeat; r++) {
        float ms;
        read_through<<<4096, 256>>>(flush, flush_bytes / 16, found);
        CUDA(cudaEventRecord(begin_event));
        run();
        CUDA(cudaEventRecord(end_event));
        CUDA(cudaEventSynchronize(end_event));
        CUDA(cudaEventElapsedTime(&ms, begin_event, end_event));
        times.push_back(1e3 * ms);
    }
    CUDA(cudaGetLastError());
    std::sort(times.begin(), times.end());
    return times;
}

template <typename T> struct problem {
    const char *name;
    cusparseHandle_t handle;
    int64_t n, nonzeros;
    T *x, *y;
    std::vector<double> truth, scale;
    double bytes; /* that compressed blocks must move */
};

template <typename T>
static void measure(problem<T> &p, cusparseSpMatDescr_t matrix, const char *format, const char *detail,
                    cusparseSpMVAlg_t algorithm)
{
    const cudaDataType type = sizeof(T) == 8 ? CUDA_R_64F : CUDA_R_32F;
    const T one = 1, zero = 0;
    cusparseDnVecDescr_t x, y;
    size_t bytes = 0;
    SPARSE(cusparseCreateDnVec(&x, p.n, p.x, type));
    SPARSE(cusparseCreateDnVec(&y, p.n, p.y, type));
    cusparseStatus_t status = cusparseSpMV_bufferSize(p.handle, CUSPARSE_OPERATION_NON_TRANSPOSE, &one, matrix, x,
                                                      &zero, y, type, algorithm, &bytes);
    char *scratch = on_device<char>((int64_t)bytes);
    if (status == CUSPARSE_STATUS_SUCCESS)
        status = cusparseSpMV_preprocess(p.handle, CUSPARSE_OPERATION_NON_TRANSPOSE, &one, matrix, x, &zero, y, type,
                                         algorithm, scratch);
    CUDA(cudaMemset(p.y, 0xff, (size_t)p.n * sizeof(T))); /* not a number */
    auto product = [&]() {
        return cusparseSpMV(p.handle, CUSPARSE_OPERATION_NON_TRANSPOSE, &one, matrix, x, &zero, y, type, algorithm,
                            scratch);
    };
    if (status == CUSPARSE_STATUS_SUCCESS)
        status = product();
    printf("{\"matrix\": \"%s\", \"format\": \"%s\", \"detail\": \"%s\", \"type\": \"%s\", ", p.name, format, detail,
           sizeof(T) == 8 ? "f64" : "f32");
    if (status != CUSPARSE_STATUS_SUCCESS) {
        printf("\"reason\": \"%s\"}\n", cusparseGetErrorString(status));
    } else {
        std::vector<T> found_y((size_t)p.n);
        CUDA(cudaMemcpy(found_y.data(), p.y, (size_t)p.n * sizeof(T), cudaMemcpyDeviceToHost));
        double error = 0;
        for (size_t i = 0; i < found_y.size(); i++) {
            const double one_error = fabs((double)found_y[i] - p.truth[i]) / (p.scale[i] > 0 ? p.scale[i] : 1);
            error = one_error <= error ? error : std::isnan(one_error) ? INFINITY : one_error;
        }
        std::vector<double> times = time_cold([&]() { SPARSE(product()); });
        std::vector<double> empty = time_cold([]() { nothing<<<1256, 128>>>(); });
        printf("\"us\": %.3f, \"least_us\": %.3f, \"gb_s\": %.1f, \"error\": %.2e, \"empty_us\": %.3f}\n",
               times[times.size() / 2], times[0], 1e-3 * p.bytes / times[times.size() / 2], error,
               empty[empty.size() / 2]);
        if (!(error <= (sizeof(T) == 8 ? 1e-13 : 1e-5)))
            fail(format, "the product is wrong");
    }
    fflush(stdout);
    CUDA(cudaFree(scratch));
    SPARSE(cusparseDestroyDnVec(x));
    SPARSE(cusparseDestroyDnVec(y));
}

static int64_t groups(int64_t n)
{
    return (n + 127) / 128;
}

template <typename T> static void run(const char *name, const blocks &m)
{
    const cudaDataType type = sizeof(T) == 8 ? CUDA_R_64F : CUDA_R_32F;
    const int b = m.b;
    const int64_t n = m.rows * b, n_blocks = m.start.back(), nonzeros = n_blocks * b * b;
    problem<T> p = {name, NULL, n, nonzeros, on_device<T>(n), on_device<T>(n), std::vector<double>((size_t)n),
                    std::vector<double>((size_t)n), 0};
    p.bytes = (double)(nonzeros * (int64_t)sizeof(T) + n_blocks * 4 + 2 * n * (int64_t)sizeof(T));
    SPARSE(cusparseCreate(&p.handle));
    fill_random<<<4096, 256>>>(n, (uint64_t)1 << 40, p.x);

    int32_t *start = to_device(m.start), *columns = to_device(m.columns);
    T *values = on_device<T>(nonzeros);
    if (m.values.empty()) {
        fill_random<<<4096, 256>>>(nonzeros, 0, values);
    } else {
        double *wide = to_device(m.values);
        narrow<<<4096, 256>>>(nonzeros, wide, values);
        CUDA(cudaFree(wide));
    }
    int32_t *csr_start = on_device<int32_t>(n + 1), *csr_columns = on_device<int32_t>(nonzeros);
    T *csr_values = on_device<T>(nonzeros);
    make_csr<<<groups(n + 1), 128>>>(b, m.rows, start, columns, values, csr_start, csr_columns, csr_values);
    double *truth = on_device<double>(n), *scale = on_device<double>(n);
    plain<<<groups(n), 128>>>(n, csr_start, csr_columns, csr_values, p.x, truth, scale);
    CUDA(cudaMemcpy(p.truth.data(), truth, (size_t)n * 8, cudaMemcpyDeviceToHost));
    CUDA(cudaMemcpy(p.scale.data(), scale, (size_t)n * 8, cudaMemcpyDeviceToHost));
    CUDA(cudaFree(truth));
    CUDA(cudaFree(scale));

    cusparseSpMatDescr_t matrix;
    SPARSE(cusparseCreateCsr(&matrix, n, n, nonzeros, csr_start, csr_columns, csr_values, CUSPARSE_INDEX_32I,
                             CUSPARSE_INDEX_32I, CUSPARSE_INDEX_BASE_ZERO, type));
    measure(p, matrix, "csr", "algorithm 1", CUSPARSE_SPMV_CSR_ALG1);
    measure(p, matrix, "csr", "algorithm 2", CUSPARSE_SPMV_CSR_ALG2);
    SPARSE(cusparseDestroySpMat(matrix));

    SPARSE(cusparseCreateBsr(&matrix, m.rows, m.rows, n_blocks, b, b, start, columns, values, CUSPARSE_INDEX_32I,
                             CUSPARSE_INDEX_32I, CUSPARSE_INDEX_BASE_ZERO, type, CUSPARSE_ORDER_ROW));
    measure(p, matrix, "bsr", "blocks by rows", CUSPARSE_SPMV_BSR_ALG1);
    SPARSE(cusparseDestroySpMat(matrix));

    for (int slice : {16, 32, 64}) {
        std::vector<int64_t> offsets(1, 0);
        for (int64_t s = 0; s * slice < n; s++) {
            int64_t width = 0;
            for (int64_t r = s * slice; r < std::min<int64_t>(n, (s + 1) * slice); r++)
                width = std::max<int64_t>(width, (m.start[(size_t)(r / b) + 1] - m.start[(size_t)(r / b)]) * (int64_t)b);
            offsets.push_back(offsets.back() + width * slice);
        }
        int64_t *sell_offsets = to_device(offsets);
        int32_t *sell_columns = on_device<int32_t>(offsets.back());
        T *sell_values = on_device<T>(offsets.back());
        make_sell<<<groups((int64_t)(offsets.size() - 1) * slice), 128>>>(n, slice, csr_start, csr_columns, csr_values,
                                                                          sell_offsets, sell_columns, sell_values);
        std::vector<int32_t> short_offsets(offsets.begin(), offsets.end());
        const bool fits = offsets.back() <= INT32_MAX;
        int32_t *sell_short = to_device(short_offsets);
        char detail[32];
        snprintf(detail, sizeof detail, "slices of %d", slice);
        SPARSE(cusparseCreateSlicedEll(&matrix, n, n, nonzeros, offsets.back(), slice,
                                       fits ? (void *)sell_short : (void *)sell_offsets, sell_columns, sell_values,
                                       fits ? CUSPARSE_INDEX_32I : CUSPARSE_INDEX_64I, CUSPARSE_INDEX_32I,
                                       CUSPARSE_INDEX_BASE_ZERO, type));
        measure(p, matrix, "sliced-ell", detail, CUSPARSE_SPMV_SELL_ALG1);
        SPARSE(cusparseDestroySpMat(matrix));
        for (void *q : {(void *)sell_offsets, (void *)sell_columns, (void *)sell_values, (void *)sell_short})
            CUDA(cudaFree(q));
    }
    for (void *q : {(void *)start, (void *)columns, (void *)values, (void *)csr_start, (void *)csr_columns,
                    (void *)csr_values, (void *)p.x, (void *)p.y})
        CUDA(cudaFree(q));
    SPARSE(cusparseDestroy(p.handle));
}

int main(int argc, char **argv)
{
    int block = 1, hex = 0;
    const char *path = NULL, *name = NULL;
    for (int i = 1; i < argc; i++) {
        const bool more = i + 1 < argc;
        if (more && strcmp(argv[i], "--block") == 0)
            block = atoi(argv[++i]);
        else if (more && strcmp(argv[i], "--hex") == 0)
            hex = atoi(argv[++i]);
        else if (more && strcmp(argv[i], "--repeat") == 0)
            repeat = atoi(argv[++i]);
        else if (more && strcmp(argv[i], "--name") == 0)
            name = argv[++i];
        else
            path = argv[i];
    }
    if ((path == NULL) == (hex == 0) || block < 1 || repeat < 1)
        fail("usage", "cusparse [--block B] [--repeat N] [--name NAME] FILE.mtx, or --hex NODES instead of a file");
    const blocks m = hex ? make_hex(hex) : read_file(path, block);
    flush = on_device<uint4>(flush_bytes / 16);
    found = on_device<uint32_t>(1);
    CUDA(cudaMemset(flush, 0, flush_bytes));
    CUDA(cudaEventCreate(&begin_event));
    CUDA(cudaEventCreate(&end_event));
    run<double>(name ? name : hex ? "hex" : path, m);
    run<float>(name ? name : hex ? "hex" : path, m);
    return 0;
}
