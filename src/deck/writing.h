/* What the files that write a problem file share. Private to the deck room. */
#ifndef RITZ_SRC_DECK_WRITING_H
#define RITZ_SRC_DECK_WRITING_H

#include "deck/translate.h"

/* What is written, and of what. */
typedef struct ritz_deck_writing {
    const ritz_deck_analysis *a;
    ritz_deck_problem *out;
    const char *mesh; /* the name that the problem file gives to it */
    ritz_text text;
} ritz_deck_writing;

/* Adds one whole line, which came from a place in the deck. */
ritz_status ritz_deck_add_line(ritz_deck_writing *w, ritz_deck_place place, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* The name of a file between quotes, where some of its marks need one before them. */
ritz_status ritz_deck_add_file(ritz_deck_writing *w, ritz_deck_place place, const char *key, const char *file);
ritz_status ritz_deck_add_note(ritz_deck_writing *w, ritz_deck_place place, const char *text, const char *word);
const char *ritz_deck_group_name(const ritz_deck_writing *w, int32_t group);
/* Fails in heat transfer, which has none for a card to bind. */
ritz_status ritz_deck_require_displacements(const ritz_deck_analysis *a, ritz_deck_place place, const char *words);
/* Of plane elements in heat transfer, which is per unit of thickness in the problem file; 1 elsewhere. */
double ritz_deck_heat_thickness(const ritz_deck_analysis *a);

/* A load on a volume: at[d][3] + at[d][0] x + at[d][1] y + at[d][2] z along axis d. */
typedef struct ritz_deck_volume_load {
    bool any;
    double at[3][4];
} ritz_deck_volume_load;
bool ritz_deck_acts_on_volume(const ritz_deck_load *load);
/* How many elements of group a are in group b. */
ritz_status ritz_deck_count_shared(const ritz_deck *deck, int32_t a, int32_t b, int64_t *n_a, int64_t *n_shared);
/* Adds a load where it is on all of a section; *partly: it is on a part of it. */
ritz_status ritz_deck_add_to_section(const ritz_deck_writing *w, const ritz_deck_load *load,
                                     const ritz_deck_section *section, ritz_deck_volume_load *sum, bool *partly);
/* The loads of a step on the volume of one section, together; *partly: one is on a part of it. */
ritz_status ritz_deck_sum_volume_loads(const ritz_deck_writing *w, const ritz_deck_step *step,
                                       const ritz_deck_section *section, ritz_deck_volume_load *sum, bool *partly);
/* "7.5", or an expression in quotes. */
void ritz_deck_write_linear(const double f[4], int dim, ritz_text *text);
void ritz_deck_write_volume_load(const ritz_deck_writing *w, const ritz_deck_volume_load *load, ritz_text *text);

/* "[0, 0, -9.81]" */
const char *ritz_deck_write_vector(const ritz_deck_writing *w, const double *vector, char text[96]);

/* write_sections.c: materials, and temperatures of nodes, in a file beside the mesh where no linear function has them. */
bool ritz_deck_has_temperatures(const ritz_deck_analysis *a);
/* What depends on the temperature follows that of one step, and expands from a temperature that is the same everywhere. */
ritz_status ritz_deck_check_curves(const ritz_deck_analysis *a);
ritz_status ritz_deck_write_temperature(ritz_deck_writing *w, ritz_deck_place place, const char *key,
                                        const ritz_deck_temperature *temperature);
/* step: whose loads on volumes go into the section; NULL: none do. */
ritz_status ritz_deck_write_section(ritz_deck_writing *w, const ritz_deck_section *section, const ritz_deck_step *step);

/* write_loads.c. Loads by where the problem file has them. */
enum { RITZ_DECK_SUPPORTS = 1, RITZ_DECK_FILMS = 2, RITZ_DECK_VOLUME = 4, RITZ_DECK_OTHERS = 8 };
int ritz_deck_kind_of(const ritz_deck_load *load);
ritz_status ritz_deck_check_thickness(const ritz_deck_analysis *a);
/* Those of the kinds, but for what acts on volumes. */
ritz_status ritz_deck_write_loads(ritz_deck_writing *w, const ritz_deck_load *loads, int n, int kinds,
                                  const char *indent);
/* At each node of an equation's terms factor times the weight, as a force or a power. */
ritz_status ritz_deck_write_shares(ritz_deck_writing *w, ritz_deck_place place, const ritz_deck_equation *equation,
                                   double factor, const char *indent);

/* controls.c: rigid bodies, and the loads on nodes that stand for motions. */
ritz_status ritz_deck_write_rigid(ritz_deck_writing *w);
ritz_status ritz_deck_write_control_load(ritz_deck_writing *w, const ritz_deck_load *load, const char *indent);
ritz_status ritz_deck_write_mean_moment(ritz_deck_writing *w, const ritz_deck_control *control,
                                        const ritz_deck_load *load, const char *indent);

/* prints.c: what is printed. */
ritz_status ritz_deck_write_prints(ritz_deck_writing *w, const char *dat);

#endif
