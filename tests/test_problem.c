/* Reading problem files: what one may say, what each mistake in it gets, settings of the command line. */
#include "physics/solid.h"
#include "problem/problem.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

static const char *const elastic = "mesh: {box: {cells: [2, 2, 2]}}\n"
                                   "physics: elasticity\n"
                                   "materials: [{young: 210e9, poisson: 0.3}]\n"
                                   "boundary: [{group: x0, displacement: fixed}]\n";

static ritz_problem *parse_with(const char *text, const char *setting)
{
    ritz_problem *problem = NULL;
    if (ritz_problem_parse(text, "", &setting, setting ? 1 : 0, &problem) != RITZ_OK)
        fail_msg("%s\n---\n%s", ritz_message(), text);
    assert_non_null(problem);
    return problem;
}

/* ---- What mistakes get ---- */

typedef struct mistake {
    const char *text;     /* after the lines of `elastic` when it starts with '+' */
    const char *setting;  /* or NULL */
    const char *parts[4]; /* that the message must have */
} mistake;

static const mistake mistakes[] = {
    /* keys */
    {"+ordr: 2\n", NULL, {"problem:5:", "unknown key 'ordr'", "did you mean 'order'", "gravity"}},
    {"physics: elasticity\nmesh: a.msh\nmaterials:\n  - {group: a, yung: 1, poisson: 0}\n",
     NULL,
     {"problem:4:", "'yung'", "'young'", "density"}},
    {"physics: elasticity\nmesh: a.msh\nmaterials:\n  - {group: a, conductivity: 1}\n",
     NULL,
     {"problem:4:", "'conductivity'", "material of elasticity"}},
    {"+order: 2\norder: 3\n", NULL, {"problem:6:", "'order' appears twice", "line 5"}},
    {"+solver: {preconditoner: none}\n", NULL, {"problem:5:", "'preconditoner'", "'preconditioner'"}},
    {"+[a, b]: 2\n", NULL, {"problem:5:", "a list is where a key"}},
    {"+exact: [\"x\", \"y\"]\n", NULL, {"problem:5:", "'exact' takes 3 expressions"}},
    {"+glue: yes\n", NULL, {"problem:5:", "'glue' takes true or false", "glue: true"}},
    {"+glue: true\n", NULL, {"problem:5:", "'glue' joins the bodies of a mesh file or a geometry"}},
    {"+contact: tied\n", NULL, {"problem:5:", "'contact' takes one word", "contact: none", "glue: true"}},
    {"physics: poisson\nmesh: a.msh\nglue: true\ncontact: none\n", NULL, {"problem:4:", "choose one"}},
    /* joins */
    {"+ties: {from: [a, b], to: b}\n", NULL, {"problem:5:", "'b' cannot be tied to itself", "'from'", "'to'"}},
    {"+equations:\n- terms:\n  - {group: a, component: x}\n  - {group: a, component: y}\n  - {group: a, component: x, "
     "weight: -1}\n",
     NULL,
     {"problem:9:", "terms 1 and 3", "same unknown"}},
    {"physics: axisymmetric\nmesh: a.msh\nmaterials: {young: 1, poisson: 0}\nrigid: {group: a, rotation: 0.1}\n",
     NULL,
     {"problem:4:", "rigid face of a ring", "along the axis, y, alone", "displacement: {y: 1e-4}"}},
    {"physics: axisymmetric\nmesh: a.msh\nmaterials: {young: 1, poisson: 0}\nrigid: {group: a, displacement: {x: 1}}\n",
     NULL,
     {"problem:4:", "neither widen nor turn"}},
    {"physics: axisymmetric\nmesh: a.msh\nmaterials: {young: 1, poisson: 0, density: 1}\ngravity: [1, 0]\n",
     NULL,
     {"problem:4:", "'gravity' of a ring is along its axis, y"}},
    /* load cases */
    {"+combine: {a: 1}\n", NULL, {"problem:5:", "adds up load cases", "cases:"}},
    {"+cases: {name: a, boundary: {group: x1, pressure: 1}}\ncombine: {a: 1, b: 2}\n",
     NULL,
     {"problem:6:", "no load case 'b'", "'a'"}},
    {"+cases: {name: a, boundary: {group: x1, pressure: 1}}\ncombine: {a: {a: 2}}\n",
     NULL,
     {"problem:6:", "both called 'a'"}},
    {"+cases: {name: a, boundary: {group: x1, pressure: 1}}\ncombine: {s: {a: much}}\n",
     NULL,
     {"problem:6:", "'much'"}},
    {"+cases: {name: a, boundary: {group: x1, pressure: 1}}\ncombine: {s: {a: .nan}}\n", NULL, {"problem:6:", "nan"}},
    {"+cases: {name: a, boundary: {group: x1, pressure: 1}}\ncombine: {s s: {a: 1}}\n",
     NULL,
     {"problem:6:", "'s s' cannot be a name"}},
    {"+cases: {name: a, boundary: {group: x1, pressure: 1}}\ncombine: {s: [a]}\n",
     NULL,
     {"problem:6:", "takes maps of load cases and factors"}},
    {"+cases: {name: a, boundary: {group: x1, pressure: 1}}\ncombine: []\n",
     NULL,
     {"problem:6:", "takes a map of combinations"}},
    {"+cases: {name: a, boundary: {group: x1, pressure: 1}}\ncombine: {s: {a: 2}}\ngravity: [0, 0, 0]\n",
     "materials.0={young: 1, poisson: 0, density: 1}",
     {"problem:6:", "loads at the top level", "into the cases that have them"}},
    {"+cases: {name: a, boundary: {group: x1, pressure: 1}}\ncombine: {s: {a: 2}}\n",
     "materials.0={young: 1, poisson: 0, expansion: 1, temperature: 5}",
     {"problem:6:", "temperature or initial stress of a material", "in every case"}},
    {"+cases: {name: a, boundary: {group: x1, pressure: 1}}\ncombine: {s: {a: 2}}\n",
     "materials.0={young: 1, poisson: 0, initial_stress: {xx: 1}}",
     {"problem:6:", "temperature or initial stress of a material", "in every case"}},
    {"+cases: {name: a, boundary: {group: x1, pressure: 1}}\ncombine: {s: {a: 2}}\n",
     "equations={terms: [{group: a, component: x}], value: 0.1}",
     {"problem:6:", "value of an equation", "in every case"}},
    {"+cases: {name: a, boundary: {group: x1, pressure: 1}}\ncombine: {s: {a: 2}}\n",
     "rigid={group: a, at: [0, 0, 0], rotation: {x: 0.1}}",
     {"problem:6:", "motion of a rigid face", "in every case"}},
    {"+cases: []\n", NULL, {"problem:5:", "'cases' takes a list of maps", "name: pull"}},
    {"+cases: pull\n", NULL, {"problem:5:", "'cases' takes a list of maps", "got 'pull'"}},
    {"+cases:\n- pull\n", NULL, {"problem:6:", "a case is a map", "got 'pull'"}},
    {"+cases:\n- {name: a, gravity: [0, 0, 1]}\n", NULL, {"problem:3:", "density"}},
    {"+cases:\n- {boundary: {group: x1, pressure: 1}}\n", NULL, {"problem:6:", "a case has no 'name'", "name: pull"}},
    {"+cases:\n- {name: [a], boundary: {group: x1, pressure: 1}}\n", NULL, {"problem:6:", "'name' takes a text"}},
    {"+cases:\n- name: a b\n", NULL, {"problem:6:", "'a b' cannot be a name", "letters"}},
    {"+cases:\n- name: a/b\n", NULL, {"problem:6:", "'a/b' cannot be a name"}},
    {"+cases:\n- name: Zug\xc3\xbc\n", NULL, {"problem:6:", "cannot be a name"}},
    {"+cases:\n- name: a123456789b123456789c123456789d123456789e123456789f123456789g1234\n",
     NULL,
     {"problem:6:", "up to 64"}},
    {"+cases:\n- {name: a, boundary: {group: x1, pressure: 1}}\n- {name: b, boundary: {group: x1, pressure: 2}}\n"
     "- {name: a, boundary: {group: x1, pressure: 3}}\n",
     NULL,
     {"problem:8:", "two cases are called 'a'", "line 6"}},
    {"+cases:\n- name: empty\n", NULL, {"problem:6:", "'empty' has no load", "neither has the top level", "traction"}},
    {"+cases:\n- {name: a, boundary: {group: x0, displacement: fixed}}\n", NULL, {"problem:6:", "'a' has no load"}},
    {"+cases:\n- {name: a, gravity: [0, 0, 1], boundary: []}\n",
     NULL,
     {"problem:6:", "'boundary' takes a list of maps"}},
    {"+cases:\n- {name: a, boundary: {group: x1, pressure: 1}, body: []}\n",
     NULL,
     {"problem:6:", "'body' takes a list of maps"}},
    {"physics: poisson\nmesh: a.msh\ncases: {name: a, source: 1, boundary: []}\n",
     NULL,
     {"problem:3:", "'boundary' takes a list of maps", "flux: 100"}},
    {"physics: poisson\nmesh: a.msh\nboundary: []\n", NULL, {"problem:3:", "'boundary' takes a list of maps", "group"}},
    {"+cases:\n- {name: a, boundary: {group: x1}}\n", NULL, {"problem:6:", "prescribes nothing"}},
    {"+cases:\n- name: a\n  materials: {young: 1, poisson: 0}\n",
     NULL,
     {"problem:7:", "'materials' is given in a case", "top level"}},
    {"+cases:\n- name: a\n  solver: {tolerance: 1}\n", NULL, {"problem:7:", "'solver' is given in a case"}},
    {"+cases:\n- name: a\n  output: none\n", NULL, {"problem:7:", "'output' is given in a case"}},
    {"+cases:\n- name: a\n  cases: []\n", NULL, {"problem:7:", "'cases' is given in a case"}},
    {"+cases:\n- {name: a, gravty: [0, 0, 1]}\n", NULL, {"problem:6:", "unknown key 'gravty'", "'gravity'", "body"}},
    {"+cases:\n- {name: a, source: 1}\n", NULL, {"problem:6:", "'source' has no meaning in elasticity", "body"}},
    {"+cases:\n- {name: a, body: 3}\n", NULL, {"problem:6:", "'body' takes a list of maps", "got '3'"}},
    {"+cases:\n- {name: a, body: {group: body}}\n", NULL, {"problem:6:", "a body load has no load", "force: ["}},
    {"+cases:\n- {name: a, body: {young: 1}}\n", NULL, {"problem:6:", "unknown key 'young' in a body load", "force"}},
    {"+cases:\n- {name: a, body: {force: [1, 2]}}\n", NULL, {"problem:6:", "'force' takes a list of 3"}},
    {"+exact: [x, y, z]\ncases: {name: a, boundary: {group: x1, pressure: 1}}\n",
     NULL,
     {"problem:5:", "'exact' is the solution of one case"}},
    {"+cases: [{name: a, boundary: {group: x1, pressure: 1}}]\n",
     "cases.0.boundary.pressure=abc",
     {"--set cases.0.boundary.pressure=abc", "abc"}},
    {"+cases: [{name: a, boundary: {group: x1, pressure: 1}}]\n", "cases.2.name=c", {"--set cases.2.name=c", "list"}},
    {"physics: poisson\nmesh: a.msh\ncases: {name: a, body: {force: [1, 1]}}\n",
     NULL,
     {"problem:3:", "'force'", "body load of poisson", "source"}},
    {"physics: poisson\nmesh: a.msh\ncases: {name: a, gravity: [1, 1]}\n",
     NULL,
     {"problem:3:", "'gravity' has no meaning"}},
    {"physics: poisson\nmesh: a.msh\ncases: {name: a}\n", NULL, {"problem:3:", "'a' has no load", "source: 1"}},
    {"+cases: {name: a, boundary: {group: x1, force: [0, 0, x]}}\n",
     NULL,
     {"problem:5:", "'force' is given in total and takes numbers", "a traction"}},
    {"+cases: {name: a, boundary: {group: x1, at: [1, 0, 0]}}\n",
     NULL,
     {"problem:5:", "'at' says where a force acts, and there is none", "force: [0, 0, -1000]"}},
    {"+solver: {tolerance:1e-6}\n", NULL, {"problem:5:", "write a blank behind the colon:  tolerance: 1e-6"}},
    /* types */
    {"+order: two\n", NULL, {"problem:5:", "'order' takes a whole number", "order: 2", "got 'two'"}},
    {"+order: [2]\n", NULL, {"problem:5:", "got a list"}},
    {"+order: 2.5\n", NULL, {"problem:5:", "whole number"}},
    {"+order: 8\n", NULL, {"problem:5:", "between 1 and 7"}},
    {"+solver: [cg]\n", NULL, {"problem:5:", "solver is a map", "got a list"}},
    {"+gravity: 9.81\n", NULL, {"problem:5:", "'gravity' takes a list of 3 numbers", "got '9.81'"}},
    {"+gravity: [0, 0]\n", NULL, {"problem:5:", "'gravity' takes a list of 3 numbers", "got 2"}},
    {"+device: [gpu]\n", NULL, {"problem:5:", "'device' takes a text"}},
    {"+output: part.vtkhdf\n", NULL, {"problem:5:", "output is a map"}},
    {"- physics\n- mesh\n", NULL, {"problem:1:", "the problem is a map", "got a list"}},
    {"just a text\n", NULL, {"problem:1:", "the problem is a map"}},
    /* missing */
    {"", NULL, {"problem:", "empty"}},
    {"mesh: a.msh\n", NULL, {"problem:1:", "has no 'physics'", "physics: elasticity"}},
    {"physics: poisson\n", NULL, {"problem:", "has no 'mesh'", "mesh: part.msh"}},
    {"physics: elasticity\nmesh: a.msh\n", NULL, {"has no 'materials'", "young: 210e9"}},
    {"physics: convection-diffusion\nmesh: a.msh\n", NULL, {"has no 'materials'", "diffusion: 0.01"}},
    {"physics: elasticity\nmesh: a.msh\nmaterials:\n- young: 1\n",
     NULL,
     {"problem:4:", "has no 'poisson'", "poisson: 0.3"}},
    {"physics: elasticity\nmesh: a.msh\nmaterials:\n- young:\n  poisson: 0\n", NULL, {"problem:4:", "has no 'young'"}},
    {"+gravity: [0, 0, -9.81]\n", NULL, {"problem:3:", "has no 'density'"}},
    {"physics: poisson\nmesh: {box: {size: [1, 1]}}\n", NULL, {"problem:2:", "a box has no 'cells'"}},
    /* values */
    {"physics: elastic\nmesh: a.msh\n",
     NULL,
     {"problem:1:", "unknown physics 'elastic'", "'elasticity'", "plane-stress"}},
    {"physics: elasticity\nmesh: a.msh\nmaterials:\n- - young: 1\n",
     NULL,
     {"problem:4:", "a map of keys and values", "got a list"}},
    {"physics: elasticity\nmesh: a.msh\nmaterials:\n- {young: 0, poisson: 0.3}\n",
     NULL,
     {"problem:4:", "'young' must be greater than 0", "got 0"}},
    {"physics: elasticity\nmesh: a.msh\nmaterials:\n- {young: 1, poisson: 0.5}\n",
     NULL,
     {"problem:4:", "'poisson' must be inside (-1, 0.5)", "0.5"}},
    {"physics: elasticity\nmesh: a.msh\nmaterials:\n- {young: 1, poisson: -1}\n",
     NULL,
     {"problem:4:", "'poisson' must be inside (-1, 0.5)"}},
    {"physics: elasticity\nmesh: a.msh\nmaterials:\n- {young: .nan, poisson: 0}\n",
     NULL,
     {"problem:4:", "not a finite number"}},
    {"physics: elasticity\nmesh: a.msh\nmaterials:\n- {young: nan, poisson: 0}\n",
     NULL,
     {"problem:4:", "not a finite number"}},
    {"physics: elasticity\nmesh: a.msh\nmaterials:\n- {young: -.inf, poisson: 0}\n",
     NULL,
     {"problem:4:", "not a finite number"}},
    {"physics: poisson\nmesh: a.msh\nmaterials: {conductivity: -2}\n",
     NULL,
     {"problem:3:", "'conductivity' must be greater than 0", "-2"}},
    {"physics: poisson\nmesh: a.msh\nboundary:\n- group: a\n  value: \"2*x + q\"\n",
     NULL,
     {"problem:5:", "unknown name 'q'", "x, y, z"}},
    {"physics: poisson\nmesh: a.msh\nboundary:\n- {group: a, value: \"1; x\"}\n", NULL, {"problem:4:"}},
    {"physics: poisson\nmesh: a.msh\nboundary:\n- {group: a, value: 1/0}\n",
     NULL,
     {"problem:4:", "not a finite number"}},
    {"physics: poisson\nmesh: a.msh\nboundary:\n- {value: 1}\n", NULL, {"problem:4:", "has no 'group'"}},
    {"physics: poisson\nmesh: a.msh\nboundary:\n- {group: a}\n", NULL, {"problem:4:", "prescribes nothing"}},
    {"physics: poisson\nmesh: a.msh\nboundary:\n- {group: a, groups: [b], value: 1}\n",
     NULL,
     {"problem:4:", "both 'group' and 'groups'"}},
    {"physics: poisson\nmesh: a.msh\nboundary:\n- {group: a, pressure: 1}\n",
     NULL,
     {"problem:4:", "'pressure'", "boundary entry of poisson"}},
    {"physics: poisson\nmesh: a.msh\ngravity: [0, 0, 1]\n",
     NULL,
     {"problem:3:", "'gravity' has no meaning in poisson"}},
    {"+source: 1\n", NULL, {"problem:5:", "'source' has no meaning in elasticity", "force:"}},
    {"+boundary: [{group: x0, displacement: loose}]\n", NULL, {"problem:5:", "'boundary' appears twice"}},
    {"+solver: {precision: half}\n", NULL, {"problem:5:", "'half'", "double, single, mixed"}},
    {"+solver: {preconditioner: jacobi, precision: mixed}\n",
     NULL,
     {"problem:5:", "precision mixed", "jacobi", "least-squares"}},
    {"+solver: {preconditioner: none, degree: 3}\n", NULL, {"problem:5:", "a degree", "none", "least-squares"}},
    {"+solver: {preconditioner: chebyshev, degree: 21}\n", NULL, {"problem:5:", "degree", "between 1 and 20"}},
    {"+solver: {storage: bf16}\n", NULL, {"problem:5:", "'storage'", "ritz bench pcg", "precision: mixed"}},
    {"+solver:\n  vectors: single\n", NULL, {"problem:6:", "'vectors'", "ritz bench pcg", "mixed-single"}},
    {"+solver: {powers: plain}\n", NULL, {"problem:5:", "'powers'", "remove it", "gone"}},
    {"+solver: {storages: f16}\n",
     NULL,
     {"problem:5:", "unknown key 'storages'", "method, preconditioner, degree, precision, matrix, tolerance, max_"}},
    {"+solver: {matrix: halve}\n", NULL, {"problem:5:", "did you mean 'half'", "auto, whole, half"}},
    {"+solver: {preconditioner: ilu}\n", NULL, {"problem:5:", "auto, jacobi, none, neumann, least-squares, chebyshev"}},
    {"+solver: {method: bicgstb}\n",
     NULL,
     {"problem:5:", "did you mean 'bicgstab'", "auto, cg, bicgstab, gmres, direct"}},
    {"+solver: {precision: half}\n", NULL, {"problem:5:", "unknown precision 'half'", "double, single, mixed"}},
    {"+solver: {preconditioner: least-square}\n", NULL, {"problem:5:", "did you mean 'least-squares'"}},
    {"+solver: {method: minres}\n", NULL, {"problem:5:", "gmres", "bicgstab"}},
    {"+solver: {tolerance: 0}\n", NULL, {"problem:5:", "'tolerance' must be greater than 0"}},
    {"+solver: {tolerance: 1}\n", NULL, {"problem:5:", "'tolerance'", "less than 1"}},
    {"+solver: {max_iterations: 16777217}\n", NULL, {"problem:5:", "'max_iterations'", "between 1 and 16777216"}},
    {"+solver:\n  method: bicgstab\n  matrix: half\n", NULL, {"problem:7:", "half storage", "method: cg"}},
    {"+solver: {tolerance: x}\n", NULL, {"problem:5:", "'tolerance' takes a number"}},
    {"+output: {file: .}\n", NULL, {"problem:5:", "'.' has no ending of a result format", ".vtkhdf", ".vtu"}},
    {"+output:\n  file: part.vtk\n", NULL, {"problem:6:", "'part.vtk' has no ending of a result format"}},
    {"+output: {fields: [strains]}\n",
     NULL,
     {"problem:5:", "unknown field 'strains'", "did you mean 'strain'", "von_mises"}},
    {"+output: {fields: [safety]}\n",
     NULL,
     {"problem:3:", "'safety' needs the 'yield' of every material", "yield: 250e6"}},
    {"+output: {fields: [stress, stress]}\n", NULL, {"problem:5:", "'stress' appears twice"}},
    {"physics: poisson\nmesh: a.msh\nboundary: {groups: [x0, x0], flux: 1}\n",
     NULL,
     {"problem:3:", "'x0' appears twice in 'groups'"}},
    {"physics: poisson\nmesh: a.msh\noutput: {fields: [a, b]}\n", NULL, {"problem:3:", "one field"}},
    {"+size: 2\n", NULL, {"problem:1:", "are for a 'geometry'"}},
    {"+geometry: a.geo\n", NULL, {"problem:5:", "both 'mesh' and 'geometry'"}},
    {"physics: poisson\nmesh: a.step\n", NULL, {"problem:2:", "geometry: a.step"}},
    {"physics: poisson\nmesh: {box: {cells: [2, 2, 2], cell: pyramid}}\n", NULL, {"problem:2:", "pyramid", "prism"}},
    {"physics: poisson\nmesh: {box: {cells: [2, 2], cell: tet}}\n", NULL, {"problem:2:", "three numbers"}},
    {"physics: poisson\nmesh: {box: {cells: [2, 2, 2], cell: quad}}\n", NULL, {"problem:2:", "two numbers"}},
    {"physics: poisson\nmesh: {box: {cells: [2, 0]}}\n", NULL, {"problem:2:", "'cells' must be between 1"}},
    {"physics: poisson\nmesh: {box: {cells: [2, 2], size: [1, -1]}}\n",
     NULL,
     {"problem:2:", "'size' takes lengths greater than 0"}},
    {"physics: poisson\nmesh: {box: {cells: [2, 2], distort: 0.6}}\n",
     NULL,
     {"problem:2:", "'distort' must be between 0 and 0.4"}},
    {"physics: poisson\nmesh: {box: {cells: [2, 2]}, file: a.msh}\n", NULL, {"problem:2:", "either a file or a box"}},
    {"physics: mass\nmesh: a.msh\nmaterials: [{density: 1}, {density: 2}]\n",
     NULL,
     {"problem:3:", "two materials have no 'group'"}},
    /* YAML itself */
    {"physics: poisson\n  mesh: a.msh\n", NULL, {"problem:2:", "not valid YAML"}},
    {"physics: [poisson\n", NULL, {"problem:2:", "not valid YAML"}},
    {"a: \"\\q\"\n", NULL, {"problem:1:", "not valid YAML"}},
    {"a: *b\n", NULL, {"problem:1:", "no &b comes before it"}},
    {"physics: poisson\n--- \nmesh: b\n", NULL, {"problem:2:", "second YAML document"}},
    {"\xff\xfe\xfa", NULL, {"problem", ""}},
    {"&a [*a]\n", NULL, {"problem:1:", "'*a' refers to itself"}},
    {"physics: &a\n- [1, *a]\nmesh: *a\n", NULL, {"problem:2:", "'*a' refers to itself"}},
    {"a: &a {<<: *a}\n", NULL, {"problem:1:", "'*a' refers to itself"}},
    {"physics: poisson\nsource: *x\n", NULL, {"problem:2:", "no &x comes before it", "quote an expression"}},
    {"a: &a 1\nb: &a 2\n", NULL, {"problem:2:", "'&a' appears twice", "line 1"}},
    {"mesh: a.msh\nsolver:\n\tmethod: cg\n", NULL, {"problem:3:", "the indentation contains a tab", "spaces"}},
    {"mesh: a.msh\nmaterials:\n  - young: 1\n\tpoisson: 0.3\n", NULL, {"problem:4:", "the indentation contains a tab"}},
    {"mesh: a.msh\r\nphysics: poisson\r\n \torder: 2\r\n", NULL, {"problem:3:", "the indentation contains a tab"}},
    {"mesh:a.msh\nphysics: poisson\n", NULL, {"problem:2:", "a space after the colon", "line above"}},
    {"physics: poisson\nsource: x > 0 ? 1 : 2\n", NULL, {"problem:2:", "quote a text that has ': ' in it"}},
    {"mesh: \"C:\\parts\\a.msh\"\n", NULL, {"problem:1:", "write paths with /"}},
    {"a: {b: 1,\n  c: [1, 2,\n", NULL, {"problem:3:", "flow"}},
    {"a: {b: 1,\n  c: [1, 2 3: 4}\n", NULL, {"problem:2:", "not valid YAML"}},
    /* words of other programs */
    {"physics: elasticity\nmesh: a\nmaterials: {E: 1, nu: 0.3}\n", NULL, {"problem:3:", "'E'", "did you mean 'young'"}},
    {"physics: elasticity\nmesh: a\nmaterials:\n- young: 1\n  nu: 0.3\n",
     NULL,
     {"problem:5:", "'nu'", "did you mean 'poisson'"}},
    {"physics: elasticity\nmesh: a\nmaterials: {Young's modulus: 1}\n", NULL, {"did you mean 'young'"}},
    {"physics: elasticity\nmesh: a\nmaterials: {young: 1, poisson: 0, rho: 1}\n", NULL, {"did you mean 'density'"}},
    {"physics: poisson\nmesh: a\nmaterials: {k: 1}\n", NULL, {"problem:3:", "'k'", "did you mean 'conductivity'"}},
    {"physics: convection-diffusion\nmesh: a\nmaterials: {k: 1}\n", NULL, {"'k'", "did you mean 'diffusion'"}},
    {"physics: poisson\nmesh: a\nboundary: {group: b, temperature: 1}\n", NULL, {"problem:3:", "did you mean 'value'"}},
    {"+bc: {group: x1}\n", NULL, {"problem:5:", "did you mean 'boundary'"}},
    {"+loads: {group: x1}\n", NULL, {"problem:5:", "did you mean 'boundary'"}},
    {"physics: heat\nmesh: a\nmaterials: {conductivity: 1}\nboundary: {group: b, film: 3}\n",
     NULL,
     {"problem:4:", "'film' takes a map of coefficient and ambient", "film: {coefficient: 10"}},
    {"physics: heat\nmesh: a\nmaterials: {conductivity: 1}\nboundary: {group: b, film: {coefficient: 3}}\n",
     NULL,
     {"problem:4:", "a film has no 'ambient'"}},
    {"physics: heat\nmesh: a\nmaterials: {conductivity: 1}\n"
     "boundary: {group: b, film: {coefficient: 0, ambient: 1}}\n",
     NULL,
     {"problem:4:", "'coefficient' must be greater than 0; got 0"}},
    {"physics: heat\nmesh: a\nmaterials: {conductivity: 1}\n"
     "cases: {name: b, boundary: {group: b, film: {coefficient: 1, ambient: 1}}}\n",
     NULL,
     {"problem:4:", "'film' is given in a case", "the top level"}},
    {"physics: heat\nmesh: a\n", NULL, {"has no 'materials'", "conductivity: 45"}},
    {"physics: heat\nmesh: a\nmaterials: {conductivity: 1}\noutput: {fields: [stress]}\n",
     NULL,
     {"problem:4:", "unknown field 'stress' in heat; choices: temperature, heat_flux"}},
    {"physics: thermal\nmesh: a\n", NULL, {"problem:1:", "did you mean 'heat'"}},
    {"+solver: {tol: 1e-8}\n", NULL, {"problem:5:", "did you mean 'tolerance'"}},
    {"+cases: {name: a, boundary: {group: x1, point_force: [0, 0, 1]}}\n",
     NULL,
     {"problem:5:", "did you mean 'force'"}},
    {"+cases: {name: a, boundary: {group: x1, fix: true}}\n", NULL, {"problem:5:", "did you mean 'displacement'"}},
    {"+cases: {name: a, boundary: {group: x1, displacement: {ux: 1}}}\n", NULL, {"problem:5:", "did you mean 'x'"}},
    {"+cases: {name: a, boundary: {group: x1, displacement: [fixed, ~, 1]}}\n",
     NULL,
     {"problem:5:", "'fixed' applies to all axes", "to fix one axis write 0"}},
    /* numbers as people write them */
    {"physics: elasticity\nmesh: a\nmaterials:\n- young: 1\n  poisson: 0,3\n", NULL, {"problem:5:", "with a point"}},
    {"physics: elasticity\nmesh: a\nmaterials: {young: 1, poisson: 0,3}\n",
     NULL,
     {"problem:3:", "'0,3'", "decimals with a point", "poisson: 0.3"}},
    {"physics: elasticity\nmesh: a\nmaterials: {young: 1, poisson: \"0,3\"}\n", NULL, {"problem:3:", "with a point"}},
    {"+", "materials.0.poisson=0,3", {"--set materials.0.poisson=0,3:", "with a point"}},
    {"+solver:\n  tolerance: 1,5e-8\n", NULL, {"problem:6:", "with a point"}},
    {"+gravity: [0, 0, -9,81]\n", NULL, {"problem:5:", "got 4", "decimals with a point"}},
    {"physics: poisson\nmesh: {box: {cells: [2, 2], size: [1,5, 1,5]}}\n",
     NULL,
     {"problem:2:", "got 4", "decimals with a point"}},
    {"physics: elasticity\nmesh: a\nmaterials: {young: 210 GPa, poisson: 0}\n",
     NULL,
     {"problem:3:", "'210 GPa'", "no units", "210e9"}},
    {"physics: elasticity\nmesh: a\nmaterials: {young: 1, poisson: 30%}\n", NULL, {"problem:3:", "'30%'", "no units"}},
    {"physics: elasticity\nmesh: a\nmaterials: {young: 210 000, poisson: 0}\n", NULL, {"problem:3:", "210_000"}},
    {"physics: poisson\nmesh: a\nsource: 2 x\n", NULL, {"problem:3:", "an operator is missing"}},
    {"physics: poisson\n<<: 3\n", NULL, {"problem:1:", "merge key"}},
    /* settings */
    {"+", "order=9", {"--set order=9:", "between 1 and 7"}},
    {"+", "materials.0.young=-3", {"--set materials.0.young=-3:", "greater than 0"}},
    {"+", "materials.2.young=1", {"--set materials.2.young=1:", "not a position in a list of 1"}},
    {"+", "materials.one.young=1", {"'one' is not a position in a list of 1"}},
    {"+", "order", {"--set order:", "path=value"}},
    {"+", "=2", {"path=value"}},
    {"+", "solver..method=cg", {"empty part"}},
    {"+", "order=[", {"--set order=[:", "not valid YAML"}},
    {"+", "colour=red", {"--set colour=red:", "unknown key 'colour'"}},
};

