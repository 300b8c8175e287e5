"""Function spaces: continuous Lagrange elements of order 1 to 7, and prescribed values."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from ._library import CHOICES, Error, Handle, NULL, array, call, choice, ffi, lib, pointer, spread, view
from .mesh import Mesh

Value = float | Sequence[float] | np.ndarray | Callable[[np.ndarray], Any]

SERENDIPITY_NODES = {"quad": 8, "prism": 15, "hex": 20}  # of other cells as many as of order 2


class Space(Handle):
    """Continuous Lagrange elements on a mesh with `components` values a node. Degree of freedom of component c at node n:
    n * components + c. serendipity: of order 2 without nodes inside faces and cells, as 8-node quads and 20-node hexes.

    numbers: of the nodes, for matrices and vectors in an order of one's own: "mesh" for those of the mesh (at order 1, or 2 on a
    mesh of second order), or {cell type: nodes[n_cells][n_shape]} in the order of `cell_nodes`. None: the library's."""

    _kind = "ritz_space"

    def __init__(
        self,
        mesh: Mesh,
        order: int | None = None,
        components: int = 1,
        serendipity: bool = False,
        numbers: str | Mapping[str, np.ndarray] | None = None,
    ) -> None:
        self.mesh, self.components, self.serendipity = mesh, components, serendipity
        self.order = order if order is not None else 2 if serendipity else 1
        if numbers is not None:
            keep: list[Any] = []
            nodes = NULL if isinstance(numbers, str) and numbers == "mesh" else self._pointers(numbers, keep)
            self._make(lib.ritz_space_create_numbered, mesh.handle, self.order, serendipity, components, nodes, needs=[mesh])
        elif not serendipity:
            self._make(lib.ritz_space_create, mesh.handle, self.order, components, needs=[mesh])
        elif self.order == 2:
            self._make(lib.ritz_space_create_serendipity, mesh.handle, components, needs=[mesh])
        else:
            raise Error(f"serendipity elements have order 2, not {order}")

    def _pointers(self, numbers: Any, keep: list[Any]) -> Any:
        """const int32_t *[cell type] of the caller's numbers, which live as long as `keep`."""
        if not isinstance(numbers, Mapping):
            raise Error(f"numbers are 'mesh' or {{cell type: nodes[n_cells][n_shape]}}, not {numbers!r}")
        pointers = ffi.new("const int32_t *[]", len(CHOICES["cell"]))
        for cell, given in numbers.items():
            kind = choice("cell", cell)
            n_shape = lib.ritz_cell_n_shape(kind, self.order)
            if self.serendipity:
                n_shape = SERENDIPITY_NODES.get(cell, n_shape)
            keep.append(array(given, np.int32, (self.mesh.n_cells(cell), n_shape), f"numbers['{cell}']"))
            pointers[kind] = pointer(keep[-1], "int32_t *")
        return pointers

    def n_cell_nodes(self, cell: str) -> int:
        """How many nodes a cell of this type has."""
        return lib.ritz_space_n_cell_nodes(self.handle, choice("cell", cell))

    @property
    def n_nodes(self) -> int:
        """Nodes of the space, each with `components` degrees of freedom."""
        return lib.ritz_space_n_nodes(self.handle)

    @property
    def n_dofs(self) -> int:
        """Degrees of freedom, prescribed ones too."""
        return lib.ritz_space_n_dofs(self.handle)

    @property
    def points(self) -> np.ndarray:
        """Coordinates of the nodes [n_nodes][dim]: the space's own memory, read-only."""
        return view(lib.ritz_space_coordinates(self.handle), (self.n_nodes, self.mesh.dim), self)

    def cell_nodes(self, cell: str) -> np.ndarray:
        """The space's nodes of the cells of one type [n_cells][n_shape]."""
        kind = choice("cell", cell)
        nodes = np.empty((self.mesh.n_cells(cell), self.n_cell_nodes(cell)), np.int32)
        call(lib.ritz_space_cell_nodes, self.handle, kind, pointer(nodes, "int32_t *"))
        return nodes

    def cell_dofs(self, cell: str) -> np.ndarray:
        """Rows of the element matrices of one type in the assembled matrix [n_cells][n_shape * components]."""
        nodes = self.cell_nodes(cell)
        dofs = nodes[:, :, None] * self.components + np.arange(self.components)
        return dofs.reshape(len(nodes), -1)

    def mesh_nodes(self) -> np.ndarray:
        """The space's node at each node of the mesh; -1 where there is none."""
        nodes = np.empty(self.mesh.n_nodes, np.int32)
        call(lib.ritz_space_mesh_nodes, self.handle, pointer(nodes, "int32_t *"))
        return nodes

    def group_dofs(self, group: str, component: int | None = None) -> np.ndarray:
        """Degrees of freedom at the nodes on a group, of a component or of all."""
        n = ffi.new("int64_t *")
        which = -1 if component is None else component
        call(lib.ritz_space_group_dofs, self.handle, group.encode(), which, 0, NULL, n)
        dofs = np.empty(n[0], np.int64)
        if len(dofs):
            call(lib.ritz_space_group_dofs, self.handle, group.encode(), which, len(dofs), pointer(dofs, "int64_t *"), n)
        return dofs

    def rigid_motions(self) -> np.ndarray:
        """The motions of an elastic body that cost no energy [n_dofs][6 or 3]: near_nullspace= of multigrid."""
        motions = np.empty((self.n_dofs, lib.ritz_space_n_rigid_motions(self.handle)))
        call(lib.ritz_space_get_rigid_motions, self.handle, pointer(motions, "double *"))
        return motions

    def vertex_weights(self) -> tuple[np.ndarray, np.ndarray]:
        """The space of order 1 in this one, coarse= of multigrid: the value at node i is the sum of weights[i][k] times those at
        vertices[i][k], -1 and 0 past the last."""
        shape = (self.n_nodes, lib.RITZ_VERTICES_MOST)
        vertices, weights = np.empty(shape, np.int32), np.empty(shape)
        n = ffi.new("int32_t *")
        call(lib.ritz_space_get_vertex_weights, self.handle, pointer(vertices, "int32_t *"), pointer(weights, "double *"), n)
        return vertices, weights

    def interpolate(self, value: Value) -> np.ndarray:
        """Degrees of freedom [n_dofs] of a number, of numbers by component, or of a function of x[dim][n]. A function gives a
        number, an array [n] or [components][n], or a list or tuple with a number or [n] for each component."""
        return np.ascontiguousarray(_evaluate(self, value, np.arange(self.n_nodes), self.components).T).reshape(-1)

    def __repr__(self) -> str:
        return f"<ritz.Space order {self.order}{', serendipity' if self.serendipity else ''}, {self.components} components, {self.n_dofs} degrees of freedom>"


