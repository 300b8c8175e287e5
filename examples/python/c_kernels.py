# For the researcher of forms and kernels: a weak form in UFL, several methods of integration, truth beside time.
#
#     pip install ./python fenics-ufl fenics-basix && python3 examples/python/c_kernels.py
#
# `ritz integrate --form form.json` times one kernel by the device's clock and sets it against the roofline; here the whole call is
# timed, transfers included.

import time

import basix.ufl
import numpy as np
import ritz
import ufl

# %% A form as for FEniCS: diffusion with a field, convection with a constant velocity.
domain = ufl.Mesh(basix.ufl.element("Lagrange", "tetrahedron", 1, shape=(3,)))
V = ufl.FunctionSpace(domain, basix.ufl.element("Lagrange", "tetrahedron", 2))
u, v = ufl.TrialFunction(V), ufl.TestFunction(V)
kappa, velocity = ufl.Coefficient(V), ufl.Constant(domain, shape=(3,))
a = kappa * ufl.inner(ufl.grad(u), ufl.grad(v)) * ufl.dx + ufl.dot(velocity, ufl.grad(u)) * v * ufl.dx

form = ritz.Form.from_ufl(a, names={"kappa": kappa, "velocity": velocity})
print(form)

# %% Its data: a field on a space, and the components of the constant.
mesh = ritz.Mesh.box("tet", (6, 6, 6), distort=0.2)
space = ritz.Space(mesh, order=2)
data = {"kappa": ritz.Field(space, space.interpolate(lambda x: 1 + x[0] * x[1])), "velocity": [1.0, 2.0, 0.5]}

# %% Two methods and both precisions, each beside the first.
truth, _ = ritz.integrate(space, form, data)
for method in ("lanes", "qss"):
    for precision in ("f64", "f32"):
        options = {"method": method, "precision": precision, "degree": form.degree}
        ritz.integrate(space, form, data, **options)  # the kernel is compiled here
        begin = time.perf_counter()
        matrices, _ = ritz.integrate(space, form, data, **options)
        seconds = time.perf_counter() - begin
        error = abs(matrices - truth).max() / abs(truth).max()
        print(f"{method:6} {precision}: {len(matrices) / seconds:10.0f} elements/s, error {error:.1e}")
        assert error < (1e-12 if precision == "f64" else 1e-4)

# %% What is known without a kernel: constants have no gradient, and x a constant one.
assert abs(truth.sum(axis=2)).max() < 1e-14
x = space.points[space.cell_nodes("tet"), 0]
work = np.einsum("ci,cij,cj->", x, truth, x)  # of kappa grad x . grad x + velocity . grad x x
assert np.isclose(work, 1.25 + 0.5), work