static void test_mistakes(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof mistakes / sizeof *mistakes; i++) {
        const mistake *m = &mistakes[i];
        char text[1024];
        snprintf(text, sizeof text, "%s%s", m->text[0] == '+' ? elastic : "",
                 m->text[0] == '+' ? m->text + 1 : m->text);
        ritz_problem *problem = NULL;
        const ritz_status status = ritz_problem_parse(text, "", &m->setting, m->setting ? 1 : 0, &problem);
        if (status != RITZ_ERROR_INPUT)
            fail_msg("status %d, not an error of input, for\n%s", (int)status, text);
        assert_null(problem);
        for (int k = 0; k < 4 && m->parts[k]; k++)
            if (!strstr(ritz_message(), m->parts[k]))
                fail_msg("'%s' is not in the message\n%s\nfor\n%s", m->parts[k], ritz_message(), text);
        assert_null(strchr(ritz_message(), '\n'));
    }
}

/* Texts that other readers take minutes or all memory for: `part` is printed n times, with its number where it has a
   %d, between `head` and `tail`. */
typedef struct hostile {
    const char *head, *part, *tail;
    int n;
    const char *said; /* NULL: it is read */
} hostile;

static const hostile hostiles[] = {
    {"mesh: ", "[", "", 100000, "problem:1: lists and maps are nested more than 32 deep"},
    {"mesh: a.msh\nphysics: ", "{a: ", "", 50000, "problem:2: lists and maps are nested"},
    {"mesh:\n", "- ", "1\n", 100000, "problem:2: lists and maps are nested"},
    {"", "a%d: &a%d 1\n", "", 100000, "problem:257: more than 256 anchors"},
    {"m: &m {a: 1, b: 2, c: 3, d: 4, e: 5, f: 6, g: 7, h: 8}\n"
     "l: &l [*m, *m, *m, *m, *m, *m, *m, *m, *m, *m, *m, *m, *m, *m, *m, *m, *m, *m, *m, *m, *m, *m, *m, *m]\n",
     "c%d: {<<: *l}\n", "", 100000, "expand to more than"},
    {"a: &a [aaaaaaaaaa, aaaaaaaaaa, aaaaaaaaaa]\nb: &b [*a, *a, *a, *a, *a, *a, *a, *a, *a, *a]\n"
     "c: &c [*b, *b, *b, *b, *b, *b, *b, *b, *b, *b]\nd: &d [*c, *c, *c, *c, *c, *c, *c, *c, *c, *c]\n"
     "e: &e [*d, *d, *d, *d, *d, *d, *d, *d, *d, *d]\nf: [",
     "*e,", "]\n", 1000, "problem:6: the aliases up to here"},
    {"physics: poisson\nmesh: a\nmaterials: {group: [", "a%d,", "]}\n", 200000, NULL},
    {"physics: poisson\nmesh: a\nsource: 1\ncases:\n", "- {name: a%d}\n", "", 100000, NULL},
    {"physics: poisson\nmesh: a\nmaterials: {group: [", "a%d,", "a7]}\n", 200000, "problem:3: 'a7' appears twice"},
};

