"""Helmholtz's equation, real, with a wave number."""

import basix.ufl
from ufl import *

mesh = Mesh(basix.ufl.element("Lagrange", "triangle", 1, shape=(2,)))
element = basix.ufl.element("Lagrange", "triangle", 3)
V = FunctionSpace(mesh, element)
u, v = TrialFunction(V), TestFunction(V)
k = Constant(mesh)
f = Coefficient(V)
a = inner(grad(u), grad(v)) * dx - k**2 * inner(u, v) * dx
L = inner(f, v) * dx
