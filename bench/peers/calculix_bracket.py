#!/usr/bin/env python3
"""The bracket of examples/bracket as a deck, and what CalculiX and Ritz make of it.

    calculix_bracket.py deck MESH.frd DECK.inp      the deck of a mesh that Ritz wrote
    calculix_bracket.py compare A.frd B.frd         the largest differences of both results, of the largest value each
"""
import math
import os
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from calculix_decks import blocks, compare, read  # noqa: E402

BOSS, BOLTS, BOLT_RADIUS, NEAR = -0.004, ((0.072, 0.015), (0.072, 0.055)), 0.0045, 1e-7
TRACTION = -1.0e6, 0.0, -0.5e6
FACES = ((0, 1, 2, 4, 5, 6), (0, 3, 1, 7, 8, 4), (1, 3, 2, 8, 9, 5), (2, 3, 0, 9, 7, 6))  # of C3D10: corners, middles


def mesh_of(path):
    nodes, elements, at = {}, {}, None
    for line in read(path).splitlines():
        if line[:6] in ("    2C", "    3C"):
            at = line[4]
        elif line.startswith(" -3") and at == "3":
            break
        elif line.startswith(" -1") and at == "2":
            nodes[int(line[3:13])] = [float(line[i:i + 12]) for i in (13, 25, 37)]
        elif line.startswith(" -1"):
            last = elements[int(line[3:13])] = []
        elif line.startswith(" -2"):
            last.extend(int(line[i:i + 10]) for i in range(3, len(line), 10))
    return nodes, elements


def write_deck(mesh, path):
    nodes, elements = mesh_of(mesh)
    held = [n for n, (x, y, _) in nodes.items()
            if any(abs(math.hypot(x - a, y - b) - BOLT_RADIUS) < NEAR for a, b in BOLTS)]
    force = {}
    for of in elements.values():
        for face in FACES:
            corners = [nodes[of[k]] for k in face[:3]]
            if any(abs(c[0] - BOSS) > NEAR for c in corners):
                continue
            (_, y0, z0), (_, y1, z1), (_, y2, z2) = corners
            area = abs((y1 - y0) * (z2 - z0) - (y2 - y0) * (z1 - z0)) / 2
            for k in face[3:]:  # a constant traction acts on the middles of edges alone
                force[of[k]] = force.get(of[k], 0) + area / 3
    with open(path, "w") as file:
        print("*NODE, NSET=NALL", *(f"{n},{x!r},{y!r},{z!r}" for n, (x, y, z) in nodes.items()), sep="\n", file=file)
        print("*ELEMENT, TYPE=C3D10, ELSET=EALL", *(",".join(map(str, [e] + of)) for e, of in elements.items()), sep="\n", file=file)
        print("*NSET, NSET=BOLTS", *held, "*MATERIAL, NAME=STEEL", "*ELASTIC", "210.E9, 0.3", "*DENSITY", "7850.",
              "*SOLID SECTION, ELSET=EALL, MATERIAL=STEEL", "*BOUNDARY", "BOLTS, 1, 3", "*STEP", "*STATIC", "*DLOAD",
              "EALL, GRAV, 9.81, 0., 0., -1.", "*CLOAD", sep="\n", file=file)
        print(*(f"{n},{d + 1},{TRACTION[d] * a!r}" for n, a in force.items() for d in (0, 2)), sep="\n", file=file)
        print("*NODE FILE", "U", "*EL FILE", "S", "*END STEP", sep="\n", file=file)
    print(f"{3 * len(nodes)} unknowns, {len(elements)} C3D10, {len(held)} nodes held, {sum(force.values()) * 1e6:.2f} mm^2 pulled")


def main():
    if sys.argv[1] == "deck":
        return write_deck(*sys.argv[2:])
    theirs, own = (blocks(read(path)) for path in sys.argv[2:])
    for what in ("DISP", "STRESS"):
        worst, where, n = compare([b for b in theirs if b[0] == what][:1], [b for b in own if b[0] == what][:1])
        print(f"{what}: {n} values, largest difference {worst:.1e} {where}")


if __name__ == "__main__":
    main()