static void test_hostile_texts(void **state)
{
    (void)state;
    for (size_t h = 0; h < sizeof hostiles / sizeof hostiles[0]; h++) {
        const hostile *it = &hostiles[h];
        ritz_text text = {0};
        char *whole = NULL;
        ritz_problem *problem = NULL;
        ritz_text_add(&text, "%s", it->head);
        for (int i = 0; i < it->n; i++) {
            char part[64];
            snprintf(part, sizeof part, it->part, i, i);
            ritz_text_add(&text, "%s", part);
        }
        ritz_text_add(&text, "%s", it->tail);
        assert_int_equal(ritz_text_take(&text, &whole), RITZ_OK);
        const clock_t start = clock();
        const ritz_status status = ritz_problem_parse(whole, "", NULL, 0, &problem);
        const double seconds = (double)(clock() - start) / CLOCKS_PER_SEC;
        if (status != (it->said ? RITZ_ERROR_INPUT : RITZ_OK) || (it->said && !strstr(ritz_message(), it->said)))
            fail_msg("%s%s...: status %d, %s", it->head, it->part, (int)status, ritz_message());
        if (seconds > 4)
            fail_msg("%s%s... takes %.1f s", it->head, it->part, seconds);
        ritz_problem_destroy(&problem);
        ritz_free(whole);
    }
}

