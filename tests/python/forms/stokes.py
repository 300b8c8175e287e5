"""Stokes' equations with equal orders and pressure stabilisation, velocity and pressure as one vector."""

import basix.ufl
from ufl import *

mesh = Mesh(basix.ufl.element("Lagrange", "triangle", 1, shape=(2,)))
element = basix.ufl.element("Lagrange", "triangle", 1, shape=(3,))
V = FunctionSpace(mesh, element)
u, v = TrialFunction(V), TestFunction(V)
h = CellDiameter(mesh)
f = Constant(mesh, shape=(2,))
w, q = as_vector([v[0], v[1]]), v[2]
z, p = as_vector([u[0], u[1]]), u[2]
a = inner(grad(z), grad(w)) * dx - p * div(w) * dx - q * div(z) * dx - 0.2 * h**2 * dot(grad(p), grad(q)) * dx
L = dot(f, w) * dx - 0.2 * h**2 * dot(f, grad(q)) * dx
