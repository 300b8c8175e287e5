"""Element matrices and assembled systems, computed on the device."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ._library import NULL, Error, Handle, alone, array, call, choice, ffi, lib, number, output, pointer, struct, words
from .device import Device, default_device
from .form import Form
from .matrix import Matrix
from .space import Constraints, Space


@dataclass(frozen=True)
class Field:
    """A component of a field values[space.n_dofs] as a datum of a form, or its derivative (1 to 3: along x, y, z); of any
    space on the same mesh. A coefficient of a compiled form takes the whole field."""

    space: Space
    values: np.ndarray
    component: int = 0
    derivative: int = 0


@dataclass(frozen=True)
class Traction:
    """A load a unit of area on the facets of a group: numbers or expressions of x y z, t, the outward normal nx ny nz, the old
    solution and the form's data by name, one for each component; of a scalar form, a flux inwards."""

    group: str
    value: Sequence[float | str] | float | str


@dataclass(frozen=True)
class Pressure:
    """A pressure against the outward normal on the facets of a group."""

    group: str
    value: float | str


@dataclass(frozen=True)
class Film:
    """A term of the matrix on the facets of a group: the integral of h u v, component by component (Robin's condition)."""

    group: str
    value: float | str


Datum = float | str | np.ndarray | Field | Mapping[str, np.ndarray]
Load = Traction | Pressure | Film


# ---- What the library is given ----


def _datum(made: Any, name: str, value: Datum, space: Space, degree: int, keep: list[Any]) -> None:
    made.name = words(name, keep)
    if isinstance(value, str):
        made.kind, made.expression = lib.RITZ_DATA_EXPRESSION, words(value, keep)
    elif isinstance(value, Field):
        values = array(value.values, np.float64, (value.space.n_dofs,), f"the field '{name}'")
        made.kind, made.values = lib.RITZ_DATA_FIELD, pointer(values, "double *")
        made.space, made.component, made.derivative = value.space.handle, value.component, value.derivative
        keep += [values, value]
    elif isinstance(value, Mapping):
        made.kind, points = lib.RITZ_DATA_POINT, ffi.new("double *[]", lib.RITZ_N_CELLS)
        for cell, given in value.items():
            kind = choice("cell", cell)
            shape = (space.mesh.n_cells(cell), lib.ritz_integrate_n_points(space.handle, kind, degree))
            values = array(given, np.float64, shape, f"'{name}' at the points of {cell} cells")
            points[kind] = pointer(values, "double *")
            keep.append(values)
        made.points = points
        keep.append(points)
    elif np.ndim(value) == 0:
        made.kind, made.value = lib.RITZ_DATA_CONSTANT, number(value, f"'{name}'")
    else:
        values = array(value, np.float64, (space.mesh.n_cells(),), f"'{name}', one number a cell,")
        made.kind, made.values = lib.RITZ_DATA_ELEMENT, pointer(values, "double *")
        keep.append(values)


def _input(
    space: Space, form: Form, data: Mapping[str, Datum], old: np.ndarray | None, time: float, degree: int, keep: list[Any]
) -> Any:
    form.check_space(space)
    data = expand(space, form, data)
    made = ffi.new("ritz_data[]", max(len(data), 1))
    for k, (name, value) in enumerate(data.items()):
        _datum(made[k], name, value, space, degree, keep)
    if old is not None:
        old = array(old, np.float64, (space.n_dofs,), "old")
        keep.append(old)
    return struct("ritz_input", keep, n_data=len(data), data=made, old=pointer(old, "double *"), time=float(time))


# ---- Data of compiled forms ----


def _cell_number(space: Space, name: str) -> np.ndarray:
    """One number for each cell, of straight cells: by their corners."""
    mesh = space.mesh
    values = np.empty(mesh.n_cells())
    for cell in mesh.cell_types:
        corners = mesh.points[mesh.cells(cell)[:, : lib.ritz_cell_n_shape(choice("cell", cell), 1)]]
        if name == "cell_volume":
            matrices, _ = integrate(Space(mesh, 1), Form("mass", mesh.dim), cell=cell)
            of_cells = matrices.sum(axis=(1, 2))
        elif name == "cell_diameter":
            of_cells = np.linalg.norm(corners[:, :, None] - corners[:, None, :], axis=-1).max(axis=(1, 2))
        else:
            of_cells = _circumradius(corners, cell)
        values[mesh.cell_places(cell)] = of_cells
    return values


