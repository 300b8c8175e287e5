"""`ritz compile form.py -o form.json`: weak forms in UFL, as FEniCS users write them, become coefficients of the general form
that the library integrates (docs/compile.md)."""

from __future__ import annotations

import argparse
import json
import os
import re
import runpy
import sys
import tempfile
from collections.abc import Iterator, Mapping
from typing import Any

try:
    import ufl
    from ufl import classes
    from ufl.algorithms import compute_form_data
    from ufl.algorithms.check_arities import ArityMismatch
    from ufl.corealg.traversal import unique_pre_traversal
    from ufl.equation import Equation
except ImportError as error:
    NEEDED = f"ritz compile needs UFL and Basix ({error}): pip install 'fenics-ufl>=2024.2' 'fenics-basix>=0.9'"
    if __name__ == "__main__":
        sys.exit("ritz: error: " + NEEDED)
    raise ImportError(NEEDED) from None

from ._extract import CELL_NUMBERS, Extractor, Polynomial, Refused, name_of
from ._scalar import Graph, Value, Writer, share, spell_number

CELLS = {"triangle": "tri", "quadrilateral": "quad", "tetrahedron": "tet", "prism": "prism", "hexahedron": "hex"}
MOST_EXPRESSIONS, MOST_COMPONENTS, MOST_DEGREE = 24, 8, 30  # as the library has them
_MOST_LETTERS = 16  # of a name, so that component and derivative may follow
_RULES = (None, "default", "canonical", "Gauss-Jacobi", "Xiao-Gimbutas")  # what is exact for a degree
_AXES = "xyz"
_TAKEN = {"x", "y", "z", "t", "nx", "ny", "nz", "M_PI", "M_E"} | set(
    "sin cos tan asin acos atan atan2 sinh cosh tanh asinh acosh atanh exp exp2 exp10 expm1 log log2 log10 log1p sqrt rsqrt cbrt "
    "pow hypot fmod fmin fmax min max step clamp fabs sign floor ceil round trunc erf erfc".split()
)


# ---- Spaces ----


def _element_of(function: Any) -> Any:
    return function.ufl_function_space().ufl_element()


def _family(element: Any) -> str:
    family = element.family_name if hasattr(element, "family_name") else type(element).__name__
    return str(family)


def _check_space(element: Any, dim: int, what: str) -> int:
    """Components of a Lagrange element; refuses others."""
    if getattr(element, "num_sub_elements", 0) and getattr(element, "block_size", 1) == 1:
        raise Refused(f"the mixed element of {what} is not possible: {element}; give one space P or vector P")
    if _family(element) not in ("P", "Lagrange", "CG", "Q") or getattr(element, "discontinuous", False):
        raise Refused(f"the element of {what} is not possible: {element}; give P or vector P of order 1 to 7")
    order = element.embedded_superdegree
    components = getattr(element, "block_size", 1)
    if not 1 <= _order(element) <= 7:
        raise Refused(f"the element of {what} has order {order}; there are 1 to 7")
    if components > MOST_COMPONENTS:
        raise Refused(f"the element of {what} has {components} components; there are 1 to {MOST_COMPONENTS}: {element}")
    return int(components)


def _order(element: Any) -> int:
    for part in (element, getattr(element, "_sub_element", None)):
        degree = getattr(getattr(part, "_element", None), "degree", None)
        if degree is not None:
            return int(degree)
    return int(element.embedded_superdegree)


def _check_degree(given: int) -> int:
    """A degree of the quadrature that was asked for; the rule of one point is that of degree 1."""
    if not 0 <= given <= MOST_DEGREE:
        raise Refused(f"quadrature of degree {given} is not possible; there are 0 to {MOST_DEGREE}")
    return max(given, 1)


# ---- Names ----


class _Names:
    """What coefficients and constants are called, and the data that stand for their components."""

    def __init__(self, given: Mapping[str, Any]) -> None:
        self.given = {id(value): name for name, value in given.items() if _is_named(value)}
        self.taken: set[str] = set(_TAKEN)
        self.called: dict[Any, str] = {}
        self.whole: dict[Any, str] = {}  # the same, with all the letters that were given

    def of(self, function: Any) -> str:
        if function not in self.called:
            kind = "c" if isinstance(function, classes.Constant) else "w"
            whole = re.sub(r"\W", "_", self.given.get(id(function), f"{kind}{function.count()}"))
            whole = "_" + whole if whole[0].isdigit() else whole
            called = self.free(whole[:_MOST_LETTERS])
            self.taken.add(called)
            self.called[function], self.whole[function] = called, whole if len(whole) > _MOST_LETTERS else called
        return self.called[function]

    def free(self, wanted: str) -> str:
        while wanted in self.taken:
            wanted += "_"
        return wanted


