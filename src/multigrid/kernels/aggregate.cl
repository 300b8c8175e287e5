/* Aggregates of the graph of strong connections. After row_runs.cl and aside from the blocks.

   Roots are a maximal set of nodes no two of which are within distance 2 (or 3), as Luby's algorithm finds it for that power of the
   graph (Bell, Dalton, Olson, SIAM J. Sci. Comput. 34 (2012)): keys are hashes of the node numbers, and a node whose key is the
   highest within that distance becomes a root. Nothing depends on the order of work-items. */

/* ---- Roots ---- */

#define ROOT UINT_MAX /* keys: of roots; of nodes that are none, 0; else undecided */

/* Other numbers for other nodes, and neither 0 nor ROOT below 2^31: each step can be undone, and these two are of 3343070330 and
   3316248167. */
inline uint hashed(const uint node)
{
    uint h = node * 2654435761u + 0x9e3779b9u;
    h = (h ^ (h >> 16)) * 0x85ebca6bu;
    h = (h ^ (h >> 13)) * 0xc2b2ae35u;
    return h ^ (h >> 16) ^ 5u;
}

/* Nodes that have no aggregate yet take part, if of their neighbours `least`, and `percent` of them, have none. */
kernel void start_keys(const int n, const int least, const int percent, const global long *restrict start,
                       const global int *restrict neighbours, const global int *restrict aggregate,
                       global uint *restrict key)
{
    EACH_ROW (node, n) {
        int free_neighbours = 0;
        for (long k = start[node]; k < start[node + 1]; k++)
            free_neighbours += aggregate[neighbours[k]] < 0;
        const bool enough =
            free_neighbours >= least && 100 * (long)free_neighbours >= percent * (start[node + 1] - start[node]);
        key[node] = aggregate[node] < 0 && enough ? hashed((uint)node) : 0;
    }
}

/* near[node] = the highest key within distance 1, or one further if the keys are such already; paths lead through nodes without an
   aggregate alone. But for the first round near[node] is what was there before: that of a root stays, and 0, where all are decided. */
kernel void spread_keys(const int n, const int first_round, const global long *restrict start,
                        const global int *restrict neighbours, const global int *restrict aggregate,
                        const global uint *restrict key, global uint *restrict near)
{
    EACH_ROW (node, n) {
        if (!first_round && (near[node] == ROOT || near[node] == 0))
            continue;
        uint highest = key[node];
        for (long k = start[node]; k < start[node + 1] && aggregate[node] < 0; k++)
            highest = max(highest, key[neighbours[k]]);
        near[node] = highest;
    }
}

/* undecided[round]: becomes 1 where a node is left. */
kernel void decide_keys(const int n, const global long *restrict start, const global int *restrict neighbours,
                        const global uint *restrict near, const int round, global uint *restrict key,
                        global int *restrict undecided)
{
    EACH_ROW (node, n) {
        if (key[node] == 0 || key[node] == ROOT)
            continue;
        uint highest = near[node];
        for (long k = start[node]; k < start[node + 1]; k++)
            highest = max(highest, near[neighbours[k]]);
        if (highest == ROOT)
            key[node] = 0;
        else if (highest == key[node])
            key[node] = ROOT;
        else
            undecided[round] = 1; /* all write the same */
    }
}

kernel void mark_roots(const int n, const global uint *restrict key, global int *restrict is_root)
{
    EACH_ROW (node, n)
        is_root[node] = key[node] == ROOT;
}

/* Nodes without an aggregate, of rows of A that have more than the diagonal. */
kernel void mark_alone(const int n, const global long *restrict start, const global int *restrict aggregate,
                       global int *restrict is_root)
{
    EACH_ROW (node, n)
        is_root[node] = aggregate[node] < 0 && start[node + 1] - start[node] > 1;
}

/* In place, of is_root: the number of the root's aggregate from `first` on, -1 for other nodes. start: of roots before it. */
kernel void number_roots(const int n, const int first, const global long *restrict start, global int *restrict root)
{
    EACH_ROW (node, n)
        root[node] = root[node] ? first + (int)start[node] : -1;
}

/* ---- Members ---- */

kernel void leave_all(const int n, global int *restrict aggregate)
{
    EACH_ROW (node, n)
        aggregate[node] = -1;
}

/* root[node]: the number of its aggregate if it is a root, else -1. Nodes without an aggregate join a root beside them. */
kernel void join_roots(const int n, const global long *restrict start, const global int *restrict neighbours,
                       const global int *restrict root, global int *restrict aggregate)
{
    EACH_ROW (node, n) {
        if (aggregate[node] >= 0)
            continue;
        int chosen = root[node];
        for (long k = start[node]; k < start[node + 1] && chosen < 0; k++)
            chosen = root[neighbours[k]];
        aggregate[node] = chosen;
    }
}

/* Those that are left join the aggregate that they are tied to most. */
kernel void join_neighbours(const int n, const global long *restrict start, const global int *restrict neighbours,
                            const global float *restrict weight, const global int *restrict before,
                            global int *restrict aggregate)
{
    EACH_ROW (node, n) {
        int chosen = before[node], last = -1; /* neighbours side by side are mostly of the same aggregate */
        float most = 0;
        for (long k = start[node]; k < start[node + 1] && before[node] < 0; k++) {
            const int other = before[neighbours[k]];
            if (other < 0 || other == last || other == chosen)
                continue;
            float sum = 0;
            last = other;
            for (long j = start[node]; j < start[node + 1]; j++)
                sum += before[neighbours[j]] == other ? weight[j] : 0;
            if (sum > most || (sum == most && other < chosen)) {
                most = sum;
                chosen = other;
            }
        }
        aggregate[node] = chosen;
    }
}
