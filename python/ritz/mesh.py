"""Meshes: from files, boxes and arrays, from meshio and DOLFINx."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from ._library import CHOICES, Error, Handle, array, call, choice, ffi, lib, pointer, struct, text, words

# Nodes of a cell -> (order, serendipity).
_SIZES = {
    "tri": {3: (1, 0), 6: (2, 0)},
    "quad": {4: (1, 0), 8: (2, 1), 9: (2, 0)},
    "tet": {4: (1, 0), 10: (2, 0)},
    "prism": {6: (1, 0), 15: (2, 1), 18: (2, 0)},
    "hex": {8: (1, 0), 20: (2, 1), 27: (2, 0)},
}
_KINDS = ("cells", "facets", "nodes", "edges")


class Mesh(Handle):
    """Nodes, cells of several types, and named groups. Everything is in the caller's order and counts from 0."""

    _kind = "ritz_mesh"

    def __init__(self) -> None:
        raise Error("make a mesh by Mesh.read, generate, box, from_arrays, from_meshio or from_dolfinx")

    @classmethod
    def _created(cls, create: Any, *arguments: Any) -> Mesh:
        mesh = cls.__new__(cls)
        mesh._make(create, *arguments)
        return mesh

    # ---- Making one ----

    @classmethod
    def read(cls, path: str | os.PathLike[str]) -> Mesh:
        """A mesh file: .msh, .vtk, .unv, .bdf, .nas, .mesh, .stl, .p3d. Groups keep their names."""
        return cls._created(lib.ritz_mesh_read, os.fsencode(path))

    @classmethod
    def generate(
        cls, path: str | os.PathLike[str], size: float = 0, order: int = 1, glue: bool = False, trust: bool = False
    ) -> Mesh:
        """Meshes a geometry (.geo, .step, .brep, .iges) by Gmsh. size: length of cell edges, 0 for the file's own; order 2 for
        curved cells; glue joins bodies that touch; trust allows a .geo file to run programs."""
        keep: list[Any] = []
        options = struct("ritz_geometry_options", keep, size=size, order=order, glue=int(glue), trust=int(trust))
        return cls._created(lib.ritz_mesh_generate, os.fsencode(path), options)

    @classmethod
    def box(
        cls,
        cell: str,
        cells: Sequence[int],
        size: Sequence[float] = (),
        origin: Sequence[float] = (),
        distort: float = 0,
    ) -> Mesh:
        """A box of cells[0] x cells[1] (x cells[2]) cells, 1 long in each direction unless `size` says how long in each. Groups: "body"
        and the sides "x0", "x1", "y0", "y1", "z0", "z1". distort moves nodes by up to this share of a cell."""
        kind = choice("cell", cell)
        dim = lib.ritz_cell_dim(kind)
        numbers = array(cells, np.int32, (dim,), f"cells of a box of {cell} cells")
        lengths, corner = (
            array(given, np.float64, (dim,), f"{name} of a box of {cell} cells").tolist() if np.size(given) else []
            for name, given in (("size", size), ("origin", origin))
        )
        if not all(length > 0 for length in lengths):
            raise Error(f"size of a box is {lengths}; give lengths greater than 0, or no size for 1 in each direction")
        keep: list[Any] = []
        box = struct("ritz_box", keep, cell=kind, cells=numbers.tolist(), size=lengths, origin=corner, distort=distort)
        return cls._created(lib.ritz_mesh_box, box)

    @classmethod
    def from_arrays(
        cls,
        points: np.ndarray,
        cells: Mapping[str, np.ndarray] | Sequence[tuple[str, np.ndarray]],
        cell_groups: Mapping[str, np.ndarray] | None = None,
        facet_groups: Mapping[str, np.ndarray] | None = None,
        node_groups: Mapping[str, np.ndarray] | None = None,
        side_groups: Mapping[str, np.ndarray] | None = None,
    ) -> Mesh:
        """points[n][2 or 3]; cells: {"tri": nodes[n][3], ...} or a list of such pairs, first or second order, nodes in Gmsh's
        order; cells count through all blocks. Groups: cell_groups {name: cells}, facet_groups {name: the facets' corner nodes
        [n][2, 3 or 4], or a list of such arrays}, side_groups {name: [n][2] of cell and local facet}, node_groups {name: nodes}. The arrays are borrowed
        for the call."""
        blocks = list(cells.items()) if isinstance(cells, Mapping) else list(cells)
        points = array(points, np.float64, (None, None), "points")
        keep: list[Any] = [points]
        made = ffi.new("ritz_block_arrays[]", max(len(blocks), 1))
        first, dim = [], 2
        count = 0
        for k, (cell, nodes) in enumerate(blocks):
            kind = choice("cell", cell)
            nodes = array(nodes, np.int32, (None, None), f"the nodes of {cell} cells")
            if nodes.shape[1] not in _SIZES[cell]:
                raise Error(f"a {cell} has {' or '.join(map(str, _SIZES[cell]))} nodes, not {nodes.shape[1]}")
            order, serendipity = _SIZES[cell][nodes.shape[1]]
            made[k].cell, made[k].order, made[k].serendipity = kind, order, serendipity
            made[k].n_cells, made[k].nodes = len(nodes), pointer(nodes, "const int32_t *")
            keep.append(nodes)
            first.append((cell, nodes, count))
            count += len(nodes)
            dim = lib.ritz_cell_dim(kind)
        if points.shape[1] == 3 and dim == 2:
            if np.ptp(points[:, 2]) > 0:
                raise Error("cells of a surface in space can not be computed; give points of the plane z = const")
            points = array(points[:, :2], np.float64)
            keep.append(points)
        sides = dict(side_groups or {})
        for name, corners in (facet_groups or {}).items():
            parts = corners if isinstance(corners, list) and corners and np.ndim(corners[0]) == 2 else [corners]
            parts = [array(part, np.int64, name=f"the facet group '{name}'") for part in parts if np.size(part)]
            sides[name] = np.concatenate([np.empty((0, 2), np.int64), *(find_sides(first, part, name) for part in parts)])
        groups = _groups(keep, (cell_groups or {}, lib.RITZ_GROUP_CELLS), (sides, lib.RITZ_GROUP_FACETS), (node_groups or {}, lib.RITZ_GROUP_NODES))
        if points.shape[1] != dim:
            raise Error(f"points have {points.shape[1]} coordinates, and the cells are of dimension {dim}")
        arrays = struct(
            "ritz_mesh_arrays",
            keep,
            dim=dim,
            n_nodes=len(points),
            coordinates=pointer(points, "const double *"),
            n_blocks=len(blocks),
            blocks=made,
            n_groups=len(groups),
            groups=groups,
        )
        return cls._created(lib.ritz_mesh_create, arrays)

    @classmethod
    def from_meshio(cls, mesh: Any) -> Mesh:
        """A meshio.Mesh as it is: cells of the highest dimension; groups from its cell_sets and point_sets, and from Gmsh's
        physical groups."""
        from ._convert import meshio_arrays

        return cls.from_arrays(**meshio_arrays(mesh))

    @classmethod
    def from_dolfinx(cls, mesh: Any, cell_tags: Any = None, facet_tags: Any = None, names: Mapping[int, str] | None = None) -> Mesh:
        """A dolfinx.mesh.Mesh as it is, of one process. The values of its tags become groups, called by their numbers or by
        `names`."""
        from ._convert import dolfinx_arrays

        return cls.from_arrays(**dolfinx_arrays(mesh, cell_tags, facet_tags, names or {}))

    # ---- What it holds ----

    @property
    def dim(self) -> int:
        """Dimension of space, 2 or 3."""
        return lib.ritz_mesh_dim(self.handle)

    @property
    def order(self) -> int:
        """Order of the cells' geometry, 1 or 2."""
        return lib.ritz_mesh_order(self.handle)

    @property
    def n_nodes(self) -> int:
        """Nodes of the mesh, mid-side nodes too."""
        return lib.ritz_mesh_n_nodes(self.handle)

    @property
    def points(self) -> np.ndarray:
        """Coordinates of the nodes [n_nodes][dim]."""
        points = np.empty((self.n_nodes, self.dim))
        call(lib.ritz_mesh_coordinates, self.handle, pointer(points, "double *"))
        return points

    @property
    def cell_types(self) -> list[str]:
        """The types of cells that there are."""
        return [name for name, kind in CHOICES["cell"].items() if lib.ritz_mesh_n_cells(self.handle, kind) > 0]

    def n_cells(self, cell: str | None = None) -> int:
        """Cells of one type, or of all."""
        kind = lib.RITZ_N_CELLS if cell is None else choice("cell", cell)
        return lib.ritz_mesh_n_cells(self.handle, kind)

    def cells(self, cell: str) -> np.ndarray:
        """Nodes of the cells of one type [n_cells][nodes of a cell], in Gmsh's order."""
        kind = choice("cell", cell)
        nodes = np.empty((self.n_cells(cell), lib.ritz_cell_n_shape(kind, self.order)), np.int32)
        call(lib.ritz_mesh_cell_nodes, self.handle, kind, pointer(nodes, "int32_t *"))
        return nodes

    def cell_places(self, cell: str) -> np.ndarray:
        """Where the cells of one type stand among all cells."""
        places = np.empty(self.n_cells(cell), np.int64)
        call(lib.ritz_mesh_cell_places, self.handle, choice("cell", cell), pointer(places, "int64_t *"))
        return places

    @property
    def groups(self) -> dict[str, str]:
        """Names of the groups, and what their members are: "cells", "facets", "nodes" or "edges"."""
        n = lib.ritz_mesh_n_groups(self.handle)
        return {
            text(lib.ritz_mesh_group_name(self.handle, k)) or "": _KINDS[lib.ritz_mesh_group_kind(self.handle, k)] for k in range(n)
        }

    def group(self, name: str) -> np.ndarray:
        """Members of a group: cells or nodes [n], facets [n][2] of cell and local facet, edges [n][2] of nodes."""
        groups = self.groups
        if name not in groups:
            raise Error(f"the mesh has no group '{name}'; there are {', '.join(groups)}")
        k = list(groups).index(name)
        n = lib.ritz_mesh_group_size(self.handle, k)
        members = np.empty((n, 2) if groups[name] in ("facets", "edges") else n, np.int64)
        call(lib.ritz_mesh_group_members, self.handle, k, pointer(members, "int64_t *"))
        return members

    def __repr__(self) -> str:
        cells = ", ".join(f"{self.n_cells(cell)} {cell}" for cell in self.cell_types)
        return f"<ritz.Mesh {cells}, {self.n_nodes} nodes, groups {', '.join(self.groups)}>"