/* A setting may go as deep as it likes: it costs its length. */
static void test_long_path(void **state)
{
    (void)state;
    enum { STEPS = 200000 };
    char *setting = malloc(2 * STEPS + 3);
    ritz_problem *problem = NULL;
    assert_non_null(setting);
    for (int i = 0; i < STEPS; i++)
        memcpy(setting + 2 * i, "a.", 2);
    memcpy(setting + 2 * STEPS, "a=", 3);
    setting[2 * STEPS + 1] = '=';
    const char *const settings[] = {setting};
    const clock_t start = clock();
    assert_int_equal(ritz_problem_parse(elastic, "", settings, 1, &problem), RITZ_ERROR_INPUT);
    assert_non_null(strstr(ritz_message(), "no value follows '='"));
    memcpy(setting + 2 * STEPS - 1, "=1", 3);
    assert_int_equal(ritz_problem_parse(elastic, "", settings, 1, &problem), RITZ_ERROR_INPUT);
    assert_non_null(strstr(ritz_message(), "unknown key 'a'"));
    assert_true((double)(clock() - start) / CLOCKS_PER_SEC < 4);
    free(setting);
}

static void test_missing_file(void **state)
{
    (void)state;
    ritz_problem *problem = NULL;
    assert_int_equal(ritz_problem_read("no/such/problem.yaml", NULL, 0, &problem), RITZ_ERROR_FILE);
    assert_non_null(strstr(ritz_message(), "no/such/problem.yaml"));
}

