"""The work of a stress that comes from the gradient of another field."""

import basix.ufl
from ufl import *

mesh = Mesh(basix.ufl.element("Lagrange", "quadrilateral", 1, shape=(2,)))
element = basix.ufl.element("Lagrange", "quadrilateral", 2)
V = FunctionSpace(mesh, element)
u, v = TrialFunction(V), TestFunction(V)
w = Coefficient(V)
a = (1 + dot(grad(w), grad(w))) * inner(u, v) * dx
L = inner(grad(w), grad(v)) * dx + w * v * dx
