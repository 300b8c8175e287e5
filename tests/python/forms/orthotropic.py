"""Elasticity with a tensor of constants: orthotropic in the plane."""

import basix.ufl
from ufl import *

mesh = Mesh(basix.ufl.element("Lagrange", "triangle", 1, shape=(2,)))
element = basix.ufl.element("Lagrange", "triangle", 2, shape=(2,))
V = FunctionSpace(mesh, element)
u, v = TrialFunction(V), TestFunction(V)
C = Constant(mesh, shape=(3, 3))
def strain(u):
    e = sym(grad(u))
    return as_vector([e[0, 0], e[1, 1], 2 * e[0, 1]])
a = dot(dot(C, strain(u)), strain(v)) * dx
