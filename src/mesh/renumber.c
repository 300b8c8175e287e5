/* Renumbering for locality: cells of a block along a Hilbert curve through their centres, nodes by first use. */
#include "base/first_use.h"
#include "base/point.h"
#include "mesh/internal.h"

#include <math.h>
#include <string.h>

/* Bits an axis: both give keys of 48 bits, four passes of the sort. */
enum { BITS_3D = 16, BITS_2D = 24, DIGIT = 12, PASSES = 4 };

/* Bit k of the number goes to bit dim * k. */
static uint64_t spread_bits(int dim, uint64_t x)
{
    if (dim == 2) {
        x = (x | x << 16) & 0x0000FFFF0000FFFFu;
        x = (x | x << 8) & 0x00FF00FF00FF00FFu;
        x = (x | x << 4) & 0x0F0F0F0F0F0F0F0Fu;
        x = (x | x << 2) & 0x3333333333333333u;
        return (x | x << 1) & 0x5555555555555555u;
    }
    x = (x | x << 32) & 0x001F00000000FFFFu;
    x = (x | x << 16) & 0x001F0000FF0000FFu;
    x = (x | x << 8) & 0x100F00F00F00F00Fu;
    x = (x | x << 4) & 0x10C30C30C30C30C3u;
    return (x | x << 2) & 0x1249249249249249u;
}

/* Place of a grid point along the Hilbert curve: Skilling, "Programming the Hilbert curve" (2004), axes to transpose,
   then the bits of the transpose interleaved. Without branches, which nothing could foresee. */
static uint64_t hilbert_key(int dim, int bits, const uint32_t point[3])
{
    uint32_t x[3] = {point[0], point[1], dim == 3 ? point[2] : 0};
    for (int bit = bits - 1; bit > 0; bit--) {
        const uint32_t low = (1u << bit) - 1;
        for (int a = 0; a < dim; a++) {
            const uint32_t has = 0 - (x[a] >> bit & 1), swap = (x[0] ^ x[a]) & low & ~has;
            x[0] ^= swap | (low & has);
            x[a] ^= swap;
        }
    }
    for (int a = 1; a < dim; a++)
        x[a] ^= x[a - 1];
    uint32_t flip = 0;
    for (int bit = bits - 1; bit > 0; bit--)
        flip ^= ((1u << bit) - 1) & (0 - (x[dim - 1] >> bit & 1));
    uint64_t key = 0;
    for (int a = 0; a < dim; a++)
        key |= spread_bits(dim, x[a] ^ flip) << (dim - 1 - a);
    return key;
}

typedef struct frame {
    double low[3], scale; /* grid steps a unit of length, one for all axes */
} frame;

static frame bounding_frame(const ritz_mesh *mesh, int bits)
{
    frame f = {{0}, 0};
    double high[3], widest = 0;
    ritz_box_of_points(3, mesh->n_nodes, mesh->nodes, f.low, high);
    for (int a = 0; a < 3; a++)
        widest = fmax(widest, high[a] - f.low[a]);
    f.scale = widest > 0 ? (double)((1u << bits) - 1) / widest : 0;
    return f;
}

typedef struct place {
    uint64_t key;
    int32_t cell;
} place;

static void fill_places(const ritz_mesh *mesh, const ritz_mesh_block *block, const frame *f, int bits, place *places)
{
    int n_vertices = ritz_cell_n_shape(block->cell, 1);
#pragma omp parallel for schedule(static)
    for (int32_t c = 0; c < block->n_cells; c++) {
        const int32_t *nodes = &block->nodes[(int64_t)c * block->n_nodes];
        uint32_t point[3] = {0, 0, 0};
        for (int a = 0; a < mesh->dim; a++) {
            double sum = 0;
            for (int v = 0; v < n_vertices; v++)
                sum += mesh->nodes[3 * (int64_t)nodes[v] + a];
            double at = (sum / n_vertices - f->low[a]) * f->scale;
            point[a] = (uint32_t)fmin(fmax(at, 0), (double)((1u << bits) - 1));
        }
        places[c] = (place){hilbert_key(mesh->dim, bits, point), c};
    }
}

enum { MOST_STRIPES = 16, LEAST_PLACES = 1 << 14, DIGITS = 1 << DIGIT };

