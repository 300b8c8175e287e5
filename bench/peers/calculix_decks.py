#!/usr/bin/env python3
"""The test decks of CalculiX (Debian's calculix-ccx-test) in Ritz, against the values that CalculiX printed.

    bench/peers/calculix_decks.py --ritz build/ritz --decks FOLDER [--only NAME,...] [--write docs/calculix.md]

Decks count that are linear statics or steady heat on solid, plane and axisymmetric elements alone. A table agrees if each
of its values differs by less than the tolerance times the largest value in the table: the measure of
CalculiX's own datcheck.pl. Of decks that print nothing the .frd file is compared. Exit status 1: a deck that is named by --only does not agree.
"""
import argparse
import gzip
import os
import re
import subprocess
import sys
import tempfile

SOLID = re.compile(r"(C3D(4|6|8|8R|8I|10|10T|15|20|20R)|CP[SE](3|4|6|8)R?|CAX(3|4|6|8)R?)$")
OTHER_PROCEDURES = """DYNAMIC FREQUENCY BUCKLE MODALDYNAMIC STEADYSTATEDYNAMICS VISCO CFD ELECTROMAGNETICS GREEN SENSITIVITY
COUPLEDTEMPERATURE-DISPLACEMENT UNCOUPLEDTEMPERATURE-DISPLACEMENT COMPLEXFREQUENCY CRACKPROPAGATION SUBSTRUCTUREGENERATE
NOANALYSIS""".split()
NONLINEAR = """PLASTIC CREEP HYPERELASTIC HYPERFOAM USERMATERIAL CONTACTPAIR CYCLICHARDENING DEFORMATIONPLASTICITY GAP
CYCLICSYMMETRYMODEL SUBMODEL""".split()


def cards(text):
    for line in text.splitlines():
        line = re.sub(r"\s", "", line.upper())
        if line.startswith("*") and not line.startswith("**"):
            yield line[1:].split(",")


def kind_of(text):
    """'statics', 'heat' or None."""
    types, keywords, steady, nonlinear = set(), set(), True, False
    for keyword, *parameters in cards(text):
        keywords.add(keyword)
        types |= {p[5:] for p in parameters if keyword == "ELEMENT" and p.startswith("TYPE=")}
        if keyword == "HEATTRANSFER":
            steady = steady and "STEADYSTATE" in parameters and "FREQUENCY" not in parameters
        nonlinear = nonlinear or (keyword == "STEP" and any(p.startswith("NLGEOM") for p in parameters))
    if not types or not all(map(SOLID.match, types)) or keywords & set(OTHER_PROCEDURES + NONLINEAR) or nonlinear:
        return None
    if "HEATTRANSFER" in keywords:
        return "heat" if steady and "STATIC" not in keywords else None
    return "statics" if "STATIC" in keywords else None


def read(path):
    with (gzip.open if path.endswith(".gz") else open)(path, "rt", errors="replace") as file:
        return file.read()


def tables(text):
    """[(what, set, {key: values})], in the file's order."""
    found = []
    for line in text.splitlines():
        head = re.match(r"\s*(.*?) for ?set (\S+)\s+and time", line)
        if head:
            found.append((head[1].split("(")[0].strip(), head[2], {}))
        elif found and line.strip():
            words = line.removesuffix(" L").split()  # along a system of the node's own
            reals = [w for w in words if re.search(r"[.]", w)]
            try:
                found[-1][2][tuple(words[:len(words) - len(reals)])] = [float(w) for w in reals]
            except ValueError:
                pass
    return found


def blocks(text):
    """The same of a .frd file: [(what, step, {node: values})]."""
    found, inside = [], False
    for line in text.splitlines():
        if line.startswith("  100C"):
            step, inside = line[58:63].strip(), False
        elif line.startswith(" -4"):
            found.append((line[5:13].strip(), step, {}))
            inside = True
        elif line.startswith(" -3"):
            inside = False
        elif inside and line.startswith(" -1"):
            values = line[13:].rstrip()
            found[-1][2][(line[3:13].strip(),)] = [float(values[i:i + 12]) for i in range(0, len(values), 12)]
    return found


def compare(theirs, left, young=0.0):
    """(worst relative difference, where), over tables that both have. Stresses below 1e-9 of Young's modulus are rounding."""
    worst, where, n = 0.0, "", 0
    for t, (what, group, rows) in enumerate(theirs):
        same = [m for m in left if m[0] == what and m[1] == group]
        later = sum(1 for r in theirs[t:] if r[0] == what and r[1] == group)
        if not rows or 0 < len(same) < later:  # an increment before the end of the step
            continue
        mine = same[0] if same else None
        if mine is None:
            return float("inf"), f"no table of {what} for {group}", n
        left.remove(mine)
        scale = max(abs(v) for row in rows.values() for v in row) or 1.0
        scale = max(scale, 1e-9 * young if what.lower().startswith("stress") else 0.0)
        for key, row in rows.items():
            if key not in mine[2] and not any(row):  # a node that no element has
                continue
            if key not in mine[2]:
                return float("inf"), f"{what}: no row {' '.join(key)}", n
            for a, b in zip(row, mine[2][key]):
                n += 1
                if abs(a - b) > worst * scale:
                    worst, where = abs(a - b) / scale, f"{what} of {' '.join(key)}"
    return (worst, where, n) if n else (float("inf"), "nothing to compare", 0)


