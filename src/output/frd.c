/* CalculiX's result file, .frd in its long ASCII form: what cgx and the readers of .frd files take. Nodes have the numbers
   of the mesh file; those that the mesh does not have get numbers behind them. */
#include "base/fresh.h"
#include "output/output.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    CHUNK = 1 << 20,
    MOST_ROWS = 1 << 13,
    MAX_NODES = 20,
    NODES_PER_LINE = 10,
    NUMBER_WIDTH = 10,
    REAL_WIDTH = RITZ_FRD_REAL
};

static const int64_t MOST_NUMBER = 9999999999;

/* A node of the space, or a cell of a batch, by its number in the file. */
typedef struct frd_node {
    int64_t number;
    int32_t at;
    int batch;
} frd_node;

struct ritz_frd {
    const ritz_space *space;
    ritz_fresh fresh;
    ritz_text text;  /* not written yet */
    int64_t written; /* bytes */
    int n_blocks;
    int64_t n;
    frd_node *nodes;  /* [n] those of elements, by increasing number */
    int64_t *numbers; /* [n_nodes] */
};

/* Elements of the format: its number, and the vertices that each node lies on or between. */
typedef struct frd_element {
    ritz_cell cell;
    int order, type, n_nodes;
    signed char ends[MAX_NODES][2];
} frd_element;

/* Of hexes and prisms the nodes between both ends come before those at the upper end. */
static const frd_element elements[] = {
    {RITZ_TRI, 1, 7, 3, {{0, 0}, {1, 1}, {2, 2}}},
    {RITZ_TRI, 2, 8, 6, {{0, 0}, {1, 1}, {2, 2}, {0, 1}, {1, 2}, {2, 0}}},
    {RITZ_QUAD, 1, 9, 4, {{0, 0}, {1, 1}, {2, 2}, {3, 3}}},
    {RITZ_QUAD, 2, 10, 8, {{0, 0}, {1, 1}, {2, 2}, {3, 3}, {0, 1}, {1, 2}, {2, 3}, {3, 0}}},
    {RITZ_TET, 1, 3, 4, {{0, 0}, {1, 1}, {2, 2}, {3, 3}}},
    {RITZ_TET, 2, 6, 10, {{0, 0}, {1, 1}, {2, 2}, {3, 3}, {0, 1}, {1, 2}, {2, 0}, {0, 3}, {1, 3}, {2, 3}}},
    {RITZ_PRISM, 1, 2, 6, {{0, 0}, {1, 1}, {2, 2}, {3, 3}, {4, 4}, {5, 5}}},
    {RITZ_PRISM,
     2,
     5,
     15,
     {{0, 0},
      {1, 1},
      {2, 2},
      {3, 3},
      {4, 4},
      {5, 5},
      {0, 1},
      {1, 2},
      {2, 0},
      {0, 3},
      {1, 4},
      {2, 5},
      {3, 4},
      {4, 5},
      {5, 3}}},
    {RITZ_HEX, 1, 1, 8, {{0, 0}, {1, 1}, {2, 2}, {3, 3}, {4, 4}, {5, 5}, {6, 6}, {7, 7}}},
    {RITZ_HEX, 2, 4, 20, {{0, 0}, {1, 1}, {2, 2}, {3, 3}, {4, 4}, {5, 5}, {6, 6}, {7, 7}, {0, 1}, {1, 2},
                          {2, 3}, {3, 0}, {0, 4}, {1, 5}, {2, 6}, {3, 7}, {4, 5}, {5, 6}, {6, 7}, {7, 4}}},
};

static const frd_element *find_element(ritz_cell cell, int order)
{
    for (size_t i = 0; i < sizeof elements / sizeof *elements; i++)
        if (elements[i].cell == cell && elements[i].order == order)
            return &elements[i];
    return NULL;
}

/* local[n_nodes]: the cell's node at each of the element's. */
static ritz_status find_local_nodes(const ritz_basis *basis, const frd_element *element, int *local)
{
    ritz_status status = RITZ_OK;
    ritz_basis *corners = NULL;
    const int dim = basis->dim;
    RITZ_TRY(ritz_basis_create(basis->cell, 1, RITZ_NODES_LOBATTO, &corners));
    for (int k = 0; k < element->n_nodes; k++) {
        const double *a = corners->nodes + dim * element->ends[k][0], *b = corners->nodes + dim * element->ends[k][1];
        for (int i = 0; i < basis->n_shape; i++) {
            double distance = 0;
            for (int d = 0; d < dim; d++)
                distance += fabs(basis->nodes[dim * i + d] - (a[d] + b[d]) / 2);
            if (distance < 1e-9)
                local[k] = i;
        }
    }
done:
    ritz_basis_destroy(&corners);
    return status;
}

