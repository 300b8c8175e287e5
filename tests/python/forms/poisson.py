"""-div(kappa grad u) = f, with a flux g on the side 3: demo_poisson of FEniCS."""

import basix.ufl
from ufl import *

mesh = Mesh(basix.ufl.element("Lagrange", "triangle", 1, shape=(2,)))
element = basix.ufl.element("Lagrange", "triangle", 2)
V = FunctionSpace(mesh, element)
u, v = TrialFunction(V), TestFunction(V)
kappa, f = Coefficient(V), Coefficient(V)
g = Constant(mesh)
a = kappa * inner(grad(u), grad(v)) * dx
L = inner(f, v) * dx + inner(g, v) * ds(3)
