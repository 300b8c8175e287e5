"""Decks of CalculiX in `ritz solve`, against closed forms and against what CalculiX itself printed.

    run.py RITZ_PROGRAM SOURCE_FOLDER

Run by ctest; works in a folder of its own. Debian's calculix-ccx-test, where it is installed, gives a sample of CalculiX's
own decks."""

import itertools
import json
import os
import re
import subprocess
import sys
import tempfile

PACKAGE = "/usr/share/doc/calculix-ccx-test/examples/test"

# A bar of two C3D8, 1 x 1 x 2, in the oddities that decks have: small letters, blanks, comments, continued lines.
NODES = """\
** a bar
*Heading
 of two cubes
*NODE, NSET=Nall
1, 0., 0., 0.
2, 1.,0.,0.
3,1,1
4,,1.,
  5, 0., 0., 1.D0
6, 1., 0., 1
7, 1., 1., 1.
8, 0., 1., 1.

11,0,0,2
12, 1.,0.,2.
13,1.,1.,2.
14,0.,1.,2.
99, 5.,5.,5.
"""
BAR = """\
*include, input=nodes.inc
*Element , type=c3d8 ,
   ELSET = Eall
1, 1,2,3,4,5,
6,7,8
2, 5,6,7,8, 11,12,13,14
*NSET,NSET=low,GENERATE
1,4,1
*NSET, NSET=BOTH
LOW, 11
*ELSET,ELSET=EALL
1,2
*material,name=Steel
*ELASTIC
210000.,0.
*DENSITY
2.
*SOLID SECTION,MATERIAL=STEEL,ELSET=EALL
*BOUNDARY
low,3,3
1,1,2
2,2
*STEP
*STATIC
%s
*NODE PRINT,NSET=NALL
U,RF
*EL PRINT,ELSET=EALL
S
*END STEP
"""


def check(good, message):
    if not good:
        sys.exit(f"FAILED: {message}")


def near(a, b, tolerance=1e-6):
    return abs(a - b) <= tolerance * max(1.0, abs(b))


class Runs:
    def __init__(self, program, folder):
        self.program, self.folder = program, folder

    def write(self, name, text):
        with open(os.path.join(self.folder, name), "w") as file:
            file.write(text)

    def start(self, name, *settings):
        return subprocess.run([self.program, "solve", name, "--json", *settings], cwd=self.folder, text=True,
                              capture_output=True)

    def solve(self, text, *settings):
        """The tables of the .dat file: {(what, set): {(number, ...): values}}."""
        self.write("deck.inp", text)
        done = self.start("deck.inp", "--set", "output.dat=deck.dat", "--set", "solver={method: direct}", *settings)
        check(done.returncode == 0, done.stderr)
        tables, rows = {}, None
        with open(os.path.join(self.folder, "deck.dat")) as file:
            for line in file:
                if " for set " in line:
                    what, _, rest = line.strip().partition(" for set ")
                    rows = tables.setdefault((what.split(" (")[0], rest.split()[0]), {})
                elif line.strip():
                    words = line.rstrip(" L\n").split()
                    numbers = [w for w in words if "." in w]
                    rows[tuple(map(int, words[:len(words) - len(numbers)]))] = [float(n) for n in numbers]
        return tables, json.loads(done.stdout)

    def refuse(self, text, *words):
        self.write("deck.inp", text)
        done = self.start("deck.inp")
        check(done.returncode == 1 and all(w in done.stderr for w in words), f"{words}: {done.stderr}")
        return done.stderr


def pull(runs):
    """Forces in total 8 on the end: u = F L / (E A); each node of a set has the force, and lines add up."""
    runs.write("nodes.inc", NODES)
    deck = BAR % "*CLOAD\n11,3,1.\n12,3,1.\n13,3,1.\n14,3,1.\n11,3,1.\n*CLOAD\n12,3,1.\n13,3,1\n14,3,1."
    tables, told = runs.solve(deck)
    check(not any("not printed" in note for note in told["warnings"]), f"notes: {told['warnings']}")
    _, told = runs.solve(deck.replace("\nS\n", "\nS,ELSE\n"))
    check(sum("not printed: ELSE" in note for note in told["warnings"]) == 1, f"notes: {told['warnings']}")
    u, force = tables["displacements", "NALL"], tables["forces", "NALL"]
    check(len(u) == 12, f"rows of nodes that elements have: {len(u)}")
    check(near(u[11,][2] * 210000, 16) and near(u[7,][2] * 210000, 8), f"pull: {u}")
    check(near(force[13,][2], 2) and near(force[1,][2], -2), f"forces: {force}")
    for choice in ("YES", "ONLY"):
        summed, _ = runs.solve((BAR % "*CLOAD\n11,2,1.\n11,3,8.").replace("NSET=NALL\nU", f"NSET=LOW,TOTALS={choice}\nU"))
        check(all(near(f, e, 1e-5) for f, e in zip(summed["total force", "LOW"][()], (0, -1, -8))), f"totals: {summed}")
        check((("forces", "LOW") in summed) == (choice == "YES"), f"TOTALS={choice}: {summed}")
    stress = tables["stresses", "EALL"]
    check(len(stress) == 16 and all(near(s[2], 8) for s in stress.values()), f"stress: {stress}")


def loads(runs):
    """The same by a pressure on a face of a set, of a surface, by gravity, and by amplitudes."""
    for text, at_end in (("*DLOAD\n2,P2,-4.", 8 / 210000), ("*DLOAD\nEALL,GRAV,3.,0,0,5.", 2 * 3 * 2 / 210000),
                         ("*AMPLITUDE,NAME=A\n0,0,0.5,1,2.,4.\n*CLOAD,AMPLITUDE=A\nTOP,3,1.", 2 * 4 * 2 / 210000),
                         ("*AMPLITUDE,NAME=A,TIME=TOTAL TIME\n0,0,2,4.\n*CLOAD,AMPLITUDE=A\nTOP,3,1.", 2 * 4 * 2 / 210000),
                         ("*BOUNDARY\nTOP,3,3,.5", 0.5), ("*DSLOAD\nENDFACE,P,-4.", 8 / 210000),
                         ("*DLOAD\nEALL,GRAV,3.,0,0,5.\nEALL,GRAV,1.,0,0,5.", 2 * 4 * 2 / 210000),  # of one step they add up, as in CalculiX
                         ("*DLOAD\nEALL,CENTRIF,3.,0,.5,0,1.,0,0\nEALL,CENTRIF,2.,0,.5,0,1.,0,0", 2 * 5 * 8 / 3 / 210000),
                         ("*DSLOAD\nENDFACE,P,-4.\n*DSLOAD\nENDFACE,P,-2.", 12 / 210000)):
        deck = BAR.replace("*ELSET,ELSET=EALL\n", "*NSET,NSET=TOP\n11,12,13,14\n*SURFACE,NAME=ENDFACE\n2,S2\n"
                           "*ELSET,ELSET=EALL\n")
        tables, _ = runs.solve(deck % text)
        check(near(tables["displacements", "NALL"][12,][2], at_end), f"{text}: {tables['displacements', 'NALL']}")


def steps(runs):
    """A load stays in the next step, a new one replaces it, OP=NEW takes it away: tables of each step."""
    second = "*CLOAD\n11,3,1.\n12,3,1.\n13,3,1.\n14,3,1.\n"
    third = "*NODE PRINT,NSET=NALL\nU\n*END STEP\n*STEP\n*STATIC\n*CLOAD,OP=NEW\nTOP,1,1.\n*DLOAD\nEALL,GRAV,1.,0,0,1.\n"
    deck = BAR.replace("*ELSET,ELSET=EALL\n", "*NSET,NSET=TOP\n11,12,13,14\n*ELSET,ELSET=EALL\n").replace("1,1,2\n2,2", "LOW,1,2")
    _, told = runs.solve(deck % (second + third))
    applied = [case["applied"] for case in told["cases"]]
    check(near(applied[0][2], 4) and near(applied[1][0], 4) and near(applied[1][2], 4), f"steps: {applied}")
    # As CalculiX 2.20 does: OP=NEW on the first card of a kind in the step alone, *DLOAD and *DSLOAD being one
    side = deck.replace("*ELSET,ELSET=EALL\n", "*SURFACE,NAME=SIDE\n1,S3\n*ELSET,ELSET=EALL\n")
    for again, known in (("*CLOAD,OP=NEW\n11,1,1.\n*CLOAD,OP=NEW\n12,2,3.", (1, 3, 0)), ("*CLOAD\nTOP,3,2.\n*CLOAD,OP=NEW\n12,2,3.", (0, 3, 8)),
                         ("*DLOAD,OP=NEW\n1,P3,5.\n*DSLOAD,OP=NEW\nSIDE,P,2.", (0, 7, 4)), ("*DSLOAD,OP=NEW\nSIDE,P,2.\n*DLOAD,OP=NEW\n2,P3,5.", (0, 7, 4))):
        _, told = runs.solve(side % ("*CLOAD\nTOP,3,1.\n*DLOAD\n2,P3,9.\n*END STEP\n*STEP\n*STATIC\n" + ("" if "SIDE" in again else "*DLOAD,OP=NEW\n") + again))
        applied = told["cases"][1]["applied"]
        check(all(near(a, b) for a, b in zip(applied, known)), f"{again}: {applied}")
    # As CalculiX 2.20 does: over the total time an amplitude goes on, here to 2 at 3; over the step's the value at 1 stays.
    for time, known in (("TOTAL TIME", (1, 2, 4)), ("STEP TIME", (1, 1, 6))):
        follow = (f"*AMPLITUDE,NAME=A,TIME={time}\n0.,0.,1.,1.,5.,3.\n*CLOAD,AMPLITUDE=A\nTOP,3,1.\n*END STEP\n*STEP\n*STATIC\n2.,2.\n*END STEP\n"
                  "*STEP\n*STATIC\n5.,5.\n*CLOAD,AMPLITUDE=A\nTOP,3,%s" % (4 / 3 if time[0] == "T" else 2))
        _, told = runs.solve(deck % follow)
        check(all(near(case["applied"][2], 4 * force) for case, force in zip(told["cases"], known)), f"amplitudes over the {time}: {told['cases']}")
    _, told = runs.solve(deck % (second + "*END STEP\n*STEP\n*STATIC\n*CLOAD\n12,3,5."))
    check(near(told["cases"][1]["applied"][2], 8), f"one of several numbers again: {told['cases']}")
    runs.refuse(deck % ("*CLOAD\nTOP,3,1.\n*END STEP\n*STEP\n*STATIC\n*CLOAD\n12,3,5."), "deck.inp:32:", "part of what line 27")
    runs.refuse(deck % (second + "*END STEP\n*STEP\n*STATIC\n*BOUNDARY\nTOP,1,1"), "deck.inp:35:", "first step")


