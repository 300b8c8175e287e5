"""Scalar expressions as a graph in which equal ones are the same node, and as text for the library.

A value is a pair (factor, node): the factor is a number, the node a product, a sum, a function or a symbol, or ONE. Sums and
products are kept in one order, so that expressions that differ by order and by a common factor alone are found equal.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any

Value = tuple[float, "Node"]


@dataclass(eq=False)
class Node:
    """kind: "one", "symbol", "sum" (constant, ((factor, node), ...)), "product" (((node, whole exponent), ...)), "function"
    (name, (value, ...)), "operator" (the same, for comparisons, logic and choice)."""

    number: int
    kind: str
    content: tuple[Any, ...]
    symbols: frozenset[str] = field(default_factory=frozenset)

    def children(self) -> list[Node]:
        if self.kind == "sum":
            return [node for _, node in self.content[1]]
        if self.kind == "product":
            return [node for node, _ in self.content]
        if self.kind in ("function", "operator"):
            return [node for _, node in self.content[1]]
        return []


class Graph:
    """Makes nodes; the same content gives the same node."""

    def __init__(self) -> None:
        self.nodes: dict[tuple[str, tuple[Any, ...]], Node] = {}
        self.one = self._node("one", ())

    def _node(self, kind: str, content: tuple[Any, ...]) -> Node:
        key = (kind, content)
        if key not in self.nodes:
            made = Node(len(self.nodes), kind, content)
            made.symbols = frozenset([content[0]]) if kind == "symbol" else frozenset().union(*(c.symbols for c in made.children()))
            self.nodes[key] = made
        return self.nodes[key]

    def number(self, value: float) -> Value:
        return (float(value), self.one)

    def symbol(self, name: str) -> Value:
        return (1.0, self._node("symbol", (name,)))

    def add(self, *values: Value) -> Value:
        constant, terms = 0.0, {}
        for factor, node in values:
            parts = [(factor, node)]
            if node.kind == "sum":
                constant += factor * node.content[0]
                parts = [(factor * inner, part) for inner, part in node.content[1]]
            for inner, part in parts:
                if part is self.one:
                    constant += inner
                else:
                    terms[part] = terms.get(part, 0.0) + inner
        kept = sorted(((factor, node) for node, factor in terms.items() if factor != 0), key=lambda term: term[1].number)
        if not kept:
            return (constant, self.one)
        if len(kept) == 1 and constant == 0:
            return kept[0]
        scale = kept[0][0]
        if any(factor / scale * scale != factor for factor in (constant, *(factor for factor, _ in kept))):
            scale = math.copysign(1.0, scale)
        content = (constant / scale, tuple((factor / scale, node) for factor, node in kept))
        return (scale, self._node("sum", content))

    def multiply(self, *values: Value) -> Value:
        total, powers = 1.0, {}
        for factor, node in values:
            total *= factor
            for part, exponent in node.content if node.kind == "product" else ((node, 1),):
                if part is not self.one:
                    powers[part] = powers.get(part, 0) + exponent
        if total == 0:
            return self.number(0)
        kept = sorted(((node, exponent) for node, exponent in powers.items() if exponent), key=lambda power: power[0].number)
        if not kept:
            return (total, self.one)
        if len(kept) == 1 and kept[0][1] == 1:
            return (total, kept[0][0])
        return (total, self._node("product", tuple(kept)))

    def power(self, base: Value, exponent: Value) -> Value:
        if exponent[1] is self.one:
            value = exponent[0]
            if value == int(value) and abs(value) <= 64:
                if base[0] == 0 and value < 0:
                    raise ZeroDivisionError
                parts = base[1].content if base[1].kind == "product" else ((base[1], 1),)
                raised = tuple((node, power * int(value)) for node, power in parts if node is not self.one and value)
                whole = base[0] ** int(value)
                return self.multiply((whole, self._node("product", raised))) if raised else (whole, self.one)
            if value == 0.5:
                return self.function("sqrt", base)
        return self.function("pow", base, exponent)

    def divide(self, above: Value, below: Value) -> Value:
        return self.multiply(above, self.power(below, self.number(-1)))

    def function(self, name: str, *arguments: Value) -> Value:
        if all(node is self.one for _, node in arguments) and name in NUMERIC:
            try:
                return self.number(NUMERIC[name](*(factor for factor, _ in arguments)))
            except (ValueError, OverflowError):
                pass
        return (1.0, self._node("function", (name, arguments)))

    def operator(self, name: str, *arguments: Value) -> Value:
        if name == "?:" and arguments[0][1] is self.one:
            return arguments[1] if arguments[0][0] else arguments[2]
        if name == "?:" and arguments[1] == arguments[2]:
            return arguments[1]
        return (1.0, self._node("operator", (name, arguments)))


NUMERIC: dict[str, Callable[..., float]] = {
    **{name: getattr(math, name) for name in ("sin", "cos", "tan", "asin", "acos", "atan", "sinh", "cosh", "tanh", "exp", "log")},
    **{name: getattr(math, name) for name in ("sqrt", "erf", "pow", "atan2", "fabs")},
    "fmin": min,
    "fmax": max,
    "sign": lambda value: math.copysign(1.0, value) if value else 0.0,
}


# ---- Text ----


def spell_number(value: float) -> str:
    return str(int(value)) if value == int(value) and abs(value) < 1e15 else repr(value)


class Writer:
    """Writes nodes as text; those in `names` by their names."""

    def __init__(self, graph: Graph, names: dict[Node, str] | None = None) -> None:
        self.graph, self.names = graph, names if names is not None else {}

    def value(self, value: Value) -> str:
        factor, node = value
        if node is self.graph.one:
            return spell_number(factor) if factor >= 0 else f"({spell_number(factor)})"
        if factor == 1:
            return self.node(node)
        return f"({'-' if factor == -1 else spell_number(factor) + ' * '}{self.factor(node)})"

    def factor(self, node: Node) -> str:
        words = self.node(node)
        return f"({words})" if node.kind == "sum" and node not in self.names else words

    def node(self, node: Node) -> str:
        return self.names[node] if node in self.names else self.whole(node)

    def whole(self, node: Node) -> str:
        """The node itself written out."""
        if node.kind == "symbol":
            return node.content[0]
        if node.kind == "sum":
            return self._sum(*node.content)
        if node.kind == "product":
            return self._product(node.content)
        if node.kind == "function":
            return f"{node.content[0]}({', '.join(self.value(value) for value in node.content[1])})"
        name, arguments = node.content
        words = [self.value(value) for value in arguments]
        words = [f"({word})" for word in words]
        if name == "?:":
            return f"({words[0]} ? {words[1]} : {words[2]})"
        return f"(!{words[0]})" if name == "!" else f"({words[0]} {name} {words[1]})"

    def _sum(self, constant: float, terms: Iterable[Value]) -> str:
        words = ""
        for factor, node in terms:
            size = "" if abs(factor) == 1 else spell_number(abs(factor)) + " * "
            sign = (" - " if factor < 0 else " + ") if words else ("-" if factor < 0 else "")
            words += sign + size + self.factor(node)
        if constant:
            words += (" - " if constant < 0 else " + ") + spell_number(abs(constant))
        return words

    def _product(self, powers: Iterable[tuple[Node, int]]) -> str:
        above = [word for node, exponent in powers for word in self._power(node, exponent)]
        below = [word for node, exponent in powers for word in self._power(node, -exponent)]
        words = " * ".join(above) or "1"
        if below:
            words += " / " + (below[0] if len(below) == 1 else "(" + " * ".join(below) + ")")
        return words

    def _power(self, node: Node, exponent: int) -> list[str]:
        if exponent <= 0:
            return []
        return [self.factor(node)] * exponent if exponent <= 4 else [f"pow({self.node(node)}, {exponent})"]


# ---- Common subexpressions ----


def _cost(node: Node, named: set[Node], known: dict[Node, int]) -> int:
    """Operations to compute the node where the named ones are there."""
    if node not in known:
        own = {"sum": len(node.children()), "function": 8, "operator": 1}.get(node.kind, 0)
        if node.kind == "product":
            own = sum(4 if exponent < 0 else 1 for _, exponent in node.content)
        inner = sum(0 if child in named else _cost(child, named, known) for child in node.children())
        known[node] = own + inner
    return known[node]


def _occurrences(roots: list[Node], named: set[Node]) -> dict[Node, int]:
    """How often each node is written out, where the named ones are written once."""
    count: dict[Node, int] = {}
    order: list[Node] = []
    seen: set[Node] = set()

    def visit(node: Node) -> None:
        if node in seen:
            return
        seen.add(node)
        for child in node.children():
            visit(child)
        order.append(node)

    for root in roots:
        visit(root)
        count[root] = count.get(root, 0) + 1
    for node in reversed(order):
        times = 1 if node in named else count.get(node, 0)
        for child in node.children():
            count[child] = count.get(child, 0) + times
    return count


def share(roots: list[Node], most: int) -> list[Node]:
    """The nodes that are worth a name, at most so many, each behind those that it reads: the one that spares the most
    operations first."""
    named: set[Node] = set()
    while len(named) < most:
        count = _occurrences(roots, named)
        known: dict[Node, int] = {}
        gain = {
            node: (times - 1) * _cost(node, named, known)
            for node, times in count.items()
            if times > 1 and node not in named and node.kind not in ("one", "symbol")
        }
        best = max(gain, key=lambda node: (gain[node], -node.number), default=None)
        if best is None or gain[best] < 2:
            break
        named.add(best)
    return sorted(named, key=lambda node: node.number)
