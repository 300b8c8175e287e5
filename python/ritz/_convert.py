"""Meshes of other programs as arrays for Mesh.from_arrays."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from ._library import Error

# ---- meshio ----

_MESHIO = {
    "triangle": "tri",
    "triangle6": "tri",
    "quad": "quad",
    "quad8": "quad",
    "quad9": "quad",
    "tetra": "tet",
    "tetra10": "tet",
    "wedge": "prism",
    "wedge15": "prism",
    "wedge18": "prism",
    "hexahedron": "hex",
    "hexahedron20": "hex",
    "hexahedron27": "hex",
}
# Place in meshio's cell (VTK's order) of each node in Gmsh's order, where the two differ.
_TO_GMSH = {
    "tetra10": [0, 1, 2, 3, 4, 5, 6, 7, 9, 8],
    "wedge15": [0, 1, 2, 3, 4, 5, 6, 8, 12, 7, 13, 14, 9, 11, 10],
    "wedge18": [0, 1, 2, 3, 4, 5, 6, 8, 12, 7, 13, 14, 9, 11, 10, 15, 17, 16],
    "hexahedron20": [*range(8), 8, 11, 16, 9, 17, 10, 18, 19, 12, 15, 13, 14],
    "hexahedron27": [*range(8), 8, 11, 16, 9, 17, 10, 18, 19, 12, 15, 13, 14, 24, 22, 20, 21, 23, 25, 26],
}
_FACETS = {"line": 2, "line3": 2, "triangle": 3, "triangle6": 3, "quad": 4, "quad8": 4, "quad9": 4}
_VOLUME = ("tet", "prism", "hex")


def _physical_names(mesh: Any, dim: int) -> dict[int, str]:
    return {int(value[0]): name for name, value in (mesh.field_data or {}).items() if len(value) == 2 and int(value[1]) == dim}


def _block_groups(mesh: Any, k: int, dim: int) -> dict[str, np.ndarray]:
    """Places of members inside block k, by group."""
    found = {name: np.asarray(sets[k], np.int64) for name, sets in (mesh.cell_sets or {}).items() if sets[k] is not None and ":" not in name}
    if tags := (mesh.cell_data or {}).get("gmsh:physical"):
        names = _physical_names(mesh, dim)
        for tag in np.unique(tags[k]):
            if tag != 0:
                found.setdefault(names.get(int(tag), str(tag)), np.flatnonzero(np.asarray(tags[k]) == tag))
    return found


def meshio_arrays(mesh: Any) -> dict[str, Any]:
    types = [block.type for block in mesh.cells]
    solid = any(_MESHIO.get(kind) in _VOLUME for kind in types)
    cells: list[tuple[str, np.ndarray]] = []
    groups: dict[str, dict[str, list[np.ndarray]]] = {"cell_groups": {}, "facet_groups": {}}
    count = 0
    for k, block in enumerate(mesh.cells):
        kind, nodes = block.type, np.asarray(block.data)
        cell = _MESHIO.get(kind)
        if cell is not None and (cell in _VOLUME) == solid:
            for name, members in _block_groups(mesh, k, 3 if solid else 2).items():
                groups["cell_groups"].setdefault(name, []).append(count + members)
            cells.append((cell, nodes[:, _TO_GMSH[kind]] if kind in _TO_GMSH else nodes))
            count += len(nodes)
        elif kind in _FACETS and (_FACETS[kind] > 2) == solid:
            for name, members in _block_groups(mesh, k, 2 if solid else 1).items():
                groups["facet_groups"].setdefault(name, []).append(nodes[members, : _FACETS[kind]])
        elif cell is None and kind not in _FACETS and kind != "vertex":
            raise Error(f"cells of the type '{kind}' are not possible; there are {', '.join(_MESHIO)}")
    if not cells:
        raise Error(f"the mesh has no cells that can be computed, only {', '.join(types) or 'none'}")
    nodes_of = {name: np.asarray(members) for name, members in (mesh.point_sets or {}).items()}
    return {
        "points": np.asarray(mesh.points, float),
        "cells": cells,
        "cell_groups": {name: np.concatenate(parts) for name, parts in groups["cell_groups"].items()},
        "facet_groups": groups["facet_groups"],
        "node_groups": nodes_of,
    }


# ---- DOLFINx ----

_DOLFINX = {"triangle": "tri", "quadrilateral": "quad", "tetrahedron": "tet", "prism": "prism", "hexahedron": "hex"}


def dolfinx_arrays(mesh: Any, cell_tags: Any, facet_tags: Any, names: Mapping[int, str]) -> dict[str, Any]:
    from dolfinx.cpp.io import perm_gmsh

    topology, geometry = mesh.topology, mesh.geometry
    if mesh.comm.size > 1:
        raise Error("a mesh that is spread over several processes is not possible; make it on MPI.COMM_SELF")
    dim = topology.dim
    kind = topology.cell_type if hasattr(topology, "cell_type") else topology.cell_types[0]
    called = kind.name if hasattr(kind, "name") else str(kind)
    dofmap = geometry.dofmap
    nodes = np.asarray(dofmap.array).reshape(dofmap.num_nodes, -1) if hasattr(dofmap, "array") else np.asarray(dofmap)
    cells = np.empty_like(nodes, dtype=np.int32)
    cells[:, np.asarray(perm_gmsh(kind, nodes.shape[1]), dtype=int)] = nodes
    cell_groups: dict[str, np.ndarray] = {}
    facet_groups: dict[str, np.ndarray] = {}
    if cell_tags is not None:
        for value in np.unique(cell_tags.values):
            cell_groups[names.get(int(value), str(value))] = np.asarray(cell_tags.indices)[cell_tags.values == value]
    if facet_tags is not None:
        topology.create_connectivity(dim - 1, 0)
        topology.create_connectivity(dim, 0)
        vertex_node = _vertex_nodes(topology, nodes, dim)
        corners = topology.connectivity(dim - 1, 0)
        for value in np.unique(facet_tags.values):
            facets = np.asarray(facet_tags.indices)[facet_tags.values == value]
            facet_groups[names.get(int(value), str(value))] = vertex_node[np.array([corners.links(f) for f in facets])]
    points = np.ascontiguousarray(np.asarray(geometry.x, float)[:, :dim])
    return {"points": points, "cells": [(_DOLFINX[called], cells)], "cell_groups": cell_groups, "facet_groups": facet_groups}


def _vertex_nodes(topology: Any, nodes: np.ndarray, dim: int) -> np.ndarray:
    """The geometry's node at each vertex: the vertices of a cell come first among its nodes."""
    to_vertex = topology.connectivity(dim, 0)
    vertices = np.asarray(to_vertex.array).reshape(len(nodes), -1)
    node = np.zeros(vertices.max() + 1, np.int64)
    node[vertices] = nodes[:, : vertices.shape[1]]
    return node