def _is_named(value: Any) -> bool:
    return isinstance(value, (classes.Coefficient, classes.Constant))


# ---- One form ----


class _Compiler:
    def __init__(self, a: Any, L: Any, names: Mapping[str, Any], old: Any, degree: int | None, boundary: str, groups: Mapping[int, str]) -> None:
        self.graph, self.names, self.degree, self.boundary, self.groups = Graph(), _Names(names), degree, boundary, groups
        test, trial = [*a.arguments(), None, None][:2]
        if trial is None:
            raise Refused("the bilinear form has no trial function; give a form of a test and a trial function")
        if _element_of(test) != _element_of(trial):
            raise Refused(f"test and trial function are of different spaces: {_element_of(test)}, {_element_of(trial)}")
        self.element = _element_of(test)
        cell = a.ufl_domain().ufl_cell()
        self.cell = CELLS.get(_cell_name(cell))
        if self.cell is None:
            raise Refused(f"cells of the type {_cell_name(cell)} are not possible; there are {', '.join(CELLS)}")
        self.dim = a.ufl_domain().geometric_dimension
        self.dim = self.dim() if callable(self.dim) else self.dim
        if self.dim != (2 if self.cell in ("tri", "quad") else 3):
            raise Refused(f"{_cell_name(cell)} cells in {self.dim} dimensions are not possible")
        self.components = _check_space(self.element, self.dim, "the unknown")
        self.forms = [a] if L is None else [a, L]
        self.old = old if old is not None else self._differentiated()
        if self.old is not None and _element_of(self.old) != self.element:
            raise Refused(f"the old solution is of another space than the unknown: {_element_of(self.old)}")
        words = [f"u{c}" for c in range(self.components)] if self.components > 1 else ["u"]
        self.unknown = words
        self.names.taken.update(words, (f"{word}_{axis}" for word in words for axis in _AXES))
        self._check_tests()
        for form in self.forms:
            for function in (*form.coefficients(), *form.constants()):
                if function != self.old and not self._is_time(function):
                    self.names.of(function)  # before what is made of it gets a name
        self.data: dict[str, dict[str, Any]] = {}
        self.made: dict[str, str] = {}
        self.vanished: dict[str, int] = {}  # order of the coefficients whose second derivatives are left out
        self.only_order = False  # and whether those of the unknown are
        self.asked: list[int] = []  # degrees of the quadrature, as they were given,
        self.estimated: list[int] = []  # and as UFL says
        self.extractor = Extractor(self.graph, self.terminal, self._vanishes)

    def _check_tests(self) -> None:
        """The linear form is tested by functions of the unknown's space."""
        for argument in self.forms[-1].arguments():
            if _element_of(argument) != self.element:
                raise Refused(f"the linear form's test function is of another space than the unknown: {_element_of(argument)}, {self.element}")

    def _is_time(self, e: Any) -> bool:
        return self.names.given.get(id(e)) == "t" and isinstance(e, classes.Constant) and not e.ufl_shape

    def _differentiated(self) -> Any:
        """The coefficient with respect to which the form was differentiated: the old solution of Newton's method."""
        for form in self.forms:
            for integral in form.integrals():
                for e in unique_pre_traversal(integral.integrand()):
                    if isinstance(e, classes.CoefficientDerivative):
                        for function in e.ufl_operands[1].ufl_operands:
                            if isinstance(function, classes.Coefficient) and _element_of(function) == self.element:
                                return function
        return None

    # ---- Terminals ----

    def terminal(self, e: Any, component: tuple[int, ...], derivatives: tuple[int, ...]) -> Value:
        symbol = self.graph.symbol
        if isinstance(e, classes.SpatialCoordinate):
            return symbol(_AXES[component[0]])
        if isinstance(e, classes.FacetNormal):
            return symbol("n" + _AXES[component[0]])
        if type(e) in CELL_NUMBERS:
            name = CELL_NUMBERS[type(e)]
            return symbol(self._datum(name, {"cell": name}))
        if isinstance(e, classes.Constant):
            return symbol(self._constant(e, component))
        if e == self.old:
            word = self.unknown[component[0] if component else 0]
            return symbol(word + ("_" + _AXES[derivatives[0]] if derivatives else ""))
        return symbol(self._coefficient(e, component, derivatives))

    def _vanishes(self, function: Any, derivatives: int) -> bool:
        order = _order(_element_of(function))
        if self.cell not in ("tri", "tet") or derivatives <= order:
            return False
        if isinstance(function, classes.Coefficient) and function != self.old:
            self.names.of(function)
            self.vanished[self.names.whole[function]] = order
        else:
            self.only_order = True
        return True

    def _datum(self, wanted: str, about: dict[str, Any], base: str = "") -> str:
        """The name of a datum, which is another one where the wanted one means something else; `base` is the function's own."""
        key = repr(sorted(about.items()))
        if key not in self.made:
            name = base if wanted == base else self.names.free(wanted)
            self.names.taken.add(name)
            self.made[key] = name
            self.data[name] = {"name": name, **about}
        return self.made[key]

    def _constant(self, e: Any, component: tuple[int, ...]) -> str:
        if self._is_time(e):
            return "t"
        base = self.names.of(e)
        about: dict[str, Any] = {"constant": self.names.whole[e], "component": list(component), "shape": list(e.ufl_shape)}
        if hasattr(e, "value"):  # DOLFINx's constants have one
            about["default"] = float(e.value[component])
        return self._datum(base + ("_" + "".join(map(str, component)) if component else ""), about, base)

    def _coefficient(self, e: Any, component: tuple[int, ...], derivatives: tuple[int, ...]) -> str:
        element, base = _element_of(e), self.names.of(e)
        if str(getattr(element, "pullback", "")) not in ("IdentityPullback()", "identity") and not _plain(element):
            raise Refused(f"the element of the coefficient {base} is not possible: {element}")
        shape = e.ufl_shape
        flat = 0
        for place, size in zip(component, shape):
            flat = flat * size + place
        about: dict[str, Any] = {"coefficient": self.names.whole[e], "component": flat, "shape": list(shape)}
        if derivatives:
            about["derivative"] = 1 + derivatives[0]
        return self._datum(base + (f"_{flat}" if shape else "") + ("_" + _AXES[derivatives[0]] if derivatives else ""), about, base)

    # ---- Integrals ----

    def integrals(self, form: Any, rank: int) -> Iterator[tuple[str, Any, Polynomial]]:
        """Kind, id and integrand of each integral, and notes its degree."""
        data = compute_form_data(form, do_append_everywhere_integrals=False, do_estimate_degrees=True, complex_mode=False)
        for group in data.integral_data:
            kind = str(group.integral_type)
            if kind not in ("cell", "exterior_facet"):
                where = "points (dP)" if kind == "vertex" else kind.replace("_", " ") + "s"
                raise Refused(f"integrals over {where} are not possible: {name_of(group.integrals[0].integrand())}")
            for integral in group.integrals:
                self._note_degree(integral, kind)
                self.extractor.known.clear()
                polynomial = self.extractor.integrand(integral.integrand())
                if any(test is None or (trial is not None) != (rank == 2) for test, trial in polynomial):
                    what, wanted = ("bilinear", "a test and a trial function") if rank == 2 else ("linear", "a test function and no trial function")
                    raise Refused(f"each term of the {what} form needs {wanted}: {name_of(integral.integrand())}")
                for place in group.subdomain_id:
                    yield kind, place, polynomial

    def _note_degree(self, integral: Any, kind: str) -> None:
        metadata = integral.metadata() or {}
        given, estimated = metadata.get("quadrature_degree"), metadata.get("estimated_polynomial_degree", 0)
        estimated = sum(estimated) if isinstance(estimated, tuple) else estimated
        rule = metadata.get("quadrature_rule")
        if rule not in _RULES:
            raise Refused(f"quadrature {'at the vertices' if rule == 'vertex' else f'by the rule {rule}'} is not possible: {name_of(integral.integrand())}")
        if isinstance(given, int) and given >= 0:
            self.asked.append(_check_degree(given))
        else:
            self.estimated.append(min(int(estimated), MOST_DEGREE))

    def _degree(self) -> int:
        """One for all integrals of the form, on cells and facets: what is given holds for those that say nothing, if it is enough for them."""
        if self.degree is not None:
            return _check_degree(self.degree)
        if not self.asked:
            return min(max([*self.estimated, 2 * _order(self.element)]), MOST_DEGREE)
        low, high = min(self.asked), max([*self.asked, *self.estimated])
        if low < high:
            raise Refused(
                f"one part of the form asks for quadrature of degree {low} and another needs {high}, and a form is integrated by one rule: "
                "give all the same (dx(degree=...), or degree for all of them), or compile the parts apart and add their matrices"
            )
        return low

    def region(self, polynomial: Polynomial, place: Any) -> Polynomial:
        """The integrand times 1 in the cells of the group, 0 in others; on all cells where there is no id."""
        if place in ("otherwise", "everywhere", -1):
            return polynomial
        wanted = re.sub(r"\W", "_", f"in_{place}")[:_MOST_LETTERS]
        inside = self.graph.symbol(self._datum(wanted, {"group": self.groups.get(place, str(place))}))
        return {key: self.graph.multiply(inside, value) for key, value in polynomial.items()}

    def group(self, place: Any) -> str:
        return self.boundary if place in ("otherwise", "everywhere", -1) else self.groups.get(place, str(place))

    # ---- The description ----

    def describe(self) -> dict[str, Any]:
        volume: list[dict[Any, list[Value]]] = [{}, {}]
        surfaces: dict[str, list[dict[Any, list[Value]]]] = {}
        for k, form in enumerate(self.forms):
            for kind, place, polynomial in self.integrals(form, 2 - k):
                target = volume[k]
                if kind == "cell":
                    polynomial = self.region(polynomial, place)
                else:
                    target = surfaces.setdefault(self.group(place), [{}, {}])[k]
                for key, value in polynomial.items():
                    target.setdefault(key, []).append(value)
        terms, loads = ({key: self.graph.add(*values) for key, values in part.items()} for part in volume)
        terms = {key: value for key, value in terms.items() if value[0] != 0}
        loads = {key: value for key, value in loads.items() if value[0] != 0}
        if not terms:
            raise Refused("the bilinear form has no term on the cells (dx)")
        return self._write(terms, loads, surfaces)

    def _write(self, terms: dict[Any, Value], loads: dict[Any, Value], surfaces: dict[str, Any]) -> dict[str, Any]:
        roots = [node for _, node in dict.fromkeys([*terms.values(), *loads.values()])]
        roots = list(dict.fromkeys(roots))
        on_surfaces = [self._surface(group, *parts) for group, parts in surfaces.items()]
        named = share(roots, MOST_EXPRESSIONS)
        writer = Writer(self.graph)
        expressions = []
        prefix = "e"
        while any(re.fullmatch(prefix + r"\d+", name) for name in self.data):
            prefix += "e"
        for node in named:
            expressions.append({"name": f"{prefix}{len(expressions)}", "text": writer.whole(node)})
            writer.names[node] = expressions[-1]["name"]
        used = frozenset().union(*(node.symbols for node in roots), *(surface["reads"] for surface in on_surfaces))
        made: dict[str, Any] = {
            "ritz_form": 1,
            "name": "form",
            "cell": self.cell,
            "order": _order(self.element),
            "dim": self.dim,
            "components": self.components,
            "degree": self._degree(),
            "data": [about for name, about in self.data.items() if name in used],
            "expressions": expressions,
            "terms": [
                {"at": [i[0], j[0], i[1], j[1]], **self._coefficient_text(writer, value)} for (i, j), value in sorted(terms.items())
            ],
            "loads": [{"at": [i[0], i[1]], **self._coefficient_text(writer, value)} for (i, _), value in sorted(loads.items(), key=str)],
            "surfaces": on_surfaces,
        }
        for datum in made["data"]:
            if datum.get("coefficient") in self.vanished:
                datum["most_order"] = self.vanished[datum["coefficient"]]
        if self.only_order:
            made["only_order"] = 1
        if self.old is not None:
            made["old"] = self.names.given.get(id(self.old), "u")
        return made

    def _coefficient_text(self, writer: Writer, value: Value) -> dict[str, Any]:
        factor, node = value
        if node is self.graph.one:
            return {"coefficient": spell_number(factor)}
        return {"coefficient": writer.node(node), **({"factor": factor} if factor != 1 else {})}

    # ---- Surfaces ----

    def _surface(self, group: str, matrix: dict[Any, list[Value]], load: dict[Any, list[Value]]) -> dict[str, Any]:
        """The load by component, and the film h of a term h u v."""
        writer, reads = Writer(self.graph), set()
        texts = ["0"] * self.components
        for (test, _), values in load.items():
            if test[1] != 0:
                raise Refused(f"a surface term (ds) with a derivative of the test function is not possible, on '{group}'")
            texts[test[0]] = self._surface_text(writer, self.graph.add(*values), reads)
        made: dict[str, Any] = {"group": group, "load": texts}
        films: dict[int, Value] = {}
        for (test, trial), values in matrix.items():
            value = self.graph.add(*values)
            if value[0] == 0:
                continue
            if test[1] or trial[1]:
                raise Refused(f"a surface term (ds) with derivatives of test or trial function is not possible, on '{group}'")
            if test[0] != trial[0]:
                raise Refused(f"a surface term (ds) that couples components is not possible, on '{group}'; a bilinear one must be h inner(u, v)")
            films[test[0]] = value
        if films:
            if len(films) != self.components or len(set(films.values())) > 1:
                raise Refused(f"a bilinear surface term (ds) must be h inner(u, v), alike in all components, on '{group}'")
            made["film"] = self._surface_text(writer, films[0], reads)
        return {**made, "reads": sorted(reads)}

    def _surface_text(self, writer: Writer, value: Value, reads: set[str]) -> str:
        reads.update(value[1].symbols & self.data.keys())
        return writer.value(value)


