/* Reading a .msh file byte by byte with checks: tokens, positions, and messages that name the line. Private to the mesh
   room. */
#ifndef RITZ_SRC_MESH_MSH_SCAN_H
#define RITZ_SRC_MESH_MSH_SCAN_H

#include "mesh/model.h"

/* From the numbers of a file to the order in which they stand there: a table where they are dense, else sorted. */
typedef struct ritz_msh_numbers {
    int64_t n, capacity;
    int64_t *numbers;
    int64_t least, largest;
    int32_t *direct; /* [largest + 1], -1 where there is none */
    struct ritz_msh_place {
        int64_t number;
        int32_t place;
    } * sorted;
} ritz_msh_numbers;

typedef struct ritz_msh {
    const char *path;
    bool converted; /* what is read is not the user's file itself: messages name no place in it */
    bool plain;     /* sections are named without a '$' */
    const char *start, *at, *end;
    char section[64]; /* being read: "Nodes" */
    bool binary, version4;
    bool has_entities;
    ritz_msh_numbers nodes;
    ritz_msh_numbers entities[4]; /* tags of the geometric entities of each dimension, version 4.1 */
    ritz_model *model;
} ritz_msh;

/* Message with the file and the line (or the byte, in binary files) of `at`. */
ritz_status ritz_msh_fail(const ritz_msh *msh, const char *at, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
ritz_status ritz_msh_truncated(const ritz_msh *msh);

/* The next number: of `bytes` (4 or 8) in a binary file. what: "the number of nodes". */
ritz_status ritz_msh_integer(ritz_msh *msh, int bytes, const char *what, int64_t *value);
/* The next n finite numbers, into values unless that is NULL. number: of the node, for messages, or 0. */
ritz_status ritz_msh_reals(ritz_msh *msh, int64_t n, const char *what, int64_t number, double *values);
/* A count, which cannot be larger than what is left of the file: each item takes at least a byte. */
ritz_status ritz_msh_count(ritz_msh *msh, int bytes, const char *what, int64_t *value);
/* The rest of a line after its newline. */
void ritz_msh_skip_line(ritz_msh *msh);
/* "$End" of the section must be next. */
ritz_status ritz_msh_end(ritz_msh *msh);
/* Whether the mark that ends the section stands there; *stop: where it ends, or the first character that differs. */
bool ritz_msh_is_end(const ritz_msh *msh, const char *at, const char **stop);

ritz_status ritz_msh_numbers_add(ritz_msh_numbers *set, int64_t number);
/* Sorts or spreads the numbers for look-up; *twice is one that occurs twice, or 0. */
ritz_status ritz_msh_numbers_close(ritz_msh_numbers *set, int64_t *twice);
/* The place of a number, counted from 0, or -1. */
int32_t ritz_msh_numbers_find(const ritz_msh_numbers *set, int64_t number);
bool ritz_msh_numbers_has(const ritz_msh_numbers *set, int64_t number);
void ritz_msh_numbers_free(ritz_msh_numbers *set);

/* The sections, from after their first line to before their $End. */
ritz_status ritz_msh_scan_names(ritz_msh *msh);
ritz_status ritz_msh_scan_entities(ritz_msh *msh);
ritz_status ritz_msh_scan_nodes(ritz_msh *msh);
ritz_status ritz_msh_scan_elements(ritz_msh *msh);

#endif
