/* T' A T and T' b, in place, where u = T v + g: rows of T stand for unknowns that depend on others (their masters), the
   others are those of the identity. First the columns of dependent unknowns are added to those of their masters, in all
   rows; then the rows of dependent unknowns to those of their masters. What stands in rows and columns of dependent
   unknowns stays: constrain.cl takes it out. No two work-items or groups write the same place, and of a node that is both
   only dependent components are read and only the others written.

   After matrix/kernels/find_block.cl. Compile-time parameters: N_E (block size), S (slice height), GROUP (work-items),
   LONG (a sum over more nodes than this is shared by a group). */

#define ENTRIES (N_E * N_E)

/* What is added: the column blocks (other, dependent) to (other, master), the row blocks (dependent, other) to
   (master, other), or the loads of dependents to the master's. */
enum { COLUMNS, ROWS, LOAD };

/* T. row_of: of each unknown its row, or -1. */
typedef struct {
    __global const int *row_of, *start;
    __global const long *master;
    __global const real *weight;
} terms;

typedef struct {
    __global const long *row_slot;
    __global const int *row_length, *columns;
    __global real *values, *rhs;
} equations;

/* Nodes in increasing order, the first at `node`, the others `height` further each. */
typedef struct {
    __global const int *node;
    int height, n;
} node_list;

static __global real *block_at(const equations a, int row, int place)
{
    const long slot = a.row_slot[row];
    return a.values + (slot - slot % S + (long)place * S) * ENTRIES + slot % S;
}

/* Block (row, column); NULL: there is none, and zeros stand for it. */
static __global real *find_entry(const equations a, int row, int column)
{
    const int place = find_block(a.columns + a.row_slot[row], S, a.row_length[row], column);
    return place < 0 ? 0 : block_at(a, row, place);
}

static __global real *find_values(const equations a, int way, int node, int other)
{
    if (way == LOAD)
        return a.rhs + (long)node * N_E;
    return way == ROWS ? find_entry(a, node, other) : find_entry(a, other, node);
}

/* How far the node's components stand from each other, and those of `other`, of which there are WIDTH. */
#define STEP(way) ((way) == LOAD ? 1 : (way) == ROWS ? N_E * S : S)
#define OTHER_STEP(way) ((way) == ROWS ? S : N_E * S)
#define WIDTH(way) ((way) == LOAD ? 1 : N_E)

