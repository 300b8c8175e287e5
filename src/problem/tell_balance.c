/* The lines on what supports carry, and on how well it balances the loads. */
#include "base/point.h"
#include "problem/drive.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* "1, 2, 3", in the plane "1, 2"; what is rounding beside the scale is 0 there. */
static const char *write_vector(const ritz_drive *drive, const double v[3], double scale, char text[64])
{
    double f[3];
    for (int c = 0; c < 3; c++)
        f[c] = fabs(v[c]) > RITZ_BALANCE_ROUNDING * scale ? v[c] : 0;
    if (drive->space->n_components == 3)
        snprintf(text, 64, "%.5g, %.5g, %.5g", f[0], f[1], f[2]);
    else
        snprintf(text, 64, "%.5g, %.5g", f[0], f[1]);
    return text;
}

/* The force of a support and, where it is more than rounding, its moment. */
static void tell_reaction(const ritz_drive *drive, const char *whose, const ritz_reaction *one, double scale)
{
    char force[64], moment[64], about[64];
    double low[3], high[3], x[3];
    ritz_mesh_bounds(drive->mesh, low, high);
    for (int c = 0; c < 3; c++)
        x[c] = high[c] - low[c];
    const double size = ritz_length(x), most = scale * size;
    write_vector(drive, one->force, scale, force);
    if (ritz_length(one->moment) <= RITZ_BALANCE_ROUNDING * most) {
        ritz_stage_line(drive->problem, "reaction   %s: %s", whose, force);
        return;
    }
    if (drive->space->dim == 3)
        write_vector(drive, one->moment, most, moment);
    else
        snprintf(moment, sizeof moment, "%.5g", one->moment[2]);
    ritz_stage_line(drive->problem, "reaction   %s: %s; moment %s about (%s)", whose, force, moment,
                    write_vector(drive, one->about, size, about));
}

/* Whether other supports are on the same groups. */
static bool is_named_again(const ritz_balance *balance, int i)
{
    for (int k = 0; k < balance->n_reactions; k++)
        if (k != i && strcmp(balance->reactions[k].groups, balance->reactions[i].groups) == 0)
            return true;
    return false;
}

ritz_status ritz_tell_balance(const ritz_drive *drive, const char *name, const ritz_balance *balance, double left,
                              double scale)
{
    ritz_status status = RITZ_OK;
    static const double most = 1e-3;
    char *whose = NULL, applied[64];
    for (int i = 0; i < balance->n_reactions; i++)
        for (int c = 0; c < 3; c++)
            scale = fmax(scale, fabs(balance->reactions[i].force[c]));
    for (int i = 0; i < balance->n_reactions; i++) {
        const ritz_reaction *one = &balance->reactions[i];
        RITZ_TRY(ritz_format(&whose, "%s%s%s%s%s", name ? name : "", name ? ": " : "", one->groups,
                             is_named_again(balance, i) ? ", " : "", is_named_again(balance, i) ? one->key : ""));
        tell_reaction(drive, whose, one, scale);
        ritz_free(whose);
        whose = NULL;
    }
    ritz_stage_line(drive->problem, "loads      %s: %s", name ? name : "in total",
                    write_vector(drive, balance->applied, scale, applied));
    if (balance->imbalance > most)
        ritz_stage_line(drive->problem,
                        "warning    %s%sreactions and loads differ by %.2g of what the supports carry; %s",
                        name ? name : "", name ? ": " : "", balance->imbalance, ritz_how_to_balance(drive));
    else if (left > most)
        ritz_stage_line(
            drive->problem,
            "warning    %s%sreactions and loads differ by %.2g of the loads: what the tolerance or rounding leaves of "
            "forces at the supports that are far larger and hold each other, as in bending",
            name ? name : "", name ? ": " : "", left);
done:
    ritz_free(whose);
    return status;
}
