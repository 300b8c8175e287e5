"""`ritz report part.yaml -o part.html`: what one files with a calculation, as one HTML file with its pictures within.

Solves the problem (or takes the JSON of a run), and writes model, mesh, materials, supports, loads, reactions, extremes,
convergence, device and versions. Pictures need VTK; all else needs Python alone. The file is well-formed XML, too."""

from __future__ import annotations

import argparse
import base64
import datetime
import json
import math
import os
import platform
import subprocess
import sys
import tempfile
from collections.abc import Iterable
from html import escape
from typing import Any

from ._version import VERSION

# Keys of boundary entries that load; all others hold. Keys of the whole problem that load or hold.
LOADS = ("traction", "pressure", "hydrostatic", "force", "moment", "flux", "power", "film", "radiation", "inflow", "discharge", "leakage")
NEITHER = ("group", "groups", "system", "at")
LOADS_ON_ALL = ("gravity", "source", "centrifugal", "temperature", "reference_temperature")
TIES = ("equations", "ties", "rigid", "contact", "glue")
WORDS = {"displacement": "displacement", "von_mises": "von Mises stress", "tresca": "Tresca stress", "safety": "safety factor",
         "principal_stress": "principal stress", "heat_flux": "heat flux"}
UNKNOWNS = {"heat": "temperature", "axisymmetric-heat": "temperature", "seepage": "head"}  # of scalar physics, else "value"
MOST_PICTURES = 6
STYLE = """
body { font: 15px/1.5 "Helvetica Neue", Helvetica, Arial, sans-serif; color: #212529; max-width: 60em; margin: 2em auto; padding: 0 1em; }
h1 { font-size: 1.7em; margin-bottom: 0.1em; } h2 { font-size: 1.2em; margin-top: 2em; border-bottom: 1px solid #adb5bd; }
table { border-collapse: collapse; margin: 0.6em 0; } th, td { text-align: left; padding: 0.2em 1.2em 0.2em 0; vertical-align: top; }
th { font-weight: 600; } thead th { border-bottom: 1px solid #adb5bd; } td.n { font-variant-numeric: tabular-nums; white-space: nowrap; }
img { max-width: 100%; } figure { margin: 1em 0; } figcaption, .note { color: #495057; font-size: 0.9em; }
.bad { color: #a61e1e; font-weight: 600; } pre { background: #f1f3f5; padding: 0.8em; overflow-x: auto; font-size: 0.85em; }
@media print { body { margin: 0; max-width: none; } h2 { break-after: avoid; } figure, table { break-inside: avoid; } }
"""


class Refused(Exception):
    """What is wrong with the request or the run."""


# ---- HTML ----


def number(value: Any, path: str, beside: float = 0.0) -> str:
    """A cell of a number: shown to six digits, as 0 where it is rounding beside another one, whole in data-value, with its
    place in the JSON of the run."""
    if value is None:
        return '<td class="n">not known</td>'
    return f'<td class="n" data-path="{escape(path)}" data-value="{value!r}">{value if abs(value) > 1e-9 * beside else 0:.6g}</td>'


def numbers(values: Iterable[float], path: str) -> str:
    """A cell of several numbers; as number() each."""
    values = list(values)
    largest = max((abs(v) for v in values), default=0.0)
    shown = ", ".join(f"{v if abs(v) > 1e-9 * largest else 0:.6g}" for v in values)  # the rest is rounding
    return f'<td class="n" data-path="{escape(path)}" data-value="{json.dumps(values)}">{shown}</td>'


def cell(value: Any) -> str:
    """A cell of words."""
    return f"<td>{escape(value if isinstance(value, str) else spell(value))}</td>"


def spell(value: Any) -> str:
    """A value of the problem file in words."""
    if isinstance(value, dict):
        return ", ".join(f"{key}: {spell(one)}" for key, one in value.items())
    if isinstance(value, list):
        return "[" + ", ".join(map(spell, value)) + "]"
    if value is None:
        return "free"
    if isinstance(value, bool):
        return str(value).lower()
    return f"{value:.10g}" if isinstance(value, (int, float)) else str(value)


