"""Linear elasticity with lambda and mu, and a weight."""

import basix.ufl
from ufl import *

mesh = Mesh(basix.ufl.element("Lagrange", "tetrahedron", 1, shape=(3,)))
element = basix.ufl.element("Lagrange", "tetrahedron", 1, shape=(3,))
V = FunctionSpace(mesh, element)
u, v = TrialFunction(V), TestFunction(V)
mu, lmbda = Constant(mesh), Constant(mesh)
f = Constant(mesh, shape=(3,))
def epsilon(u):
    return sym(grad(u))
def sigma(u):
    return lmbda * tr(epsilon(u)) * Identity(3) + 2 * mu * epsilon(u)
a = inner(sigma(u), epsilon(v)) * dx
L = dot(f, v) * dx
