# Newton's method for a form in UFL: a rubber block that is stretched by half of its length.
#
#     pip install ./python fenics-ufl fenics-basix && python3 examples/python/d_newton.py

import basix.ufl
import numpy as np
import ritz
from ufl import Coefficient, Constant, FunctionSpace, Identity, Mesh, TestFunction, TrialFunction, derivative, det, dx, grad, ln, tr

# %% The energy, and its derivatives by UFL.
domain = Mesh(basix.ufl.element("Lagrange", "hexahedron", 1, shape=(3,)))
V = FunctionSpace(domain, basix.ufl.element("Lagrange", "hexahedron", 1, shape=(3,)))
u, v, du = Coefficient(V), TestFunction(V), TrialFunction(V)
mu, lmbda = Constant(domain), Constant(domain)
F = Identity(3) + grad(u)
energy = (mu / 2 * (tr(F.T * F) - 3) - mu * ln(det(F)) + lmbda / 2 * ln(det(F)) ** 2) * dx(degree=4)  # UFL would take 17
residual = derivative(energy, u, v)
form = ritz.Form.from_ufl(derivative(residual, u, du), -residual, names={"mu": mu, "lmbda": lmbda})
print(form, "symmetric" if form.symmetric else "not symmetric")

# %% A block, held at the sides x0, y0, z0 as by symmetry; x1 is moved by half of the length.
space = ritz.Space(ritz.Mesh.box("hex", (4, 2, 2)), order=1, components=3)
sides = ritz.Constraints(space)
for axis, name in enumerate("xyz"):
    sides.set(name + "0", 0.0, component=axis)
sides.set("x1", 0.5, component=0)
target = np.zeros(space.n_dofs)
target[sides.dofs] = sides.values

# %% Each step prescribes what is missing yet; the pattern is made once.
assembler, x = ritz.Assembler(space, degree=form.degree), np.zeros(space.n_dofs)
for step in range(20):
    sides.set_values(target - x)
    rhs = assembler.fill(form, {"mu": 1.0, "lmbda": 2.0}, old=x, constraints=sides)
    change, report = ritz.solve(assembler.matrix, rhs, tolerance=1e-12)
    x += change
    print(f"step {step + 1}: change {abs(change).max():.1e}, {report.iterations} iterations")
    if abs(change).max() < 1e-10:
        break

# %% Uniaxial stretch in closed form: the stress across the block vanishes, mu (b^2 - 1) + lmbda ln(1.5 b^2) = 0.
across = 1 + x.reshape(-1, 3)[space.points[:, 1] == 1, 1].mean()
rest = 1.0 * (across**2 - 1) + 2.0 * np.log(1.5 * across**2)
print(f"the block is {across:.6f} wide")
assert abs(rest) < 1e-9
