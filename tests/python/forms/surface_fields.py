"""Fields, their derivatives and numbers of the cells in surface terms, among vectors: a membrane that others press and hold."""

import basix.ufl
from ufl import *

mesh = Mesh(basix.ufl.element("Lagrange", "triangle", 1, shape=(2,)))
V = FunctionSpace(mesh, basix.ufl.element("Lagrange", "triangle", 1, shape=(2,)))
u, v = TrialFunction(V), TestFunction(V)
p = Coefficient(FunctionSpace(mesh, basix.ufl.element("Lagrange", "triangle", 2)))
w = Coefficient(FunctionSpace(mesh, basix.ufl.element("Lagrange", "triangle", 1, shape=(2,))))
k = Coefficient(FunctionSpace(mesh, basix.ufl.element("DG", "triangle", 0)))
n = FacetNormal(mesh)
a = inner(grad(u), grad(v)) * dx + k * (1 + p**2) * inner(u, v) * ds(1)
L = dot(w, v) * dx - p * dot(n, v) * ds(0) + k * dot(grad(p), n) * dot(w, v) * ds(1) + div(w) * v[1] * ds(3)
