"""Diffusion with a tensor that turns with a field."""

import basix.ufl
from ufl import *

mesh = Mesh(basix.ufl.element("Lagrange", "tetrahedron", 1, shape=(3,)))
element = basix.ufl.element("Lagrange", "tetrahedron", 2)
V = FunctionSpace(mesh, element)
u, v = TrialFunction(V), TestFunction(V)
theta = Coefficient(V)
k = Constant(mesh)
R = as_matrix([[cos(theta), -sin(theta), 0], [sin(theta), cos(theta), 0], [0, 0, 1]])
K = R * diag(as_vector([k, 1, 2])) * R.T
a = dot(K * grad(u), grad(v)) * dx(degree=6)