/* ---- Text ---- */

static ritz_status flush_text(ritz_frd *frd)
{
    ritz_status status = RITZ_OK;
    RITZ_TRY(frd->text.status);
    if (frd->text.length > 0)
        RITZ_TRY(ritz_fresh_write(&frd->fresh, frd->written, frd->text.length, frd->text.data));
    frd->written += frd->text.length;
    ritz_text_free(&frd->text);
    frd->text = (ritz_text){0};
done:
    return status;
}

static ritz_status flush_chunk(ritz_frd *frd)
{
    return frd->text.length >= CHUNK ? flush_text(frd) : RITZ_OK;
}

/* A whole number at the right end of its columns. */
static void put_integer(char *at, int width, int64_t value)
{
    memset(at, ' ', (size_t)width);
    at += width;
    do {
        *--at = (char)('0' + value % 10);
        value /= 10;
    } while (value > 0);
}

/* As "%12.5E"; of three digits in the exponent the E gives way. printf takes most of the time of a file, and what it does for
   all numbers is needed for few: within these bounds a product or quotient by a power of ten that long double has exactly
   is rounded as printf rounds, but where it is nearer to the middle of two numbers than its own rounding. */
void ritz_frd_put_real(char at[REAL_WIDTH], double value)
{
    static const long double tens[] = {1e0L,  1e1L,  1e2L,  1e3L,  1e4L,  1e5L,  1e6L,  1e7L,  1e8L,
                                       1e9L,  1e10L, 1e11L, 1e12L, 1e13L, 1e14L, 1e15L, 1e16L, 1e17L,
                                       1e18L, 1e19L, 1e20L, 1e21L, 1e22L, 1e23L, 1e24L, 1e25L};
    const double size = fabs(value);
    if (!(size > 1e-19 && size < 1e19)) {
        char text[32];
        snprintf(text, sizeof text, "%12.5E", value);
        if (strlen(text) > REAL_WIDTH) {
            char *e = strchr(text, 'E');
            memmove(e, e + 1, strlen(e));
        }
        memcpy(at, text, REAL_WIDTH);
        return;
    }
    int exponent = (int)floor(log10(size));
    int64_t digits = llrintl(exponent > 5 ? size / tens[exponent - 5] : size * tens[5 - exponent]);
    if (digits > 999999) {
        digits /= 10;
        exponent++;
    }
    at[0] = value < 0 ? '-' : ' ';
    at[2] = '.';
    for (int k = 7; k >= 1; k--)
        if (k != 2) {
            at[k] = (char)('0' + digits % 10);
            digits /= 10;
        }
    at[8] = 'E';
    at[9] = exponent < 0 ? '-' : '+';
    at[10] = (char)('0' + abs(exponent) / 10);
    at[11] = (char)('0' + abs(exponent) % 10);
}

/* A row for each node: its place, or values[n_nodes][n]. */
static ritz_status add_rows(ritz_frd *frd, int n, const double *values)
{
    ritz_status status = RITZ_OK;
    const int64_t width = 3 + NUMBER_WIDTH + REAL_WIDTH * n + 1;
    char *rows = NULL;
    RITZ_TRY(flush_text(frd));
    RITZ_NEW(rows, width * MOST_ROWS);
    for (int64_t first = 0; first < frd->n; first += MOST_ROWS) {
        const int64_t n_rows = ritz_min64(MOST_ROWS, frd->n - first);
#pragma omp parallel for schedule(static)
        for (int64_t i = 0; i < n_rows; i++) {
            const frd_node *node = &frd->nodes[first + i];
            char *row = rows + i * width;
            double x[3];
            ritz_space_get_place(frd->space, node->at, x);
            row[0] = ' ', row[1] = '-', row[2] = '1';
            put_integer(row + 3, NUMBER_WIDTH, node->number);
            for (int k = 0; k < n; k++)
                ritz_frd_put_real(row + 3 + NUMBER_WIDTH + (int64_t)REAL_WIDTH * k,
                                  values ? values[(int64_t)node->at * n + k] : x[k]);
            row[width - 1] = '\n';
        }
        RITZ_TRY(ritz_fresh_write(&frd->fresh, frd->written, n_rows * width, rows));
        frd->written += n_rows * width;
    }
    ritz_text_add(&frd->text, " -3\n");
done:
    ritz_free(rows);
    return status;
}

/* ---- Nodes and elements ---- */

static int compare_nodes(const void *a, const void *b)
{
    const frd_node *x = a, *y = b;
    return x->number != y->number ? (x->number < y->number ? -1 : 1) : x->batch - y->batch;
}

