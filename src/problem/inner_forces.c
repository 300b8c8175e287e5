/* Forces of equations that join unknowns of the body with each other alone, as ties, rigid faces that are free to move and periodic
   conditions do: they act at all ends and balance. What they bring to a support is the support's. */
#include "problem/drive.h"

#include <math.h>
#include <string.h>

/* ---- Which equations ---- */

/* Whether the weights of each component add up to 0, so that a motion of the whole body leaves the equation as it is. */
static bool is_balanced(const ritz_drive *drive, int64_t equation)
{
    static const double cancelled = 1e-9;
    const ritz_equations *e = &drive->equations;
    const int n_c = drive->space->n_components;
    double size = 0;
    for (int64_t t = ritz_equations_first(e, equation); t < e->end[equation]; t++)
        size += fabs(e->weight[t]);
    for (int c = 0; c < n_c; c++) {
        double sum = 0;
        for (int64_t t = ritz_equations_first(e, equation); t < e->end[equation]; t++)
            sum += e->dof[t] % n_c == c ? e->weight[t] : 0;
        if (fabs(sum) > cancelled * size)
            return false;
    }
    return true;
}

/* Terms of an equation, those of unknowns beside the space, and those of the latter that are marked. */
typedef struct term_counts {
    int64_t all, extra, marked;
} term_counts;

static term_counts count_terms(const ritz_equations *e, int64_t n_dofs, const bool *marks, int64_t equation)
{
    term_counts n = {0};
    for (int64_t t = ritz_equations_first(e, equation); t < e->end[equation]; t++)
        if (e->weight[t] != 0) {
            n.all++;
            n.extra += e->dof[t] >= n_dofs;
            n.marked += e->dof[t] >= n_dofs && marks[e->dof[t] - n_dofs];
        }
    return n;
}

/* drive->is_inner. Those of unknowns beside the space, as a rigid face's motion is, are where nothing prescribes these: an equation of
   one of them alone does, and goes on through the others that it is in. But a ring's radial motion and turn are nothing. */
static ritz_status find_inner(ritz_drive *drive)
{
    ritz_status status = RITZ_OK;
    const ritz_equations *e = &drive->equations;
    const int64_t n_dofs = ritz_space_n_dofs(drive->space);
    bool *is_moved = NULL, *is_nothing = NULL, changes = true; /* [n_extra] */
    RITZ_NEW(drive->is_inner, e->n);
    RITZ_NEW(is_moved, e->n_extra);
    RITZ_NEW(is_nothing, e->n_extra);
    for (int64_t i = 0; i < e->n && drive->problem->physics->axisymmetric; i++) {
        const term_counts n = count_terms(e, n_dofs, is_nothing, i);
        if (n.all == 1 && n.extra == 1)
            is_nothing[e->dof[ritz_equations_first(e, i)] - n_dofs] = true;
    }
    for (int64_t i = 0; i < e->n; i++) {
        const term_counts n = count_terms(e, n_dofs, is_nothing, i);
        drive->is_inner[i] = n.extra > n.marked ? n.all - n.marked > 1 : n.extra == 0 && is_balanced(drive, i);
    }
    while (changes) {
        changes = false;
        for (int64_t i = 0; i < e->n; i++) {
            drive->is_inner[i] = drive->is_inner[i] && count_terms(e, n_dofs, is_moved, i).marked == 0;
            for (int64_t t = ritz_equations_first(e, i); !drive->is_inner[i] && t < e->end[i]; t++) {
                const int64_t extra = e->dof[t] - n_dofs;
                if (extra >= 0 && e->weight[t] != 0 && !is_nothing[extra] && !is_moved[extra])
                    changes = is_moved[extra] = true;
            }
        }
    }
done:
    ritz_free(is_moved);
    ritz_free(is_nothing);
    return status;
}

ritz_status ritz_keep_equations(ritz_drive *drive)
{
    ritz_status status = RITZ_OK;
    const ritz_equations *from = &drive->constraints->equations;
    ritz_equations *to = &drive->equations;
    RITZ_NEW(to->end, from->n);
    RITZ_NEW(to->dof, from->n_terms);
    RITZ_NEW(to->weight, from->n_terms);
    memcpy(to->end, from->end, (size_t)from->n * sizeof *to->end);
    memcpy(to->dof, from->dof, (size_t)from->n_terms * sizeof *to->dof);
    memcpy(to->weight, from->weight, (size_t)from->n_terms * sizeof *to->weight);
    to->n = from->n;
    to->n_terms = from->n_terms;
    to->n_extra = from->n_extra;
    RITZ_TRY(find_inner(drive));
done:
    return status;
}