def _circumradius(corners: np.ndarray, cell: str) -> np.ndarray:
    if cell not in ("tri", "tet"):
        raise Error(f"{cell} cells have no circumradius; use the cell's diameter")
    edges = corners[:, 1:] - corners[:, :1]
    centre = np.linalg.solve(2 * edges, (edges**2).sum(axis=-1)[..., None])
    return np.linalg.norm(centre[..., 0], axis=-1)


def _indicator(space: Space, group: str) -> np.ndarray:
    inside = np.zeros(space.mesh.n_cells())
    if space.mesh.groups.get(group) != "cells":
        raise Error(f"the form has a term on the cells of the group '{group}', and the mesh has no such group of cells")
    inside[space.mesh.group(group)] = 1
    return inside


def _constant(given: Any, part: Mapping[str, Any]) -> float:
    """A component of a constant of a compiled form."""
    name, component, shape = part["constant"], tuple(part["component"]), part.get("shape")
    if shape is not None and list(np.shape(given)) != shape:
        raise Error(f"'{name}' has the shape {np.shape(given)}, and the form's has {tuple(shape)}")
    try:
        return number(np.asarray(given)[component], f"'{name}'")
    except IndexError:
        raise Error(f"'{name}' has the shape {np.shape(given)}, and the form takes its component {list(component)}") from None


def _part_of_field(field: Field, part: Mapping[str, Any]) -> Field:
    """A component or a derivative of a coefficient of a compiled form; a scalar one may be a component of the field."""
    name, derivative, scalar = part["coefficient"], part.get("derivative", 0), not part.get("shape", [0])
    if field.derivative and derivative:
        raise Error(f"'{name}' is a derivative of a field, and the form takes a derivative of that: give a field of its values")
    if not scalar and (field.component or field.derivative):
        raise Error(f"'{name}' has components in the form: give its field as a whole, not a component or a derivative of one")
    if field.space.order > part.get("most_order", field.space.order):
        raise Error(f"'{name}' was compiled as a coefficient of order {part['most_order']}, whose second derivatives vanish, and its field has order {field.space.order}: compile the form for that")
    return Field(field.space, field.values, field.component if scalar else part["component"], derivative or field.derivative)


def expand(space: Space, form: Form, data: Mapping[str, Datum]) -> dict[str, Datum]:
    """Data by the form's own names: coefficients and constants of a compiled form come as a whole, and what belongs to the
    mesh alone is computed."""
    given, whole = dict(data), set()
    for part in form.parts:
        name, value, of = part["name"], None, part.get("coefficient")
        if name in given and not (name == of and isinstance(given[name], Field)):
            continue
        if "cell" in part:
            value = _cell_number(space, part["cell"])
        elif "group" in part:
            value = _indicator(space, part["group"])
        elif "constant" in part and part["constant"] in given:
            whole.add(part["constant"])
            value = _constant(given[part["constant"]], part)
        elif isinstance(data.get(of), Field):
            whole.add(of)
            value = _part_of_field(data[of], part)
        if value is not None:
            given[name] = value
    return {name: value for name, value in given.items() if name in form.data or name not in whole}


def _components(load: Traction | Pressure, space: Space) -> list[float | str]:
    if isinstance(load, Pressure):
        return [load.value]
    scalar = np.isscalar(load.value) or getattr(load.value, "ndim", 1) == 0
    if not scalar and not hasattr(load.value, "__iter__"):
        raise Error(f"a load on the group '{load.group}' is a number, a text, or one for each component, not {load.value!r}")
    value = [load.value] if scalar else list(load.value)
    if len(value) != space.components:
        raise Error(f"a load on the group '{load.group}' has {len(value)} components, and the space {space.components}")
    return value


def _films(films: list[Film], keep: list[Any]) -> Any:
    made = ffi.new("ritz_surface_film[]", max(len(films), 1))
    for k, film in enumerate(films):
        made[k].group = words(film.group, keep)
        if isinstance(film.value, str):
            made[k].expression = words(film.value, keep)
        else:
            made[k].value = number(film.value, f"the film on the group '{film.group}'")
    return made


