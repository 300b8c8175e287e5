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

import importlib
from typing import TYPE_CHECKING, Any

from ._version import VERSION as __version__

if TYPE_CHECKING:
    from ._library import Error, clear_interrupt, interrupt, set_log, set_progress, show_progress, version
    from .assembly import Assembler, Field, Film, Pressure, Traction, assemble, integrate, quadrature_points
    from .device import Device, DeviceInfo, default_device, devices
    from .form import Form
    from .material import elastic_constants, materials, turn_elastic_constants
    from .matrix import Matrix, Report, Solver, solve
    from .mesh import Mesh
    from .output import to_pyvista, write_result
    from .problem import LoadCase, Place, Result, convert_deck, solve_problem
    from .space import Constraints, Space

# The library is opened when something of it is first used: `python -m ritz.compile` does without.
_MODULES = {
    "._library": ("Error", "clear_interrupt", "interrupt", "set_log", "set_progress", "show_progress", "version"),
    ".assembly": ("Assembler", "Field", "Film", "Pressure", "Traction", "assemble", "integrate", "quadrature_points"),
    ".device": ("Device", "DeviceInfo", "default_device", "devices"),
    ".form": ("Form",),
    ".material": ("elastic_constants", "materials", "turn_elastic_constants"),
    ".matrix": ("Matrix", "Report", "Solver", "solve"),
    ".mesh": ("Mesh",),
    ".output": ("to_pyvista", "write_result"),
    ".problem": ("LoadCase", "Place", "Result", "convert_deck", "solve_problem"),
    ".space": ("Constraints", "Space"),
}
_HOMES = {name: module for module, names in _MODULES.items() for name in names}


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'ritz' has no attribute '{name}'")
    value = getattr(importlib.import_module(_HOMES[name], __name__), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return __all__


__all__ = [
    "Assembler",
    "Constraints",
    "Device",
    "DeviceInfo",
    "Error",
    "Field",
    "Film",
    "Form",
    "LoadCase",
    "Matrix",
    "Mesh",
    "Place",
    "Pressure",
    "Report",
    "Result",
    "Solver",
    "Space",
    "Traction",
    "__version__",
    "assemble",
    "clear_interrupt",
    "convert_deck",
    "default_device",
    "devices",
    "elastic_constants",
    "integrate",
    "interrupt",
    "materials",
    "quadrature_points",
    "set_log",
    "set_progress",
    "show_progress",
    "solve",
    "solve_problem",
    "to_pyvista",
    "turn_elastic_constants",
    "version",
    "write_result",
]