/* ---- Their forces ---- */

/* Inner equations, each of length 1, over the unknowns that they are about: row i is equation i, column k unknown dof[k]. known: 1 where
   the force is theirs alone, 0 where a support's or another equation's is in it. unit: the largest weight of unknowns beside the space,
   whose units are of no account, 1 of others. */
typedef struct inner {
    int64_t n, n_columns;
    int64_t *start;       /* [n + 1] */
    int64_t *column;      /* [start[n]] */
    double *weight;       /* [start[n]] */
    int64_t *dof;         /* [n_columns] */
    double *known, *unit; /* [n_columns] */
} inner;

static void free_inner(inner *c)
{
    ritz_free(c->start);
    ritz_free(c->column);
    ritz_free(c->weight);
    ritz_free(c->dof);
    ritz_free(c->known);
    ritz_free(c->unit);
}

/* number [n_dofs + n_extra]: of each unknown's column, from 1; 0: it has none yet. */
static void add_row(const ritz_equations *e, int64_t equation, int64_t n_dofs, int64_t *number, inner *c)
{
    int64_t at = c->start[c->n];
    for (int64_t t = ritz_equations_first(e, equation); t < e->end[equation]; t++) {
        if (e->weight[t] == 0)
            continue;
        if (number[e->dof[t]] == 0) {
            c->dof[c->n_columns++] = e->dof[t];
            number[e->dof[t]] = c->n_columns;
        }
        const int64_t k = number[e->dof[t]] - 1;
        c->column[at] = k;
        c->weight[at++] = e->weight[t];
        c->unit[k] = e->dof[t] < n_dofs ? 1 : fmax(c->unit[k], fabs(e->weight[t]));
    }
    c->start[++c->n] = at;
}

static void scale_row(inner *c, int64_t i)
{
    double square = 0;
    for (int64_t t = c->start[i]; t < c->start[i + 1]; t++) {
        c->weight[t] /= c->unit[c->column[t]];
        square += c->weight[t] * c->weight[t];
    }
    for (int64_t t = c->start[i]; t < c->start[i + 1]; t++)
        c->weight[t] /= sqrt(square);
}

static ritz_status list_inner(const ritz_drive *drive, inner *c)
{
    ritz_status status = RITZ_OK;
    const ritz_equations *e = &drive->equations;
    const int64_t n_dofs = ritz_space_n_dofs(drive->space);
    int64_t *number = NULL;
    RITZ_NEW(c->start, e->n + 1);
    RITZ_NEW(c->column, e->n_terms);
    RITZ_NEW(c->weight, e->n_terms);
    RITZ_NEW(c->dof, e->n_terms);
    RITZ_NEW(c->known, e->n_terms);
    RITZ_NEW(c->unit, e->n_terms);
    RITZ_NEW(number, n_dofs + e->n_extra);
    for (int64_t i = 0; i < e->n; i++)
        if (drive->is_inner[i])
            add_row(e, i, n_dofs, number, c);
    for (int64_t i = 0; i < c->n; i++)
        scale_row(c, i);
    for (int64_t k = 0; k < c->n_columns; k++)
        c->known[k] = c->dof[k] >= n_dofs || !ritz_is_marked(drive->held, drive->space->n_components, c->dof[k]);
    for (int64_t i = 0; i < e->n; i++)
        for (int64_t t = ritz_equations_first(e, i); !drive->is_inner[i] && t < e->end[i]; t++)
            if (e->weight[t] != 0 && number[e->dof[t]] > 0)
                c->known[number[e->dof[t]] - 1] = 0;
done:
    ritz_free(number);
    return status;
}

/* product [n_columns] = C' multipliers */
static void spread(const inner *c, const double *multipliers, double *product)
{
    memset(product, 0, (size_t)c->n_columns * sizeof *product);
    for (int64_t i = 0; i < c->n; i++)
        for (int64_t t = c->start[i]; t < c->start[i + 1]; t++)
            product[c->column[t]] += c->weight[t] * multipliers[i];
}