def _loads(space: Space, given: Sequence[Load], nodal: np.ndarray | None, keep: list[Any]) -> Any:
    films = [load for load in given if isinstance(load, Film)]
    loads = [load for load in given if not isinstance(load, Film)]
    made = ffi.new("ritz_surface_load[]", max(len(loads), 1))
    for k, load in enumerate(loads):
        made[k].group, made[k].pressure = words(load.group, keep), isinstance(load, Pressure)
        for c, value in enumerate(_components(load, space)):
            if isinstance(value, str):
                made[k].expression[c] = words(value, keep)
            else:
                made[k].value[c] = number(value, f"the load on the group '{load.group}'")
    if nodal is not None:
        nodal = array(nodal, np.float64, (space.n_dofs,), "nodal")
        keep.append(nodal)
    return struct(
        "ritz_external_loads",
        keep,
        n_surfaces=len(loads),
        surfaces=made,
        nodal=pointer(nodal, "double *"),
        n_films=len(films),
        films=_films(films, keep),
    )


# ---- Element matrices ----


def integrate(
    space: Space,
    form: Form,
    data: Mapping[str, Datum] | None = None,
    *,
    cell: str | None = None,
    old: np.ndarray | None = None,
    time: float = 0,
    method: str | None = None,
    precision: str = "f64",
    degree: int | None = None,
    device: Device | None = None,
    matrices: np.ndarray | None = None,
    vectors: np.ndarray | None = None,
) -> tuple[np.ndarray, np.ndarray]:
    """Element matrices [cells][rows][rows] and vectors [cells][rows] of all cells of one type, in their order; row of shape
    function i and component E: i * components + E. Terms of the form on facets (ds) are not in them. Arrays of yours may receive
    them. space.cell_dofs tells where they stand in an assembled matrix. data: numbers, expressions, arrays [cells of the mesh], fields, or {cell type: values at the
    points [cells][points]}; see quadrature_points."""
    types = space.mesh.cell_types
    if cell is None and len(types) != 1:
        raise Error(f"the mesh has cells of several types; choose one by cell=: {', '.join(types)}")
    kind = choice("cell", cell or types[0])
    n, rows = lib.ritz_mesh_n_cells(space.mesh.handle, kind), lib.ritz_space_n_cell_nodes(space.handle, kind) * space.components
    matrices, vectors = output(matrices, (n, rows, rows), "matrices"), output(vectors, (n, rows), "vectors")
    keep: list[Any] = []
    degree = degree or form.degree_in(space.order)
    options = struct(
        "ritz_integrate_options", keep, method=method, precision=choice("precision", precision), degree=degree
    )
    given = _input(space, form, data or {}, old, time, degree or 0, keep)
    call(
        lib.ritz_integrate,
        (device or default_device()).handle,
        space.handle,
        kind,
        form.handle,
        given,
        options,
        pointer(matrices, "double *"),
        pointer(vectors, "double *"),
    )
    return matrices, vectors


def quadrature_points(space: Space, cell: str, degree: int | None = None) -> np.ndarray:
    """Where the quadrature points of the cells of one type are [cells][points][dim]."""
    kind = choice("cell", cell)
    n = lib.ritz_integrate_n_points(space.handle, kind, degree or 0)
    points = np.empty((space.mesh.n_cells(cell), n, space.mesh.dim))
    call(lib.ritz_integrate_points, space.handle, kind, degree or 0, pointer(points, "double *"))
    return points


# ---- Assembly ----


