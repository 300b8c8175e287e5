"""Convection and diffusion with a field of velocity, stabilised by SUPG on linear cells."""

import basix.ufl
from ufl import *

mesh = Mesh(basix.ufl.element("Lagrange", "triangle", 1, shape=(2,)))
element = basix.ufl.element("Lagrange", "triangle", 1)
V = FunctionSpace(mesh, element)
u, v = TrialFunction(V), TestFunction(V)
W = FunctionSpace(mesh, basix.ufl.element("Lagrange", "triangle", 2, shape=(2,)))
b = Coefficient(W)
k, f = Constant(mesh), Coefficient(V)
h = CellDiameter(mesh)
speed = sqrt(dot(b, b) + 1e-10)
tau = h / (2 * speed) * conditional(lt(speed * h / (2 * k), 1), speed * h / (2 * k), 1)
r = dot(b, grad(u)) - k * div(grad(u))
a = k * dot(grad(u), grad(v)) * dx + dot(b, grad(u)) * v * dx + tau * r * dot(b, grad(v)) * dx
L = f * v * dx + tau * f * dot(b, grad(v)) * dx
