"""Problem files: what `ritz solve` does, from Python."""

from __future__ import annotations

import json
import math
import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from ._library import NULL, Error, call, ffi, guarded_callback, lib, processor, struct, text
from .device import Device
from .matrix import Report, read_report


@dataclass(frozen=True)
class Place:
    """Where a value stands."""

    at: tuple[float, float, float]
    group: str | None  # of the cells there, that of their material first


@dataclass(frozen=True)
class LoadCase:
    """What a load case, or a combination of them, came to."""

    failure: str | None  # the message where it did not converge
    factors: tuple[float, ...] | None  # of a combination: how often each case acts in it
    largest: dict[str, float]
    places: dict[str, Place]
    reactions: dict[str, tuple[float, float, float]]
    moments: dict[str, tuple[float, float, float]]
    applied: tuple[float, float, float]
    flows: dict[str, dict[str, float]]
    supplied: float
    imbalance: float


@dataclass(frozen=True)
class Result:
    """What a problem file came to. Fields are in the file `output`."""

    unknowns: int
    nonzeros: int
    solve: Report
    seconds: dict[str, float]
    largest: dict[str, float]  # of the fields: "displacement", "von_mises", ..., of "safety" the smallest; of a scalar "smallest" and "largest"
    places: dict[str, Place]  # of these
    volume: float  # in the plane area, times the thickness where the physics has one
    mass: float  # NAN unless all materials have a density
    centre: tuple[float, float, float]  # of gravity, or of the volume where there is no mass
    reactions: dict[str, tuple[float, float, float]]  # the forces of supports in mechanics, by their groups, all on the same together; no load cases
    moments: dict[str, tuple[float, float, float]]  # of the same, about the mean of each group's nodes
    applied: tuple[float, float, float]  # all loads together
    flows: dict[str, dict[str, float]]  # what flows in, of heat, seepage and Poisson: by groups, then by "temperature", "film", ...
    supplied: float  # likewise by sources, fluxes and flows in total
    imbalance: float  # of loads and reactions, or of flows, together, over what all nodes carry
    cases: dict[str, LoadCase]  # in the problem's order, combinations last
    error_l2: float  # with `exact`, NAN otherwise
    error_h1: float
    output: str | None
    choice: str | None  # of the solver, with the reason, where the problem leaves it open
    warnings: tuple[str, ...]  # what may be wrong with the problem or the result, as `ritz solve` tells it


def _plain(value: Any) -> Any:
    """NumPy's numbers and arrays, mappings of other types, and paths, as JSON has them."""
    if hasattr(value, "tolist"):
        return value.tolist()
    if isinstance(value, Mapping):
        return dict(value)
    if isinstance(value, os.PathLike):
        return os.fspath(value)
    raise Error(f"a problem can not hold {value!r}; give numbers, texts, lists and mappings")


def _json(value: Any) -> bytes:
    """JSON, which YAML reads, though not escaped pairs of surrogates: characters stand as they are, in UTF-8. Halves of a pair are
    refused where the library reads them."""
    try:
        return json.dumps(value, default=_plain, ensure_ascii=False).encode(errors="surrogatepass")
    except (TypeError, ValueError, RecursionError) as error:  # keys that are no texts, what holds itself
        raise Error(f"a problem can not hold this mapping or value: {error}") from None


def _setting(path: str, value: Any) -> bytes:
    """path=value, as `ritz solve --set` takes it."""
    if "=" in str(path):
        raise Error(f"the path of the setting '{path}' has a '='; write it like materials.0.young")
    return f"{path}=".encode(errors="surrogatepass") + _json(value)


def _read_extremes(one: Any) -> dict[str, Any]:
    """largest and places of a result or a case."""
    found = [(text(entry.field) or "", entry.value, entry.where) for entry in one.largest if entry.field != NULL]
    found += [("smallest", one.smallest_value, one.smallest_where), ("largest", one.largest_value, one.largest_where)]
    found = [entry for entry in found if not math.isnan(entry[1])]
    return {
        "largest": {name: value for name, value, _ in found},
        "places": {name: Place(tuple(where.at), text(where.group)) for name, _, where in found},
    }


