/* A layout of element matrices as kernels get it. Depends on the integrate room. */
#ifndef RITZ_SRC_LAYOUT_H
#define RITZ_SRC_LAYOUT_H

#include "integrate/integrate.h"

/* The defines that kernels/layout.cl takes, all but N_SHAPE and N_E. */
void ritz_layout_defines(const ritz_layout *layout, ritz_text *header);

#endif
