"""One step of backward Euler for the heat equation: demo of the FEniCS tutorial."""

import basix.ufl
from ufl import *

mesh = Mesh(basix.ufl.element("Lagrange", "triangle", 1, shape=(2,)))
element = basix.ufl.element("Lagrange", "triangle", 1)
V = FunctionSpace(mesh, element)
u, v = TrialFunction(V), TestFunction(V)
u_n, f = Coefficient(V), Coefficient(V)
dt = Constant(mesh)
F = u * v * dx + dt * dot(grad(u), grad(v)) * dx - (u_n + dt * f) * v * dx
