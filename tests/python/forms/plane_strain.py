"""Plane strain with a modulus that varies in space, a traction and a pressure."""

import basix.ufl
from ufl import *

mesh = Mesh(basix.ufl.element("Lagrange", "quadrilateral", 1, shape=(2,)))
element = basix.ufl.element("Lagrange", "quadrilateral", 2, shape=(2,))
V = FunctionSpace(mesh, element)
u, v = TrialFunction(V), TestFunction(V)
x = SpatialCoordinate(mesh)
n = FacetNormal(mesh)
p = Constant(mesh)
E, nu = 1 + x[0] * x[1], 0.3
mu, lmbda = E / (2 * (1 + nu)), E * nu / ((1 + nu) * (1 - 2 * nu))
def sigma(u):
    return lmbda * div(u) * Identity(2) + 2 * mu * sym(grad(u))
a = inner(sigma(u), grad(v)) * dx
L = dot(as_vector([0, -x[1]]), v) * dx - p * dot(n, v) * ds(1) + dot(as_vector([x[0], 2]), v) * ds(3)
