/* Physics room. Depends on base and form.

   A physics is one entry, in a file of its own or beside its relatives: the form, the properties of materials and their
   bounds, loads, boundary terms, what is recovered from a solution, how results are called, which warnings apply, and
   what others call its words. The reader of problem files, the drive and ritz_form_create go by these tables; no other
   room knows a physics by its name. docs/physics.md says how to add one. */
#ifndef RITZ_SRC_PHYSICS_H
#define RITZ_SRC_PHYSICS_H

#include "form/describe.h"

enum {
    RITZ_MAX_PROPERTIES = 40,
    RITZ_MAX_BODY_LOADS = 6,
    RITZ_MAX_BOUNDARY_KEYS = 12,
    RITZ_MAX_FIELDS = 16,
    RITZ_MAX_POINT_DATA = 21,
    RITZ_MAX_DERIVED = 32
};

/* Properties that stand together in a map or list of this name. */
typedef struct ritz_property_group {
    const char *name, *example;
} ritz_property_group;

/* What a property is to more than the form, whatever its name; one property a role. */
typedef enum ritz_role {
    RITZ_ROLE_NONE,
    RITZ_ROLE_DENSITY,     /* mass a volume */
    RITZ_ROLE_TEMPERATURE, /* as T in the expressions of other properties */
    RITZ_ROLE_REFERENCE,   /* the temperature at which nothing has expanded */
    RITZ_ROLE_EXPANSION,   /* strain without stress, a degree above that */
    RITZ_ROLE_INITIAL,     /* stress without strain */
    RITZ_ROLE_MODULUS,     /* stress a strain: with the next one what mixed elements and incompatible modes read */
    RITZ_ROLE_CONTRACTION, /* strain across the tension, as a part of that along it; near 0.5 the volume is constant */
    RITZ_ROLE_DIFFUSION    /* what more of makes layers wider */
} ritz_role;

/* What a material may hold. A datum of the form with the same name takes its value; of a vector those with _x, _y, _z
   behind it. */
typedef struct ritz_property {
    const char *name;
    const char *example, *example_2d; /* a whole entry, "young: 210e9"; in the plane, NULL: the same */
    const ritz_data_bounds *bounds;   /* of each quantity; NULL: any finite number */
    bool vector;                      /* a quantity for each axis */
    const char *components[7];        /* or one for each of these, on meshes of any dimension; then NULL */
    bool one_for_all;                 /* a single quantity is that of all components */
    bool whole;                       /* all components must be there */
    bool one_alone;                   /* a single quantity has no components: what is the same in all directions */
    bool required;                    /* in each material, but for one that has `instead`; of a vector for all axes */
    const ritz_property_group *group; /* that it is part of; then the next ones are, too */
    const ritz_property_group *instead;
    bool load;       /* on the cells: load cases may have it too */
    bool of_unknown; /* T in its expressions is the unknown: the form is nonlinear then */
    int least_dim;   /* of meshes on which it has a meaning */
    ritz_role role;
} ritz_property;

/* What adds to a datum of the form, besides the property of its own name: component of another property. */
typedef struct ritz_component_datum {
    const char *datum, *property;
    int component;
} ritz_component_datum;

/* The properties of a material at a point. */
typedef struct ritz_point_material {
    const int *n;                               /* [n_properties] components that are given */
    const double (*value)[RITZ_MAX_COMPONENTS]; /* [n_properties], as the physics lists them */
    double axes[3][3];                          /* the material's axes, one after the other */
} ritz_point_material;
/* Data of the form that follow from several properties and the material's axes. */
typedef struct ritz_derivation {
    const char *const *names;
    int n; /* at most RITZ_MAX_DERIVED */
    /* values[n]; RITZ_ERROR_INPUT: what is wrong with the material */
    ritz_status (*derive)(const ritz_point_material *material, double *values);
} ritz_derivation;

/* A load on the whole body: a key at the top level and in load cases. */
typedef struct ritz_body_load {
    const char *name;
    const char *example, *example_2d;
    const char *property; /* that it is a component of; it has as many components */
    const char *times;    /* the property that multiplies it, and that materials then need; NULL: it is for materials
                             without a value of their own */
    bool rotation;        /* it is given as an axis and a speed, and is the acceleration outwards */
    bool no_load;         /* it says what loads mean, and is none by itself */
    const char *nodal;    /* it may be given at nodes, where the form of `self_strain` reads it: the field of an earlier
                             result that it is by itself; NULL: it may not */
} ritz_body_load;

