"""Reaction and diffusion with a coefficient that jumps."""

import basix.ufl
from ufl import *

mesh = Mesh(basix.ufl.element("Lagrange", "hexahedron", 1, shape=(3,)))
element = basix.ufl.element("Lagrange", "hexahedron", 1)
V = FunctionSpace(mesh, element)
u, v = TrialFunction(V), TestFunction(V)
x = SpatialCoordinate(mesh)
c = conditional(gt(x[0], 0.5), 10.0, exp(x[1]))
a = inner(grad(u), grad(v)) * dx + c * u * v * dx
L = sin(pi * x[0]) * x[2] * v * dx(degree=8)