static int digit_of(const place *p, int pass)
{
    return (int)(p->key >> pass * DIGIT & (DIGITS - 1));
}

/* By one digit. Stripes of the places count their digits; then each knows where its places of each digit go. */
static void sort_by_digit(int32_t n, int pass, const place *from, place *to, int n_stripes, int32_t (*count)[DIGITS])
{
    int32_t sum = 0;
    memset(count, 0, sizeof *count * (size_t)n_stripes);
#pragma omp parallel for schedule(static) if (n_stripes > 1)
    for (int s = 0; s < n_stripes; s++)
        for (int64_t i = (int64_t)n * s / n_stripes; i < (int64_t)n * (s + 1) / n_stripes; i++)
            count[s][digit_of(&from[i], pass)]++;
    for (int d = 0; d < DIGITS; d++)
        for (int s = 0; s < n_stripes; s++) {
            const int32_t own = count[s][d];
            count[s][d] = sum;
            sum += own;
        }
#pragma omp parallel for schedule(static) if (n_stripes > 1)
    for (int s = 0; s < n_stripes; s++)
        for (int64_t i = (int64_t)n * s / n_stripes; i < (int64_t)n * (s + 1) / n_stripes; i++)
            to[count[s][digit_of(&from[i], pass)]++] = from[i];
}

/* Least significant digit first; stable, so cells at the same place keep the order of the file. */
static ritz_status sort_places(int32_t n, place *places)
{
    ritz_status status = RITZ_OK;
    place *scratch = NULL;
    const int n_stripes = (int)ritz_max64(1, ritz_min64(MOST_STRIPES, n / LEAST_PLACES));
    int32_t(*count)[DIGITS] = NULL;
    RITZ_NEW(scratch, n);
    RITZ_NEW(count, n_stripes);
    for (int pass = 0; pass < PASSES; pass++) /* an even number: they end where they began */
        sort_by_digit(n, pass, pass % 2 ? scratch : places, pass % 2 ? places : scratch, n_stripes, count);
done:
    ritz_free(scratch);
    ritz_free(count);
    return status;
}

/* Puts the cells of a block in the order of the curve; new_cell[old] tells where each went. */
static ritz_status order_block(const ritz_mesh *mesh, ritz_mesh_block *block, const frame *f, int bits,
                               int32_t *new_cell)
{
    ritz_status status = RITZ_OK;
    place *places = NULL;
    int32_t *nodes = NULL, *set = NULL;
    int64_t *number = NULL;
    uint8_t *turned = NULL;
    int n_nodes = block->n_nodes;
    RITZ_NEW(places, block->n_cells);
    fill_places(mesh, block, f, bits, places);
    RITZ_TRY(sort_places(block->n_cells, places));
    RITZ_NEW(nodes, (int64_t)block->n_cells * n_nodes);
    RITZ_NEW(set, block->n_cells);
    RITZ_NEW(number, block->n_cells);
    if (block->turned)
        RITZ_NEW(turned, block->n_cells);
#pragma omp parallel for schedule(static)
    for (int32_t c = 0; c < block->n_cells; c++) {
        int32_t old = places[c].cell;
        memcpy(&nodes[(int64_t)c * n_nodes], &block->nodes[(int64_t)old * n_nodes], (size_t)n_nodes * sizeof *nodes);
        set[c] = block->set[old];
        number[c] = block->number[old];
        if (turned)
            turned[c] = block->turned[old];
        new_cell[old] = c;
    }
    ritz_free(block->nodes);
    ritz_free(block->set);
    ritz_free(block->number);
    ritz_free(block->turned);
    block->nodes = nodes;
    block->set = set;
    block->number = number;
    block->turned = turned;
    nodes = NULL;
    set = NULL;
    number = NULL;
    turned = NULL;
done:
    ritz_free(places);
    ritz_free(nodes);
    ritz_free(set);
    ritz_free(number);
    ritz_free(turned);
    return status;
}

/* Notes in its groups that an entity is left out, for it has the node, which no cell has. */
static void record_lost_entity(ritz_mesh *mesh, const ritz_mesh_entity *entity, int32_t node)
{
    const ritz_group_set *set = &mesh->sets[entity->set];
    for (int i = 0; i < set->n_groups; i++) {
        ritz_group *group = &mesh->groups[set->groups[i]];
        if (group->n_lost++ == 0)
            memcpy(group->lost_at, &mesh->nodes[3 * (int64_t)node], sizeof group->lost_at);
    }
}