/* What an entry of `boundary` may hold, and which term that is. */
typedef enum ritz_boundary_kind {
    RITZ_BOUNDARY_VALUE,     /* the unknown is prescribed, on groups of any dimension */
    RITZ_BOUNDARY_LOAD,      /* integral of v . load over the facets; components as the unknown */
    RITZ_BOUNDARY_PRESSURE,  /* the same against the outward normal */
    RITZ_BOUNDARY_FILM,      /* {coefficient: h, ambient: a}: integral of v h (a - u); h u goes into the matrix */
    RITZ_BOUNDARY_RADIATION, /* {emissivity: e, ambient: a, absolute_zero: z, stefan_boltzmann: s}: integral of
                                v e s ((a - z)^4 - (u - z)^4), by Newton's method */
    RITZ_BOUNDARY_FORCE,     /* the integral of a load in total, on groups of any dimension; numbers */
    RITZ_BOUNDARY_MOMENT,    /* likewise its moment; one number in the plane */
    RITZ_BOUNDARY_POINT,     /* where the force acts; without it at the group's centre */
    RITZ_BOUNDARY_NORMAL,    /* the unknown along the outward normal of facets is prescribed */
    RITZ_BOUNDARY_SPRING,    /* stiffness in total against the unknown, by components; in the matrix */
    RITZ_BOUNDARY_BEDDING    /* the same per area of facets */
} ritz_boundary_kind;
typedef struct ritz_boundary_key {
    const char *name;
    ritz_boundary_kind kind;
    const char *example, *example_2d;
    bool hydrostatic; /* a pressure that is given as that of a liquid: its level, density and gravity */
} ritz_boundary_key;

/* Values at a point from the data there and the unknown's gradient[component][axis], zero past the dimension; it may be
   overwritten. */
typedef void ritz_point_function(const double *data, double gradient[3][3], double *values);
/* Values at n points from those of the last recovered field before, and of the field's property there (NULL: it has
   none). */
typedef void ritz_derive_function(int64_t n, const double *before, const double *property, double *values);
/* Values along the material's axes[3][3] from those along x, y, z, at one point; they may be the same array. */
typedef void ritz_turn_function(double axes[3][3], const double *before, double *values);

/* A field of the result file. The first one is the unknown; a vector has three components there, in the plane too. */
typedef struct ritz_result_field {
    const char *name, *words;
    const char *components[7];             /* in their order, then NULL; a scalar has none */
    ritz_point_function *at_point;         /* recovered in the cells; NULL: the unknown, or derived */
    bool hoop;                             /* it gets the unknown's first component over x as gradient[2][2] */
    const char *data[RITZ_MAX_POINT_DATA]; /* of the form, that at_point reads; then NULL */
    bool has_pressure;                     /* its first three components gain the pressure of mixed elements */
    ritz_derive_function *derive;          /* from the last recovered field before */
    ritz_turn_function *turn;              /* the same along the axes of the material */
    const char *property;                  /* of the material, that `derive` reads: all materials must have it */
    int offset;                            /* 1 + the first coefficient of `self_strain` that is subtracted; 0: none */
    int first;                             /* component of the unknown, where the field is nothing else */
    bool largest;                          /* the largest value (of a vector, length) is part of the result */
    bool smallest;                         /* likewise the smallest */
    bool first_alone;                      /* these are of the first component */
    bool on_request;                       /* only where it is asked for, or all materials have the property */
} ritz_result_field;
int ritz_field_components(const ritz_result_field *field);
/* Whether it is made of the last recovered field before it. */
bool ritz_field_follows(const ritz_result_field *field);

/* Warnings that make sense. */
enum { RITZ_LOCKS_IN_BENDING = 1, RITZ_LOCKS_IN_VOLUME = 2 };
/* The diffusion along the velocity[3], which it finds, of a material on a mesh of this dimension. */
typedef double ritz_convection_function(const ritz_point_material *material, int dim, double velocity[3]);

/* What other programs and books call a key, or the physics. */
typedef struct ritz_synonym {
    const char *word, *meant; /* word: small letters, and '_' for '-' and blanks */
} ritz_synonym;