def _plain(element: Any) -> bool:
    return _family(element) in ("P", "Lagrange", "CG", "DG", "Q", "DQ", "quadrature", "Quadrature", "Real")


def _cell_name(cell: Any) -> str:
    name = cell.cellname
    return name() if callable(name) else name


def describe(
    a: Any,
    L: Any = None,
    names: Mapping[str, Any] | None = None,
    old: Any = None,
    degree: int | None = None,
    boundary: str = "boundary",
    groups: Mapping[int, str] | None = None,
) -> dict[str, Any]:
    """What a form.json holds, of a bilinear and a linear form or of an equation a == L. names: coefficients and constants by name;
    old: the coefficient that is the old solution, found where the form is a derivative(); boundary: the group that terms with ds alone are for; groups: names for the ids of dx and ds,
    which else are their digits."""
    if isinstance(a, Equation) and L is None:
        a, L = a.lhs, a.rhs
    L = None if (isinstance(L, (int, float)) and L == 0) or (isinstance(L, ufl.Form) and L.empty()) else L
    for form, what in ((a, "bilinear"), (L, "linear")):
        if not isinstance(form, ufl.Form) and (form is not None or what == "bilinear"):
            raise Refused(f"the {what} form is one of UFL, a sum of integrals such as u * v * dx, and not {form!r}")
    return _Compiler(a, L, names or {}, old, degree, boundary, groups or {}).describe()


