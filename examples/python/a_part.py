# For the engineer with a part: from a mesh to a picture in twenty lines.
#
#     pip install ./python pyvista scipy && python3 examples/python/a_part.py picture.png
#
# A bracket 100 mm long is held at one end and pulled down at the other. Without the name of a picture the grid is made and
# nothing is drawn; without PyVista the result goes to a file for ParaView.

import sys

import numpy as np
import ritz

# %% The mesh: a box here; ritz.Mesh.read("part.msh") or ritz.Mesh.generate("part.step", size=2e-3) for a part of yours.
mesh = ritz.Mesh.box("hex", (20, 4, 2), size=(0.1, 0.02, 0.01))
print(mesh)

# %% Second-order displacements, held at the group x0. Steel; a traction of 2 MPa downwards on the group x1.
space = ritz.Space(mesh, order=2, components=3)
held = ritz.Constraints(space).set("x0", 0.0)
steel = {"young": 210e9, "poisson": 0.3}
pull = ritz.Traction("x1", [0, 0, -2e6])

# %% Assembly on the device, solution, and how it went.
ritz.show_progress()
matrix, rhs = ritz.assemble(space, ritz.Form("elasticity", 3), steel, loads=[pull], constraints=held)
u, report = ritz.solve(matrix, rhs)
print(f"{space.n_dofs} unknowns, {report.method} with {report.preconditioner}: {report.iterations} iterations")
deflection = u.reshape(-1, 3)[:, 2].min()
print(f"the end moves down by {-deflection * 1e3:.3f} mm")

# %% Beam theory for comparison: F l^3 / (3 E I), and the share of shear.
force, inertia = 2e6 * 0.02 * 0.01, 0.02 * 0.01**3 / 12
beam = force * 0.1**3 / (3 * 210e9 * inertia)
assert abs(-deflection / beam - 1) < 0.02, (deflection, beam)

# %% The picture.
try:
    grid = ritz.to_pyvista(space, u=u)
except ImportError:
    ritz.write_result("part.vtu", space, u=u)
else:
    warped = grid.warp_by_vector("u", factor=20)
    assert np.isclose(warped.bounds[4], 20 * deflection, atol=0.006)
    if len(sys.argv) > 1:
        warped.plot(scalars="u", off_screen=True, screenshot=sys.argv[1])
