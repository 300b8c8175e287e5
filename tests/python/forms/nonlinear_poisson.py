"""-div((1 + u^2) grad u) = f by Newton's method: demo of the FEniCS tutorial."""

import basix.ufl
from ufl import *

mesh = Mesh(basix.ufl.element("Lagrange", "quadrilateral", 1, shape=(2,)))
element = basix.ufl.element("Lagrange", "quadrilateral", 1)
V = FunctionSpace(mesh, element)
u, v = TrialFunction(V), TestFunction(V)
u = Coefficient(V)
f = Coefficient(V)
def q(u):
    return 1 + u**2
F = q(u) * dot(grad(u), grad(v)) * dx - f * v * dx
J = derivative(F, u)
