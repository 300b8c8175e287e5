"""Problem files: what `ritz solve` does, from Python."""

from __future__ import annotations

import math
import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from ._library import NULL, _guard, call, ffi, lib, struct, text
from .matrix import Report, read_report


@dataclass(frozen=True)
class Result:
    """What a problem file came to. Fields are in the file `output`."""

    unknowns: int
    nonzeros: int
    solve: Report
    seconds: dict[str, float]
    largest: dict[str, float]  # of the fields: "displacement", "von_mises", ...
    error_l2: float  # with `exact`, NAN otherwise
    error_h1: float
    output: str | None


def solve_problem(
    path: str | os.PathLike[str],
    settings: Mapping[str, Any] | None = None,
    stage: Callable[[str], None] | None = None,
    trust_geometry: bool = False,
) -> Result:
    """Solves a problem file and writes its result file. settings override what the file says: {"order": 2,
    "materials.0.young": 70e9}; stage(line) is told what happens, and warnings."""
    words = [ffi.new("char[]", f"{key}={value}".encode()) for key, value in (settings or {}).items()]
    place = ffi.new("ritz_problem **")
    call(lib.ritz_problem_read, os.fsencode(path), ffi.new("char *[]", words or 1), len(words), place)
    problem = ffi.gc(place, lib.ritz_problem_destroy)
    callback = NULL
    if stage is not None:
        callback = ffi.callback("void(const char *, void *)", _guard(lambda line, _: stage(text(line) or "")))
        lib.ritz_problem_set_stage(problem[0], callback, NULL)
    lib.ritz_problem_trust_geometry(problem[0], int(trust_geometry))
    keep: list[Any] = [callback]
    result = struct("ritz_result", keep)
    call(lib.ritz_problem_solve, problem[0], result)
    largest = {text(entry.field): entry.value for entry in result.largest if entry.field != NULL}
    return Result(
        unknowns=result.unknowns,
        nonzeros=result.nonzeros,
        solve=read_report(result.solve),
        seconds={name: getattr(result.seconds, name) for name, _ in ffi.typeof("ritz_solve_seconds").fields},
        largest={name or "": value for name, value in largest.items() if not math.isnan(value)},
        error_l2=result.error_l2,
        error_h1=result.error_h1,
        output=text(result.output),
    )
