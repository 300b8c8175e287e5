/* A roofline as a picture of characters. */
#ifndef RITZ_CLI_ROOFLINE_H
#define RITZ_CLI_ROOFLINE_H

#include <stdio.h>

typedef struct ritz_roofline_point {
    const char *name;
    double intensity; /* operations a byte */
    double gflop_s;   /* reached */
} ritz_roofline_point;

/* Both axes logarithmic; the roof as lines, each point as a letter, with the names under it. Points that are no positive
   numbers are left out. */
void ritz_cli_print_roofline(FILE *file, double bandwidth_gb_s, double gflop_s, const ritz_roofline_point *points,
                             int n);

#endif