/* product [n] = C (what is known of the forces); gives its square. */
static double gather(const inner *c, const double *forces, double *product)
{
    double square = 0;
    for (int64_t i = 0; i < c->n; i++) {
        product[i] = 0;
        for (int64_t t = c->start[i]; t < c->start[i + 1]; t++)
            product[i] += c->weight[t] * c->known[c->column[t]] * forces[c->column[t]];
        square += product[i] * product[i];
    }
    return square;
}

/* Takes C' times the multipliers whose forces are those that are known from `forces` [n_columns]: by conjugate gradients for least squares
   (Hestenes and Stiefel); where many serve, the shortest. */
static ritz_status take_forces(const inner *c, double *forces)
{
    enum { STEPS_MOST = 1000 };
    static const double reduced = 1e-13;
    ritz_status status = RITZ_OK;
    double *gradient = NULL, *direction = NULL, *change = NULL;
    RITZ_NEW(gradient, c->n);
    RITZ_NEW(direction, c->n);
    RITZ_NEW(change, c->n_columns);
    double square = gather(c, forces, gradient);
    const double end = reduced * reduced * square;
    memcpy(direction, gradient, (size_t)c->n * sizeof *direction);
    for (int step = 0; step < STEPS_MOST && square > end; step++) {
        double length = 0;
        spread(c, direction, change);
        for (int64_t k = 0; k < c->n_columns; k++)
            length += c->known[k] * change[k] * change[k];
        if (length == 0)
            break;
        for (int64_t k = 0; k < c->n_columns; k++)
            forces[k] -= square / length * change[k];
        const double before = square;
        square = gather(c, forces, gradient);
        for (int64_t i = 0; i < c->n; i++)
            direction[i] = gradient[i] + square / before * direction[i];
    }
done:
    ritz_free(gradient);
    ritz_free(direction);
    ritz_free(change);
    return status;
}

ritz_status ritz_take_inner_forces(const ritz_drive *drive, double *force)
{
    ritz_status status = RITZ_OK;
    const int64_t n_dofs = ritz_space_n_dofs(drive->space);
    inner c = {0};
    double *forces = NULL;
    if (drive->equations.n == 0)
        return RITZ_OK;
    RITZ_TRY(list_inner(drive, &c));
    RITZ_NEW(forces, c.n_columns);
    for (int64_t k = 0; k < c.n_columns; k++)
        forces[k] = c.dof[k] < n_dofs ? force[c.dof[k]] : 0; /* nothing acts on the others */
    RITZ_TRY(take_forces(&c, forces));
    for (int64_t k = 0; k < c.n_columns; k++)
        if (c.dof[k] < n_dofs)
            force[c.dof[k]] = forces[k];
done:
    free_inner(&c);
    ritz_free(forces);
    return status;
}

/* ---- Other equations ---- */

/* As a support along a normal. */
static bool is_of_one_node(const ritz_drive *drive, int64_t equation)
{
    const ritz_equations *e = &drive->equations;
    const int n_c = drive->space->n_components;
    const int64_t first = ritz_equations_first(e, equation);
    for (int64_t t = first; t < e->end[equation]; t++)
        if (e->dof[t] / n_c != e->dof[first] / n_c)
            return false;
    return true;
}

void ritz_warn_of_shared_supports(const ritz_drive *drive)
{
    const ritz_equations *e = &drive->equations;
    const int n_c = drive->space->n_components;
    const int64_t n_dofs = ritz_space_n_dofs(drive->space);
    int64_t shared = -1;
    double x[3];
    for (int64_t i = 0; i < e->n && shared < 0; i++)
        for (int64_t t = ritz_equations_first(e, i); !drive->is_inner[i] && !is_of_one_node(drive, i) && t < e->end[i];
             t++)
            if (e->dof[t] < n_dofs && e->weight[t] != 0 && ritz_is_marked(drive->held, n_c, e->dof[t]))
                shared = e->dof[t];
    if (shared < 0)
        return;
    ritz_space_get_place(drive->space, (int32_t)(shared / n_c), x);
    ritz_stage_line(drive->problem,
                    "warning    supports prescribe what equations or rigid faces that are moved hold, too (one at %g, "
                    "%g, %g): there the "
                    "lines of %s do not tell apart what each carries; their sum is right",
                    x[0], x[1], x[2], drive->problem->physics->vector ? "reactions" : "flows");
}