def _read_balance(balance: Any) -> dict[str, Any]:
    """Reactions, moments, loads, flows and imbalance, by the names of the fields of a result."""
    reactions: dict[str, tuple[float, ...]] = {}
    moments: dict[str, tuple[float, ...]] = {}
    for support in (balance.reactions[k] for k in range(balance.n_reactions)):
        groups = text(support.groups) or ""
        for sums, own in ((reactions, support.force), (moments, support.moment)):
            sums[groups] = tuple(a + b for a, b in zip(sums.get(groups, (0.0, 0.0, 0.0)), own))
    flows: dict[str, dict[str, float]] = {}
    for flow in (balance.flows[k] for k in range(balance.n_flows)):
        through, key = flows.setdefault(text(flow.groups) or "", {}), text(flow.key) or ""
        through[key] = through.get(key, 0.0) + flow.value
    return {
        "reactions": reactions,
        "moments": moments,
        "applied": tuple(balance.applied),
        "flows": flows,
        "supplied": balance.supplied,
        "imbalance": balance.imbalance,
    }


def _read_cases(result: Any) -> dict[str, LoadCase]:
    all_cases = [result.cases[k] for k in range(result.n_cases)]
    n_solved = sum(case.factors == NULL for case in all_cases)
    return {
        text(case.name) or "": LoadCase(
            failure=text(case.failure),
            factors=None if case.factors == NULL else tuple(case.factors[k] for k in range(n_solved)),
            **_read_extremes(case),
            **_read_balance(case.balance),
        )
        for case in all_cases
    }


def convert_deck(deck: str | os.PathLike[str], path: str | os.PathLike[str]) -> None:
    """Writes what a deck of CalculiX (.inp) says as a problem file, and its mesh beside it (docs/calculix.md)."""
    call(lib.ritz_problem_convert, os.fsencode(deck), os.fsencode(path))


def _told(lines: list[str], kind: str) -> list[Any]:
    """What lines of this kind say."""
    return [rest.strip() for first, _, rest in (line.partition(" ") for line in lines) if first == kind]


def solve_problem(
    path: str | os.PathLike[str] | Mapping[str, Any],
    settings: Mapping[str, Any] | None = None,
    stage: Callable[[str], None] | None = None,
    trust_geometry: bool = False,
    device: Device | None = None,
) -> Result:
    """Solves a problem and writes its result file. path: a problem file, a deck of CalculiX (.inp), or what stands in a
    problem file as a mapping: {"mesh": "part.msh", "physics": "elasticity", ...}, whose relative paths are those of the
    working directory. settings override what the file says: {"order": 2, "materials.0.young": 70e9}. A value is what a mapping
    may hold: a number, True or False, a text, a list, a mapping, or None for the default; a text is one name or expression, never a
    list. stage(line) is told what happens, and warnings. device is taken in the place of the one that the file names; many problems
    on one device save what opening it takes, 0.05 s each with PoCL, and 0.7 s where a kernel is new."""
    if not isinstance(settings, (Mapping, type(None))):
        raise Error(f"settings are a mapping such as {{'order': 2}}, not {settings!r}")
    words = [ffi.new("char[]", _setting(path, value)) for path, value in (settings or {}).items()]
    place = ffi.new("ritz_problem **")
    given = ffi.new("char *[]", words or 1)
    if isinstance(path, Mapping):
        call(lib.ritz_problem_parse, _json(path), b".", given, len(words), place)
    else:
        call(lib.ritz_problem_read, os.fsencode(path), given, len(words), place)
    problem = ffi.gc(place, lib.ritz_problem_destroy)
    lines: list[str] = []

    def hear(line: Any, _: Any) -> None:
        lines.append(text(line) or "")
        if stage is not None:
            stage(lines[-1])

    callback = guarded_callback("void(const char *, void *)", hear, lets_others=stage is not None)
    lib.ritz_problem_set_stage(problem[0], callback, NULL)
    lib.ritz_problem_trust_geometry(problem[0], int(trust_geometry))
    keep: list[Any] = [callback]
    result = struct("ritz_result", keep)
    if not isinstance(device, (Device, type(None))):
        raise Error(f"device is a ritz.Device, such as ritz.Device('cpu'), not {device!r}")
    lib.ritz_problem_use_device(problem[0], NULL if device is None else device.handle)
    turn = processor if device is None or device._owned.turn is None else device._owned.turn
    with turn, processor:
        call(lib.ritz_problem_solve, problem[0], result)
    return Result(
        unknowns=result.unknowns,
        nonzeros=result.nonzeros,
        solve=read_report(result.solve),
        seconds={name: getattr(result.seconds, name) for name, _ in ffi.typeof("ritz_solve_seconds").fields},
        **_read_extremes(result),
        volume=result.volume,
        mass=result.mass,
        centre=tuple(result.centre),
        **_read_balance(result.balance),
        cases=_read_cases(result),
        error_l2=result.error_l2,
        error_h1=result.error_h1,
        output=text(result.output),
        choice=(_told(lines, "choice") or [None])[-1],
        warnings=tuple(_told(lines, "warning")),
    )
