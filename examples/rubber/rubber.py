# A rubber-like solid (neo-Hookean, compressible) by its energy; UFL differentiates it. For rubber.yaml:
#
#   ritz compile rubber.py -o rubber.json

import basix.ufl
from ufl import *

mesh = Mesh(basix.ufl.element("Lagrange", "hexahedron", 1, shape=(3,)))
V = FunctionSpace(mesh, basix.ufl.element("Lagrange", "hexahedron", 1, shape=(3,)))
u, v = Coefficient(V), TestFunction(V)
mu, lame = Constant(mesh), Constant(mesh)
F = Identity(3) + grad(u)
J = det(F)
# UFL would count a degree of 17, 729 points a cell, for what is smooth: four are plenty, as in other codes.
energy = (mu / 2 * (tr(F.T * F) - 3) - mu * ln(J) + lame / 2 * ln(J) ** 2) * dx(degree=4)
F = derivative(energy, u, v)
J = derivative(F, u)