def table(head: list[str], rows: list[str]) -> str:
    """A table from whole rows, or the word none."""
    if not rows:
        return '<p class="note">none</p>'
    top = "<thead><tr>" + "".join(f"<th>{escape(h)}</th>" for h in head) + "</tr></thead>" if head else ""
    return f"<table>{top}<tbody>{''.join(f'<tr>{row}</tr>' for row in rows)}</tbody></table>"


def facts(rows: list[tuple[str, str]]) -> str:
    """A table of names and values; empty values are left out."""
    return table([], [f"<th>{escape(name)}</th>{value}" for name, value in rows if value])


def section(title: str, *parts: str) -> str:
    """A heading and what follows it."""
    return f"<h2>{escape(title)}</h2>" + "".join(parts)


# ---- Sections ----


def as_list(value: Any) -> list[Any]:
    """One entry or several, as a list."""
    return value if isinstance(value, list) else [] if value is None else [value]


def groups_of(entry: dict[str, Any]) -> str:
    """The groups of an entry in words."""
    return ", ".join(str(name) for name in as_list(entry.get("group")) + as_list(entry.get("groups"))) or "all"


def is_support(key: str) -> bool:
    """Whether the key of a boundary entry holds something."""
    return key not in LOADS and key not in NEITHER


def terms_of(entry: dict[str, Any], supports: bool) -> str:
    """What an entry holds, or loads; its system and point with either."""
    return spell({key: value for key, value in entry.items()
                  if (key in LOADS and not supports) or (is_support(key) and supports) or key in ("system", "at")})


def write_model(run: dict[str, Any]) -> str:
    """Physics, mesh, unknowns, volume and mass."""
    problem, mesh = run["problem"], run["mesh"]
    source = problem.get("geometry") or problem.get("mesh") or ""
    cells = ", ".join(f"{n} {name}" for name, n in run["cells"].items())
    return section("Model and mesh", facts([
        ("physics", cell(run["physics"])),
        ("geometry" if "geometry" in problem else "mesh", cell(source)),
        ("order of the elements", cell(problem.get("order", 2))),
        ("cells", f'<td data-path="cells" data-value="{escape(json.dumps(run["cells"]))}">{escape(cells)}</td>'),
        ("nodes of the mesh", number(mesh["nodes"], "mesh.nodes")),
        ("quality of the cells, mean", number(mesh["mean_quality"], "mesh.mean_quality")),
        ("quality, least", number(mesh["least_quality"], "mesh.least_quality")),
        ("at", numbers(mesh["least_quality_at"], "mesh.least_quality_at")),
        ("unknowns", number(run["unknowns"], "unknowns")),
        ("nonzeros of the matrix", number(run["nonzeros"], "nonzeros")),
        ("volume", number(run["volume"], "volume")),
        ("mass", number(run["mass"], "mass") if "mass" in run else ""),
        ("centre of gravity" if "mass" in run else "centre", numbers(run["centre"], "centre")),
    ]), '<p class="note">The quality of a cell is its least scaled Jacobian determinant: 1 for boxes, 0 for degenerate cells.</p>')


def known_materials(program: str, problem: dict[str, Any]) -> list[dict[str, Any]]:
    """The problem's materials; those by name with the values that the program has for their physics, where none stand beside the name."""
    materials = [one for one in as_list(problem.get("materials")) if isinstance(one, dict)]
    if not any("material" in one for one in materials):
        return materials
    command = [program, "materials", "--json", "--units", problem.get("units", "m-N-Pa")]
    known = json.loads(subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True).stdout)["materials"]
    keys = ("conductivity",) if "heat" in problem.get("physics", "") else ("young", "poisson", "density", "expansion", "yield")
    values = {one["name"]: {key: one[key] for key in keys if key in one} for one in known}
    return [values.get(one.get("material"), {}) | one for one in materials]


