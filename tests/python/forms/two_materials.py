"""A conductivity that is another one in the cells of a group."""

import basix.ufl
from ufl import *

mesh = Mesh(basix.ufl.element("Lagrange", "triangle", 1, shape=(2,)))
element = basix.ufl.element("Lagrange", "triangle", 1)
V = FunctionSpace(mesh, element)
u, v = TrialFunction(V), TestFunction(V)
dx = Measure("dx", domain=mesh)
k = Constant(mesh, shape=(2,))
a = k[0] * dot(grad(u), grad(v)) * dx(0) + k[1] * dot(grad(u), grad(v)) * dx(1)
L = v * dx