CUBES = """\
*NODE,NSET=NALL
1,0.,0.,0.
2,1.,0.,0.
3,1.,1.,0.
4,0.,1.,0.
5,0.,0.,1.
6,1.,0.,1.
7,1.,1.,1.
8,0.,1.,1.
9,2.,0.,0.
10,2.,1.,0.
11,2.,0.,1.
12,2.,1.,1.
%s*BOUNDARY
1,1,3
4,1,3
5,1,3
8,1,3
*STEP
*STATIC
%s
*NODE PRINT,NSET=NALL
U
*END STEP
"""
TWO_CUBES = """\
*ELEMENT,TYPE=C3D8,ELSET=EA
1,1,2,3,4,5,6,7,8
*ELEMENT,TYPE=C3D8,ELSET=EB
2,2,9,10,3,6,11,12,7
*MATERIAL,NAME=M1
*ELASTIC
210000.,0.3
*DENSITY
2.
*MATERIAL,NAME=M2
*ELASTIC,TYPE=ORTHO
500000.,157200.,400000.,157200.,157200.,300000.,126200.,106200.,
86200.
*DENSITY
2.
*ORIENTATION,NAME=OR1
1.,1.,0.3,-1.,1.,0.
*SOLID SECTION,ELSET=EA,MATERIAL=M1
*SOLID SECTION,ELSET=EB,MATERIAL=M2,ORIENTATION=OR1
"""
TETS = """\
*ELEMENT,TYPE=C3D4,ELSET=EALL
1,1,2,3,6
2,1,3,4,8
3,1,6,8,5
4,3,8,6,7
5,1,3,8,6
*MATERIAL,NAME=M
*ELASTIC
1000.,.3
*DENSITY
2.
*SOLID SECTION,ELSET=EALL,MATERIAL=M
"""


def numbers(runs):
    """Displacements by CalculiX 2.20: a material with directions beside one without; tets of one point that turn; numbers that come
    twice, or again in a later step; gravity that turns round."""
    again = "*END STEP\n*STEP\n*STATIC\n"
    for deck, node, known in (
            (CUBES % (TWO_CUBES, "*CLOAD\n10,2,1."), 10, (-3.852542e-05, 1.455253e-04, 2.816686e-05)),
            (CUBES % (TETS, "*DLOAD\nEALL,CENTRIF,100.,0.,3.,0.,0.,0.,1."), 7, (1.970597e-01, -8.721776e-01, 8.540610e-02))):
        tables, _ = runs.solve(deck)
        found = tables["displacements", "NALL"][node,]
        check(all(abs(a - b) <= 2e-6 * max(map(abs, known)) for a, b in zip(found, known)), f"{found}, not {known}")
    for loads, known in (("*CLOAD\n12,2,1.\n10,2,1.\n12,2,1.", [3]), ("*CLOAD\n12,2,1.\n10,2,1.\n" + again + "*CLOAD\n10,2,4.", [2, 5]),
                         ("*DLOAD\nEA,GRAV,3.,0.,1.,0.\n" + again + "*DLOAD\nEA,GRAV,-1.,0.,1.,0.", [6, -2])):
        _, told = runs.solve(CUBES % (TWO_CUBES, loads))
        found = [case["applied"][1] for case in told.get("cases", [told])] if "cases" in told else [told["applied"][1]]
        check(all(map(near, found, known)), f"{loads}: {found}, not {known}")


def beam(kind):
    """A beam of 5 elements, 10 long, of the section 1 x 1, bent by the moment 1/12 at its end: w = M L^2 / (2 E I)."""
    number, lines, flat = {}, [], kind.startswith("CP")

    def node(x, y, z):
        return number.setdefault((x, y, z), len(number) + 1)
    for e in range(5):
        a, m, b = 2.0 * e, 2.0 * e + 1, 2.0 * e + 2
        if flat:
            numbers = [node(*p) for p in ((0, 0, a), (0, 0, b), (0, 1, b), (0, 1, a), (0, 0, m), (0, 0.5, b), (0, 1, m), (0, 0.5, a))]
        else:
            corners, middles = [(0, 0), (1, 0), (1, 1), (0, 1)], [(0.5, 0), (1, 0.5), (0.5, 1), (0, 0.5)]
            numbers = [node(*p, z) for z, ps in ((a, corners), (b, corners), (a, middles), (b, middles), (m, corners)) for p in ps]
        lines.append(",".join(map(str, [e + 1] + numbers[:12])) + (",\n" if numbers[12:] else "") + ",".join(map(str, numbers[12:])))
    axial = 1 if flat else 3  # the plane beam lies along x
    # the nodes' forces of the traction y - 1/2 on the end
    forces = [f"{n},{axial},{(1 if y else -1) / (12 if flat else 18 if x == 0.5 else 72)}" for (x, y, z), n in number.items() if z == 10 and y != 0.5]
    nodes = [f"{n},{z},{y}" if flat else f"{n},{x},{y},{z}" for (x, y, z), n in number.items()]
    base = [str(n) for (x, y, z), n in number.items() if z == 0]
    return number, "\n".join([
        "*NODE,NSET=NALL", *nodes, f"*ELEMENT,TYPE={kind},ELSET=EALL", *lines, "*NSET,NSET=BASE", *base, "*MATERIAL,NAME=M",
        "*ELASTIC", "1000.,0.", "*SOLID SECTION,ELSET=EALL,MATERIAL=M", "1.", "*BOUNDARY", "BASE,1,3", "*STEP", "*STATIC", "*CLOAD",
        *forces, "*NODE PRINT,NSET=NALL", "U", "*EL PRINT,ELSET=EALL", "S", "*END STEP"]) + "\n"


def quadratic(runs):
    for kind, n_points in (("C3D20", 27), ("CPS8R", 8)):
        number, deck = beam(kind)
        tables, told = runs.solve(deck)
        tip = tables["displacements", "NALL"][number[0, 0.5, 10.0],][1]
        check(near(tip, -100 / 2000, 1e-6), f"{kind}: {tip}")
        check(len(tables["stresses", "EALL"]) == 5 * n_points, "points of quadrature")
        check(told["unknowns"] == (2 if n_points == 8 else 3) * len(number), f"unknowns: {told['unknowns']}")


def turned(runs):
    """Forces and supports of nodes whose degrees of freedom are along a cylindrical or a turned system."""
    deck = BAR.replace("*ELSET,ELSET=EALL\n", "*NSET,NSET=TOP\n12,14\n*TRANSFORM,NSET=TOP,TYPE=C\n0,0,0,0,0,1.\n*ELSET,ELSET=EALL\n")
    tables, told = runs.solve(deck % "*CLOAD\nTOP,2,1.")
    # at (1, 0) along y, at (0, 1) along -x
    check(near(told["applied"][0], -1) and near(told["applied"][1], 1), f"turned: {told['applied']}")
    around, _ = runs.solve(deck.replace("*NODE PRINT,NSET=NALL", "*NODE FILE,GLOBAL=NO\nU,RF\n*NODE PRINT,NSET=TOP,GLOBAL=NO") % "*CLOAD\nTOP,2,1.",
                           "--set", "output.frd=deck.frd")
    turned, mixed = around["displacements", "TOP"], tables["displacements", "NALL"]
    _, _, blocks = read_frd(os.path.join(runs.folder, "deck.frd"))
    for text in (deck.replace("*NODE PRINT,NSET=NALL", "*NODE PRINT,NSET=NALL,GLOBAL=YES"), deck.replace("*TRANSFORM,NSET=TOP,TYPE=C\n0,0,0,0,0,1.\n", "")):
        tables, _ = runs.solve(text % ("*CLOAD\nTOP,2,1." if "TRANSFORM" in text else "*CLOAD\n12,2,1.\n14,1,-1."), "--set", "output.frd=deck.frd")
        u = tables["displacements", "NALL"]
        check(near(turned[12,][1], u[12,][1]) and near(turned[14,][0], u[14,][1]) and near(turned[14,][1], -u[14,][0]), "printed along the system")
        check(all(near(a, b) for n in ((12,), (14,)) for a, b in zip(mixed[n], turned[n])) and all(near(a, b) for a, b in zip(mixed[13,], u[13,])),
              "each node along its own")
        check(all(near(a, b, 1e-5) for n, v in blocks["DISP", 1].items() for a, b in zip(v, mixed[n,])), "the .frd file along systems")
    check(all(near(v[1], 1, 1e-5) and abs(v[0]) < 1e-5 for n, v in blocks["FORC", 1].items() if n in (12, 14)), "forces in the .frd file")
    for first, n_notes in (("", 1), ("*NODE FILE\nU\n", 2), ("*NODE FILE,GLOBAL=NO\nU\n", 0)):
        _, told = runs.solve(deck % ("*CLOAD\nTOP,2,1.\n" + first).rstrip() + "*STEP\n*STATIC\n*NODE FILE,GLOBAL=NO\nU\n*END STEP\n")
        check(sum("of *TRANSFORM, in all steps" in note for note in told["warnings"]) == n_notes, f"notes: {told['warnings']}")
    # sets across systems: along the axis all agree, and two cards may say the same one
    ends = [deck.replace("*TRANSFORM", f"*NSET,NSET=END\n{nodes}\n*TRANSFORM") for nodes in ("11,12,13,14", "12,11,14,13")]
    for end, step in itertools.product(ends, ("*CLOAD\nEND,3,2.", "*BOUNDARY\nEND,3,3,.05")):
        across, along = (runs.solve(text % step)[0]["displacements", "NALL"] for text in (end, end.replace("*TRANSFORM,NSET=TOP,TYPE=C\n0,0,0,0,0,1.\n", "")))
        check(abs(along[13,][2]) > 1e-9 and all(near(a, b) for n in along for a, b in zip(across[n], along[n])), f"across systems: {step}")
    runs.refuse(ends[0] % "*CLOAD\nEND,1,2.", "nodes 11 and 12 are in different systems of *TRANSFORM")
    two = deck.replace("NSET=TOP,TYPE=C\n0,0,0,0,0,1.\n", "NSET=ONE,TYPE=C\n0,0,0,0,0,1.\n*TRANSFORM,NSET=OTHER,TYPE=C\n0,0,2.,0,0,5.\n")
    two, told = runs.solve(two.replace("*NSET,NSET=TOP", "*NSET,NSET=ONE\n12\n*NSET,NSET=OTHER\n14\n*NSET,NSET=TOP") % "*CLOAD\nTOP,2,1.")
    check(near(told["applied"][0], -1) and near(told["applied"][1], 1), f"two cards: {told['applied']}")
    # of which the second has a node on the axis
    one = deck.replace("12,14\n", "12,11,14\n")
    two = (one.replace("*TRANSFORM,NSET=TOP,TYPE=C\n0,0,0,0,0,1.\n", "*TRANSFORM,NSET=ONE,TYPE=C\n0,0,0,0,0,1.\n*TRANSFORM,NSET=OTHER,TYPE=C\n0,0,2.,0,0,5.\n")
           .replace("*NSET,NSET=TOP", "*NSET,NSET=ONE\n12\n*NSET,NSET=OTHER\n11,14\n*NSET,NSET=TOP"))
    u, v = (runs.solve(text % "*BOUNDARY\nTOP,1,1,.05\nTOP,2,2,.02")[0]["displacements", "NALL"] for text in (one, two))
    check(abs(u[11,][0]) > 1e-9 and all(near(a, b) for n in u for a, b in zip(u[n], v[n])), f"on the axis of two cards: {u[11,]}, {v[11,]}")
    # node 12 is on this axis, where CalculiX takes x as radial
    on_axis, along = (runs.solve(text % "*CLOAD\n13,1,1.")[0]["displacements", "NALL"][12,]
                      for text in (deck.replace("0,0,0,0,0,1.", "1.,0,0,1.,0,1."), BAR))
    check(abs(along[0]) > 1e-9 and all(near(a, b) for a, b in zip(on_axis, along)), "printed on the axis of a cylinder")
    # as CalculiX has it: x is radial of an axis along z, and y - x of one aslant
    everywhere = deck.replace("*NODE PRINT,NSET=NALL", "*NODE PRINT,NSET=NALL,GLOBAL=YES")
    for step in ("*CLOAD\n12,1,1.\n12,2,2.", "*BOUNDARY\n12,1,1,.01", "*BOUNDARY\n12,1,1,.01\n12,2,2,.02", "*BOUNDARY\n12,1,2,.01\n13,3,3,.1"):
        on_axis, along = (runs.solve(text % step)[0]["displacements", "NALL"] for text in (everywhere.replace("0,0,0,0,0,1.", "1.,0,0,1.,0,1."), BAR))
        check(abs(along[13,][0]) > 1e-9 and all(near(a, b) for n in along for a, b in zip(on_axis[n], along[n])), f"on the axis: {step}")
    u = runs.solve(everywhere.replace("0,0,0,0,0,1.", "0,-1.,1.,1.,0,2.") % "*BOUNDARY\n12,1,1,.01")[0]["displacements", "NALL"][12,]
    check(near(u[1] - u[0], 0.01 * 2 ** 0.5) and abs(u[2]) > 1e-9, f"aslant: {u}")
    deck = deck.replace("TYPE=C\n0,0,0,0,0,1.", "TYPE=R\n0,1.,0,-1.,0,0")
    tables, told = runs.solve(deck % "*CLOAD\nTOP,1,1.\nTOP,2,3.")
    check(near(told["applied"][1], 2) and near(told["applied"][0], -6), f"turned: {told['applied']}")
    tables, told = runs.solve(deck % "*BOUNDARY\nTOP,2,2,-.5")
    check(near(tables["displacements", "NALL"][12,][1], -0.5), "a support along a turned axis")