def write_materials(materials: list[dict[str, Any]]) -> str:
    """A row a material."""
    keys = sorted(dict.fromkeys(key for one in materials for key in one if key not in ("group", "groups")), key=lambda key: key != "material")
    return section("Materials", table(["group", *keys], [
        cell(groups_of(one)) + "".join(cell(one[key]) if key in one else "<td></td>" for key in keys) for one in materials]))


def write_boundary(run: dict[str, Any]) -> str:
    """Supports and loads, and how load cases are combined."""
    problem = run["problem"]
    entries = [one for one in as_list(problem.get("boundary")) if isinstance(one, dict)]
    always = cell("in all cases" if problem.get("cases") else "")
    supports = [cell(groups_of(one)) + cell(terms_of(one, True)) for one in entries if any(map(is_support, one))]
    supports += [cell("") + cell({key: problem[key]}) for key in TIES if key in problem]
    loads = [always + cell(groups_of(one)) + cell(terms_of(one, False)) for one in entries if any(key in LOADS for key in one)]
    loads += [always + cell("all") + cell({key: problem[key]}) for key in LOADS_ON_ALL if key in problem]
    for case in as_list(problem.get("cases")):
        for key, value in case.items():
            for one in as_list(value) if key in ("boundary", "body") else [{key: value}] if key != "name" else []:
                loads.append(cell(case.get("name")) + cell(groups_of(one)) + cell({k: v for k, v in one.items() if k not in ("group", "groups")}))
    for case in run.get("cases", []):
        if "combines" in case:
            loads.append(cell(case["name"]) + cell("") + cell(" + ".join(f"{spell(factor)} {name}" for name, factor in case["combines"].items())))
    return section("Supports", table(["group", "held"], supports)) + section("Loads", table(["case", "group", "load"], loads))


def write_extremes(answers: dict[str, Any], path: str, unknown: str) -> str:
    """The largest values and where they are."""
    rows = []
    for name, place in answers.get("places", {}).items():
        which = "smallest " if name in ("smallest", "safety") else "largest "
        words = unknown if name in ("smallest", "largest") else WORDS.get(name, name.replace("_", " "))
        at = f"{path}places.{name}"
        rows.append(cell(which + words) + number(place["value"], at + ".value")
                    + numbers(place["at"], at + ".at") + cell(place.get("group", "")))
    return table(["", "value", "at x, y, z", "in"], rows)


def judge_balance(answers: dict[str, Any], path: str, what: str, of: str) -> str:
    """Whether what goes in comes out, in a sentence."""
    off = answers.get("imbalance")
    if off is None:
        return ""
    verdict = '<span class="bad">they do not balance.</span>' if off > 1e-3 else "they balance."
    return f'<p>{what} differ by <span data-path="{escape(path)}imbalance" data-value="{off!r}">{off:.3g}</span> of {of}: {verdict}</p>'


def write_flows(answers: dict[str, Any], path: str) -> str:
    """Flows of heat or water through groups."""
    if "supplied" not in answers:
        return ""
    flows, supplied = answers["flows"], answers["supplied"]
    most = max(map(abs, (supplied, *(one["value"] for one in flows))))
    rows = [cell(one["groups"]) + cell(one["key"]) + number(one["value"], f"{path}flows.{i}.value", most) for i, one in enumerate(flows)]
    rows.append(cell("supplied in total") + cell("sources, fluxes") + number(supplied, path + "supplied", most))
    return (table(["group", "by", "flow into the body"], rows)
            + judge_balance(answers, path, "What flows in and what flows out", "what flows at all nodes"))


