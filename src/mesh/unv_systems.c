/* Lines, units and coordinate systems of universal files. */
#include "mesh/unv.h"

#include <stdio.h>
#include <string.h>

void ritz_unv_frame_free(ritz_unv_frame *frame)
{
    ritz_free(frame->systems);
    ritz_free(frame->used);
}

bool ritz_unv_take_line(ritz_msh *f, char line[RITZ_UNV_LINE])
{
    if (f->at >= f->end)
        return false;
    const char *stop = memchr(f->at, '\n', (size_t)(f->end - f->at)), *from = f->at, *to = stop ? stop : f->end;
    while (from < to && (unsigned char)*from <= ' ')
        from++;
    while (from < to && (unsigned char)to[-1] <= ' ')
        to--;
    snprintf(line, RITZ_UNV_LINE, "%.*s", (int)ritz_min64(to - from, RITZ_UNV_LINE - 1), from);
    f->at = stop ? stop + 1 : f->end;
    return true;
}

bool ritz_unv_take_mark(ritz_msh *f)
{
    char line[RITZ_UNV_LINE];
    const char *before = f->at;
    while (ritz_unv_take_line(f, line)) {
        if (strcmp(line, "-1") == 0)
            return true;
        if (*line)
            break;
    }
    f->at = before;
    return false;
}

/* The next line's numbers, with D or E; how many there are, up to three. */
static int take_reals(ritz_msh *f, double x[3])
{
    char line[RITZ_UNV_LINE] = "";
    ritz_unv_take_line(f, line);
    for (char *c = line; (c = strpbrk(c, "Dd"));)
        *c = 'E';
    return sscanf(line, "%lf %lf %lf", x, x + 1, x + 2);
}

/* Their code and name; the factors that turn metres, newtons and degrees into them. */
ritz_status ritz_unv_read_units(ritz_msh *f, ritz_unv_frame *u)
{
    char line[RITZ_UNV_LINE] = "";
    double factor[3] = {0};
    ritz_unv_take_line(f, line);
    snprintf(u->length_units, RITZ_UNV_LINE, "%.20s", line + strspn(line, "0123456789 "));
    take_reals(f, factor);
    u->length_factor = factor[0];
    while (!ritz_unv_take_mark(f))
        if (!ritz_unv_take_line(f, line))
            return ritz_msh_truncated(f);
    return RITZ_OK;
}

/* A part's number and name, then of each system label, kind (0: Cartesian) and colour, a name, three axes and the origin. */
ritz_status ritz_unv_read_systems(ritz_msh *f, ritz_unv_frame *u)
{
    ritz_status status = RITZ_OK;
    char line[RITZ_UNV_LINE];
    ritz_unv_take_line(f, line);
    ritz_unv_take_line(f, line);
    while (!ritz_unv_take_mark(f)) {
        long long label, kind = 0;
        double row[3];
        if (!ritz_unv_take_line(f, line))
            return ritz_msh_truncated(f);
        if (sscanf(line, "%lld %lld", &label, &kind) < 1)
            continue;
        bool is_global = ritz_unv_take_line(f, line) && kind == 0; /* its name */
        for (int i = 0; i < 4; i++) {
            is_global = take_reals(f, row) == 3 && is_global;
            for (int j = 0; j < 3; j++)
                is_global = is_global && row[j] == (i == j);
        }
        GROW(u->systems, u->n_systems, u->system_capacity);
        if (!is_global)
            u->systems[u->n_systems++] = label;
    }
done:
    return status;
}

/* Coordinates are turned by no system: what axes and origins mean is not the same to all writers. */
ritz_status ritz_unv_check_systems(const ritz_msh *f, const ritz_unv_frame *u)
{
    for (int64_t k = 0; k < u->n_used; k++)
        for (int64_t i = 0; i < u->n_systems; i++)
            if (u->systems[i] == u->used[k].system)
                return ritz_msh_fail(f, u->used[k].at,
                                     "node %lld stands in the coordinate system %lld (dataset 2420), which is not the "
                                     "global Cartesian one; write the file once more in global coordinates",
                                     (long long)u->used[k].node, (long long)u->used[k].system);
    return RITZ_OK;
}

ritz_status ritz_unv_use_system(ritz_unv_frame *u, const char *at, int64_t node, int64_t system)
{
    ritz_status status = RITZ_OK;
    for (int64_t k = u->n_used - 1; k >= 0; k--)
        if (u->used[k].system == system)
            return RITZ_OK;
    GROW(u->used, u->n_used, u->used_capacity);
    u->used[u->n_used++] = (ritz_unv_used_system){system, node, at};
done:
    return status;
}