static ritz_status number_nodes(ritz_frd *frd)
{
    ritz_status status = RITZ_OK;
    const ritz_space *space = frd->space;
    int64_t last = 0;
    uint8_t *used = NULL;
    RITZ_NEW(used, space->n_nodes);
    RITZ_NEW(frd->numbers, space->n_nodes);
    RITZ_NEW(frd->nodes, space->n_nodes);
    RITZ_TRY(ritz_space_node_numbers(space, frd->numbers));
    for (int32_t i = 0; i < space->n_nodes; i++)
        last = ritz_max64(last, frd->numbers[i]);
    for (int b = 0; b < space->n_batches; b++) {
        const ritz_space_batch *batch = &space->batches[b];
        const frd_element *element = find_element(batch->cell, space->order);
        int local[MAX_NODES] = {0};
        RITZ_TRY(find_local_nodes(batch->basis, element, local));
        for (int32_t e = 0; e < batch->n_cells; e++)
            for (int k = 0; k < element->n_nodes; k++)
                used[batch->cell_nodes[(int64_t)e * batch->n_shape + local[k]]] = 1;
    }
    for (int32_t i = 0; i < space->n_nodes; i++) {
        if (!used[i])
            continue;
        if (frd->numbers[i] < 0)
            frd->numbers[i] = ++last;
        frd->nodes[frd->n++] = (frd_node){.number = frd->numbers[i], .at = i};
    }
    qsort(frd->nodes, (size_t)frd->n, sizeof *frd->nodes, compare_nodes);
    RITZ_REQUIRE(last <= MOST_NUMBER, RITZ_ERROR_INPUT,
                 "an .frd file has 10 digits for the number of a node, and there is one of %lld; give the mesh smaller "
                 "numbers, or leave 'frd' out",
                 (long long)last);
done:
    ritz_free(used);
    return status;
}

static ritz_status write_nodes(ritz_frd *frd)
{
    ritz_status status = RITZ_OK;
    ritz_text_add(&frd->text, "    2C%18s%12lld%37s1\n", "", (long long)frd->n, "");
    RITZ_TRY(add_rows(frd, 3, NULL));
done:
    return status;
}

static ritz_status write_elements(ritz_frd *frd, int32_t *const *part)
{
    ritz_status status = RITZ_OK;
    const ritz_space *space = frd->space;
    int local[RITZ_N_CELLS][MAX_NODES] = {{0}};
    frd_node *cells = NULL;
    int64_t n = 0;
    for (int b = 0; b < space->n_batches; b++)
        n += space->batches[b].n_cells;
    ritz_text_add(&frd->text, "    3C%18s%12lld%37s1\n", "", (long long)n, "");
    RITZ_NEW(cells, n);
    n = 0;
    for (int b = 0; b < space->n_batches; b++) {
        const ritz_space_batch *batch = &space->batches[b];
        RITZ_TRY(find_local_nodes(batch->basis, find_element(batch->cell, space->order), local[b]));
        for (int32_t e = 0; e < batch->n_cells; e++)
            cells[n++] = (frd_node){batch->block->number[e], e, b};
    }
    qsort(cells, (size_t)n, sizeof *cells, compare_nodes);
    for (int64_t i = 0; i < n; i++) {
        const ritz_space_batch *batch = &space->batches[cells[i].batch];
        const frd_element *element = find_element(batch->cell, space->order);
        const int32_t *nodes = batch->cell_nodes + (int64_t)cells[i].at * batch->n_shape;
        char rows[(MAX_NODES + 1) * NUMBER_WIDTH] = "";
        size_t used = 0;
        for (int k = 0; k < element->n_nodes; k++, used += NUMBER_WIDTH) {
            if (k % NODES_PER_LINE == 0) {
                memcpy(rows + used, "\n -2", 4);
                used += 4;
            }
            put_integer(rows + used, NUMBER_WIDTH, frd->numbers[nodes[local[cells[i].batch][k]]]);
        }
        rows[used] = '\0';
        ritz_text_add(&frd->text, " -1%10lld%5d%5d%5d%s\n", (long long)cells[i].number, element->type, 0,
                      (int)part[cells[i].batch][cells[i].at] + 1, rows);
        RITZ_TRY(flush_chunk(frd));
    }
    ritz_text_add(&frd->text, " -3\n");
done:
    ritz_free(cells);
    return status;
}

/* ---- The file ---- */

ritz_status ritz_frd_create(const char *path, const ritz_space *space, int32_t *const *part, ritz_frd **frd)
{
    ritz_status status = RITZ_OK;
    ritz_frd *f = NULL;
    RITZ_REQUIRE(space->order <= 2, RITZ_ERROR_INPUT,
                 "an .frd file has elements of order 1 and 2, and the order is %d; take  order: 2,  or leave 'frd' out",
                 space->order);
    RITZ_NEW(f, 1);
    f->space = space;
    RITZ_TRY(ritz_fresh_create(path, 0, &f->fresh));
    RITZ_TRY(number_nodes(f));
    ritz_text_add(&f->text, "    1C\n    1UUSER\n    1UPGM               Ritz\n    1UVERSION           Version %s\n",
                  ritz_version());
    RITZ_TRY(write_nodes(f));
    RITZ_TRY(write_elements(f, part));
    *frd = f;
    f = NULL;
done:
    ritz_frd_destroy(&f);
    return status;
}

