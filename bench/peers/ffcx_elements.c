/* Times one element kernel of FFCx over many distorted elements and stores every matrix.

       ffcx_elements N REPEAT SAMPLE FILE

   ffcx_elements.py compiles it together with the generated code. Defines: KERNEL (the generated function), ROWS (of the
   element matrix), VERTICES, CORNERS (the reference cell's vertices as a list of numbers), DATA (coefficients an element);
   and LOAD_KERNEL, where load vectors are computed too, with LOAD_AT: its first coefficient. N elements, each with
   vertices moved by up to 0.2 and coefficients of its own; prints the seconds an element of the fastest of REPEAT
   passes, and writes vertices, coefficients, matrices and loads of the first SAMPLE elements to FILE. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static uint64_t state = 1;

static double uniform(void)
{
    state = state * 6364136223846793005u + 1442695040888963407u;
    return (double)(state >> 11) / 9007199254740992.0;
}

static double read_clock(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void *allocate_memory(size_t n)
{
    void *memory = malloc(n);
    if (!memory) {
        fprintf(stderr, "ffcx_elements: %zu bytes are not there; take fewer elements\n", n);
        exit(1);
    }
    memset(memory, 1, n); /* so that the first pass does not wait for pages */
    return memory;
}

int main(int argc, char **argv)
{
    static const double corners[VERTICES][3] = {CORNERS};
    if (argc != 5) {
        fprintf(stderr, "usage: ffcx_elements N REPEAT SAMPLE FILE\n");
        return 2;
    }
    const size_t n = strtoul(argv[1], NULL, 10), repeat = strtoul(argv[2], NULL, 10);
    const size_t sample = strtoul(argv[3], NULL, 10) < n ? strtoul(argv[3], NULL, 10) : n;
    double(*vertices)[VERTICES][3] = allocate_memory(n * sizeof *vertices),
    (*data)[DATA] = allocate_memory(n * sizeof *data);
    double(*loads)[ROWS] = allocate_memory(n * sizeof *loads);
    double(*matrices)[ROWS * ROWS] = allocate_memory(n * sizeof *matrices);
    double least = 1e30;
    for (size_t e = 0; e < n; e++) {
        for (int v = 0; v < VERTICES; v++)
            for (int a = 0; a < 3; a++)
                vertices[e][v][a] = corners[v][a] + 0.2 * (2 * uniform() - 1);
        for (int k = 0; k < DATA; k++)
            data[e][k] = 0.5 + uniform();
    }
    for (size_t r = 0; r < repeat; r++) {
        const double begin = read_clock();
        for (size_t e = 0; e < n; e++) {
            memset(matrices[e], 0, sizeof matrices[e]);
            KERNEL(matrices[e], data[e], NULL, &vertices[e][0][0], NULL, NULL);
#ifdef LOAD_KERNEL
            memset(loads[e], 0, sizeof loads[e]);
            LOAD_KERNEL(loads[e], data[e] + LOAD_AT, NULL, &vertices[e][0][0], NULL, NULL);
#endif
        }
        const double seconds = read_clock() - begin;
        least = seconds < least ? seconds : least;
    }
    FILE *file = fopen(argv[4], "wb");
    if (!file || fwrite(vertices, sizeof *vertices, sample, file) != sample ||
        fwrite(data, sizeof *data, sample, file) != sample ||
        fwrite(matrices, sizeof *matrices, sample, file) != sample ||
        fwrite(loads, sizeof *loads, sample, file) != sample || fclose(file) != 0) {
        fprintf(stderr, "ffcx_elements: '%s' could not be written\n", argv[4]);
        return 1;
    }
    printf("%.9g\n", least / (double)n);
    free(vertices);
    free(data);
    free(loads);
    free(matrices);
    return 0;
}