def bound(runs):
    """Equations keep the end plane although one node is pulled; a tie joins two bodies, by faces or by their nodes."""
    plane = "*EQUATION\n2\n12,3,1.,11,3,-1.\n3\n13,3,2.,\n11,3,-1.,12,3,-1.\n2\n14,3,1.,11,3,-1.\n*ELSET,ELSET=EALL\n"
    tables, _ = runs.solve(BAR.replace("*ELSET,ELSET=EALL\n", plane) % "*CLOAD\n12,3,8.")
    u = tables["displacements", "NALL"]
    check(all(near(u[n,][2], 16 / 210000) for n in (11, 12, 13, 14)), f"equations: {u}")
    outside = BAR.replace("*ELSET,ELSET=EALL\n", "*EQUATION\n2\n12,3,1.,99,1,-2.\n*ELSET,ELSET=EALL\n")
    tables, _ = runs.solve(outside % "*BOUNDARY\n99,1,1,.05")  # a node of no element brings in a value
    check(near(tables["displacements", "NALL"][12,][2], 0.1), f"value: {tables}")
    # or a motion: what pulls it pulls node 12 by half
    for load, half in (("*CLOAD\n99,1,1.", "*CLOAD\n12,3,.5"), ("*CLOAD\nBOTH,1,1.", "*CLOAD\n12,3,.5\n11,1,1.")):
        both = [text.replace("*NSET, NSET=BOTH\nLOW, 11", "*NSET, NSET=BOTH\n99, 11") for text in (outside, BAR)]
        pulled, told = runs.solve(both[0] % load)
        u, v = pulled["displacements", "NALL"], runs.solve(both[1] % half)[0]["displacements", "NALL"]
        check(abs(v[12,][2]) > 1e-6 and all(near(a, b, 1e-12) for n in v for a, b in zip(u[n], v[n])), f"reference: {load}")
        check(any("deck.inp:12: motions of reference nodes are not printed" in note for note in told["warnings"]), f"{told['warnings']}")
    runs.refuse(outside % "*CLOAD\n99,2,1.", "the load is on nodes that no element has")
    some = "*BOUNDARY\n99,1,1,.05\n*END STEP\n*STEP\n*STATIC\n*BOUNDARY,OP=NEW\nLOW,1,3"
    runs.refuse(outside % some, "deck.inp:13: *EQUATION: node 99 is in no element; that is served where all steps prescribe one value")
    runs.refuse(outside.replace("*EQUATION", "*RIGID BODY,NSET=LOW,REF NODE=99\n*EQUATION") % "", "node 99 stands for the motion of a rigid body")
    periodic(runs)
    doubled = "*NODE,NSET=NALL\n25,0,0,1\n26,1,0,1\n27,1,1,1\n28,0,1,1\n*Element , type"
    for surface in ("*SURFACE,NAME=UPPER\n2,S1\n", "*SURFACE,NAME=UPPER,TYPE=NODE\n25\n26\n27\n28\n"):
        tie = surface + "*SURFACE,NAME=LOWER\n1,S2\n*TIE,NAME=T,POSITION TOLERANCE=0.01\nUPPER,LOWER\n*ELSET,ELSET=EALL\n"
        deck = (BAR.replace("*Element , type", doubled).replace("2, 5,6,7,8,", "2, 25,26,27,28,").replace("*ELSET,ELSET=EALL\n", tie))
        tables, _ = runs.solve(deck % "*CLOAD\n11,3,2.\n12,3,2.\n13,3,2.\n14,3,2.")
        u = tables["displacements", "NALL"]
        check(near(u[12,][2], 16 / 210000) and near(u[26,][2], 8 / 210000), f"tie: {u}")
    runs.refuse((deck % "").replace("\n28\n", "\n"), "node 25 of 'UPPER' is on no face")
    runs.refuse(deck.replace("UPPER,LOWER", "LOWER,LOWER") % "", "'LOWER' cannot be tied to itself", "deck.inp:")


def periodic(runs):
    """A cell of two layers of one Poisson's ratio, pulled along them by a reference node, the others free: E is the mean of the two."""
    places = list(itertools.product(range(3), repeat=3))
    number = {place: n + 1 for n, place in enumerate(places)}
    lines = ["*NODE,NSET=NALL"] + [f"{number[p]},{p[0]},{p[1]},{p[2]}" for p in places] + ["101,0,0,0", "102,0,0,0", "103,0,0,0"]
    for z in range(2):
        lines.append(f"*ELEMENT,TYPE=C3D8,ELSET=LAYER{z}")
        for x, y in itertools.product(range(2), repeat=2):
            around = [number[x + dx, y + dy, z + dz] for dz in (0, 1) for dx, dy in ((0, 0), (1, 0), (1, 1), (0, 1))]
            lines.append(f"{1 + x + 2 * y + 4 * z},{','.join(map(str, around))}")
    for p in places:
        crossed = [d for d in range(3) if p[d] == 2]
        image = number[tuple(0 if d in crossed else p[d] for d in range(3))]
        for c in (1, 2, 3) if crossed else ():
            terms = [f"{number[p]},{c},1.", f"{image},{c},-1."] + [f"{101 + d},{c},-1." for d in crossed]
            lines += [f"*EQUATION\n{len(terms)}", ",".join(terms[:4]), *([terms[4]] if len(terms) > 4 else [])]
    for z in range(2):
        lines.append(f"*MATERIAL,NAME=M{z}\n*ELASTIC\n{100 * (1 + 2 * z)}.,.25\n*SOLID SECTION,MATERIAL=M{z},ELSET=LAYER{z}")
    lines.append("*BOUNDARY\n1,1,3\n101,2,3\n102,3,3\n102,1,1\n103,1,2\n*STEP\n*STATIC\n*CLOAD\n101,1,4.\n*NODE PRINT,NSET=NALL\nU\n*END STEP\n")
    u = runs.solve("\n".join(lines))[0]["displacements", "NALL"]
    motions = [u[number[tuple(2 * (d == e) for e in range(3))],][d] - u[1,][d] for d in range(3)]
    strain = 4 / (4 * 200)  # of force over face and mean of E
    check(all(near(a, b, 1e-9) for a, b in zip(motions, (2 * strain, -strain / 2, -strain / 2))), f"periodic: {motions}")


def together(runs):
    """Nodes that move together: rigid bodies, couplings, *MPC. Their definitions hold, and what acts on their nodes arrives."""
    corners = {11: (-0.5, -0.5), 12: (0.5, -0.5), 13: (0.5, 0.5), 14: (-0.5, 0.5)}
    sets = "*NODE\n101,.5,.5,3.\n102,0,0,0\n*NSET,NSET=TOP\n11,12,13,14\n*SURFACE,NAME=END\n2,S2\n%s\n*ELSET,ELSET=EALL\n"

    def solve(how, load):
        tables, told = runs.solve(BAR.replace("*ELSET,ELSET=EALL\n", sets % how) % load)
        forces = tables["forces", "NALL"]
        moment = [0, 0, sum(x * forces[n,][1] - y * forces[n,][0] for n, (x, y) in corners.items())]
        for n, (x, y) in corners.items():  # about (1/2, 1/2, 3), of the nodes at height 2
            fx, fy, fz = forces[n,]
            moment[0] += y * fz + fy
            moment[1] += -fx - x * fz
        return tables["displacements", "NALL"], told["applied"], moment
    for how, last in (("*RIGID BODY,NSET=TOP,REF NODE=101,ROT NODE=102", "102,1,"),
                      ("*COUPLING,REF NODE=101,SURFACE=END,CONSTRAINT NAME=C\n*KINEMATIC\n1,3", "101,4,")):
        u, applied, _ = solve(how, "*CLOAD\n101,3,8.")
        check(all(near(u[n,][2], 16 / 210000) for n in corners) and near(applied[2], 8), f"{how}: {u}")
        u, _, moment = solve(how, f"*CLOAD\n{last}3.\n101,2,1.")
        check(near(moment[0], 3) and near(moment[1], 0) and near(u[11,][2] + u[13,][2], u[12,][2] + u[14,][2]), f"{how}: {moment}")
        u, _, _ = solve(how, f"*BOUNDARY\n101,1,3,.1\n{last[:4]}{'1,2' if last[4] == '1' else '4,5'}\n{last[:4]}{'3,3' if last[4] == '1' else '6,6'},.01")
        check(all(near(u[n,][0], 0.1 - 0.01 * y) and near(u[n,][1], 0.1 + 0.01 * x) for n, (x, y) in corners.items()), f"{how}: {u}")
    how = "*RIGID BODY,NSET=TOP,REF NODE=101,ROT NODE=102"
    u, _, _ = solve(how, "*BOUNDARY\n101,1,3\n102,1,3\n*CLOAD\n5,1,1.")
    check(all(near(u[n,][c], 0) for n in corners for c in range(3)), f"both nodes held, in lines that say the same: {u}")
    turned = how + "\n*NSET,NSET=REF\n101,102\n*TRANSFORM,NSET=REF\n0,1,0,-1,0,0"  # its first direction is y
    _, applied, moment = solve(turned, "*CLOAD\n101,1,2.\n102,2,3.")
    check(near(applied[1], 2) and near(applied[0], 0) and near(moment[0], -3), f"in a system: {applied}, {moment}")
    u, _, _ = solve(turned, "*BOUNDARY\n101,1,1,.1\n101,2,3\n102,1,3")
    check(all(near(u[n,][1], 0.1) and near(u[n,][0], 0) for n in corners), f"moved in a system: {u}")
    runs.refuse(BAR.replace("*ELSET,ELSET=EALL\n", sets % turned) % "*BOUNDARY\n101,1,1,.1", "node 101, which stands for a motion, is held in some")
    how = "*COUPLING,REF NODE=101,SURFACE=END,CONSTRAINT NAME=C\n*DISTRIBUTING\n1,6"
    _, applied, moment = solve(how, "*CLOAD\n101,1,2.\n101,3,8.\n101,5,3.")
    check(near(applied[0], 2) and near(applied[2], 8) and near(moment[1], 3) and near(moment[0], 0), f"distributing: {moment}")
    deck = BAR.replace("*ELSET,ELSET=EALL\n", sets % how)
    runs.refuse(deck % "*BOUNDARY\n101,1,3", "*DISTRIBUTING coupling is not served", "deck.inp:")
    runs.refuse(deck.replace("\n1,6\n", "\n1,3\n4,4\n") % "*CLOAD\n101,1,2.\n101,4,1.\n101,5,3.", "does not couple its rotation 5", "deck.inp:39:")
    runs.refuse(deck.replace("DISTRIBUTING\n1,6", "KINEMATIC\n1,2") % "*CLOAD\n101,1,2.", "*KINEMATIC of some", "deck.inp:19")
    runs.refuse(deck.replace("*COUPLING,REF NODE=101,SURFACE=END,CONSTRAINT NAME=C\n", "") % "*CLOAD\n11,1,2.",
                "*DISTRIBUTING says how a *COUPLING couples", "deck.inp:18:")
    runs.refuse(deck.replace("REF NODE=101", "REF NODE=11") % "*CLOAD\n11,1,2.", "node 11 is a node of elements")
    again = BAR.replace("*ELSET,ELSET=EALL\n", sets % (how + "\n*RIGID BODY,NSET=LOW,REF NODE=102,ROT NODE=101"))
    runs.refuse(again % "*CLOAD\n101,1,2.", "node 101 stands for the motion of line 18 already", "deck.inp:21:")
    runs.refuse(deck.replace(how, "*RIGID BODY,NSET=TOP,REF NODE=101,ROT NODE=101") % "*CLOAD\n101,1,2.", "are one node", "deck.inp:18:")
    u, _, _ = solve("*MPC\nPLANE,11,12,14,13", "*CLOAD\n12,3,8.")
    check(near(u[11,][2] + u[13,][2], u[12,][2] + u[14,][2], 1e-9) and u[12,][2] > 1.5 * u[11,][2], f"PLANE: {u}")
    by_set, _, _ = solve("*NSET,NSET=NPLANE\n11,12,14,13\n*MPC\nPLANE,Nplane", "*CLOAD\n12,3,8.")
    check(by_set == u, f"PLANE by a set: {by_set}")
    runs.refuse(BAR.replace("*ELSET,ELSET=EALL\n", sets % "*MPC\nPLANE,11,12,14,NONE") % "*CLOAD\n11,1,1.", "'NONE' is neither", "deck.inp:")
    u, _, _ = solve("*MPC\nSTRAIGHT,1,11,5\nBEAM,11,13", "*CLOAD\n13,1,8.\n11,2,3.")
    check(all(near(2 * u[5,][c], u[11,][c], 1e-9) for c in (0, 1)) and near(u[11,][0] + u[11,][1], u[13,][0] + u[13,][1], 1e-9), f"STRAIGHT: {u}")
    rotation = "*MPC\nMEANROT," + "".join(f"{n}," * 3 for n in corners) + "\n103"
    for load, angle in (("*BOUNDARY\n103,1,1,.02", 0.02), ("*CLOAD\n103,1,5.", None)):
        u, _, moment = solve("*NODE\n103,0,0,4.\n" + rotation, load)
        mean = sum((x * u[n,][1] - y * u[n,][0]) / 0.5 for n, (x, y) in corners.items()) / 4
        check(near(mean, angle) if angle else near(moment[2], 5), f"MEANROT: {mean}, {moment}")
    runs.refuse(BAR.replace("*ELSET,ELSET=EALL\n", sets % "*MPC\nUNKNOWN,1,2") % "*CLOAD\n11,1,1.", "'UNKNOWN' is not served", "deck.inp:")