def tolerance_of(text, usual):
    """The tolerance, and why it is not the usual one. CalculiX's iterative solver leaves 0.2 % in beampic: the same deck by its direct
    one is met to 3e-10."""
    if re.search(r"^\*STATIC.*SOLVER *= *ITERATIVE", text, re.I | re.M):
        return 0.02, "CalculiX's iterative solver stops early"
    types = {p[5:8] for keyword, *parameters in cards(text) for p in parameters if keyword == "ELEMENT" and p.startswith("TYPE=")}
    for start, why in (("CAX", "CalculiX computes a wedge of two degrees"), ("CPS", "CalculiX computes a solid plate, whose thickness resists")):
        if start in types:
            return 0.02, why
    return usual, ""


def young_of(text):
    found = re.search(r"^\*ELASTIC.*\n\s*([0-9.eE+-]+)", text, re.I | re.M)
    return float(found[1]) if found else 0.0


def run_deck(ritz, folder, name):
    with tempfile.TemporaryDirectory() as work:
        deck = os.path.join(work, name + ".inp")
        source = next(p for p in (f"{folder}/{name}.inp", f"{folder}/{name}.inp.gz") if os.path.exists(p))
        with open(deck, "w") as file:
            file.write(read(source))
        kind = "dat" if re.search(r"\*(NODE|EL) ?PRINT", read(source), re.I) else "frd"
        names = [f"{folder}/{name}.{kind}.ref" + ending for ending in ("", ".gz")]
        reference = next(filter(os.path.exists, names), None)
        for solver in ("direct", "auto"):  # a singular matrix, which CalculiX solves all the same
            done = subprocess.run([ritz, "solve", deck, "--set", f"solver.method={solver}", "--set", f"output.{kind}=own"], text=True,
                                  capture_output=True)
            if "the matrix is singular" not in done.stderr:
                break
        if done.returncode:
            message = done.stderr.strip().removeprefix("ritz: error: ").splitlines()
            return None, "; ".join(re.sub(r"^\S*/", "", m) for m in message[:3])
        if reference is None:
            return None, "no reference"
        parse = tables if kind == "dat" else blocks
        worst, where, n = compare(parse(read(reference)), parse(read(os.path.join(work, "own"))), young_of(read(source)))
        return worst, f"{n} values" + " of the .frd file" * (kind == "frd") if worst < 1e-3 else where


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--ritz", default="build/ritz")
    parser.add_argument("--decks", default="/usr/share/doc/calculix-ccx-test/examples/test")
    parser.add_argument("--only", default="")
    parser.add_argument("--tolerance", type=float, default=1e-3)
    parser.add_argument("--write")
    options = parser.parse_args()
    names = sorted({f.split(".inp")[0] for f in os.listdir(options.decks) if ".inp" in f})
    if options.only:
        names = options.only.split(",")
    rows, failed = [], False
    for name in names:
        path = next(p for p in (f"{options.decks}/{name}.inp", f"{options.decks}/{name}.inp.gz") if os.path.exists(p))
        kind = kind_of(read(path))
        if not kind:
            continue
        worst, why = run_deck(options.ritz, options.decks, name)
        tolerance, reason = tolerance_of(read(path), options.tolerance)
        agrees = worst is not None and worst < tolerance
        if reason and worst is not None and worst >= options.tolerance:
            why += ": " + reason
        failed = failed or not agrees
        rows.append((name, kind, worst, agrees, why))
        print(f"{name:20} {kind:8} {'' if worst is None else f'{worst:.1e}':>8} {'agrees' if agrees else 'NO':7} {why}", flush=True)
    for kind in ("statics", "heat"):
        some = [r for r in rows if r[1] == kind]
        print(f"{kind}: {sum(r[3] for r in some)} of {len(some)} decks agree")
    if options.write:
        write(options.write, rows)
    return 1 if options.only and failed else 0


def write(path, rows):
    """Puts the table between the marks of the page."""
    text = read(path)
    begin, end = "<!-- table -->\n", "<!-- end -->"
    table = ["| deck | kind | largest difference | agrees | |", "| --- | --- | --- | --- | --- |"]
    for name, kind, worst, agrees, why in rows:
        why = why.replace("|", "/")
        table.append(f"| {name} | {kind} | {'' if worst is None else f'{worst:.1e}'} | {'yes' if agrees else 'no'} | {why} |")
    totals = []
    for kind in ("statics", "heat"):
        some = [r for r in rows if r[1] == kind]
        totals.append(f"{sum(r[3] for r in some)} of {len(some)} decks of {kind} agree")
    a, b = text.index(begin) + len(begin), text.index(end)
    with open(path, "w") as file:
        file.write(text[:a] + "\n" + "; ".join(totals) + ".\n\n" + "\n".join(table) + "\n\n" + text[b:])


if __name__ == "__main__":
    sys.exit(main())
