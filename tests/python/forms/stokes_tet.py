"""Stokes' equations in space with equal orders and pressure stabilisation: four components, velocity and pressure."""

import basix.ufl
from ufl import *

mesh = Mesh(basix.ufl.element("Lagrange", "tetrahedron", 1, shape=(3,)))
element = basix.ufl.element("Lagrange", "tetrahedron", 1, shape=(4,))
V = FunctionSpace(mesh, element)
u, v = TrialFunction(V), TestFunction(V)
h = CellDiameter(mesh)
nu, f = Coefficient(FunctionSpace(mesh, basix.ufl.element("Lagrange", "tetrahedron", 1))), Constant(mesh, shape=(3,))
w, q = as_vector([v[0], v[1], v[2]]), v[3]
z, p = as_vector([u[0], u[1], u[2]]), u[3]
a = 2 * nu * inner(sym(grad(z)), grad(w)) * dx - p * div(w) * dx - q * div(z) * dx - 0.2 * h**2 / nu * dot(grad(p), grad(q)) * dx
L = dot(f, w) * dx - 0.2 * h**2 / nu * dot(f, grad(q)) * dx
