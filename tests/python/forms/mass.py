"""The mass matrix of a vector field with a density."""

import basix.ufl
from ufl import *

mesh = Mesh(basix.ufl.element("Lagrange", "prism", 1, shape=(3,)))
element = basix.ufl.element("Lagrange", "prism", 1, shape=(3,))
V = FunctionSpace(mesh, element)
u, v = TrialFunction(V), TestFunction(V)
rho = Coefficient(FunctionSpace(mesh, basix.ufl.element("DG", "prism", 0)))
a = rho * inner(u, v) * dx