def write_balance(answers: dict[str, Any], path: str) -> str:
    """Reactions and the sum of the loads."""
    if "applied" not in answers:
        return ""
    supports = answers.get("reactions", [])
    names = [one["groups"] for one in supports]
    rows = [cell(f"support {one['groups']}" + (f", {one['key']}" if names.count(one["groups"]) > 1 else ""))
            + "".join(numbers(one[key], f"{path}reactions.{i}.{key}") for key in ("force", "moment", "about"))
            for i, one in enumerate(supports)]
    rows.append(cell("loads in total") + numbers(answers["applied"], path + "applied") + cell("") + cell(""))
    return (table(["", "force: x, y, z", "moment: x, y, z", "about"], rows)
            + judge_balance(answers, path, "Loads and reactions", "what the supports carry"))


def draw_history(history: dict[str, Any]) -> str:
    """Residuals over iterations, on a logarithmic scale."""
    values = [v for v in history.get("relative_residuals", []) if v and v > 0]
    if len(values) < 2:
        return ""
    width, height, left, bottom = 640, 220, 60, 30
    low, high = math.floor(math.log10(min(values))), math.ceil(math.log10(max(values)))
    high += high == low
    def y(v: float) -> float:
        return 10 + (height - bottom - 10) * (high - math.log10(v)) / (high - low)
    def x(i: int) -> float:
        return left + (width - left - 10) * i / (len(values) - 1)
    step = max(1, (high - low) // 6)
    lines = "".join(f'<line x1="{left}" x2="{width - 10}" y1="{y(10.0 ** e):.1f}" y2="{y(10.0 ** e):.1f}" stroke="#dee2e6"/>'
                    f'<text x="{left - 6}" y="{y(10.0 ** e) + 4:.1f}" text-anchor="end">1e{e}</text>' for e in range(low, high + 1, step))
    points = " ".join(f"{x(i):.1f},{y(v):.1f}" for i, v in enumerate(values))
    last = (len(values) - 1) * history.get("stride", 1)
    return (f'<svg viewBox="0 0 {width} {height}" width="{width}" height="{height}" font-size="12" role="img" '
            f'aria-label="relative residual over iterations">{lines}<polyline points="{points}" fill="none" stroke="#1864ab" stroke-width="1.5"/>'
            f'<text x="{left}" y="{height - 8}">0</text><text x="{width - 10}" y="{height - 8}" text-anchor="end">{last} iterations</text></svg>')


def write_newton(newton: dict[str, Any] | None) -> str:
    """The iterations of Newton's method."""
    if not newton or not newton["iterations"]:
        return ""
    rows = []
    for i, one in enumerate(newton["iterations"]):
        path = f"newton.iterations.{i}."
        rows.append(cell(one.get("case", "")) + "".join(
            number(one[key], path + key) for key in ("load", "iteration", "residual", "relative_residual", "change", "linear_iterations")))
    end = "" if newton["converged"] else f'<p class="bad">Newton\'s method came to a load of {newton["load"]:g} of 1.</p>'
    return ("<p>Iterations of Newton's method:</p>" + table(
        ["case", "load", "iteration", "residual", "relative", "relative change", "linear iterations"], rows) + end)


def write_solver(run: dict[str, Any]) -> str:
    """Method, iterations and residuals."""
    rows = []
    cases = run.get("cases") or [run]
    for i, one in enumerate(cases):
        if "combines" in one:
            continue
        path = f"cases.{i}." if run.get("cases") else ""
        rows.append(cell(one.get("name", "")) + number(one["iterations"], path + "iterations")
                    + number(one["relative_residual"], path + "relative_residual")
                    + number(one["true_relative_residual"], path + "true_relative_residual")
                    + (cell("yes") if one["converged"] else f'<td class="bad">{escape(one.get("outcome", "no"))}</td>'))
    charts = "".join(f"<figure>{chart}<figcaption>Relative residual{' of ' + escape(one['name']) if 'name' in one else ''}.</figcaption></figure>"
                     for one in cases for chart in [draw_history(one.get("history") or {})] if chart)
    return section("Solution", facts([
        ("method", cell(run["method"])), ("preconditioner", cell(run["preconditioner"]["name"])),
        ("choice", cell(run["choice"]) if run.get("choice") else "")]),
        table(["case", "iterations", "relative residual", "unscaled", "converged"], rows), charts, write_newton(run.get("newton")))


def write_versions(run: dict[str, Any], program: str) -> str:
    """Program, device, platform and times."""
    device = run.get("device") or {}
    return section("Program and device", facts([
        ("program", cell(program)), ("device", cell(device.get("name", ""))),
        ("platform", cell(f"{device.get('platform', '')}, driver {device.get('driver', '')}")),
        ("system", cell(f"{platform.system()} {platform.release()}, Python {platform.python_version()}")),
        ("seconds in all", number(run["seconds"]["total"], "seconds.total")),
        ("of these solving", number(run["seconds"]["solve"], "seconds.solve")),
        ("result file", cell(run.get("output") or "none"))]))


# ---- Pictures ----


def draw_pictures(run: dict[str, Any], options: Any) -> tuple[str, str]:
    """Figures, and why there are none."""
    if not run.get("output"):
        return "", "There is no result file, so there are no pictures."
    try:
        from . import picture
    except ImportError as missing:
        return "", str(missing)
    figures = ""
    names = [case["name"] for case in run.get("cases", []) if not case.get("failure")] or [None]
    with tempfile.TemporaryDirectory() as folder:
        for name in names[:MOST_PICTURES]:
            path = os.path.join(folder, "picture.png")
            try:
                shown = picture.draw(picture.Request(result=run["output"], output=path, field=options.field, case=name,
                                                     view=options.view, title=options.title or name))
            except picture.Refused as refused:
                raise Refused(str(refused)) from None
            with open(path, "rb") as file:
                data = base64.b64encode(file.read()).decode()
            base = shown["field"].removesuffix(f"_{name}")
            words = WORDS.get(base, base.replace("_", " ")) + (f", {name}" if name else "")
            scale = f", deformation drawn {shown['deformation']:g} times" if shown["deformation"] else ""
            figures += (f'<figure><img alt="{escape(words)} on the part" src="data:image/png;base64,{data}"/>'
                        f"<figcaption>{escape(words)}{escape(scale)}.</figcaption></figure>")
    return figures, ("" if len(names) <= MOST_PICTURES else f"The first {MOST_PICTURES} of {len(names)} load cases are drawn.")


# ---- The whole ----


def write_report(run: dict[str, Any], options: Any, program: str) -> str:
    """The whole page."""
    title = options.title or os.path.basename(options.problem)
    figures, note = draw_pictures(run, options)
    now = datetime.datetime.now().astimezone().strftime("%Y-%m-%d %H:%M %Z")
    named = f"ritz {VERSION}"
    parts = [f"<h1>{escape(title)}</h1>", f'<p class="note">{escape(named)}, {escape(now)}</p>']
    if run.get("failure"):
        parts.append(f'<p class="bad">{escape(run["failure"])}</p>')
    parts += [figures, f'<p class="note">{escape(note)}</p>' if note else ""]
    answers = [(f"cases.{i}.", case) for i, case in enumerate(run.get("cases", []))] or [("", run)]
    for path, one in answers:
        name = f", {one['name']}" if "name" in one else ""
        if one.get("failure"):
            parts.append(section("Results" + name, f'<p class="bad">{escape(one["failure"])}</p>'))
            continue
        parts.append(section("Results" + name, write_extremes(one, path, UNKNOWNS.get(run["physics"], "value"))))
        for heading, balance in (("Reactions", write_balance(one, path)), ("Flows", write_flows(one, path))):
            if balance:
                parts.append(f"<h2>{heading}{escape(name)}</h2>{balance}")
    warnings = "".join(f"<li>{escape(text)}</li>" for text in run["warnings"])
    parts.append(section("Warnings", f"<ul>{warnings}</ul>" if warnings else "<p>none</p>"))
    parts += [write_model(run), write_materials(known_materials(program, run["problem"])), write_boundary(run)]
    parts += [write_solver(run), write_versions(run, named)]
    parts.append(section("The problem as it was read", f"<pre>{escape(json.dumps(run['problem'], indent=2, ensure_ascii=False))}</pre>"))
    return ('<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8"/>'
            f"<title>{escape(title)}</title><style>{STYLE}</style></head><body>\n" + "\n".join(part for part in parts if part) + "\n</body></html>\n")


def solve(options: Any, program: str) -> dict[str, Any]:
    """The JSON of a run that is over, or of one that is started."""
    if options.run:
        try:
            with open(options.run, encoding="utf-8") as file:
                run = json.load(file)
        except (OSError, ValueError) as wrong:
            raise Refused(f"{options.run}: not the JSON of a run: {wrong}") from None
        if not isinstance(run, dict) or "problem" not in run:
            raise Refused(f"{options.run}: not the JSON of  ritz solve --json --describe")
    else:
        command = [program, "solve", options.problem, "--json", "--history", "--describe"]
        for setting in options.set:
            command += ["--set", setting]
        command += ["--device", options.device] if options.device else []
        command += ["--trust-geometry"] if options.trust_geometry else []
        done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=False)
        try:
            run = json.loads(done.stdout)
        except ValueError:
            raise Refused("the problem was not solved, so there is no report") from None
    if "extremes" not in run or (run.get("failure") and not run.get("output")):
        raise Refused(f"there is nothing to report: {run.get('failure', 'the run has no solution')}")
    return run