def spinning(runs):
    """A bar that spins about an axis across its end: the force in total is the integral of rho w^2 z over it."""
    _, told = runs.solve(BAR % "*DLOAD\nEALL,CENTRIF,3.,0.,0.,-1.,0.,5.,0.")
    runs.refuse(BAR % "*DLOAD\nEALL,CENTRIF,3.,0,0,0,0,0,1.\n1,CENTRIF,3.,0,0,0,1.,0,0", "deck.inp:27: element 1 turns about the axis of line 26")
    runs.refuse(BAR % "*DLOAD\nEALL,CENTRIF,3.,0,0,0,0,0,1.\n1,CENTRIF,3.,0,0,0,0,0,1.", "deck.inp:27: element 1 turns by the set of line 26 already")
    check(near(told["applied"][2], 2 * 3 * (2 + 2)) and near(told["applied"][0], 2 * 3 * 0.5 * 2), f"spinning: {told['applied']}")


def warm(runs):
    """A bar that is warmer than at first by 5 and 5 z more: it grows by the integral; held at both ends it is stressed."""
    deck = BAR.replace("210000.,0.", "210000.,0.\n*EXPANSION,ZERO=7.\n1.E-3").replace(
        "*STEP", "*INITIAL CONDITIONS,TYPE=TEMPERATURE\nNALL,10.\n*STEP")
    warm = "*TEMPERATURE\nlow,15.\n5,20.\n6,20.\n7,20.\n8,20.\nTOP,25.\n%s"
    deck = deck.replace("*ELSET,ELSET=EALL\n", "*NSET,NSET=TOP\n11,12,13,14\n*ELSET,ELSET=EALL\n")
    tables, _ = runs.solve(deck % (warm % ""))
    check(near(tables["displacements", "NALL"][13,][2], 1e-3 * (5 * 2 + 10)), f"warm: {tables['displacements', 'NALL']}")
    check(all(near(f, 0) for force in tables["forces", "NALL"].values() for f in force), f"warm: {tables['forces', 'NALL']}")
    held = "\n*BOUNDARY\nTOP,3,3"
    tables, _ = runs.solve(deck % ("*TEMPERATURE\nNALL,20." + held))
    check(all(near(s[2], -2100) for s in tables["stresses", "EALL"].values()), f"held: {tables['stresses', 'EALL']}")
    force = tables["forces", "NALL"]
    check(near(force[13,][2], -525) and near(force[1,][2], 525) and near(force[5,][2], 0), f"held: {force}")
    # Softer and longer with the temperature: the strain is a(T) (T - 7) - a(10) (10 - 7), of a table from 7 on.
    table = deck.replace("1.E-3", "1.E-3,10.\n3.E-3,30.").replace("210000.,0.", "210000.,0.,0.\n10000.,0.,20.\n5000.,0.,60.")
    tables, _ = runs.solve(table % ("*TEMPERATURE\nNALL,20.\n*CLOAD\nTOP,3,5."))
    grown = 2e-3 * (20 - 7) - 1e-3 * (10 - 7) + 4 * 5 / 10000
    check(near(tables["displacements", "NALL"][13,][2], 2 * grown), f"table: {tables['displacements', 'NALL']}")
    tables, _ = runs.solve(table.replace("NALL,10.", "NALL,7.") % ("*TEMPERATURE\nNALL,20."))
    check(near(tables["displacements", "NALL"][13,][2], 2 * 2e-3 * (20 - 7)), f"table: {tables['displacements', 'NALL']}")
    # Temperatures that follow no line, from initial ones that do not either: each cube grows along z by its mean.
    ortho = deck.replace("*EXPANSION,", "*EXPANSION,TYPE=ORTHO,").replace("1.E-3", "0.,0.,1.E-3").replace("NALL,10.", "LOW,10.\n5,1.\nTOP,10.")
    bent = ortho % "*TEMPERATURE\nlow,15.\n5,20.\n6,20.\n7,20.\n8,20.\nTOP,95."
    tables, _ = runs.solve(bent)
    u = tables["displacements", "NALL"]
    top = sum(u[n,][2] for n in (11, 12, 13, 14)) / 4  # that of node 5 alone was 1, of the others of its plane 0
    check(near(top, 1e-3 * ((5 + 19.75) / 2 + (19.75 + 85) / 2)), f"bent: {u}")


def directed(runs):
    """The bar along direction 1 of its material, pulled and warmed: by moduli, by the constants that follow, by all 21."""
    moduli = "*ELASTIC,TYPE=ENGINEERING CONSTANTS\n200.,100.,50.,0.,0.,0.,30.,20.,\n10.,7."
    nine = "*ELASTIC,TYPE=ORTHO\n200.,0.,100.,0.,0.,50.,30.,20.,\n10."
    whole = "*ELASTIC,TYPE=ANISO\n200.,0.,100.,0.,0.,50.,0.,0.,\n0.,30.,0.,0.,0.,0.,20.,0.,\n0.,0.,0.,0.,10."
    rectangular = "*ORIENTATION,NAME=Or1\n0.,0.,1.,1.,0.,0."
    cylindrical = "*ORIENTATION,NAME=OR1,SYSTEM=CYLINDRICAL\n-9.,.5,0.,-9.,1.5,0."  # about y, far from the bar: axial is y
    end = "*CLOAD\n11,3,1.\n12,3,1.\n13,3,1.\n14,3,1.\n"
    for elastic, orientation, modulus in ((moduli, rectangular, 200), (nine, rectangular, 200), (whole, rectangular, 200),
                                          (moduli, cylindrical, 100)):
        deck = (BAR.replace("*ELASTIC\n210000.,0.", elastic + "\n*EXPANSION,TYPE=ORTHO\n1.E-3,2.E-3,4.E-3").replace(
            "ELSET=EALL\n*BOUNDARY", "ELSET=EALL,ORIENTATION=OR1\n*BOUNDARY").replace("*SOLID", orientation + "\n*SOLID")
                .replace("*STEP", "*INITIAL CONDITIONS,TYPE=TEMPERATURE\nNALL,10.\n*STEP"))
        tables, _ = runs.solve(deck % (end + "*TEMPERATURE\nNALL,20."))
        u, warm = tables["displacements", "NALL"][13,][2], 2 * 10 * (1e-3 if modulus == 200 else 2e-3)
        check(near(u, 4 * 2 / modulus + warm, 1e-2 if modulus == 100 else 1e-6), f"{elastic} {orientation}: {u}")
    _, told = runs.solve(deck % (end + "*EL FILE,GLOBAL=NO\nS\n*EL PRINT,ELSET=EALL\nS"))
    check(sum("not along the orientations" in note for note in told["warnings"]) == 1, f"notes: {told['warnings']}")
    runs.refuse((deck % end).replace("ORIENTATION=OR1", "ORIENTATION=OR2"), "no *ORIENTATION called 'OR2'")
    runs.refuse((deck % end).replace("-9.,.5,0.,-9.,1.5,0.", "0.,0.,1.,0.,0.,1."), "*ORIENTATION takes two points")


def stressed(runs):
    """Stresses and strains that elements begin with: of the upper one alone, held at both ends; of all, free."""
    state = "*INITIAL CONDITIONS,TYPE=%s\n" + "".join("2,%d,0.,0.,%%s,0.,0.,0.\n" % q for q in range(1, 9)) + "*STEP"
    deck = BAR.replace("*ELSET,ELSET=EALL\n", "*NSET,NSET=TOP\n11,12,13,14\n*ELSET,ELSET=EALL\n")
    # s1 = E e, s2 = 200 - E e with the same e, shorter by as much: both are 100
    for kind, value in (("STRESS", "200."), ("PLASTIC STRAIN", "-9.523809523809524E-4")):
        tables, _ = runs.solve(deck.replace("*STEP", state.replace("%s", kind, 1).replace("%s", value)) % "*BOUNDARY\nTOP,3,3")
        check(all(near(s[2], 100) for s in tables["stresses", "EALL"].values()), f"{kind}: {tables['stresses', 'EALL']}")
        check(near(tables["displacements", "NALL"][7,][2], 100 / 210000), kind)
        tables, _ = runs.solve(deck.replace("*STEP", state.replace("%s", kind, 1).replace("%s", value)) % "*CLOAD\n11,3,0.")
        check(near(tables["displacements", "NALL"][13,][2], -200 / 210000) and abs(tables["stresses", "EALL"][2, 3][2]) < 1e-6, f"{kind}, free")
    uneven = deck.replace("*STEP", state.replace("2,8,0.,0.,%s", "2,8,0.,0.,1.").replace("%s", "STRESS", 1).replace("%s", "2."))
    runs.refuse(uneven % "*BOUNDARY\nTOP,3,3", "differ within an element", "deck.inp:33:")