typedef struct ritz_physics {
    const char *name;                   /* also of the form */
    int dim;                            /* of the mesh; 0: 2 or 3 */
    bool vector;                        /* the unknown has a component for each axis */
    int n_components;                   /* of the unknown where it is no such vector; 0: 1 */
    bool form_alone;                    /* a form for codes; the problem file does not have it */
    const struct ritz_physics *special; /* of which it is the general case: what problem files call it by */
    const struct ritz_physics *general; /* taken in its place where some material asks for that; the same properties */
    bool (*is_general)(const int *n, bool turned); /* n: components by property; turned: the material has axes */
    /* RITZ_ERROR_INPUT: what does not go together in a material of so many components by property. NULL: nothing */
    ritz_status (*check_material)(const int *n);
    const ritz_derivation *derivation; /* NULL: none */
    /* Property p in mixed elements, which have a pressure of their own: an expression of value[n_properties], those of
       the material; NULL: as it is. NULL: no elements but the standard ones */
    ritz_status (*mix)(int p, const char *const *value, char **mixed);
    const char *no_mixed, *no_incompatible; /* why it has no such elements, and what to do; NULL: it has */
    bool symmetric;                         /* the form is, whatever its data */
    bool axisymmetric;                      /* x is a radius; the datum `thickness` is the circumference there */
    bool plane_stress;                      /* the stress across the plane vanishes */
    const char *otherwise;                  /* what to do on a mesh of another dimension */
    ritz_form_builder *build;
    /* A step of Newton's method: the same matrix, and a load less what the old solution makes of it, where a boundary term
       asks for it; NULL: none does. */
    ritz_form_builder *newton;
    ritz_form_builder *self_strain; /* loads alone, integrated on the host where materials have their data; coefficients
                                       that fields are less by stand before those of the loads; NULL: none */
    const ritz_property *properties;
    const ritz_component_datum *component_data;
    const ritz_body_load *body_loads;
    const ritz_boundary_key *boundary;
    const ritz_result_field *fields;
    const ritz_synonym *synonyms;
    int n_properties, n_component_data, n_body_loads, n_boundary, n_fields, n_synonyms;
    const char *thickness;         /* the datum that surface terms are multiplied by; NULL: none */
    const char *materials_example; /* where a problem must have materials: "young: 210e9, poisson: 0.3" */
    const char *all_loads;         /* in words: what the solution is zero without */
    const char *unsymmetric;       /* in words: what makes it so, where not `symmetric` */
    unsigned warnings;
    ritz_convection_function *convection; /* that the mesh has to resolve; NULL: none */
} ritz_physics;
/* .properties = table, .n_properties = its length */
#define RITZ_TABLE(member, table) .member = (table), .n_##member = sizeof(table) / sizeof *(table)

/* Physics number i; NULL past the last. */
const ritz_physics *ritz_physics_at(int i);
/* By name; NULL if there is none. */
const ritz_physics *ritz_physics_named(const char *name);
/* Names into names[]: those that problem files have, and on request those that are forms alone. Returns how many. */
enum { RITZ_PHYSICS_MOST = 32 };
int ritz_physics_names(bool forms, const char *names[RITZ_PHYSICS_MOST]);
/* The names of the unknown's components: x, y, z of a vector, else u0, u1, ... */
const char *const *ritz_physics_component_names(const ritz_physics *physics);
/* Components of the unknown on a mesh of this dimension. */
int ritz_physics_components(const ritz_physics *physics, int dim);
/* Numbers in the tables, -1 if there is no such name. */
int ritz_find_property(const ritz_physics *physics, const char *name);
int ritz_find_body_load(const ritz_physics *physics, const char *name);
/* Likewise of what has the role, and the first load that is a value of it. */
int ritz_find_role(const ritz_physics *physics, ritz_role role);
int ritz_find_role_load(const ritz_physics *physics, ritz_role role);
/* The name of the property with this role. */
const char *ritz_role_name(const ritz_physics *physics, ritz_role role);
const ritz_data_bounds *ritz_property_bounds(const ritz_property *property);
/* Whether a key of the kind is given in total, so that its group may have any dimension. */
bool ritz_is_total(ritz_boundary_kind kind);
/* Whether it is a stiffness that holds the unknown, in the matrix. */
bool ritz_is_stiffness(ritz_boundary_kind kind);
/* The form of `newton` on meshes of this dimension. */
ritz_status ritz_physics_newton(const ritz_physics *physics, int dim, ritz_form **form);
/* of_form.c: that of a form from a file, without properties; fields[RITZ_MAX_COMPONENTS], which it points to, and the name
   are the caller's. */
ritz_physics ritz_physics_of_form(const ritz_form *form, const char *name, ritz_result_field *fields);
/* The role of a property that it has for a datum of this name. */
ritz_role ritz_physics_role_of_datum(const ritz_physics *physics, const char *datum);
/* The form of `self_strain` on meshes of this dimension. */
ritz_status ritz_physics_self_strain(const ritz_physics *physics, int dim, ritz_form **form);
/* The first key of the kind, NULL if there is none. */
const ritz_boundary_key *ritz_find_boundary(const ritz_physics *physics, ritz_boundary_kind kind);
/* The example for a physics of the plane (dim 2), or the other one. */
#define RITZ_EXAMPLE(entry, dim) ((dim) == 2 && (entry)->example_2d ? (entry)->example_2d : (entry)->example)

#endif
