"""Ritz: finite elements on accelerators.

    import ritz
    mesh = ritz.Mesh.box("hex", (24, 2, 2), size=(4, 1, 1))
    space = ritz.Space(mesh, order=2, components=3)
    clamp = ritz.Constraints(space).set("x0", 0.0)
    matrix, rhs = ritz.assemble(space, ritz.Form("elasticity", 3), {"young": 1e4, "poisson": 0.3},
                                loads=[ritz.Traction("x1", [10, 0, 0])], constraints=clamp)
    u, report = ritz.solve(matrix, rhs)

What fails raises ritz.Error with the library's sentence. docs/python.md tells the rest.
"""

from ._library import Error, clear_interrupt, interrupt, set_log, set_progress, show_progress, version
from ._version import VERSION as __version__
from .assemble import Assembler, Field, Pressure, Traction, assemble, integrate, quadrature_points
from .device import Device, DeviceInfo, default_device, devices
from .form import Form
from .matrix import Matrix, Report, Solver, solve
from .mesh import Mesh
from .output import to_pyvista, write_result
from .problem import Result, solve_problem
from .space import Constraints, Space

__all__ = [
    "Assembler",
    "Constraints",
    "Device",
    "DeviceInfo",
    "Error",
    "Field",
    "Form",
    "Matrix",
    "Mesh",
    "Pressure",
    "Report",
    "Result",
    "Solver",
    "Space",
    "Traction",
    "__version__",
    "assemble",
    "clear_interrupt",
    "default_device",
    "devices",
    "integrate",
    "interrupt",
    "quadrature_points",
    "set_log",
    "set_progress",
    "show_progress",
    "solve",
    "solve_problem",
    "to_pyvista",
    "version",
    "write_result",
]
