/* The pattern of T' A T, in which unknowns that depend on others act through their masters: the blocks that it has besides
   those of A. A column of a dependent node reaches the columns of its masters, and its row their rows. */
#include "assemble/pattern.h"

#include <stdlib.h>
#include <string.h>

/* Places: row << 32 | column. */
typedef struct place_list {
    int64_t n, room;
    uint64_t *place;
} place_list;

static int by_place(const void *a, const void *b)
{
    const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

static void sort_places(place_list *list)
{
    int64_t n = 0;
    if (list->n == 0)
        return;
    qsort(list->place, (size_t)list->n, sizeof *list->place, by_place);
    for (int64_t k = 0; k < list->n; k++)
        if (n == 0 || list->place[n - 1] != list->place[k])
            list->place[n++] = list->place[k];
    list->n = n;
}

static ritz_status add_place(place_list *list, int32_t row, int32_t column)
{
    ritz_status status = RITZ_OK;
    if (list->n == list->room) {
        const int64_t room = ritz_max64(2 * list->room, 1024);
        RITZ_RESIZE(list->place, room);
        list->room = room;
    }
    list->place[list->n++] = (uint64_t)(uint32_t)row << 32 | (uint32_t)column;
done:
    return status;
}

/* The masters' nodes of each dependent node: places (dependent node, master node), and where those of a node start. */
static ritz_status list_masters(const ritz_dependence *d, int32_t n_nodes, place_list *masters, int64_t **start)
{
    ritz_status status = RITZ_OK;
    for (int64_t i = 0; i < d->n_own; i++)
        for (int64_t k = d->start[i]; k < d->start[i + 1]; k++)
            RITZ_TRY(
                add_place(masters, (int32_t)(d->row[i] / d->n_components), (int32_t)(d->master[k] / d->n_components)));
    sort_places(masters);
    RITZ_NEW(*start, (int64_t)n_nodes + 1);
    for (int64_t k = 0; k < masters->n; k++)
        (*start)[(masters->place[k] >> 32) + 1]++;
    for (int32_t node = 0; node < n_nodes; node++)
        (*start)[node + 1] += (*start)[node];
done:
    return status;
}

/* Lists of nodes by nodes: those of node n are node[start[n]] .. node[start[n + 1] - 1]. */
typedef struct node_lists {
    int64_t *start, room;
    int32_t *node;
} node_lists;

static void free_lists(node_lists *lists)
{
    ritz_free(lists->start);
    ritz_free(lists->node);
}

/* The nodes that depend on each master. */
static ritz_status list_dependents(const place_list *masters, int32_t n_rows, node_lists *dependents)
{
    ritz_status status = RITZ_OK;
    RITZ_NEW(dependents->start, (int64_t)n_rows + 2);
    RITZ_NEW(dependents->node, masters->n);
    int64_t *next = dependents->start + 1;
    for (int64_t k = 0; k < masters->n; k++)
        next[(int32_t)masters->place[k] + 1]++;
    for (int32_t row = 0; row < n_rows; row++)
        next[row + 1] += next[row];
    for (int64_t k = 0; k < masters->n; k++)
        dependents->node[next[(int32_t)masters->place[k]]++] = (int32_t)(masters->place[k] >> 32);
done:
    return status;
}

/* The masters of the nodes that each row has columns of, each once. seen [n_rows]: -1 */
static ritz_status list_reached(const ritz_pattern *pattern, const place_list *masters, const int64_t *start,
                                int32_t *seen, node_lists *reached)
{
    ritz_status status = RITZ_OK;
    int64_t n = 0;
    RITZ_NEW(reached->start, (int64_t)pattern->n_rows + 1);
    RITZ_RESIZE(reached->node, ++reached->room); /* also where nothing is reached: lists begin somewhere */
    for (int32_t row = 0; row < pattern->n_rows; row++) {
        for (int64_t k = pattern->row_start[row]; k < pattern->row_start[row + 1]; k++) {
            const int32_t column = pattern->columns[k];
            const int64_t n_masters = start[column + 1] - start[column];
            if (n + n_masters > reached->room) {
                reached->room = ritz_max64(2 * reached->room, n + n_masters);
                RITZ_RESIZE(reached->node, reached->room);
            }
            for (int64_t m = start[column]; m < start[column + 1]; m++) {
                const int32_t master = (int32_t)masters->place[m];
                if (seen[master] != row)
                    reached->node[n++] = master;
                seen[master] = row;
            }
        }
        reached->start[row + 1] = n;
    }
done:
    return status;
}

/* Those of the nodes that the row has not met yet. */
static ritz_status add_new(int32_t row, const int32_t *nodes, int64_t n, int32_t *seen, place_list *list)
{
    ritz_status status = RITZ_OK;
    for (int64_t k = 0; k < n; k++)
        if (seen[nodes[k]] != row) {
            seen[nodes[k]] = row;
            RITZ_TRY(add_place(list, row, nodes[k]));
        }
done:
    return status;
}

/* The new places, row by row: what a row reaches through its own columns and, if it is a master, all columns of the rows
   that depend on it. */
static ritz_status list_places(const ritz_pattern *pattern, const node_lists *dependents, const node_lists *reached,
                               int32_t *seen, place_list *list)
{
    ritz_status status = RITZ_OK;
    const int64_t *first = pattern->row_start, *from = reached->start;
    for (int32_t row = 0; row < pattern->n_rows; row++) {
        const int64_t begin = list->n;
        for (int64_t k = first[row]; k < first[row + 1]; k++)
            seen[pattern->columns[k]] = row;
        RITZ_TRY(add_new(row, reached->node + from[row], from[row + 1] - from[row], seen, list));
        for (int64_t d = dependents->start[row]; d < dependents->start[row + 1]; d++) {
            const int32_t other = dependents->node[d];
            RITZ_TRY(add_new(row, pattern->columns + first[other], first[other + 1] - first[other], seen, list));
            RITZ_TRY(add_new(row, reached->node + from[other], from[other + 1] - from[other], seen, list));
        }
        if (list->n > begin)
            qsort(list->place + begin, (size_t)(list->n - begin), sizeof *list->place, by_place);
    }
done:
    return status;
}

/* One row of both; n of the columns are new. place[k] is where column k of the old ones comes to stand. */
static int64_t merge_row(const int32_t *old, int64_t n_old, const uint64_t *new, int64_t n_new, int32_t *columns,
                         uint16_t *place)
{
    int64_t n = 0, i = 0, j = 0;
    while (i < n_old || j < n_new) {
        const int64_t a = i < n_old ? old[i] : INT64_MAX, b = j < n_new ? (int32_t) new[j] : INT64_MAX;
        columns[n] = (int32_t)ritz_min64(a, b);
        if (a <= b)
            place[i++] = (uint16_t)n;
        if (b <= a)
            j++;
        n++;
    }
    return n;
}

static void move_positions(const ritz_pattern *pattern, const ritz_space *space, int32_t row, const uint16_t *place)
{
    for (int b = 0; b < pattern->n_batches; b++) {
        const int n_shape = space->batches[b].n_shape;
        for (int64_t k = pattern->incidence_start[b][row]; k < pattern->incidence_start[b][row + 1]; k++) {
            uint16_t *position = pattern->position[b] + pattern->incidence[b][k] * n_shape;
            for (int j = 0; j < n_shape; j++)
                position[j] = place[position[j]];
        }
    }
}

static ritz_status merge_rows(ritz_pattern *pattern, const ritz_space *space, const place_list *list)
{
    ritz_status status = RITZ_OK;
    int64_t *row_start = NULL, at = 0;
    int32_t *columns = NULL;
    uint16_t *place = NULL;
    RITZ_NEW(row_start, (int64_t)pattern->n_rows + 1);
    RITZ_NEW(columns, pattern->row_start[pattern->n_rows] + list->n);
    RITZ_NEW(place, RITZ_LONGEST_ROW + 1);
    for (int32_t row = 0; row < pattern->n_rows; row++) {
        const int32_t *old = pattern->columns + pattern->row_start[row];
        const int64_t n_old = pattern->row_start[row + 1] - pattern->row_start[row], first = at;
        while (at < list->n && (int32_t)(list->place[at] >> 32) == row)
            at++;
        const uint64_t *more = list->n > 0 ? list->place + first : NULL;
        const int64_t n = merge_row(old, n_old, more, at - first, columns + row_start[row], place);
        RITZ_REQUIRE(n <= RITZ_LONGEST_ROW, RITZ_ERROR_INPUT,
                     "equations join node %d to %lld others, more than %d; tie fewer nodes to one", (int)row,
                     (long long)n, (int)RITZ_LONGEST_ROW);
        if (n > n_old)
            move_positions(pattern, space, row, place);
        row_start[row + 1] = row_start[row] + n;
    }
    ritz_free(pattern->row_start);
    ritz_free(pattern->columns);
    pattern->row_start = row_start;
    pattern->columns = columns;
    row_start = NULL;
    columns = NULL;
done:
    ritz_free(row_start);
    ritz_free(columns);
    ritz_free(place);
    return status;
}

ritz_status ritz_pattern_extend(ritz_pattern *pattern, const ritz_space *space, const ritz_dependence *dependence)
{
    ritz_status status = RITZ_OK;
    const int32_t n_rows = pattern->n_rows;
    place_list masters = {0}, list = {0};
    node_lists dependents = {0}, reached = {0};
    int64_t *start = NULL;
    int32_t *seen = NULL;
    RITZ_TRY(list_masters(dependence, n_rows, &masters, &start));
    RITZ_TRY(list_dependents(&masters, n_rows, &dependents));
    RITZ_NEW(seen, n_rows);
    memset(seen, 0xff, (size_t)n_rows * sizeof *seen);
    RITZ_TRY(list_reached(pattern, &masters, start, seen, &reached));
    memset(seen, 0xff, (size_t)n_rows * sizeof *seen);
    RITZ_TRY(list_places(pattern, &dependents, &reached, seen, &list));
    RITZ_TRY(merge_rows(pattern, space, &list));
done:
    ritz_free(masters.place);
    ritz_free(list.place);
    free_lists(&dependents);
    free_lists(&reached);
    ritz_free(start);
    ritz_free(seen);
    return status;
}