/* The first term of a row of T whose master is this unknown or comes after it: the mean of a face has thousands. */
static int find_term(const terms t, int row, long master)
{
    int low = t.start[row];
    for (int high = t.start[row + 1]; low < high;) {
        const int middle = low + (high - low) / 2;
        if (t.master[middle] < master)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* Adds what the nodes number begin, begin + by, ... of the list give the master's components: sum[component][WIDTH]. */
static void add_dependents(const terms t, const equations a, int way, const node_list list, int master, int other, int begin,
                    int by, real *sum)
{
    for (int k = begin; k < list.n; k += by) {
        const int node = list.node[(long)k * list.height];
        bool depends = false;
        for (int r = 0; r < N_E; r++)
            depends |= t.row_of[(long)node * N_E + r] >= 0;
        __global const real *const from = depends ? find_values(a, way, node, other) : 0;
        for (int r = 0; from && r < N_E; r++) {
            const int row = t.row_of[(long)node * N_E + r];
            const int end = row < 0 ? 0 : t.start[row + 1];
            for (int m = row < 0 ? 0 : find_term(t, row, (long)master * N_E); m < end && t.master[m] / N_E == master; m++)
                for (int c = 0; c < WIDTH(way); c++)
                    sum[t.master[m] % N_E * N_E + c] += t.weight[m] * from[r * STEP(way) + c * OTHER_STEP(way)];
        }
    }
}

/* Takes the nodes of the row of `other`, whose pattern is symmetric, where these are fewer than the master's dependents. */
static void choose_list(const equations a, int other, node_list *list)
{
    if (other >= 0 && a.row_length[other] < list->n) {
        list->node = a.columns + a.row_slot[other];
        list->height = S;
        list->n = a.row_length[other];
    }
}

/* to: NULL where there is no such block. */
static void add_alone(const terms t, const equations a, int way, node_list list, int master, int other,
                      __global real *to)
{
    choose_list(a, other, &list);
    real sum[ENTRIES];
    if (list.n > LONG || !to)
        return;
    for (int e = 0; e < ENTRIES; e++)
        sum[e] = e % N_E < WIDTH(way) ? to[e / N_E * STEP(way) + e % N_E * OTHER_STEP(way)] : 0;
    add_dependents(t, a, way, list, master, other, 0, 1, sum);
    for (int e = 0; e < ENTRIES; e++)
        if (e % N_E < WIDTH(way) && t.row_of[(long)master * N_E + e / N_E] < 0)
            to[e / N_E * STEP(way) + e % N_E * OTHER_STEP(way)] = sum[e];
}

/* nodes: the masters, of which number m has the dependents first[m] .. first[m + 1] - 1. */
#define ARGUMENTS                                                                                                      \
    __global const int *restrict nodes, __global const int *restrict first, __global const int *restrict dependents,   \
        __global const int *restrict row_of, __global const int *restrict start, __global const long *restrict master, \
        __global const real *restrict weight, __global const long *restrict row_slot,                                  \
        __global const int *restrict row_length, __global const int *restrict columns, __global real *restrict values, \
        __global real *restrict rhs

/* A work-item a block of a master's row, or the block across the diagonal from it. way: COLUMNS or ROWS. pieces:
   of each group its master's number and the place of its first block in the row. */
__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1))) void
transform_blocks(int way, __global const int *restrict pieces, ARGUMENTS)
{
    const terms t = {row_of, start, master, weight};
    const equations a = {row_slot, row_length, columns, values, rhs};
    const int m = pieces[2 * get_group_id(0)], place = pieces[2 * get_group_id(0) + 1] + (int)get_local_id(0);
    const node_list list = {dependents + first[m], 1, first[m + 1] - first[m]};
    if (place < row_length[nodes[m]]) {
        const int other = columns[row_slot[nodes[m]] + (long)place * S];
        __global real *const to = way == ROWS ? block_at(a, nodes[m], place) : find_entry(a, other, nodes[m]);
        add_alone(t, a, way, list, nodes[m], other, to);
    }
    if (place == 0 && way == ROWS)
        add_alone(t, a, LOAD, list, nodes[m], -1, rhs + (long)nodes[m] * N_E);
}

/* A group a longer sum: each work-item sums every GROUP-th node's share, and these sums are added one after the other.
   sums: of each group the other node, -1 for the load (with the rows), and its master's number. */
__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1))) void
transform_long(int way, __global const int *restrict sums, ARGUMENTS)
{
    __local real shares[GROUP * ENTRIES];
    const terms t = {row_of, start, master, weight};
    const equations a = {row_slot, row_length, columns, values, rhs};
    const int other = sums[2 * get_group_id(0)], m = sums[2 * get_group_id(0) + 1], item = get_local_id(0);
    const int what = other < 0 ? LOAD : way;
    node_list list = {dependents + first[m], 1, what == LOAD && way == COLUMNS ? 0 : first[m + 1] - first[m]};
    real sum[ENTRIES];
    for (int e = 0; e < ENTRIES; e++)
        sum[e] = 0;
    choose_list(a, other, &list);
    add_dependents(t, a, what, list, nodes[m], other, item, GROUP, sum);
    for (int e = 0; e < ENTRIES; e++)
        shares[item * ENTRIES + e] = sum[e];
    barrier(CLK_LOCAL_MEM_FENCE);
    __global real *const to = find_values(a, what, nodes[m], other);
    for (int e = item; to && e < ENTRIES; e += GROUP) {
        real total = 0;
        for (int i = 0; i < GROUP; i++)
            total += shares[i * ENTRIES + e];
        if (e % N_E < WIDTH(what) && row_of[(long)nodes[m] * N_E + e / N_E] < 0)
            to[e / N_E * STEP(what) + e % N_E * OTHER_STEP(what)] += total;
    }
}