def _groups(keep: list[Any], *kinds: tuple[Mapping[str, Any], int]) -> Any:
    entries = [(name, kind, members) for groups, kind in kinds for name, members in groups.items()]
    made = ffi.new("ritz_group_arrays[]", len(entries))
    for k, (name, kind, members) in enumerate(entries):
        shape = (None, 2) if kind == lib.RITZ_GROUP_FACETS else (None,)
        members = array(members, np.int64, shape, f"the group '{name}'")
        made[k].name, made[k].kind, made[k].n = words(name, keep), kind, len(members)
        made[k].members = pointer(members, "const int64_t *")
        keep.append(members)
    keep.append(made)
    return made


def _local_facets(cell: str) -> list[list[int]]:
    vertices, found = ffi.new("int[4]"), []
    while n := lib.ritz_cell_facet(choice("cell", cell), len(found), vertices):
        found.append([vertices[k] for k in range(n)])
    return found


def find_sides(blocks: list[tuple[str, np.ndarray, int]], corners: np.ndarray, name: str) -> np.ndarray:
    """Cells and local facets [n][2] of facets that are given by their corner nodes; a facet between two cells is that of one
    of them. blocks: type, nodes, number of the first cell."""
    if corners.ndim != 2 or (len(corners) and corners.shape[1] not in (2, 3, 4)):
        raise Error(f"the facet group '{name}' has the shape {corners.shape}; give the 2, 3 or 4 corner nodes of each facet")
    wanted = np.sort(corners, axis=1)
    result = np.full((len(corners), 2), -1, np.int64)
    for cell, nodes, start in blocks:
        for local, vertices in enumerate(_local_facets(cell)):
            if len(vertices) != corners.shape[1] or len(nodes) == 0:
                continue
            keys = np.sort(nodes[:, vertices], axis=1)
            both = np.concatenate([keys, wanted])
            number = np.unique(both, axis=0, return_inverse=True)[1].reshape(-1)
            owner = np.full(number.max() + 1, -1)
            owner[number[: len(keys)]] = np.arange(len(keys))
            found = owner[number[len(keys) :]]
            result[found >= 0] = np.stack([start + found[found >= 0], np.full((found >= 0).sum(), local)], axis=1)
    missing = np.flatnonzero(result[:, 0] < 0)
    if len(missing):
        raise Error(f"facet {missing[0]} of the group '{name}', with the nodes {corners[missing[0]].tolist()}, is no facet of a cell")
    return result
