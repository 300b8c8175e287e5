/* Materials by name. Values at 20 degrees Celsius, or the mean from 20 to 100 for the expansion, or to what the source gives;
   yield stresses of thin sections. Written down from memory of the sources named, not copied from their text. */
#include "physics/library.h"

#include <stddef.h>
#include <string.h>

#define EN_STEEL "EN 1993-1-1, 3.2; conductivity EN 1993-1-2, 3.4.1.3"
#define EN_STAINLESS "EN 10088-1, annex E; EN 10088-2"
#define EN_ALUMINIUM "EN 1999-1-1, 3.2.5; EN 1999-1-2"
#define ASM "ASM Handbook, vol. 2"
static const ritz_known_material list[] = {
    /* name, words, source, E, nu, rho, alpha, k, yield */
    {"steel", "structural steel", EN_STEEL, 210e9, 0.3, 7850, 12e-6, 53.3, 0},
    {"steel-s235", "structural steel S235, up to 16 mm", EN_STEEL "; yield EN 10025-2", 210e9, 0.3, 7850, 12e-6, 53.3,
     235e6},
    {"steel-s355", "structural steel S355, up to 16 mm", EN_STEEL "; yield EN 10025-2", 210e9, 0.3, 7850, 12e-6, 53.3,
     355e6},
    {"stainless-304", "stainless steel 1.4301 (AISI 304)", EN_STAINLESS, 200e9, 0.3, 7900, 16e-6, 15, 210e6},
    {"stainless-316", "stainless steel 1.4401 (AISI 316)", EN_STAINLESS, 200e9, 0.3, 8000, 16e-6, 15, 220e6},
    {"cast-iron", "grey cast iron EN-GJL-250", "EN 1561, annex A", 110e9, 0.26, 7200, 11.7e-6, 48.5, 0},
    {"ductile-iron", "ductile cast iron EN-GJS-400-15", "EN 1563, annex E", 169e9, 0.275, 7100, 12.5e-6, 36.2, 250e6},
    {"aluminium", "aluminium alloys, for design", EN_ALUMINIUM, 70e9, 0.3, 2700, 23e-6, 190, 0},
    {"aluminium-6061", "aluminium 6061-T6", ASM, 68.9e9, 0.33, 2700, 23.6e-6, 167, 276e6},
    {"aluminium-7075", "aluminium 7075-T6", ASM, 71.7e9, 0.33, 2810, 23.6e-6, 130, 503e6},
    {"titanium-6al4v", "titanium Ti-6Al-4V, annealed", ASM, 113.8e9, 0.342, 4430, 8.6e-6, 6.7, 880e6},
    {"copper", "copper C11000", ASM, 115e9, 0.33, 8890, 17e-6, 388, 0},
    {"brass", "free-cutting brass C36000", ASM, 97e9, 0.31, 8490, 20.5e-6, 115, 0},
    {"concrete-c30", "concrete C30/37", "EN 1992-1-1, 3.1; density EN 1991-1-1", 33e9, 0.2, 2400, 10e-6, 1.6, 0},
    {"glass", "soda lime silicate glass", "EN 572-1", 70e9, 0.2, 2500, 9e-6, 1, 0},
};
enum { N_MATERIALS = sizeof list / sizeof *list };

const ritz_known_material *ritz_known_material_at(int i)
{
    return i >= 0 && i < N_MATERIALS ? &list[i] : NULL;
}

/* The properties that the library has, and what the numbers in SI units are divided by in mm, t, s, N, MPa. */
static const struct {
    const char *name;
    size_t offset;
    double mm;
} properties[] = {
    {"young", offsetof(ritz_known_material, young), 1e6},
    {"poisson", offsetof(ritz_known_material, poisson), 1},
    {"density", offsetof(ritz_known_material, density), 1e12},
    {"expansion", offsetof(ritz_known_material, expansion), 1},
    {"conductivity", offsetof(ritz_known_material, conductivity), 1}, /* W/(m K) = N/(s K) = mW/(mm K) */
    {"yield", offsetof(ritz_known_material, yield), 1e6},
};
enum { N_PROPERTIES = sizeof properties / sizeof *properties };

bool ritz_known_property(const ritz_known_material *material, const char *property, ritz_units units, double *value)
{
    for (int k = 0; k < N_PROPERTIES; k++)
        if (strcmp(properties[k].name, property) == 0) {
            memcpy(value, (const char *)material + properties[k].offset, sizeof *value);
            if (units == RITZ_UNITS_MM)
                *value /= properties[k].mm;
            return *value != 0;
        }
    return false;
}