def _evaluate(space: Space, value: Value, nodes: np.ndarray, components: int) -> np.ndarray:
    """Values at nodes [components][n]. What stands for what must not depend on how many nodes there are: entries of a list or
    tuple, and of an array that is not a function's, are components; an array that a function gives has the nodes last."""
    n = len(nodes)
    given = value(space.points[nodes].T) if callable(value) else value
    by_component = isinstance(given, (list, tuple)) or (not callable(value) and np.ndim(given) == 1)
    if components == 1 or not by_component:
        also = f", ({n},)" + (", a list with an entry for each component" if components > 1 else "")
        return spread(given, (components, n), f"the value at {n} nodes", also)
    if len(given) != components:
        raise Error(f"the value has {len(given)} entries; give one for each of the {components} components, or of a function an array [n]")
    return np.stack([spread(one, (n,), f"component {c} of the value at {n} nodes") for c, one in enumerate(given)])


class Constraints(Handle):
    """Which degrees of freedom of a space are prescribed, their values, and equations between them; none at first."""

    _kind = "ritz_constraints"

    def __init__(self, space: Space) -> None:
        self.space = space
        self._make(lib.ritz_constraints_create, space.handle, needs=[space])

    def set(self, group: str, value: Value = 0.0, component: int | None = None) -> Constraints:
        """Prescribes a number, numbers by component, or a function of x[dim][n] at all nodes on a group; of one component or
        of all. A function gives what Space.interpolate() takes of it, of one component [n] or a number. A later value replaces
        an earlier one. Gives itself back."""
        if isinstance(value, (int, float)):
            which = -1 if component is None else component
            call(lib.ritz_constraints_set_group, self.handle, group.encode(), which, float(value))
            return self
        dofs = self.space.group_dofs(group, component)
        components = dofs % self.space.components
        nodes, place = np.unique(dofs // self.space.components, return_inverse=True)
        if component is not None:
            return self.set_dofs(dofs, _evaluate(self.space, value, nodes, 1)[0, place])
        return self.set_dofs(dofs, _evaluate(self.space, value, nodes, self.space.components)[components, place])

    def set_dofs(self, dofs: np.ndarray, values: np.ndarray | float = 0.0) -> Constraints:
        """Prescribes degrees of freedom by their numbers."""
        dofs = array(dofs, np.int64, (None,), "dofs")
        values = spread(values, dofs.shape, "values")
        call(lib.ritz_constraints_set_dofs, self.handle, len(dofs), pointer(dofs, "int64_t *"), pointer(values, "double *"))
        return self

    def set_values(self, values: np.ndarray | None) -> Constraints:
        """Gives those that are prescribed the values of values[n_dofs] at their places; None: 0."""
        if values is not None:
            values = array(values, np.float64, (self.space.n_dofs,), "values")
        call(lib.ritz_constraints_set_values, self.handle, pointer(values, "double *"))
        return self

    def equation(self, dofs: np.ndarray, coefficients: np.ndarray | float = 1.0, value: float = 0.0) -> Constraints:
        """Adds the equation: the sum of coefficients times u[dofs] is the value. Assembly eliminates the unknown of its first
        term where it can, so that the matrix stays symmetric and definite; `complete` gives it back."""
        dofs = array(dofs, np.int64, (None,), "dofs")
        given = array(coefficients, np.float64, name="coefficients")
        if given.ndim > 0 and given.shape != dofs.shape:
            raise Error(f"coefficients has the shape {given.shape}; give {dofs.shape} or one number")
        coefficients = spread(given, dofs.shape, "coefficients")
        starts, sums = np.array([0, len(dofs)], np.int64), array(value, np.float64, (1,), "value")  # in names: the call reads their memory
        call(
            lib.ritz_constraints_add_equations,
            self.handle,
            1,
            pointer(starts, "int64_t *"),
            pointer(dofs, "int64_t *"),
            pointer(coefficients, "double *"),
            pointer(sums, "double *"),
        )
        return self

    def complete(self, u: np.ndarray) -> np.ndarray:
        """The solution u[n_dofs] of a system that was assembled with the equations, with what these eliminated."""
        whole = array(u, np.float64, (self.space.n_dofs,), "u").copy()
        call(lib.ritz_constraints_complete, self.handle, pointer(whole, "double *"))
        return whole

    @property
    def dofs(self) -> np.ndarray:
        """Those that are prescribed, increasing."""
        dofs = np.empty(len(self), np.int64)
        call(lib.ritz_constraints_get, self.handle, pointer(dofs, "int64_t *"), NULL)
        return dofs

    @property
    def values(self) -> np.ndarray:
        """Their values."""
        values = np.empty(len(self))
        call(lib.ritz_constraints_get, self.handle, NULL, pointer(values, "double *"))
        return values

    def __len__(self) -> int:
        return lib.ritz_constraints_n_dofs(self.handle)