class Assembler(Handle):
    """The pattern of a space's matrix, made once, for one or many assemblies: Newton's method, time steps, load cases."""

    _kind = "ritz_assembler"

    def __init__(
        self,
        space: Space,
        *,
        device: Device | None = None,
        method: str | None = None,
        precision: str = "f64",
        scheme: str = "gather",
        degree: int | None = None,
    ) -> None:
        self.space, self.device, self._degree = space, device or default_device(), degree or 0
        self._has_derivatives, self._has_equations, self._symmetric = False, False, True  # the last fill
        self._replaced = 0  # times that another matrix took the place of one, or none did
        self._filling = False  # seen by callbacks, and by threads that have the device meanwhile,
        self._in_use = 0  # as are solvers at work
        keep: list[Any] = []
        options = struct(
            "ritz_assemble_options",
            keep,
            method=method,
            precision=choice("precision", precision),
            scheme=choice("scheme", scheme),
            degree=degree,
        )
        self._make(lib.ritz_assembler_create, self.device.handle, space.handle, options, needs=[self.device, space])

    def fill(
        self,
        form: Form,
        data: Mapping[str, Datum] | None = None,
        *,
        loads: Sequence[Load] = (),
        nodal: np.ndarray | None = None,
        constraints: Constraints | None = None,
        old: np.ndarray | None = None,
        time: float = 0,
    ) -> np.ndarray:
        """Assembles a new matrix in the place of the old one, and gives the right-hand side. loads act on surfaces, nodal
        [n_dofs] at degrees of freedom; prescribed values are eliminated symmetrically."""
        rhs = self._run(lib.ritz_assembler_fill, form, data, loads, nodal, constraints, old, time)
        self._has_derivatives, self._symmetric = lib.ritz_form_has_derivatives(form.handle), lib.ritz_form_is_symmetric(form.handle)
        self._has_equations = constraints is not None and lib.ritz_constraints_n_equations(constraints.handle) > 0
        return rhs

    def rhs(
        self,
        form: Form,
        data: Mapping[str, Datum] | None = None,
        *,
        loads: Sequence[Load] = (),
        nodal: np.ndarray | None = None,
        constraints: Constraints | None = None,
        old: np.ndarray | None = None,
        time: float = 0,
    ) -> np.ndarray:
        """The right-hand side of a further load case for the matrix of the last fill, which stays."""
        return self._run(lib.ritz_assembler_rhs, form, data, loads, nodal, constraints, old, time)

    def _run(self, function: Any, form: Form, data: Any, loads: Any, nodal: Any, constraints: Any, old: Any, time: float) -> Any:
        rhs = np.empty(self.space.n_dofs)
        keep: list[Any] = [form, constraints]
        wanted, default = form.degree_in(self.space.order), 2 * self.space.order
        if wanted and not self._degree and wanted != default:
            raise Error(f"the form asks for quadrature of degree {wanted}, and the assembler was made for {default}, twice the order: give it Assembler(..., degree={wanted}), or the degree that you want")
        inputs = _input(self.space, form, data or {}, old, time, self._degree, keep)
        loading = _loads(self.space, [*loads, *surface_loads(form)], nodal, keep)
        with alone(self):  # whoever waits for the matrix finds out that it is gone
            before, fills = lib.ritz_assembler_matrix(self.handle), function is lib.ritz_assembler_fill
            if fills and self._in_use:
                raise Error("a solver is at work with the assembler's matrix: a function that it calls meanwhile, or another thread then, can not fill it anew")
            self._filling = fills
            try:
                call(function, self, form, inputs, loading, NULL if constraints is None else constraints, pointer(rhs, "double *"))
            finally:
                self._replaced += lib.ritz_assembler_matrix(self.handle) != before
                self._filling = False
        return rhs

    @property
    def matrix(self) -> Matrix:
        """The matrix of the last fill; the next fill changes it."""
        with alone(self):
            handle = lib.ritz_assembler_matrix(self.handle)
            if handle == NULL:
                raise Error("the assembler has no matrix yet; fill it first")
            return Matrix._borrowed(self, handle)


def surface_loads(form: Form) -> list[Load]:
    """The terms on surfaces that a compiled form has; they read its data by name."""
    found: list[Load] = []
    for surface in form.surfaces:
        if any(text != "0" for text in surface["load"]):
            found.append(Traction(surface["group"], surface["load"]))
        if surface.get("film") is not None:
            found.append(Film(surface["group"], surface["film"]))
    return found


def assemble(
    space: Space, form: Form, data: Mapping[str, Datum] | None = None, *, constraints: Constraints | None = None, **options: Any
) -> tuple[Matrix, np.ndarray]:
    """The matrix and the right-hand side of one assembly. options: those of Assembler and of its fill()."""
    names = ("device", "method", "precision", "scheme", "degree")
    of_assembler = {name: options.pop(name) for name in names if name in options}
    of_assembler.setdefault("degree", form.degree_in(space.order))
    assembler = Assembler(space, **of_assembler)
    rhs = assembler.fill(form, data, constraints=constraints, **options)
    return assembler.matrix, rhs