/* Keeps the entities of which cells have all nodes, with their new numbers. */
static void order_entities(ritz_mesh *mesh, const int32_t *new_node)
{
    int32_t kept = 0;
    for (int32_t e = 0; e < mesh->n_entities; e++) {
        ritz_mesh_entity entity = mesh->entities[e];
        int32_t unused = -1;
        for (int v = 0; v < entity.n_vertices; v++) {
            unused = new_node[entity.vertices[v]] < 0 ? entity.vertices[v] : unused;
            entity.vertices[v] = new_node[entity.vertices[v]];
        }
        if (unused < 0)
            mesh->entities[kept++] = entity;
        else
            record_lost_entity(mesh, &entity, unused);
    }
    if (kept < mesh->n_entities)
        ritz_log("%d face, edge or point element%s of groups touch no cell: left out", mesh->n_entities - kept,
                 ritz_plural(mesh->n_entities - kept));
    mesh->n_entities = kept;
}

/* Numbers the nodes by first use; those that no cell uses go. */
static ritz_status order_nodes(ritz_mesh *mesh)
{
    ritz_status status = RITZ_OK;
    int32_t *new_node = NULL, n_used = 0;
    double *coordinates = NULL;
    int64_t *number = NULL;
    RITZ_NEW(new_node, mesh->n_nodes);
    memset(new_node, -1, (size_t)mesh->n_nodes * sizeof *new_node);
    for (int b = 0; b < mesh->n_blocks; b++) {
        ritz_mesh_block *block = &mesh->blocks[b];
        const ritz_uses uses = {
            .n_cells = block->n_cells, .width = block->n_nodes, .stride = block->n_nodes, .values = block->nodes};
        ritz_number_first_uses(&uses, new_node, &n_used, NULL);
#pragma omp parallel for schedule(static)
        for (int64_t i = 0; i < (int64_t)block->n_cells * block->n_nodes; i++)
            block->nodes[i] = new_node[block->nodes[i]];
    }
    RITZ_NEW(coordinates, 3 * (int64_t)n_used);
    RITZ_NEW(number, n_used);
#pragma omp parallel for schedule(static)
    for (int64_t n = 0; n < mesh->n_nodes; n++) {
        if (new_node[n] < 0)
            continue;
        memcpy(&coordinates[3 * (int64_t)new_node[n]], &mesh->nodes[3 * n], 3 * sizeof(double));
        number[new_node[n]] = mesh->node_number ? mesh->node_number[n] : n;
    }
    order_entities(mesh, new_node);
    ritz_free(mesh->nodes);
    ritz_free(mesh->node_number);
    mesh->nodes = coordinates;
    mesh->node_number = number;
    mesh->n_nodes = n_used;
    coordinates = NULL;
    number = NULL;
done:
    ritz_free(new_node);
    ritz_free(coordinates);
    ritz_free(number);
    return status;
}

ritz_status ritz_mesh_renumber(ritz_mesh *mesh)
{
    ritz_status status = RITZ_OK;
    int32_t **new_cell = NULL;
    int bits = mesh->dim == 3 ? BITS_3D : BITS_2D;
    frame f = bounding_frame(mesh, bits);
    RITZ_NEW(new_cell, mesh->n_blocks);
    for (int b = 0; b < mesh->n_blocks; b++) {
        RITZ_NEW(new_cell[b], mesh->blocks[b].n_cells);
        RITZ_TRY(order_block(mesh, &mesh->blocks[b], &f, bits, new_cell[b]));
    }
    for (int32_t e = 0; e < mesh->n_entities; e++) {
        ritz_mesh_entity *entity = &mesh->entities[e];
        if (entity->cell >= 0)
            entity->cell = new_cell[entity->block][entity->cell];
    }
    RITZ_TRY(order_nodes(mesh));
done:
    for (int b = 0; new_cell && b < mesh->n_blocks; b++)
        ritz_free(new_cell[b]);
    ritz_free(new_cell);
    return status;
}
