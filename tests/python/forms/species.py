"""Eight species that diffuse and turn into each other round a ring, with a flow: one step of Newton's method."""

import basix.ufl
from ufl import *

mesh = Mesh(basix.ufl.element("Lagrange", "quadrilateral", 1, shape=(2,)))
element = basix.ufl.element("Lagrange", "quadrilateral", 1, shape=(8,))
V = FunctionSpace(mesh, element)
u, v, du = Coefficient(V), TestFunction(V), TrialFunction(V)
k, b = Constant(mesh), Constant(mesh, shape=(2,))
F = inner(grad(u), grad(v)) * dx + inner(dot(grad(u), b), v) * dx
for i in range(8):
    F += k * u[i] * u[(i + 1) % 8] * (v[i] - v[(i + 1) % 8]) * dx
J = derivative(F, u, du)