def bent(runs):
    """C3D8I: the bar under a force across its end, as CalculiX 2.20 prints it (C3D8 gives 4.52e-4)."""
    deck = BAR.replace("c3d8", "C3D8I").replace("210000.,0.", "210000.,0.3").replace("1,1,2\n2,2", "LOW,1,2")
    tables, _ = runs.solve(deck % "*CLOAD\n11,1,1.\n12,1,1.\n13,1,1.\n14,1,1.")
    known = (6.444867e-04, 6.676314e-06, 2.217210e-04)
    check(all(abs(a - b) <= 1e-6 * known[0] for a, b in zip(tables["displacements", "NALL"][11,], known)),
          f"bent: {tables['displacements', 'NALL'][11,]}")
    # a section of several formulations is that of each
    one = (deck % "*CLOAD\n11,1,1.\n*DLOAD\nEALL,GRAV,5.,1.,0.,0.").replace("2, 5,6,7,8,", "*ELEMENT,TYPE=C3D8,ELSET=EALL\n2, 5,6,7,8,")
    two = one.replace("*ELSET,ELSET=EALL", "*ELSET,ELSET=LOWER\n1\n*ELSET,ELSET=UPPER\n2\n*ELSET,ELSET=EALL")
    two = two.replace("*SOLID SECTION,MATERIAL=STEEL,ELSET=EALL", "*SOLID SECTION,MATERIAL=STEEL,ELSET=LOWER\n*SOLID SECTION,MATERIAL=STEEL,ELSET=UPPER")
    tables, told = runs.solve(one)
    check(tables == runs.solve(two)[0] and near(told["applied"][0], 1 + 2 * 2 * 5), "a section of several formulations")
    runs.refuse(one.replace("*STEP", "*INITIAL CONDITIONS,TYPE=STRESS\n" + "".join(f"{e},{q},0.,0.,1.,0.,0.,0.\n" for e in (1, 2) for q in range(1, 9)) + "*STEP"), "sections of their own")


def reduced(runs):
    """C3D8R in cells of uneven shape, and C3D8I of a material with directions, as CalculiX 2.20 prints them with these nodes, these
    lines and *EL PRINT, GLOBAL=YES."""
    load = "*CLOAD\n11,1,1.\n12,1,1.\n13,1,1.\n14,1,1.\n*DLOAD\nEALL,GRAV,9810.,0.,1.,0.\n2,P2,3."
    bar = BAR.replace("1,1,2\n2,2", "LOW,1,2")
    isotropic = bar.replace("210000.,0.", "210000.,0.3")
    directed = bar.replace("*ELASTIC\n210000.,0.", "*ELASTIC,TYPE=ENGINEERING CONSTANTS\n100000.,30000.,20000.,.2,.25,.3,9000.,8000.\n7000.")
    directed = directed.replace("*SOLID SECTION,", "*ORIENTATION,NAME=OR\n1.,1.,.3,-1.,1.,.2\n*SOLID SECTION,ORIENTATION=OR,")
    directed = directed.replace("*EL PRINT,ELSET=EALL", "*EL PRINT,ELSET=EALL,GLOBAL=YES")
    uneven = NODES.replace("8, 0., 1., 1.", "8, .2, .9, 1.2").replace("12, 1.,0.,2.", "12,1.1,-.1,1.8").replace("3,1,1", "3,1.2,.9")
    for nodes, deck, kind, end, force, stress in (
            (uneven, isotropic, "C3D8R", (-2.173130e+00, 5.319307e+01, 1.892193e+01), (9.300558e+02, -7.915804e+03, -1.733499e+04),
             (3.918702e+02, 8.416999e+03, -6.692049e+02, -4.191151e+03, -2.530399e+02, 2.918716e+04)),
            (uneven, directed, "C3D8R", (-1.079851e+01, 2.477719e+02, 8.737858e+01), (6.289144e+02, -8.092665e+03, -1.733510e+04),
             (8.621670e+02, 8.432624e+03, -6.724781e+02, -3.661481e+03, -2.476762e+02, 2.916049e+04)),
            (NODES, directed, "C3D8I", (-5.347045e-01, 2.854616e+01, 8.978975e+00), (-6.944563e+03, -1.272685e+04, -1.985820e+04),
             (2.920744e+04, 1.867525e+04, 8.584585e+04, 1.408283e+04, 2.518179e+03, 3.096666e+04))):
        runs.write("nodes.inc", nodes)
        tables, _ = runs.solve(deck.replace("c3d8", kind) % load)
        for what, key, known in (("displacements", (11,), end), ("forces", (1,), force), ("stresses", (1, 1), stress)):
            found = tables[what, "EALL" if what == "stresses" else "NALL"][key]
            check(all(abs(a - b) <= 2e-6 * max(map(abs, known)) for a, b in zip(found, known)), f"{kind}: {what} {found}, not {known}")
    # beside a C3D8, and of two materials, of which one has no directions, under their weight
    for below, above, of_below, of_above, end, force, stress in (
            ("C3D8", "C3D8R", "PLAIN", "STEEL", (.6017021, 22.18577, 16.20918), (-2389.916, -7098.141, -19710.52), (20.49911, -666.7357, 883.8811, 283.8192, 2.384696, 8639.990)),
            ("C3D8R", "C3D8R", "STEEL", "PLAIN", (-14.19864, 340.4879, 120.4843), (942.1984, -10924.81, -23533.34), (-802.9328, -7429.928, 1148.119, 3258.916, 427.9088, 11870.21)),
            ("C3D8R", "C3D8", "PLAIN", "STEEL", (-3.485326, 220.9946, 69.27389), (-811.1474, -22414.06, -20044.97), (-54122.69, -120736.8, -18637.92, 34272.75, 462.2748, -22478.35))):
        runs.write("nodes.inc", uneven)
        deck = directed.replace("c3d8", below).replace("2, 5,6,7,8,", f"*ELEMENT,TYPE={above},ELSET=UPPER\n2, 5,6,7,8,")
        deck = deck.replace("LOW, 11\n*ELSET,ELSET=EALL\n1,2\n", "LOW, 11\n").replace("*SOLID SECTION,ORIENTATION=OR,MATERIAL=STEEL,ELSET=EALL", "*MATERIAL,NAME=PLAIN\n*ELASTIC\n50000.,.3\n*DENSITY\n3.\n"
            f"*SOLID SECTION,ORIENTATION=OR,MATERIAL={of_below},ELSET=EALL\n*SOLID SECTION,ORIENTATION=OR,MATERIAL={of_above},ELSET=UPPER")
        deck = deck.replace("*EL PRINT,ELSET=EALL,GLOBAL=YES\nS", "*EL PRINT,ELSET=EALL,GLOBAL=YES\nS\n*EL PRINT,ELSET=UPPER,GLOBAL=YES\nS")
        tables, _ = runs.solve(deck % "*DLOAD\nEALL,GRAV,9810.,0.,1.,0.\nUPPER,GRAV,9810.,0.,1.,0.")
        for what, key, known in (("displacements", (11,), end), ("forces", (1,), force), ("stresses", (2, 1), stress)):
            found = tables[what, "UPPER" if what == "stresses" else "NALL"][key]
            check(all(abs(a - b) <= 2e-6 * max(map(abs, known)) for a, b in zip(found, known)), f"{below} {above}: {what} {found}, not {known}")
        check(len(tables["stresses", "UPPER"]) == (1 if above == "C3D8R" else 8), f"points of a {above}")
    runs.write("nodes.inc", NODES)
    # Without GLOBAL tensors are along the orientation at each point; C3D8, the second point of the lower element.
    for system, strain, stress in (
            ("*ORIENTATION,NAME=OR\n1.,1.,.3,-1.,1.,.2", (8.106594E-01, 6.025623E-01, 1.373000E+00, 8.415424E-01, 2.150873E+00, 2.663755E+00),
             (9.811303E+04, 3.582271E+04, 3.953020E+04, 1.514776E+04, 3.441397E+04, 3.729258E+04)),
            ("*ORIENTATION,NAME=OR,SYSTEM=CYLINDRICAL\n-3.,.5,0.,-3.,1.5,.2",
             (-4.892521E-02, 1.227559E+00, 1.293652E+00, -1.184655E-01, 2.608566E-01, -3.422986E+00),
             (1.388496E+04, 4.854262E+04, 3.627582E+04, -2.132380E+03, 4.173706E+03, -4.792180E+04))):
        deck = directed.replace("*ORIENTATION,NAME=OR\n1.,1.,.3,-1.,1.,.2", system).replace(",GLOBAL=YES\nS\n", "\nS,E\n")
        tables, told = runs.solve(deck % load)
        for what, known in (("stresses", stress), ("strains", strain)):
            found = tables[what, "EALL"][1, 2]
            check(all(abs(a - b) <= 1e-6 * max(map(abs, known)) for a, b in zip(found, known)), f"along the orientation: {what} {found}, not {known}")
        check(not any("orientation" in line for line in told["warnings"]), f"{told['warnings']}")


# Three quads of uneven shape in the first of two rows.
QUADS = """\
*NODE,NSET=NALL
1,1.,0.
2,2.1,.1
3,3.,-.1
4,4.,0.
5,1.,1.
6,1.9,1.2
7,3.1,.9
8,4.,1.1
9,1.1,2.
10,2.,1.9
11,3.,2.1
12,4.1,2.
*ELEMENT,TYPE=%s,ELSET=EALL
1,1,2,6,5
2,2,3,7,6
3,3,4,8,7
4,5,6,10,9
5,6,7,11,10
6,7,8,12,11
*NSET,NSET=LOW,GENERATE
1,4
*MATERIAL,NAME=M
*ELASTIC
1000.,.3
*DENSITY
2.
*SOLID SECTION,ELSET=EALL,MATERIAL=M
%s
*BOUNDARY
LOW,1,2
*STEP
*STATIC
*CLOAD
9,1,.5
*DLOAD
EALL,GRAV,9.81,.0,-1.,0.
6,P3,3.
*NODE PRINT,NSET=NALL
U,RF
*EL PRINT,ELSET=EALL
S
*END STEP
"""


def reduced_quads(runs):
    """CPE4R, CPS4R and CAX4R in cells of uneven shape, as CalculiX 2.20 prints them; a wedge of two degrees stands for a ring there."""
    for kind, thickness, tolerances, end, force, stress in (
            ("CPE4R", ".5", (2e-6, 2e-6, 2e-6), (1.432873e-02, -4.164709e-02), (1.126228, 7.213680), (-10.73077, -30.10997, -12.25222, .5545656)),
            ("CPE4R", ".05", (2e-6, 2e-6, 2e-6), (2.901614e-02, -4.719491e-02), (.2393645, .3951977), (-8.914457, -29.54509, -11.53786, 1.285770)),
            ("CPS4R", ".5", (1e-3, 1e-3, 2e-3), (1.601224e-02, -4.918889e-02), (.6759984, 7.104705), (-7.707729, -29.75311, -.0445731, .3716641)),
            ("CAX4R", "", (3e-4, 3e-4, 3e-4), (1.614277e-02, -4.605590e-02), (None, 180 * .6530017), (-9.235506, -28.96851, -10.50719, -.3983121))):
        tables, _ = runs.solve(QUADS % (kind, thickness))
        for what, key, known, tolerance in zip(("displacements", "forces", "stresses"), ((12,), (1,), (2, 1)), (end, force, stress), tolerances):
            found = tables[what, "EALL" if what == "stresses" else "NALL"][key]
            check(all(b is None or abs(a - b) <= tolerance * abs(known[1]) for a, b in zip(found, known)), f"{kind}: {what} {found}, not {known}")
        check(len(tables["stresses", "EALL"]) == 6, f"{kind}: a point each")


