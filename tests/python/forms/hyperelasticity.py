"""A neo-Hookean solid by derivative(): demo_hyperelasticity of FEniCS."""

import basix.ufl
from ufl import *

mesh = Mesh(basix.ufl.element("Lagrange", "tetrahedron", 1, shape=(3,)))
element = basix.ufl.element("Lagrange", "tetrahedron", 1, shape=(3,))
V = FunctionSpace(mesh, element)
u, v = TrialFunction(V), TestFunction(V)
du = TrialFunction(V)
u = Coefficient(V)
B, T = Constant(mesh, shape=(3,)), Constant(mesh, shape=(3,))
mu, lmbda = Constant(mesh), Constant(mesh)
F = variable(Identity(3) + grad(u))
Ic, J = tr(F.T * F), det(F)
psi = (mu / 2) * (Ic - 3) - mu * ln(J) + (lmbda / 2) * ln(J) ** 2
Pi = psi * dx - dot(B, u) * dx - dot(T, u) * ds(5)
F = derivative(Pi, u, v)
J = derivative(F, u, du)