def fuse_values(words: list[str]) -> list[str]:
    """`--view -x` as `--view=-x`, which argparse takes for a value."""
    joined: list[str] = []
    for word in words:
        if joined and joined[-1] == "--view":
            joined[-1] += "=" + word
        else:
            joined.append(word)
    return joined


def arguments() -> Any:
    """The command line."""
    parser = argparse.ArgumentParser(prog="ritz report", add_help=False)
    parser.add_argument("problem")
    parser.add_argument("-o", "--output")
    parser.add_argument("--set", action="append", default=[])
    parser.add_argument("--device")
    parser.add_argument("--trust-geometry", action="store_true")
    parser.add_argument("--run")
    parser.add_argument("--field")
    parser.add_argument("--view", default="iso")
    parser.add_argument("--title")
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args(fuse_values(sys.argv[1:]))
    options.output = options.output or os.path.splitext(options.problem)[0] + ".html"
    if not options.output.lower().endswith((".html", ".htm")):
        parser.error(f"argument -o: '{options.output}' does not end in .html")
    if options.run and (options.set or options.device):
        parser.error("--run takes a run that is over; --set and --device belong to one that starts")
    return options


def main() -> None:
    """`ritz report`."""
    options = arguments()
    program = os.environ.get("RITZ_PROGRAM", "ritz")
    try:
        folder = os.path.dirname(options.output) or "."
        if not os.path.isdir(folder) or not os.access(folder, os.W_OK):
            raise Refused(f"{options.output}: there is no folder {folder} that can be written")
        options.view = read_view(options.view)
        run = solve(options, program)
        text = write_report(run, options, program)
        unfinished = f"{options.output}.{os.getpid()}.part"
        with open(unfinished, "w", encoding="utf-8") as file:
            file.write(text)
        os.replace(unfinished, options.output)
    except (Refused, OSError) as refused:
        if options.json:
            print(json.dumps({"command": "report", "failure": str(refused)}))
        sys.exit(f"ritz: error: {refused}")
    except KeyboardInterrupt:
        sys.exit(130)
    print(json.dumps({"command": "report", "output": options.output, "run": run}) if options.json else f"report: {options.output}")
    sys.exit(1 if run.get("failure") else 0)


def read_view(text: str) -> tuple[float, ...]:
    """The direction of the pictures; () where there is no VTK."""
    try:
        from . import picture
    except ImportError:
        return ()
    try:
        return picture.view(text)
    except ValueError:
        raise Refused(f"'{text}' is no view; there are {', '.join(picture.VIEWS)}, and X,Y,Z") from None


if __name__ == "__main__":
    main()