def in_triangles(kind):
    """QUADS, each cut in two."""
    deck = (QUADS % (kind.replace("3", "4"), "" if kind == "CAX3" else ".5")).replace(kind.replace("3", "4"), kind)
    deck = re.sub(r"\n(\d),(\d+),(\d+),(\d+),(\d+)(?=\n)", r"\n\1,\2,\3,\4\n1\1,\2,\4,\5", deck)
    return deck.replace("6,P3,3.", "16,P2,3.")


def simplices(runs):
    """Cells of one strain are printed as CalculiX does: of C3D4 one point, of CPE3, of which it makes C3D6, two, the same."""
    tables, _ = runs.solve(in_triangles("CPE3"))
    stress = tables["stresses", "EALL"]
    check(sorted(stress) == sorted((e, q) for e in (1, 2, 3, 4, 5, 6, 11, 12, 13, 14, 15, 16) for q in (1, 2)), f"CPE3: {list(stress)}")
    known = (-6.872267, -27.68276, -10.36651, -2.576726)  # of CalculiX 2.20
    check(all(abs(a - b) <= 2e-6 * abs(known[1]) for q in (1, 2) for a, b in zip(stress[12, q], known)), f"CPE3: {stress[12, 1]}")
    tets = BAR.replace("c3d8", "C3D4").replace("1, 1,2,3,4,5,\n6,7,8\n2, 5,6,7,8, 11,12,13,14", "1,1,2,3,6\n2,1,3,4,8\n3,1,6,8,5\n4,3,8,6,7\n5,1,3,8,6")
    tables, _ = runs.solve(tets.replace("LOW, 11", "LOW").replace("*STATIC\n%s", "*STATIC\n*CLOAD\n7,3,1.").replace("*ELSET,ELSET=EALL\n1,2\n", ""))
    check(sorted(tables["stresses", "EALL"]) == [(e, 1) for e in range(1, 6)], f"C3D4: {list(tables['stresses', 'EALL'])}")


def warmed(deck, numbers):
    """Without loads, under temperatures of the nodes that follow no line."""
    first = "*INITIAL CONDITIONS,TYPE=TEMPERATURE\n" + "".join(f"{n},{n % 5}.\n" for n in numbers)
    later = "*TEMPERATURE\n" + "".join(f"{n},{7 * n * n % 50}.\n" for n in numbers)
    deck = deck.replace("*SOLID SECTION", "*EXPANSION\n1.E-3\n*SOLID SECTION").replace("*STEP", first + "*STEP")
    return re.sub(r"\*[CD]LOAD.*?(?=\*NODE PRINT)", later, deck, flags=re.S)


def warm_cells(runs):
    """What C3D8 and C3D20 take of uneven temperatures, as CalculiX 2.20 prints it."""
    bar = (BAR % "*CLOAD\n11,3,1.").replace("1,1,2\n2,2", "LOW,1,2").replace("210000.,0.", "1000.,.3")
    bar = warmed(bar, (1, 2, 3, 4, 5, 6, 7, 8, 11, 12, 13, 14))
    tall, plane = (warmed(deck.replace("1000.,0.", "1000.,.3").replace("\nU\n", "\nU,RF\n"), number.values()) for number, deck in map(beam, ("C3D20", "CPE8")))
    for deck, end, foot, u, force, stress in (
            (bar, 12, 1, (1.326374e-02, -1.326374e-02, 5.281675e-02), (5.055628, 5.055628, 0), (-.1119347, -.1119347, -.03967394, 0, -.01322465, -.01322465)),
            (bar.replace("c3d8", "C3D8I"), 12, 1, (1.269643e-02, -1.269643e-02, 5.132653e-02), (3.813776, 3.813776, 0), (2.160550, 2.160550, 0, 0, 0, 0)),
            (warmed(QUADS % ("CPE4", ".5"), range(1, 13)), 12, 1, (4.354689e-02, 8.734997e-02), (5.530098, 3.154995), (-26.50677, -2.542500, -28.21478, -3.059638)),
            (tall, 60, 4, (-5.561290e-02, .1084578, .1462463), (.4625913, -1.518204, 2.112324), (-.7403689, -.6566983, -5.413636, 1.794174, 1.203314, .5906454)),
            (plane, 25, 4, (.2892699, .4801361), (4.720598, -25.40963), (-1.924492, -12.11433, -34.44175, -2.232994))):
        tables, _ = runs.solve(deck)
        for what, key, known in (("displacements", (end,), u), ("forces", (foot,), force), ("stresses", (2, 1), stress)):
            found = tables[what, "EALL" if what == "stresses" else "NALL"][key]
            check(all(abs(a - b) <= 2e-6 * max(map(abs, known)) for a, b in zip(found, known)), f"{deck[:200]}: {what} {found}, not {known}")


def warm_triangles(runs):
    """CAX3 takes the mean of uneven temperatures, as CalculiX 2.20, which has a wedge of two degrees for it."""
    tables, _ = runs.solve(warmed(in_triangles("CAX3"), range(1, 13)))
    for found, known in ((tables["displacements", "NALL"][7,], (2.973397e-02, 3.872854e-02)),
                         (tables["stresses", "EALL"][1, 1], (-9.466270, 14.67271, -9.093819, -.5005446))):
        check(all(abs(a - b) <= 5e-3 * max(map(abs, known)) for a, b in zip(found, known)), f"{found}, not {known}")


def heat(runs):
    """A flow of heat on the nodes of an end, in total 8: T = 8 z / k; the elements give it back at the other end."""
    deck = (BAR.replace("*ELASTIC\n210000.,0.", "*CONDUCTIVITY\n4.\n*EXPANSION\n1.E-5").replace("*STATIC", "*HEAT TRANSFER,STEADY STATE")
            .replace("low,3,3\n1,1,2\n2,2", "low,0,0,10.").replace("U,RF", "NT,RFL").replace("\nS\n", "\nHFL\n"))
    tables, _ = runs.solve(deck % "*CFLUX\n11,11,2.\n12,11,2.\n13,11,2.\n14,11,2.")
    check(near(tables["temperatures", "NALL"][13,][0], 14) and near(tables["heat generation", "NALL"][1,][0], -2), "flow of heat")
    check(all(near(q[2], -8) for q in tables["heat flux", "EALL"].values()), "heat flux")
    for kind in ("C3D8R", "DC3D8"):
        again, _ = runs.solve(deck.replace("c3d8", kind) % "*CFLUX\n11,11,2.\n12,11,2.\n13,11,2.\n14,11,2.")
        check(again == tables, f"{kind} as C3D8")
    # One temperature at the whole end, by equations, spreads what one node gets.
    tied = deck.replace("*STEP", "*EQUATION\n2\n12,%d,1.,11,11,-1.\n2\n13,11,1.,11,11,-1.\n2\n14,11,1.,11,11,-1.\n*STEP", 1)
    tables, _ = runs.solve(tied % (11, "*CFLUX\n13,11,8."))
    check(near(tables["temperatures", "NALL"][12,][0], 14) and near(tables["temperatures", "NALL"][5,][0], 12), "equal temperatures")
    runs.refuse(tied % (3, "*CFLUX\n13,11,8."), "in heat transfer a term of *EQUATION is a node, the degree of freedom 11")
    for card, words in (("*MPC\nPLANE,11,12,13,14", "*MPC binds displacements"),
                        ("*RIGID BODY,NSET=BOTH,REF NODE=99", "*RIGID BODY binds displacements"),
                        ("*EQUATION\n2\n12,11,1.,12,11,-1.", "the terms of this *EQUATION cancel"),
                        ("*EQUATION\n1\n99,0,1.\n*BOUNDARY\n99,11,11,2.", "whose values do not meet it"),
                        ("*EQUATION\n4097\n12,11,1.,11,11,-1.", "*EQUATION has 4097 terms, and at most 4096 are served")):
        runs.refuse(deck.replace("*STEP", card + "\n*STEP", 1) % "*CFLUX\n13,11,8.", words)
    again, _ = runs.solve(tied % (0, "*CFLUX\n13,11,8."))
    check(again == tables, "degree of freedom 0")
    tables, _ = runs.solve(deck % "*FILM\n2,F2,30.,4.")
    # 4 (30 - T) = 4 (T - 10) / 2
    check(near(tables["temperatures", "NALL"][13,][0], (30 + 5) / 1.5), "film")
    runs.refuse(deck % "*FILM\nEALL,F2,10.,1.\n2,F2,30.,4.", "deck.inp:27: faces here have another one by line 26")
    plate = "\n".join(["*NODE", "1,0,0", "2,1.,0", "3,1.,1.", "4,0,1.", "*ELEMENT,TYPE=CPE4,ELSET=EALL", "1,1,2,3,4", "*MATERIAL,NAME=M", "*CONDUCTIVITY", "4.",
                       "*SOLID SECTION,MATERIAL=M,ELSET=EALL", ".5", "*BOUNDARY", "1,11,11,10.", "4,11,11,10.", "*STEP", "*HEAT TRANSFER,STEADY STATE", "*CFLUX", "2,11,2.", "3,11,2.",
                       "*NSET,NSET=END", "2,3", "*NODE PRINT,NSET=END", "NT", "*END STEP"]) + "\n"
    tables, _ = runs.solve(plate)  # 4 through 1 x 0.5
    told = runs.start("deck.inp").stderr
    check("not printed" not in told and "thickness" not in told, f"no notes without need: {told}")
    runs.write("deck.inp", plate.replace("\nNT\n", "\nNT,RFL,ENER\n"))
    told = runs.start("deck.inp").stderr
    check("not printed: ENER" in told and "per unit of thickness are the values of RFL" in told and "printed: NT" not in told, f"notes: {told}")
    check(near(tables["temperatures", "END"][3,][0], 10 + 4 / (4 * 0.5)), f"plate: {tables}")
    other = plate.replace("*MATERIAL", "*NODE\n5,2.,0\n6,2.,1.\n*ELEMENT,TYPE=CPE4,ELSET=MORE\n2,2,5,6,3\n*MATERIAL").replace("*BOUNDARY", "*SOLID SECTION,MATERIAL=M,ELSET=MORE\n.7\n*BOUNDARY")
    runs.refuse(other, "plane elements of one thickness", "deck.inp:18:")
    ring = "\n".join(["*NODE", "1,2.,0.", "2,4.,0.", "3,4.,1.", "4,2.,1.", "5,3.,0.", "6,4.,.5", "7,3.,1.", "8,2.,.5", "*ELEMENT,TYPE=CAX8,ELSET=EALL",
                      "1,1,2,3,4,5,6,7,8", "*NSET,NSET=OUT", "2,3,6", "*MATERIAL,NAME=M", "*CONDUCTIVITY", "4.", "*SOLID SECTION,MATERIAL=M,ELSET=EALL", "*BOUNDARY", "OUT,11,11,10.",
                      "*STEP", "*HEAT TRANSFER,STEADY STATE", "*DFLUX", "1,S4,8.", "*NODE PRINT,NSET=OUT,TOTALS=ONLY", "RFL", "*NODE PRINT,NSET=OUT", "NT", "*END STEP"]) + "\n"
    tables, told = runs.solve(ring)  # 8 through the area 4 pi, all of which goes out
    check(near(tables["total heat generation", "OUT"][()][0], -32 * 3.141592653589793, 1e-6), f"ring: {tables}")
    check(abs(told["extremes"]["largest"] - (10 + 8 * 2 / 4 * 0.6931471805599453)) < 0.03, f"ring: {told['extremes']}")
    # A film beside sources in a part of the section and in a second step. 8 a volume in the lower cell: 11 - J / 4 = 30 + J / 2, J the flow upwards behind it.
    film = deck % "*FILM\n2,F2,30.,4.\n*DFLUX\n1,BF,8."
    tables, _ = runs.solve(film)
    check(near(tables["temperatures", "NALL"][13,][0], 30 - 76 / 12), "film and sources")
    later = film + "*STEP\n*HEAT TRANSFER,STEADY STATE\n%s*NODE PRINT,NSET=NALL\nNT\n*END STEP\n"
    _, told = runs.solve(later % "*DFLUX,OP=NEW\n")
    check([near(case["extremes"]["largest"], largest) for case, largest in zip(told["cases"], (30 - 76 / 12, (30 + 5) / 1.5))] == [True, True], "film in two steps")
    runs.refuse(later % "*FILM\n2,F2,30.,5.\n", "a *FILM or *RADIATE that the first step does not have", "deck.inp:")
    runs.refuse(later % "*FILM,OP=NEW\n", "takes away or changes a *FILM or *RADIATE", "deck.inp:")