# ---- Files ----


def read_forms(path: str) -> tuple[Any, Any, dict[str, Any]]:
    """Bilinear and linear form of a file: a and L; or a residual F, for which Newton's step is made; or J and F."""
    space = runpy.run_path(path)
    names = {name: value for name, value in space.items() if _is_named(value) and name[0] != "_"}
    a, L, F, J = (space.get(name) for name in ("a", "L", "F", "J"))
    forms = {name: form for name, form in zip("aLFJ", (a, L, F, J)) if isinstance(form, ufl.Form)}
    if "a" in forms:
        return a, forms.get("L"), names
    if "F" in forms and len(F.arguments()) == 2:
        return ufl.lhs(F), ufl.rhs(F), names
    if "F" in forms:
        return forms.get("J", None) or _derivative(F, names), -F, names
    raise Refused(f"{path}: there is no form; name the bilinear one 'a' and the linear one 'L', or the residual 'F'")


def _derivative(F: Any, names: dict[str, Any]) -> Any:
    if not F.arguments():
        raise Refused("the residual F has no test function; of an energy it is derivative(energy, u, v)")
    element = _element_of(F.arguments()[0])
    unknown = [w for w in F.coefficients() if _element_of(w) == element]
    wanted = [w for w in unknown if w is names.get("u")] or unknown
    if len(wanted) != 1:
        raise Refused("the residual F does not show which coefficient is the unknown; call it u, or give J = derivative(F, u)")
    return ufl.derivative(F, wanted[0])