ritz_status ritz_frd_add(ritz_frd *frd, int step, const ritz_frd_block *block, const double *values)
{
    ritz_status status = RITZ_OK;
    const bool vector = block->n == 3;
    char time[16];
    snprintf(time, sizeof time, "%12.9f", (double)step);
    time[12] = '\0';
    ritz_text_add(&frd->text, "    1PSTEP%26d%12d%12d\n  100CL  %3d%s%12lld%20s%2d%5d%10s%2d\n", ++frd->n_blocks, 1,
                  step, 100 + step, time, (long long)frd->n, "", 0, step, "", 1);
    ritz_text_add(&frd->text, " -4  %-8s%5d%5d\n", block->name, block->n + vector, 1);
    for (int k = 0; k < block->n; k++)
        ritz_text_add(&frd->text, " -5  %-8s%5d%5d%5d%5d\n", block->components[k], 1,
                      block->n == 6 ? 4
                      : vector      ? 2
                                    : 1,
                      block->n == 6 ? (const int[]){1, 2, 3, 1, 2, 3}[k]
                      : vector      ? k + 1
                                    : 0,
                      block->n == 6 ? (const int[]){1, 2, 3, 2, 3, 1}[k] : 0);
    if (vector)
        ritz_text_add(&frd->text, " -5  %-8s%5d%5d%5d%5d%5dALL\n", "ALL", 1, 2, 0, 0, 1);
    RITZ_TRY(add_rows(frd, block->n, values)); /* xx yy zz xy yz zx, as ours */
done:
    return status;
}

/* values[n_nodes][n] at nodes past the n_own first ones of the cells of a batch go to these, by functions[][n_own] there. A
   node that two cells share is 0 for the second one. */
static void move_in_batch(const ritz_space_batch *batch, int n_own, int stride, const double *functions, int n,
                          double *values)
{
    for (int32_t e = 0; e < batch->n_cells; e++) {
        const int32_t *nodes = batch->cell_nodes + (int64_t)e * batch->n_shape;
        for (int k = n_own; k < batch->n_shape; k++) {
            const double *function = functions + (int64_t)(k - n_own) * stride;
            double *const from = values + (int64_t)nodes[k] * n;
            for (int i = 0; i < n_own; i++)
                for (int c = 0; c < n; c++)
                    values[(int64_t)nodes[i] * n + c] += function[i] * from[c];
            memset(from, 0, (size_t)n * sizeof *from);
        }
    }
}

ritz_status ritz_frd_move_forces(const ritz_frd *frd, int n, double *values)
{
    ritz_status status = RITZ_OK;
    ritz_basis *own = NULL;
    double *functions = NULL;
    for (int b = 0; b < frd->space->n_batches; b++) {
        const ritz_space_batch *batch = &frd->space->batches[b];
        const int n_more = batch->n_shape - ritz_cell_n_serendipity(batch->cell);
        if (n_more <= 0)
            continue;
        RITZ_TRY(ritz_basis_create_serendipity(batch->cell, &own));
        const int stride = (1 + own->dim) * own->n_shape;
        RITZ_NEW(functions, (int64_t)n_more * stride);
        RITZ_TRY(ritz_basis_tabulate(own, n_more, batch->basis->nodes + own->n_shape * own->dim, functions));
        move_in_batch(batch, own->n_shape, stride, functions, n, values);
        ritz_free(functions);
        functions = NULL;
        ritz_basis_destroy(&own);
    }
done:
    ritz_free(functions);
    ritz_basis_destroy(&own);
    return status;
}

ritz_status ritz_frd_finish(ritz_frd **frd)
{
    ritz_status status = RITZ_OK;
    ritz_text_add(&(*frd)->text, " 9999\n");
    RITZ_TRY(flush_text(*frd));
    RITZ_TRY(ritz_fresh_finish(&(*frd)->fresh, (*frd)->written));
done:
    ritz_frd_destroy(frd);
    return status;
}

void ritz_frd_destroy(ritz_frd **frd)
{
    if (!*frd)
        return;
    ritz_fresh_drop(&(*frd)->fresh);
    ritz_text_free(&(*frd)->text);
    ritz_free((*frd)->nodes);
    ritz_free((*frd)->numbers);
    ritz_free(*frd);
    *frd = NULL;
}
