"""Materials: elastic constants of those that differ by direction, and the library of named ones."""

from __future__ import annotations

from typing import Any

import numpy as np

from ._library import NULL, array, call, ffi, lib, text


def _doubles(values: np.ndarray) -> Any:
    return ffi.cast("double *", ffi.from_buffer(values))


def elastic_constants(young: Any, poisson: Any, shear: Any, axes: Any = None) -> np.ndarray:
    """The 21 constants c11, c12 .. c66 along x, y, z of an orthotropic material (Voigt's order 11 22 33 23 13 12), as the data of
    Form("anisotropic-elasticity", 3) take them. young: E1, E2, E3; poisson: nu12, nu13, nu23; shear: G12, G13, G23; axes: its
    directions as rows of a 3 x 3 matrix."""
    constants = np.zeros(21)
    moduli = [array(v, np.float64, (3,), name) for v, name in ((young, "young"), (poisson, "poisson"), (shear, "shear"))]
    turned = None if axes is None else array(axes, np.float64, (3, 3), "axes")
    call(lib.ritz_elastic_constants, *map(_doubles, moduli), NULL if turned is None else _doubles(turned), _doubles(constants))
    return constants


def turn_elastic_constants(constants: Any, axes: Any) -> np.ndarray:
    """The constants of a material along x, y, z, from those along its axes."""
    turned = np.array(array(constants, np.float64, (21,), "constants"))
    call(lib.ritz_turn_elastic_constants, _doubles(array(axes, np.float64, (3, 3), "axes")), _doubles(turned))
    return turned


def materials() -> dict[str, dict[str, Any]]:
    """The materials that problem files take by name, in SI units."""
    found: dict[str, dict[str, Any]] = {}
    i = 0
    while (known := lib.ritz_known_material_at(i)) != NULL:
        i += 1
        values = {key: getattr(known, key) for key in ("young", "poisson", "density", "expansion", "conductivity", "yield")}
        about = {"words": text(known.words), "source": text(known.source)}
        found[text(known.name) or ""] = about | {key: value for key, value in values.items() if value}
    return found