/* ---- What is read ---- */

static void test_numbers(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        double value;
    } good[] = {{"210e9", 210e9},   {"1e-7", 1e-7}, {"1E+3", 1000}, {"-.5", -0.5},    {"+2", 2},  {"3.", 3},
                {"1_000_000", 1e6}, {"0x1f", 31},   {"0o17", 15},   {"1.0e-2", 0.01}, {"007", 7}, {"1e300", 1e300}};
    double value;
    for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
        if (!ritz_parse_number(good[i].text, &value))
            fail_msg("'%s' is not read as a number", good[i].text);
        assert_true(value == good[i].value);
    }
    assert_true(ritz_parse_number(".inf", &value) && isinf(value));
    assert_true(ritz_parse_number("-.Inf", &value) && isinf(value) && value < 0);
    assert_true(ritz_parse_number(".NaN", &value) && isnan(value));
    static const char *const bad[] = {"", "x", "1x", "e5", "-", ".", "1_", "_1", "1__0", "0o9", "1 2", "--1"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        if (ritz_parse_number(bad[i], &value))
            fail_msg("'%s' is read as the number %g", bad[i], value);
}

/* Places in the tables of elasticity. */
enum {
    YOUNG = RITZ_SOLID_YOUNG,
    POISSON_RATIO = RITZ_SOLID_POISSON,
    DENSITY = RITZ_SOLID_DENSITY,
    FORCE = RITZ_SOLID_FORCE
};
enum { DISPLACEMENT, TRACTION, PRESSURE };
enum { GRAVITY };

