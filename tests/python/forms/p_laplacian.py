"""The p-Laplacian by Newton's method."""

import basix.ufl
from ufl import *

mesh = Mesh(basix.ufl.element("Lagrange", "triangle", 1, shape=(2,)))
element = basix.ufl.element("Lagrange", "triangle", 1)
V = FunctionSpace(mesh, element)
u, v = TrialFunction(V), TestFunction(V)
u = Coefficient(V)
p = Constant(mesh)
F = (1e-3 + inner(grad(u), grad(u))) ** ((p - 2) / 2) * inner(grad(u), grad(v)) * dx