def compile_file(path: str, old: str | None = None, **options: Any) -> dict[str, Any]:
    """The description of the form in a Python file; options as of describe()."""
    a, L, names = read_forms(path)
    function = None
    if old is not None:
        functions = [w for form in (a, L) if form is not None for w in form.coefficients() if w is names.get(old)]
        if not functions:
            raise Refused(f"{path}: the form has no coefficient '{old}'")
        function = functions[0]
    made = describe(a, L, names, function, **options)
    made["name"] = re.sub(r"[^A-Za-z0-9_-]", "-", os.path.splitext(os.path.basename(path))[0])[:31]
    return made


def write_file(path: str, made: dict[str, Any]) -> None:
    """The file appears under its name when it is whole."""
    folder = os.path.dirname(os.path.abspath(path))
    handle, temporary = tempfile.mkstemp(prefix=".ritz-", dir=folder)
    try:
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            file.write(dump(made))
        os.chmod(temporary, 0o644)
        os.replace(temporary, path)
    except BaseException:
        os.unlink(temporary)
        raise


def _refuse_source(path: str, source: str) -> None:
    """The file that is written must not be the one that is compiled, by whatever path or link."""
    if os.path.exists(path) and os.path.samefile(path, source):
        raise Refused(f"{path}: the output is the file that is compiled; name another by -o, like form.json")