static void test_all_keys(void **state)
{
    (void)state;
    ritz_problem *p = parse_with(
        "geometry: parts/bracket.step\nsize: 2.5\ngeometry_order: 1\n"
        "physics: elasticity\norder: 3\n"
        "materials:\n  - {group: body, young: 210e9, poisson: 0.3, density: 7850, force: [0, x, 1]}\n"
        "  - {groups: [core, 7], young: \"1e9*(1 + x)\", poisson: 1/4, density: 1}\n"
        "boundary:\n  - {group: bolts, displacement: {x: 0, z: \"0.1*y\"}}\n"
        "  - {groups: [a, b], traction: [0, 0, -1.0e6], pressure: 2e5}\n"
        "  - {group: c, displacement: [~, 1, null]}\n  - {group: d, displacement: fixed}\n"
        "gravity: [0, 0, -9.81]\n"
        "solver: {method: bicgstab, preconditioner: none, precision: single, tolerance: 1e-7, max_iterations: 20}\n"
        "integration: {method: auto}\ndevice: cpu\n"
        "output: {file: out.vtkhdf, fields: [stress]}\nexact: [x, \"y\", 0]\n",
        NULL);
    assert_int_equal(p->mesh_source, RITZ_MESH_GEOMETRY);
    assert_string_equal(p->mesh_path, "parts/bracket.step");
    assert_true(p->size == 2.5 && p->geometry_order == 1 && p->order == 3);
    assert_string_equal(ritz_problem_physics(p), "elasticity");
    assert_int_equal(p->n_materials, 2);
    assert_true(p->materials[0].property[YOUNG].component[0].value == 210e9);
    assert_int_equal(p->materials[0].property[FORCE].n, 3);
    assert_false(p->materials[0].property[FORCE].component[1].constant);
    assert_string_equal(p->materials[1].groups.name[1], "7");
    assert_true(p->materials[1].property[POISSON_RATIO].component[0].value == 0.25);
    assert_int_equal(p->loads.n_boundary, 4);
    const ritz_boundary *b = p->loads.boundary;
    assert_true(b[0].term[DISPLACEMENT].component[0].constant && !b[0].term[DISPLACEMENT].component[1].expression &&
                b[0].term[DISPLACEMENT].component[2].expression);
    assert_true(b[1].term[TRACTION].component[2].value == -1e6 && b[1].term[PRESSURE].component[0].value == 2e5 &&
                b[1].groups.n == 2);
    assert_true(!b[2].term[DISPLACEMENT].component[0].expression && b[2].term[DISPLACEMENT].component[1].value == 1 &&
                !b[2].term[DISPLACEMENT].component[2].expression);
    assert_true(b[3].fixed);
    assert_true(p->loads.body[GRAVITY].component[2].value == -9.81);
    assert_true(p->solver.method == RITZ_CHOOSE_BICGSTAB && p->solver.preconditioner == RITZ_NO_PRECONDITIONER);
    assert_true(p->solver.precision == RITZ_F32 && p->solver.tolerance == 1e-7 && p->solver.max_iterations == 20);
    assert_string_equal(p->device_selector, "cpu");
    assert_string_equal(p->integration_method, "auto");
    assert_string_equal(p->output_file, "out.vtkhdf");
    assert_int_equal(p->fields.n, 1);
    assert_int_equal(p->loads.exact.n, 3);
    ritz_problem_destroy(&p);
    assert_null(p);
}

