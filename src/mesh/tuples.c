/* A hash table keyed by the node numbers of a point, edge or face: open addressing, grown at half load. */
#include "mesh/internal.h"

#include <string.h>

ritz_node_tuple ritz_tuple_of(int n, const int32_t *nodes)
{
    ritz_node_tuple key = {{-1, -1, -1, -1}};
    for (int i = 0; i < n; i++) { /* insertion sort towards the end */
        int at = 3 - i;
        while (at < 3 && key.v[at + 1] < nodes[i]) {
            key.v[at] = key.v[at + 1];
            at++;
        }
        key.v[at] = nodes[i];
    }
    return key;
}

static uint64_t hash_tuple(ritz_node_tuple key)
{
    uint64_t a = (uint64_t)(uint32_t)key.v[0] << 32 | (uint32_t)key.v[1];
    uint64_t b = (uint64_t)(uint32_t)key.v[2] << 32 | (uint32_t)key.v[3];
    uint64_t h = (a ^ (b * 0x9E3779B97F4A7C15u)) * 0xD6E8FEB86659FD93u;
    h ^= h >> 32;
    h *= 0xD6E8FEB86659FD93u;
    return h ^ h >> 32;
}

ritz_status ritz_tuple_table_create(ritz_tuple_table *table, int64_t expected)
{
    ritz_status status = RITZ_OK;
    ritz_tuple_table t = {.capacity = 16};
    while (t.capacity < 2 * expected)
        t.capacity *= 2;
    RITZ_NEW(t.keys, t.capacity);
    RITZ_NEW(t.values, t.capacity);
    memset(t.values, -1, (size_t)t.capacity * sizeof *t.values);
    *table = t;
    return RITZ_OK;
done:
    ritz_tuple_table_free(&t);
    return status;
}

void ritz_tuple_table_free(ritz_tuple_table *table)
{
    ritz_free(table->keys);
    ritz_free(table->values);
    *table = (ritz_tuple_table){0};
}

/* The slot that holds the key, or the free one where it would go. */
static int64_t slot_of(const ritz_tuple_table *table, ritz_node_tuple key)
{
    uint64_t mask = (uint64_t)table->capacity - 1;
    uint64_t slot = hash_tuple(key) & mask;
    while (table->values[slot] >= 0 && memcmp(&table->keys[slot], &key, sizeof key) != 0)
        slot = (slot + 1) & mask;
    return (int64_t)slot;
}

int32_t ritz_tuple_find(const ritz_tuple_table *table, ritz_node_tuple key)
{
    return table->values[slot_of(table, key)];
}

static ritz_status grow_table(ritz_tuple_table *table)
{
    ritz_status status = RITZ_OK;
    ritz_tuple_table wider = {0};
    RITZ_TRY(ritz_tuple_table_create(&wider, table->capacity));
    for (int64_t s = 0; s < table->capacity; s++) {
        if (table->values[s] < 0)
            continue;
        int64_t slot = slot_of(&wider, table->keys[s]);
        wider.keys[slot] = table->keys[s];
        wider.values[slot] = table->values[s];
    }
    wider.used = table->used;
    ritz_tuple_table_free(table);
    *table = wider;
done:
    return status;
}

ritz_status ritz_tuple_add(ritz_tuple_table *table, ritz_node_tuple key, int32_t value, int32_t *stored)
{
    ritz_status status = RITZ_OK;
    if (2 * (table->used + 1) > table->capacity)
        RITZ_TRY(grow_table(table));
    int64_t slot = slot_of(table, key);
    if (table->values[slot] < 0) {
        table->keys[slot] = key;
        table->values[slot] = value;
        table->used++;
    }
    *stored = table->values[slot];
done:
    return status;
}