def dump(made: dict[str, Any]) -> str:
    """JSON with an entry of a list on a line."""
    lines = []
    for key, value in made.items():
        if isinstance(value, list) and value:
            rows = ",\n    ".join(json.dumps(row) for row in value)
            lines.append(f'  "{key}": [\n    {rows}\n  ]')
        else:
            lines.append(f'  "{key}": {json.dumps(value)}')
    return "{\n" + ",\n".join(lines) + "\n}\n"


def _read_groups(words: list[str]) -> dict[int, str]:
    pairs = [word.partition("=") for word in words]
    for number, _, name in pairs:
        if not number.isdigit() or not name:
            raise Refused(f"--group takes ID=NAME like 3=inlet, not '{number}'")
    return {int(number): name for number, _, name in pairs}


def main(arguments: list[str] | None = None) -> int:
    """`ritz compile` and `python -m ritz.compile`; the exit status."""
    parser = argparse.ArgumentParser(
        prog="ritz compile",
        description="Compiles a weak form in UFL to a form.json for `ritz integrate --form` and `physics:` of problem files.",
        epilog="The file names the bilinear form a and the linear form L, or the residual F of a nonlinear problem (and J).",
    )
    parser.add_argument("form", help="a Python file with UFL and Basix, as for FEniCS")
    parser.add_argument("-o", "--output", help="the file that is written (default: the form's name with .json)")
    parser.add_argument("--boundary", default="boundary", help="group for surface terms without an id (default: boundary)")
    parser.add_argument(
        "--group", action="append", default=[], metavar="ID=NAME", help="the name of the group that dx(ID) or ds(ID) means"
    )
    parser.add_argument("--old", help="the coefficient that is the old solution (default: that of derivative())")
    parser.add_argument("--degree", type=int, help="of the quadrature (default: as UFL estimates, at least twice the order)")
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    a = parser.parse_args(arguments)
    output = a.output or os.path.splitext(a.form)[0] + ".json"
    failure = None
    try:
        _refuse_source(output, a.form)
        made = compile_file(a.form, a.old, degree=a.degree, boundary=a.boundary, groups=_read_groups(a.group))
        write_file(output, made)
    except Refused as error:
        failure = str(error)
    except OSError as error:
        failure = f"{error.filename}: {error.strerror}"
    except (Exception, ArityMismatch) as error:  # whatever the user's file or UFL itself raises
        failure = f"{a.form}: {type(error).__name__}: {error}"
    if failure is not None:
        print(f"ritz: error: {failure}", file=sys.stderr)
        if a.json:
            print(json.dumps({"command": "compile", "failure": failure}))
        return 1
    names = [datum["name"] for datum in made["data"]]
    if a.json:
        counts = {key: len(made[key]) for key in ("terms", "loads", "surfaces", "expressions")}
        print(json.dumps({"command": "compile", "output": output, **counts, "data": names, "degree": made["degree"]}))
    else:
        print(f"{output}: {len(made['terms'])} terms, {len(made['loads'])} loads, data {', '.join(names) or 'none'}, quadrature of degree {made['degree']}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
