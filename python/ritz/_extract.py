"""Integrands of UFL as polynomials in the arguments: which product of test and trial function, values or derivatives, has
which scalar factor."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from ufl import classes as u
from ufl.core.multiindex import FixedIndex

from ._scalar import Graph, Value

Atom = tuple[int, int]  # component, derivative (0: the function)
Key = tuple[Atom | None, Atom | None]  # of test and trial function
Polynomial = dict[Key, Value]
NO_ARGUMENT: Key = (None, None)


class Refused(Exception):
    """What UFL has and Ritz can not do."""


_FUNCTIONS = {
    u.Sqrt: "sqrt",
    u.Exp: "exp",
    u.Ln: "log",
    u.Cos: "cos",
    u.Sin: "sin",
    u.Tan: "tan",
    u.Cosh: "cosh",
    u.Sinh: "sinh",
    u.Tanh: "tanh",
    u.Acos: "acos",
    u.Asin: "asin",
    u.Atan: "atan",
    u.Atan2: "atan2",
    u.Erf: "erf",
    u.Abs: "fabs",
    u.MinValue: "fmin",
    u.MaxValue: "fmax",
}
_OPERATORS = {
    u.EQ: "==",
    u.NE: "!=",
    u.LT: "<",
    u.GT: ">",
    u.LE: "<=",
    u.GE: ">=",
    u.AndCondition: "&&",
    u.OrCondition: "||",
    u.NotCondition: "!",
}
# Numbers of a cell, by UFL's class: data that the caller need not give in Python.
CELL_NUMBERS = {u.CellVolume: "cell_volume", u.Circumradius: "circumradius", u.CellDiameter: "cell_diameter"}
_REASONS = {
    u.Restricted: "a term on inner facets (dS, jump, avg)",
    u.PositiveRestricted: "a term on inner facets (dS, jump, avg)",
    u.NegativeRestricted: "a term on inner facets (dS, jump, avg)",
    u.Conj: "a complex conjugate",
    u.Imag: "an imaginary part",
    u.FacetArea: "the area of a facet",
    u.Jacobian: "the Jacobian of the cell",
}


def name_of(expression: Any) -> str:
    """Some words that show which term is meant."""
    words = str(expression)
    return words if len(words) <= 80 else words[:77] + "..."


class Extractor:
    """terminal(expression, component, derivatives) gives the value of a coefficient, a constant or a number of the geometry;
    vanishes(function, n) says whether its derivatives of that order are zero."""

    def __init__(
        self,
        graph: Graph,
        terminal: Callable[[Any, tuple[int, ...], tuple[int, ...]], Value],
        vanishes: Callable[[Any, int], bool],
    ) -> None:
        self.graph, self.terminal, self.vanishes = graph, terminal, vanishes
        self.known: dict[Any, Polynomial] = {}

    def integrand(self, expression: Any) -> Polynomial:
        return self.at(expression, (), {})

    # ---- Walking ----

    def at(self, e: Any, component: tuple[int, ...], indices: dict[Any, int]) -> Polynomial:
        """The component of e where its free indices have these values."""
        free = tuple(indices[i] for i in sorted(e.ufl_free_indices)) if e.ufl_free_indices else ()
        key = (e, component, free)
        if key not in self.known:
            self.known[key] = self._compute(e, component, indices)
        return self.known[key]

    def _compute(self, e: Any, component: tuple[int, ...], indices: dict[Any, int]) -> Polynomial:
        kind = type(e)
        method = getattr(self, "_" + kind.__name__, None)
        if method is not None:
            return method(e, component, indices)
        if kind in _FUNCTIONS:
            return self._scalar(self.graph.function(_FUNCTIONS[kind], *self._values(e, indices)))
        if kind in _OPERATORS:
            return self._scalar(self.graph.operator(_OPERATORS[kind], *self._values(e, indices)))
        if isinstance(e, (u.Coefficient, u.Constant, u.SpatialCoordinate, u.FacetNormal)) or kind in CELL_NUMBERS:
            return self._scalar(self.terminal(e, component, ()))
        if isinstance(e, u.ScalarValue):
            if isinstance(e, u.ComplexValue):
                raise Refused(f"complex numbers are not possible: {name_of(e)}")
            return self._scalar(self.graph.number(float(e)))
        reason = next((words for base, words in _REASONS.items() if isinstance(e, base)), f"{kind.__name__}")
        raise Refused(f"{reason} is not possible: {name_of(e)}")

    def _scalar(self, value: Value) -> Polynomial:
        return {NO_ARGUMENT: value} if value[0] != 0 else {}

    def _number(self, polynomial: Polynomial, e: Any) -> Value:
        if any(key != NO_ARGUMENT for key in polynomial):
            raise Refused(f"the form is not linear in its test or trial function: {name_of(e)}")
        return polynomial.get(NO_ARGUMENT, self.graph.number(0))

    def _values(self, e: Any, indices: dict[Any, int]) -> Iterator[Value]:
        for operand in e.ufl_operands:
            yield self._number(self.at(operand, (), indices), e)

    def _add(self, parts: Any) -> Polynomial:
        terms: dict[Key, list[Value]] = {}
        for part in parts:
            for key, value in part.items():
                terms.setdefault(key, []).append(value)
        made = {key: self.graph.add(*values) for key, values in terms.items()}
        return {key: value for key, value in made.items() if value[0] != 0}

    # ---- Terminals ----

    def _Zero(self, e: Any, component: tuple[int, ...], indices: dict[Any, int]) -> Polynomial:
        return {}

    def _Identity(self, e: Any, component: tuple[int, ...], indices: dict[Any, int]) -> Polynomial:
        return self._scalar(self.graph.number(component[0] == component[1]))

    def _Argument(self, e: Any, component: tuple[int, ...], indices: dict[Any, int]) -> Polynomial:
        return self._argument(e, component, 0)

    def _argument(self, e: Any, component: tuple[int, ...], derivative: int) -> Polynomial:
        atom = (component[0] if component else 0, derivative)
        if e.number() not in (0, 1):
            raise Refused(f"a form of {e.number() + 1} arguments is not possible: {name_of(e)}")
        return {(atom, None) if e.number() == 0 else (None, atom): self.graph.number(1)}

    def _Grad(self, e: Any, component: tuple[int, ...], indices: dict[Any, int]) -> Polynomial:
        inner, derivatives = e.ufl_operands[0], (component[-1],)
        component = component[:-1]
        while isinstance(inner, u.Grad):
            inner, derivatives, component = inner.ufl_operands[0], (*derivatives, component[-1]), component[:-1]
        if isinstance(inner, u.Argument) and len(derivatives) == 1:
            return self._argument(inner, component, 1 + derivatives[0])
        if len(derivatives) > 1:
            if isinstance(inner, (u.Argument, u.Coefficient)) and self.vanishes(inner, len(derivatives)):
                return {}
            raise Refused(f"second derivatives are not possible: {name_of(e)}")
        if isinstance(inner, u.Coefficient):
            return self._scalar(self.terminal(inner, component, derivatives))
        raise Refused(f"the gradient of this is not possible: {name_of(inner)}")

    # ---- Tensors ----

    def _Variable(self, e: Any, component: tuple[int, ...], indices: dict[Any, int]) -> Polynomial:
        return self.at(e.ufl_operands[0], component, indices)

    def _Indexed(self, e: Any, component: tuple[int, ...], indices: dict[Any, int]) -> Polynomial:
        tensor, places = e.ufl_operands
        return self.at(tensor, self._places(places, indices), indices)

    def _places(self, places: Any, indices: dict[Any, int]) -> tuple[int, ...]:
        return tuple(int(place) if isinstance(place, FixedIndex) else indices[place.count()] for place in places)

    def _ComponentTensor(self, e: Any, component: tuple[int, ...], indices: dict[Any, int]) -> Polynomial:
        inner, places = e.ufl_operands
        return self.at(inner, (), {**indices, **{place.count(): k for place, k in zip(places, component)}})

    def _ListTensor(self, e: Any, component: tuple[int, ...], indices: dict[Any, int]) -> Polynomial:
        return self.at(e.ufl_operands[component[0]], component[1:], indices)

    def _IndexSum(self, e: Any, component: tuple[int, ...], indices: dict[Any, int]) -> Polynomial:
        inner, index = e.ufl_operands
        return self._add(self.at(inner, (), {**indices, index[0].count(): k}) for k in range(e.dimension()))

    # ---- Arithmetic ----

    def _Sum(self, e: Any, component: tuple[int, ...], indices: dict[Any, int]) -> Polynomial:
        return self._add(self.at(operand, component, indices) for operand in e.ufl_operands)

    def _Product(self, e: Any, component: tuple[int, ...], indices: dict[Any, int]) -> Polynomial:
        left, right = (self.at(operand, (), indices) for operand in e.ufl_operands)
        parts = []
        for (test, trial), a in left.items():
            for (other_test, other_trial), b in right.items():
                if (test and other_test) or (trial and other_trial):
                    raise Refused(f"the form is not linear in its test or trial function: {name_of(e)}")
                parts.append({(test or other_test, trial or other_trial): self.graph.multiply(a, b)})
        return self._add(parts)

    def _Division(self, e: Any, component: tuple[int, ...], indices: dict[Any, int]) -> Polynomial:
        above, below = (self.at(operand, (), indices) for operand in e.ufl_operands)
        divisor = self._number(below, e)
        if divisor[0] == 0:
            raise Refused(f"a division by zero: {name_of(e)}")
        return {key: self.graph.divide(value, divisor) for key, value in above.items()}

    def _Power(self, e: Any, component: tuple[int, ...], indices: dict[Any, int]) -> Polynomial:
        base, exponent = self._values(e, indices)
        try:
            return self._scalar(self.graph.power(base, exponent))
        except ZeroDivisionError:
            raise Refused(f"a division by zero: {name_of(e)}") from None

    def _Conditional(self, e: Any, component: tuple[int, ...], indices: dict[Any, int]) -> Polynomial:
        condition = self._number(self.at(e.ufl_operands[0], (), indices), e)
        yes, no = (self.at(operand, (), indices) for operand in e.ufl_operands[1:])
        zero = self.graph.number(0)
        keys = dict.fromkeys([*yes, *no])
        return self._add({key: self.graph.operator("?:", condition, yes.get(key, zero), no.get(key, zero))} for key in keys)

