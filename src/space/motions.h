/* Shared between the files of the space room only: motions without energy, and bodies of a mesh that do not hang
   together. */
#ifndef RITZ_SRC_SPACE_MOTIONS_H
#define RITZ_SRC_SPACE_MOTIONS_H

#include "space/space.h"

enum { RITZ_MAX_MODES = 8 };

/* Adds the names of the motions spanned by n null vectors (rows of `null`) in words: "translation along z, rotation
   about the x axis". */
void ritz_name_motions(int dim, int n, double null[RITZ_MAX_MODES][RITZ_MAX_MODES], const double *centre, double size,
                       ritz_text *text);

/* How a body touches the others without sharing nodes. */
typedef struct ritz_touching {
    int64_t coincident; /* vertices of the body at the place of another body's vertex */
    int64_t hanging;    /* vertices of the body inside faces or edges of others, and the other way round */
} ritz_touching;
/* component: of each mesh node. low, high: bounding box of the body. */
ritz_status ritz_find_touching(const ritz_space *space, const int32_t *component, int32_t body, const double *low,
                               const double *high, ritz_touching *touching);

#endif
