"""Weak forms: built in, of one's own, from UFL, or from a file that `ritz compile` wrote."""

from __future__ import annotations

import json
import math
import os
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from ._library import Error, Handle, call, ffi, lib, struct, text, words

if TYPE_CHECKING:
    from .space import Space


class Form(Handle):
    """Which coefficients stand before which products of shape functions (docs/form.md). Form("elasticity", 3) is a built-in
    one; Form.define, from_file and from_ufl make others."""

    _kind = "ritz_form"

    def __init__(self, name: str, dim: int) -> None:
        self.dim = dim
        self.degree: int | None = None  # of the quadrature that the form asks for,
        self.order = 0  # in spaces of this order
        self.only_order = False  # of simplices, and it serves no others: second derivatives that are zero there are left out
        self.surfaces: list[dict[str, Any]] = []  # terms on the boundary that belong to it
        self.parts: list[dict[str, Any]] = []  # what data are parts of: components and derivatives of coefficients
        self._make(lib.ritz_form_create, name.encode(), dim)

    @classmethod
    def define(
        cls,
        dim: int,
        components: int,
        terms: Sequence[tuple[Any, ...]],
        loads: Sequence[tuple[Any, ...]] = (),
        data: Mapping[str, float | None] | Sequence[str] = (),
        expressions: Mapping[str, str] | None = None,
        name: str = "own",
    ) -> Form:
        """terms: (iE, jE, iD, jD, coefficient[, factor]) adds to c[iE][jE][iD][jD]; loads: (iE, iD, coefficient[, factor]) to
        f[iE][iD]. D = 0 is the function, 1 to dim its derivatives, E the component, i the test function's. Coefficients are
        texts over x y z t, the old solution (u, or u0 u1 u2) and its gradient (u_x, or u0_x), the data, and the named
        expressions before them. data: names, with defaults or None where a value must be given."""
        keep: list[Any] = []

        def table(kind: str, rows: list[dict[str, Any]]) -> Any:
            made = ffi.new(kind + "[]", max(len(rows), 1))
            for k, row in enumerate(rows):
                for key, value in row.items():
                    setattr(made[k], key, words(value, keep) if isinstance(value, str) else value)
            return made

        defaults = dict(data) if isinstance(data, Mapping) else dict.fromkeys(data)
        rows = {
            "data": [{"name": key, "value": math.nan if value is None else value} for key, value in defaults.items()],
            "expressions": [{"name": key, "text": value} for key, value in (expressions or {}).items()],
            "terms": [dict(zip(("iE", "jE", "iD", "jD", "coefficient", "factor"), term)) for term in terms if term[5:] != (0,)],
            "loads": [dict(zip(("iE", "iD", "coefficient", "factor"), load)) for load in loads if load[3:] != (0,)],
        }
        kinds = {"data": "datum", "expressions": "expression", "terms": "term", "loads": "load"}
        fields: dict[str, Any] = {"dim": dim, "n_components": components, "name": name}
        for key, kind in kinds.items():
            fields["n_" + key] = len(rows[key])
            fields[key] = table(f"ritz_form_{kind}", rows[key])
        form = cls.__new__(cls)
        form.dim, form.degree, form.order, form.only_order, form.surfaces, form.parts = dim, None, 0, False, [], []
        form._make(lib.ritz_form_define, struct("ritz_form_definition", keep, **fields))
        return form

    @classmethod
    def from_file(cls, path: str | os.PathLike[str]) -> Form:
        """A form.json of `ritz compile`."""
        try:
            with open(path, encoding="utf-8") as file:
                description = json.load(file)
        except OSError as error:
            raise Error(f"{os.fspath(path)}: {error.strerror}", "file") from None
        except ValueError as error:
            raise Error(f"{os.fspath(path)}: this is no JSON: {error}") from None
        try:
            return cls.from_description(description)
        except (KeyError, TypeError) as error:
            raise Error(f"{os.fspath(path)}: this is no form of `ritz compile`: {error}") from None

    @classmethod
    def from_description(cls, description: Mapping[str, Any]) -> Form:
        """The same from the file's content (docs/compile.md)."""
        form = cls.define(
            description["dim"],
            description["components"],
            [(*term["at"], term["coefficient"], term.get("factor", 1.0)) for term in description["terms"]],
            [(*load["at"], load["coefficient"], load.get("factor", 1.0)) for load in description.get("loads", ())],
            {datum["name"]: datum.get("default") for datum in description.get("data", ())},
            {entry["name"]: entry["text"] for entry in description.get("expressions", ())},
            description.get("name", "own"),
        )
        form.degree, form.order, form.only_order = description.get("degree"), description.get("order", 0), bool(description.get("only_order"))
        form.surfaces = list(description.get("surfaces", ()))
        form.parts = [datum for datum in description.get("data", ()) if len(datum) > 1]
        return form

    @classmethod
    def from_ufl(cls, a: Any, L: Any = None, names: Mapping[str, Any] | None = None, **options: Any) -> Form:
        """A bilinear and an optional linear form of UFL, or an equation of both. names: {"kappa": kappa, ...} of coefficients and
        constants, such as locals(); without, they are called w0, w1, ... and c0, c1, ... by UFL's count. options: old, degree, boundary, groups, as of
        `ritz compile`."""
        from .compile import Refused, describe

        try:
            return cls.from_description(describe(a, L, names, **options))
        except Refused as error:
            raise Error(str(error)) from None

    def check_space(self, space: Space) -> None:
        """An Error where the form was compiled for a space in which derivatives vanish that do not in this one."""
        others = [cell for cell in space.mesh.cell_types if cell not in ("tri", "tet")]
        if self.only_order and (space.order > self.order or others):
            raise Error(
                f"the form was compiled for order {self.order} on {'triangles' if self.dim == 2 else 'tetrahedra'}, where its second derivatives "
                f"vanish, and is without them; the space has order {space.order} on {', '.join(space.mesh.cell_types)} cells: compile the form for these"
            )

    def degree_in(self, order: int) -> int | None:
        """Degree of the quadrature that the form asks for in a space of this order; None for the default."""
        return self.degree if self.degree and (order <= self.order or self.degree > 2 * order) else None

    @property
    def components(self) -> int:
        """How many components the unknown has."""
        return lib.ritz_form_n_components(self.handle)

    @property
    def symmetric(self) -> bool:
        """Whether matrices are symmetric, whatever the data: CG may solve them."""
        return bool(lib.ritz_form_is_symmetric(self.handle))

    @property
    def data(self) -> dict[str, float | None]:
        """Names of the data and their defaults; None where a value must be given."""
        n = lib.ritz_form_n_data(self.handle)
        values = {
            text(lib.ritz_form_data_name(self.handle, k)) or "": lib.ritz_form_data_default(self.handle, k) for k in range(n)
        }
        return {name: None if math.isnan(value) else value for name, value in values.items()}

    def __repr__(self) -> str:
        return f"<ritz.Form in {self.dim}D, {self.components} components, data {', '.join(self.data) or 'none'}>"