def read_frd(path):
    """{node: place}, {element: (type, nodes)}, {(block, step): {node: values}} by the columns that cgx reads."""
    nodes, elements, blocks, rows = {}, {}, {}, None
    with open(path) as file:
        lines = file.read().split("\n")
    for line in lines:
        if line[:6] in ("    2C", "    3C"):
            rows = nodes if line[5:6] == "C" and line[4] == "2" else elements
            n_told = int(line[24:36])
        elif line.startswith("  100C"):
            step, n_told = int(line[58:63]), int(line[24:36])
        elif line.startswith(" -4"):
            rows = blocks.setdefault((line[5:13].strip(), step), {})
        elif line.startswith(" -1") and rows is elements:
            last = elements[int(line[3:13])] = (int(line[13:18]), [])
        elif line.startswith(" -1"):
            rows[int(line[3:13])] = [float(line[i:i + 12]) for i in range(13, len(line), 12)]
        elif line.startswith(" -2"):
            last[1].extend(int(line[i:i + 10]) for i in range(3, len(line), 10))
        elif line.startswith(" -3"):
            check(len(rows) == n_told, f"{len(rows)} rows, announced {n_told}")
    check(lines[0] == "    1C" and lines[-2:] == [" 9999", ""], "both ends of the .frd file")
    return nodes, elements, blocks


def viewers(runs):
    """The .frd file of the bent beam: numbers of the deck, the order of nodes that cgx expects, values in closed form."""
    number, deck = beam("C3D20")
    runs.solve(deck, "--set", "output.frd=deck.frd")
    nodes, elements, blocks = read_frd(os.path.join(runs.folder, "deck.frd"))
    check({n: tuple(x) for n, x in nodes.items()} == {n: tuple(map(float, x)) for x, n in number.items()}, "nodes of the .frd file")
    between = ((0, 1), (1, 2), (2, 3), (3, 0), (0, 4), (1, 5), (2, 6), (3, 7), (4, 5), (5, 6), (6, 7), (7, 4))
    for kind, of in elements.values():
        check(kind == 4 and len(of) == 20, "he20")
        for middle, (a, b) in zip(of[8:], between):
            check(all(near(m, (p + q) / 2) for m, p, q in zip(nodes[middle], nodes[of[a]], nodes[of[b]])), f"node {middle}")
    tip = number[0.5, 0, 10.0], number[0, 1, 10.0]
    check(near(blocks["DISP", 1][tip[1]][1], -0.05, 1e-5), f"DISP: {blocks['DISP', 1][tip[1]]}")
    for n, (x, y, z) in nodes.items():
        check(near(blocks["STRESS", 1][n][2], y - 0.5, 1e-4) and near(blocks["TOSTRAIN", 1][n][2], (y - 0.5) / 1000, 1e-4), f"STRESS of {n}")
    check(abs(sum(f[2] * (nodes[n][1] - 0.5) for n, f in blocks["FORC", 1].items() if nodes[n][2] == 0) + 1 / 12) < 1e-5, "moment of the FORC")
    done = runs.start("deck.inp", "--set", "output.frd=no/deck.frd")
    check(done.returncode == 1 and "no/deck.frd" in done.stderr and "assemble" not in done.stderr, done.stderr)
    done = runs.start("deck.inp", "--set", "order=3", "--set", "elements=full", "--set", "quadrature=null", "--set", "output.frd=deck.frd")
    check(done.returncode == 1 and "elements of order 1 and 2" in done.stderr, done.stderr)


def converted(runs):
    """The problem file and the mesh that a deck becomes give the same file of printed values."""
    for text in (BAR % "*DLOAD\n2,P2,-4.", beam("C3D20")[1], beam("CPS8R")[1], warmed(QUADS % ("CPE4R", ".5"), range(1, 13)), warmed(QUADS % ("CPE4", ".5"), range(1, 13))):
        runs.solve(text)
        with open(os.path.join(runs.folder, "deck.dat")) as file:
            before = file.read()
        for name in ("part.yaml", "part.msh", "part_temperature1.csv", "part_temperature2.csv"):
            if os.path.exists(os.path.join(runs.folder, name)):
                os.remove(os.path.join(runs.folder, name))
        convert = [runs.program, "convert", "deck.inp", "part.yaml"]
        done = subprocess.run(convert, cwd=runs.folder, text=True, capture_output=True)
        check(done.returncode == 0, done.stderr)
        again = subprocess.run(convert, cwd=runs.folder, text=True, capture_output=True)
        check(again.returncode == 1 and "exists already" in again.stderr, again.stderr)
        mesh = os.path.join(runs.folder, "part.msh")
        os.rename(mesh, mesh + ".kept")
        again = subprocess.run(convert, cwd=runs.folder, text=True, capture_output=True)
        check(again.returncode == 1 and "part.yaml: exists already" in again.stderr and not os.path.exists(mesh), "no mesh without its problem")
        os.rename(mesh + ".kept", mesh)
        done = runs.start("part.yaml", "--set", "solver={method: direct}")
        check(done.returncode == 0, done.stderr)
        with open(os.path.join(runs.folder, "part.dat")) as file:
            after = file.read()
        numbers = [[float(w) for w in t.split() if "." in w and w[-1].isdigit()] for t in (before, after)]
        scale = max(map(abs, numbers[0]))
        check(len(numbers[0]) == len(numbers[1]) and all(abs(a - b) < 1e-9 * scale for a, b in zip(*numbers)), "converted")
    for arguments in (["deck.inp"], ["deck.inp", "part.txt"]):
        check(subprocess.run([runs.program, "convert", *arguments], cwd=runs.folder, capture_output=True).returncode == 2, "usage")


def oddities(runs):
    """A section without elements, values asked for again, ends of lines, marks and names; requests of a step serve the next; sets of the user's are kept."""
    runs.write("nodes.inc", NODES)
    load = "*CLOAD\n11,3,1."
    plain = runs.solve((BAR % load).replace("*SOLID", "*MEMBRANE,ELSET=NONE,MATERIAL=STEEL\n1.\n*SOLID"))[0]
    forces = plain["forces", "NALL"]
    check(runs.solve((BAR % load).replace("U,RF", "\n".join(["U,RF," * 15 + "U"] * 30)))[0].keys() == plain.keys(), "values again")
    for text in ((BAR % load).replace("\n", "\r"), "\ufeff" + BAR % load, (BAR % load).replace("BOTH", 'B\\OTH')):
        check(near(runs.solve(text)[0]["forces", "NALL"][11,][2], forces[11,][2]), "ends of lines, marks, names")
    with open(os.path.join(runs.folder, "deck.inp"), "wb") as file:
        file.write((BAR % load).replace("BOTH", "FL\xc4CHE\x01").encode("latin-1"))
    os.rename(os.path.join(runs.folder, "deck.inp"), os.path.join(runs.folder, 'a"b\\c.inp'))
    done = runs.start('a"b\\c.inp')
    check(done.returncode == 0, f"a name in another encoding, and marks in that of the file: {done.stderr}")
    capture = (BAR % (load + "\n*DLOAD\nONE,P2,1.")).replace("*STEP", "*EQUATION\n2\n12,3,1.,13,3,-1.\n*STEP", 1)
    capture = capture.replace("*ELSET,ELSET=EALL", "*ELSET,ELSET=ONE\n2\n*SURFACE,NAME=ONE_P2\n2,S4\n*NSET,NSET=NODE_12\n11\n*ELSET,ELSET=EALL")
    tables = runs.solve(capture)[0]
    u, force = tables["displacements", "NALL"], tables["forces", "NALL"]
    check(near(u[12,][2], u[13,][2]) and not near(u[11,][2], u[13,][2]), f"node 12, not the set NODE_12: {u}")
    held = [sum(f[c] for n, f in force.items() if n[0] <= 4) for c in range(3)]
    check(max(map(abs, held)) < 1e-6, f"face P2 of ONE, not the surface ONE_P2: {held}")
    two = (BAR % load) + "*STEP\n*STATIC\n*CLOAD,OP=NEW\n11,3,2.\n*END STEP\n"
    runs.solve(two)
    with open(os.path.join(runs.folder, "deck.dat")) as file:
        check(file.read().count("displacements") == 2, "requests of the first step serve the second")
    tables = runs.solve(BAR % "*DLOAD\nEALL,GRAV,10.,0.,0.,-1.\nEALL,GRAV,5.,1.,0.,0.")[0]
    held = [sum(f[c] for n, f in tables["forces", "NALL"].items() if n[0] <= 4) for c in range(3)]
    check(near(held[2], 30) and near(held[0], -15), f"three quarters of the weight along both directions: {held}")  # a quarter acts on the base
    two = (BAR % "*DLOAD\nEALL,GRAV,10.,0.,0.,-1.") + "*STEP\n*STATIC\n*DLOAD\nEALL,GRAV,5.,1.,0.,0.\n*END STEP\n"
    held = [sum(f[c] for n, f in runs.solve(two)[0]["forces", "NALL"].items() if n[0] <= 4) for c in range(3)]
    check(near(held[2], 30) and near(held[0], -15), f"a gravity along another direction joins that of the step before: {held}")


