"""Heat that a wall radiates, by Newton's method: the solution itself in a surface term."""

import basix.ufl
from ufl import *

mesh = Mesh(basix.ufl.element("Lagrange", "tetrahedron", 1, shape=(3,)))
V = FunctionSpace(mesh, basix.ufl.element("Lagrange", "tetrahedron", 1))
v = TestFunction(V)
u, k = Coefficient(V), Coefficient(V)
s, far = Constant(mesh), Constant(mesh)
F = k * dot(grad(u), grad(v)) * dx + s * (u**4 - far**4) * v * ds(3) - k * v * ds(1)
