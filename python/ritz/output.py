"""Results: files, and grids for PyVista."""

from __future__ import annotations

import os
import tempfile
from typing import Any

import numpy as np

from ._library import Error, array, call, ffi, lib, pointer, words
from .space import Space


def write_result(path: str | os.PathLike[str], space: Space, **fields: np.ndarray) -> None:
    """Writes fields at the nodes of a space to a .vtu or .vtkhdf file: [n_nodes], or [n_nodes][2 or 3] of vectors, [n_nodes][6] of
    symmetric tensors; a vector of degrees of freedom is taken as it is. Components that are not those of the axes, such as velocity
    and pressure in one vector u, become fields u0, u1, ..."""
    whole: dict[str, np.ndarray] = {}
    for name, values in fields.items():
        given = array(values, np.float64, name=f"the field '{name}'")
        fits = given.size % space.n_nodes == 0 if given.ndim == 1 else given.ndim == 2 and len(given) == space.n_nodes
        if not fits or given.size == 0:
            raise Error(f"the field '{name}' has the shape {given.shape}; give [n_nodes] or [n_nodes][components] with {space.n_nodes} nodes")
        given = given.reshape(space.n_nodes, -1)
        if given.shape[1] == space.components != space.mesh.dim and space.components > 1:
            whole.update({f"{name}{c}": given[:, c] for c in range(space.components)})
        else:
            whole[name] = np.column_stack([given, np.zeros(space.n_nodes)]) if given.shape[1] == 2 else given
    made = ffi.new("ritz_field[]", max(len(whole), 1))
    keep: list[Any] = []
    for k, (name, given) in enumerate(whole.items()):
        given = array(given.reshape(space.n_nodes, -1), np.float64)
        made[k].name, made[k].n_components, made[k].values = words(name, keep), given.shape[1], pointer(given, "double *")
        keep.append(given)
    call(lib.ritz_write_result, os.fsencode(path), space.handle, made, len(whole))


def to_pyvista(space: Space, **fields: np.ndarray) -> Any:
    """A pyvista.UnstructuredGrid with the fields as point data, in cells of the space's own order."""
    try:
        import pyvista
    except ImportError:
        raise ImportError("ritz: pyvista is not installed: pip install pyvista") from None
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "result.vtu")
        write_result(path, space, **fields)
        return pyvista.read(path)