def refusals(runs):
    runs.write("nodes.inc", NODES)
    told = runs.refuse(BAR % "*CLOAD\n11,3,1.\n*DYNAMIC\n*STEP,NLGEOM\n*PLASTIC,HARDENING=KINEMATIC", "deck.inp:27: *DYNAMIC is not served",
                       "deck.inp:28: *STEP: the parameter NLGEOM", "deck.inp:29: *PLASTIC is not served")
    check(told.count("\n") == 4 and "deck.inp: Ritz computes what is static" in told, f"a line each, and what is computed: {told}")
    told = runs.refuse("*HEADING\n\n*PART,NAME=A\n" + BAR % "*CLOAD\n11,3,1.\n", "*PART is not served", "write it without them (Abaqus/CAE: Model")
    written = "*PREPRINT,ECHO=NO,MODEL=NO,HISTORY=NO,CONTACT=NO\n" + BAR % "*CLOAD\n11,3,1.\n*RESTART,WRITE,FREQUENCY=0\n*OUTPUT,FIELD,VARIABLE=PRESELECT"
    check(runs.solve(written)[0].keys() == runs.solve(BAR % "*CLOAD\n11,3,1.")[0].keys(), "what Abaqus writes and CalculiX reads over")
    for bare in ("*NODE\n1,0.,0.,0.\n*SHEAR\n*STEP,NLGEOM\n", "*HEADING\n\n*SHEAR\n*STEP,NLGEOM\n", "*NODE\n1,0.\n*SHEAR\n*STEP,NLGEOM\n*ELEMENT,TYPE=S99\n1,1\n"):
        told = runs.refuse(bare, "deck.inp:3: *SHEAR is not served", "deck.inp:4: *STEP: the parameter NLGEOM")
        check("elements" not in told and "no nodes" not in told, f"what is not served comes first: {told}")
    for bare in ("", "*ELEMENT,TYPE=CPS8R\n", "*ELEMENT,TYPE=C3D8,ELSET=E\n"):  # a card without a line, too
        runs.refuse("*NODE\n1,0.,0.,0.\n" + bare, "has no solid or plane elements")
    many = runs.refuse(BAR % "\n".join(["*DYNAMIC"] * 30), "deck.inp:25:", "and 10 more")
    check(many.count("is not served") == 20, many)
    for text, words in (("*CLOAD\n77,3,1.", ("deck.inp:26: there is no node 77",)), ("*CLOAD\nTOP,3,1.", ("deck.inp:26:", "set of nodes called 'TOP'")),
                        ("*CLOAD\nBOHT,3,1.", ("deck.inp:26:", "called 'BOHT'; did you mean 'BOTH'?")), ("*CLAOD\n11,3,1.", ("deck.inp:25:", "did you mean *CLOAD?")),
                        ("*CLOAD\n11,3,one", ("deck.inp:26:", "'one' is not a force")), ("*DLOAD\n2,P7,1.", ("deck.inp:26: element 2, a C3D8, has no face 7",)),
                        ("*DLOAD\nEALL,CENTRIFUGE,1.", ("deck.inp:26:", "'CENTRIFUGE' are not served")), ("*CLOAD\n99,3,1.", ("deck.inp:26:", "no element has")),
                        ("*CLOAD,AMPLITUDE=B\n11,3,1", ("deck.inp:25:", "no *AMPLITUDE called 'B'"))):
        runs.refuse(BAR % text, *words)
    load = BAR % "*CLOAD\n11,3,1."
    for text, words in ((load.replace("*END STEP", ""), ("deck.inp:23: this *STEP has no *END STEP",)), (load.replace("*END STEP", load[load.index("*STEP"):]), ("has no *END STEP",)),
                        (load + "*STEP\n*STATIC\n*BOUNDARY,OP=NEW\nlow,3,3\n*END STEP\n", ("releases a support",)),
                        (load + "*STEP,PERTURBATION\n*STATIC\n*END STEP\n", ("deck.inp:32:", "PERTURBATION")),
                        (load.replace("*STEP", "*NSET,NSET=VOID\n*STEP").replace("11,3,1.", "VOID,3,1."), ("deck.inp:27: the load is on a set without nodes",)),
                        (load.replace("*STEP", "*STEP,PERTURBATION") + "*STEP\n*STATIC\n*END STEP\n", ("deck.inp:32:", "PERTURBATION")),
                        (load.replace("1,4,1", "1,4,1\n60,70"), ("deck.inp:9: there is no node from 60 to 70",)),
                        (load.replace("2, 5,6,7,8,", "2, 6,5,7,8,"), ("error: deck.inp: element 2 (hex) is inverted",)),
                        (load.replace("LOW, 11", "LOW," * 32 + "11"), ("at most 32 fields",)), (load.replace("*STEP", "*NODE PRINT,NSET=NALL\nU\n*STEP"), ("stands before the first *STEP",)),
                        (load.replace("*CLOAD\n11,3,1.", "*SURFACE,NAME=S\n2,S4\n*DSLOAD\nS,P2NP,5."), ("'P2NP' are not served",))):
        runs.refuse(text, *words)
    flow = BAR.replace("*ELASTIC\n210000.,0.", "*CONDUCTIVITY\n4.").replace("*STATIC", "*HEAT TRANSFER,STEADY STATE").replace("low,3,3\n1,1,2\n2,2", "low,0,0,10.")
    for text, words in (("2,R2,20.,0.5", ("deck.inp:23: *RADIATE needs *PHYSICAL CONSTANTS",)), ("2,R2CR,20.,0.5", ("'R2CR' are not served",))):
        runs.refuse((flow % f"*RADIATE\n{text}").replace("U,RF", "NT").replace("\nS\n", "\nHFL\n"), *words)
    for old, new, words in (("6,7,8\n", "6,7\n", ("deck.inp:4:", "has not the 8 nodes of a C3D8")), ("6,7,8\n", "6,7,80\n", ("deck.inp:5:", "node 80")),
                            ("c3d8", "S8R5", ("deck.inp:2:", "S8R5 are not served")), ("*include, input=nodes.inc", "*INCLUDE,INPUT=no.inc", ("deck.inp:1:", "no.inc: cannot be opened")),
                            ("210000.,0.", "210000.,0.\n*MATERIAL,NAME=steel\n*ELASTIC\n70000.,0.", ("deck.inp:16: two materials are called", "of line 13")),
                            ("210000.,0.", "210000.,0.\n220000.,0.,100.", ("deck.inp:14:", "one step with *TEMPERATURE")),
                            ("210000.,0.", "210000.,0.,100.\n220000.,0.,100.", ("deck.inp:16:", "not greater"))):
        runs.refuse((BAR % "*CLOAD\n11,3,1.").replace(old, new), *words)


# A brick of 2 x 1 x 1 as two C3D8, with the elements of groups of faces and of a curve beside them, as Gmsh writes them.
GMSH = """*Heading
 part.inp
*NODE
1, 0, 0, 0
2, 1, 0, 0
3, 2, 0, 0
4, 0, 1, 0
5, 1, 1, 0
6, 2, 1, 0
7, 0, 0, 1
8, 1, 0, 1
9, 2, 0, 1
10, 0, 1, 1
11, 1, 1, 1
12, 2, 1, 1
******* E L E M E N T S *************
*ELEMENT, type=T3D2, ELSET=Line1
1, 1, 4
*ELEMENT, type=CPS4, ELSET=Surface1
2, 1, 4, 10, 7
3, 3, 6, 12, 9
*ELEMENT, type=C3D8, ELSET=Volume1
4, 1, 2, 5, 4, 7, 8, 11, 10
5, 2, 3, 6, 5, 8, 9, 12, 11
*ELSET,ELSET=left
2,
*ELSET,ELSET=right
3,
*ELSET,ELSET=all
1, 2, 3, 4, 5
"""


def sides(runs):
    """In a mesh alone elements on faces and curves are groups of faces and of nodes; without cells on them, and in a deck, they are refused."""
    problem = ("mesh: part.inp\nphysics: elasticity\norder: 1\nmaterials: {group: ALL, young: 10, poisson: 0}\nboundary: [{group: LEFT, "
               "displacement: {x: 0}}, {group: LINE1, displacement: {y: 0, z: 0}}, {group: RIGHT, traction: [1, 0, 0]}]\nexact: [0.1*x, 0, 0]\n"
               "output: none\nsolver: {method: direct}\n")
    runs.write("part.inp", GMSH)
    runs.write("part.yaml", problem)
    done = runs.start("part.yaml")
    check(done.returncode == 0 and json.loads(done.stdout)["error"]["l2"] < 1e-12, done.stderr + done.stdout)
    runs.write("part.inp", GMSH.replace("3, 3, 6, 12, 9", "3, 3, 6, 11, 9"))
    done = runs.start("part.yaml")
    check(done.returncode == 1 and "element 3 (CPS4) of 'SURFACE1' is on no side of another element" in done.stderr, done.stderr)
    runs.refuse(GMSH, "T3D2 are not served")
    runs.refuse(GMSH.replace("*ELEMENT, type=T3D2, ELSET=Line1\n1, 1, 4\n", ""), "elements 2 (CPS4) and 4 (C3D8) are of different kinds", "as its  mesh")


def sample(runs):
    """CalculiX's own decks, a few of each kind of element."""
    if not os.path.isdir(PACKAGE):
        print("calculix-ccx-test is not installed: its decks are left out")
        return
    script = os.path.join(sys.argv[2], "bench", "peers", "calculix_decks.py")
    names = "beamp,oneel,beamt2,achtel29,achtelc,beamptied1,achtelg,achtelp,oneel20cf,segmentf,beam10p,beam8p,oneel20df,oneel20fi,oneel8ra,dam,planestrain2,planestress,aniso,beampo2,beamhtbo,resstress1,inistrain,beamprb,beamt3"
    done = subprocess.run([sys.executable, script, "--ritz", runs.program, "--decks", PACKAGE, "--only", names], text=True,
                          capture_output=True)
    check(done.returncode == 0, done.stdout + done.stderr)


def many_films(runs):
    """A rod with a film of its own on each of 60 cells: fifty groups and flows have a line each, the rest one, and all are there for --json."""
    n = 60
    nodes = [f"{4 * i + k + 1},{i},{k in (1, 2):d},{k > 1:d}" for i in range(n + 1) for k in range(4)]
    cells = [",".join(str(4 * i + k + 1) for k in (0, 1, 2, 3, 4, 5, 6, 7)) for i in range(n)]
    deck = "\n".join(["*NODE,NSET=NALL", *nodes, "*ELEMENT,TYPE=C3D8,ELSET=EALL", *(f"{i + 1},{c}" for i, c in enumerate(cells)), "*MATERIAL,NAME=M",
                      "*CONDUCTIVITY", "4.", "*SOLID SECTION,ELSET=EALL,MATERIAL=M", "*STEP", "*HEAT TRANSFER,STEADY STATE", "*CFLUX", "1,11,6.",
                      "*FILM", *(f"{i + 1},F4,{20 + i},{1 + i / 10}" for i in range(n)), "*END STEP"]) + "\n"
    runs.write("deck.inp", deck)
    done = subprocess.run([runs.program, "solve", "deck.inp"], cwd=runs.folder, text=True, capture_output=True)
    check(done.returncode == 0, done.stderr)
    lines = done.stdout.splitlines()
    flows = [float(line.split()[-1]) for line in lines if line.startswith("flow in ")]
    check(len(flows) == 51 and "flow in    10 more, film: " in done.stdout and near(sum(flows), -6, 1e-3), f"flows: {flows}")
    check(sum(line.startswith("group ") for line in lines) == 51 and "group      and 10 more" in lines, "groups")
    told = json.loads(runs.start("deck.inp").stdout)
    check(len(told["flows"]) == n, f"flows: {told['flows']}")


def main():
    with tempfile.TemporaryDirectory() as folder:
        for case in (pull, loads, steps, numbers, quadratic, turned, bound, spinning, warm, warm_cells, warm_triangles, directed, stressed, bent, reduced, reduced_quads, simplices, together, heat, many_films, viewers, converted, oddities, refusals, sides, sample):
            case(Runs(os.path.abspath(sys.argv[1]), folder))
            print(f"{case.__name__}: as it should be")


main()
