"""Poisson's equation with a Robin condition on two sides."""

import basix.ufl
from ufl import *

mesh = Mesh(basix.ufl.element("Lagrange", "triangle", 1, shape=(2,)))
element = basix.ufl.element("Lagrange", "triangle", 2)
V = FunctionSpace(mesh, element)
u, v = TrialFunction(V), TestFunction(V)
x = SpatialCoordinate(mesh)
r, s = Constant(mesh), Constant(mesh)
a = dot(grad(u), grad(v)) * dx + r * (1 + x[1]) * u * v * ds(1) + u * v * ds(2)
L = v * dx + r * s * v * ds(1)