/* Loads of the top level and of cases stay apart; a case without its own has the common ones. */
static void test_cases(void **state)
{
    (void)state;
    char text[1024];
    snprintf(text, sizeof text, "%s%s", elastic,
             "gravity: [0, 0, -1]\n"
             "cases:\n"
             "  - {name: dead}\n"
             "  - name: wind-2_B\n"
             "    boundary: [{group: x1, traction: {x: 5}}, {group: y1, pressure: 2}]\n"
             "    gravity: {y: 3}\n"
             "    body: [{force: [1, 2, 3]}, {group: body, force: {z: x}}]\n"
             "    exact: [x, y, z]\n");
    ritz_problem *p = NULL;
    assert_int_equal(ritz_problem_parse(text, "", NULL, 0, &p), RITZ_ERROR_INPUT); /* gravity needs a density */
    const char *const settings[] = {"materials.0.density=7", "cases.1.gravity.y=4", "cases.0.gravity=[0, 0, 8]"};
    assert_int_equal(ritz_problem_parse(text, "", settings, 3, &p), RITZ_OK);
    assert_int_equal(p->n_cases, 2);
    assert_true(p->loads.n_boundary == 1 && p->loads.body[GRAVITY].component[2].value == -1);
    const ritz_load_case *c = p->cases;
    assert_string_equal(c[0].name, "dead");
    assert_true(c[0].loads.n_boundary == 0 && c[0].n_body == 0 && c[0].loads.body[GRAVITY].component[2].value == 8);
    assert_string_equal(c[1].name, "wind-2_B");
    assert_int_equal(c[1].loads.n_boundary, 2);
    assert_true(c[1].loads.boundary[0].term[TRACTION].component[0].value == 5 &&
                c[1].loads.boundary[1].term[PRESSURE].component[0].value == 2);
    assert_true(c[1].loads.body[GRAVITY].component[1].value == 4 && !c[1].loads.body[GRAVITY].component[0].expression);
    assert_int_equal(c[1].n_body, 2);
    assert_true(c[1].body[0].property[FORCE].component[2].value == 3 && c[1].body[0].groups.n == 0);
    assert_true(!c[1].body[1].property[FORCE].component[2].constant && c[1].body[1].groups.n == 1);
    assert_int_equal(c[1].loads.exact.n, 3);
    ritz_problem_destroy(&p);
    p = parse_with(elastic, "cases={name: one, boundary: {group: x1, pressure: 1}}"); /* a single map, by a setting */
    assert_int_equal(p->n_cases, 1);
    ritz_problem_destroy(&p);
}

static void test_anchors_and_merges(void **state)
{
    (void)state;
    ritz_problem *p = parse_with("mesh: {box: {cells: [2, 2, 2]}}\nphysics: elasticity\n"
                                 "materials:\n  - &steel {group: a, young: 210e9, poisson: 0.3}\n"
                                 "  - {<<: *steel, group: b, young: 70e9}\n  - <<: [*steel]\n    group: c\n",
                                 NULL);
    assert_int_equal(p->n_materials, 3);
    assert_string_equal(p->materials[1].groups.name[0], "b");
    assert_true(p->materials[1].property[YOUNG].component[0].value == 70e9);
    assert_true(p->materials[1].property[POISSON_RATIO].component[0].value == 0.3);
    assert_true(p->materials[2].property[YOUNG].component[0].value == 210e9);
    ritz_problem_destroy(&p);
}

static void test_settings(void **state)
{
    (void)state;
    static const char one_material[] = "physics: elasticity\nmesh: {box: {cells: [1, 1, 1]}}\n"
                                       "materials: {young: 1, poisson: 0}\n"
                                       "boundary: {group: x0, displacement: fixed}\n";
    ritz_problem *p = parse_with(one_material, "materials.0.young=3"); /* it stands for a list of one */
    assert_true(p->materials[0].property[YOUNG].component[0].value == 3);
    ritz_problem_destroy(&p);
    const char *const wrong[] = {"0.order=1", "materials.0.0.young=2", "mesh.box.0.cells=[1, 1, 1]"};
    for (int i = 0; i < 3; i++) {
        assert_int_equal(ritz_problem_parse(one_material, "", &wrong[i], 1, &p), RITZ_ERROR_INPUT);
        assert_non_null(strstr(ritz_message(), "unknown key '0'"));
    }
    p = parse_with(elastic, "materials.0.young=70e9");
    assert_true(p->materials[0].property[YOUNG].component[0].value == 70e9);
    ritz_problem_destroy(&p);
    p = parse_with(elastic, "solver.tolerance=1e-3");
    assert_true(p->solver.tolerance == 1e-3);
    ritz_problem_destroy(&p);
    p = parse_with(elastic, "materials.1={group: y, young: 1, poisson: 0}");
    assert_int_equal(p->n_materials, 2);
    ritz_problem_destroy(&p);
    p = parse_with(elastic, "mesh=other.msh");
    assert_string_equal(p->mesh_path, "other.msh");
    ritz_problem_destroy(&p);
    p = parse_with(elastic, "boundary=null");
    assert_int_equal(p->loads.n_boundary, 0);
    ritz_problem_destroy(&p);
    /* An alias elsewhere keeps its value. */
    p = parse_with(
        "mesh: {box: {cells: [2, 2, 2]}}\nphysics: elasticity\nmaterials:\n  - &m {group: a, young: 1, poisson: 0.3}\n"
        "  - *m\n",
        "materials.1.young=2");
    assert_true(p->materials[0].property[YOUNG].component[0].value == 1);
    assert_true(p->materials[1].property[YOUNG].component[0].value == 2);
    ritz_problem_destroy(&p);
}

/* Every allocation that can fail while a text is read, does: the error is told and nothing leaks (AddressSanitizer
   looks). */
static void test_failing_allocations(void **state)
{
    (void)state;
    const char *const settings[] = {"order=3", "materials.0.density=\"1 + x\"",
                                    "cases=[{name: a, gravity: {x: 1}, body: {group: body, force: [x, 0, 0]}}]"};
    int failures = 0;
    for (int n = 1;; n++) {
        ritz_problem *p = NULL;
        ritz_fail_allocation(n);
        const ritz_status status = ritz_problem_parse(elastic, "folder", settings, 3, &p);
        ritz_fail_allocation(0);
        if (status == RITZ_OK) {
            ritz_problem_destroy(&p);
            break;
        }
        assert_int_equal(status, RITZ_ERROR_MEMORY);
        assert_null(p);
        failures++;
    }
    assert_true(failures > 50);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_mistakes),  cmocka_unit_test(test_hostile_texts),
        cmocka_unit_test(test_long_path), cmocka_unit_test(test_missing_file),
        cmocka_unit_test(test_numbers),   cmocka_unit_test(test_all_keys),
        cmocka_unit_test(test_cases),     cmocka_unit_test(test_anchors_and_merges),
        cmocka_unit_test(test_settings),  cmocka_unit_test(test_failing_allocations),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
