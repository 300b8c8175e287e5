"""Supports of `ritz solve` on meshes that stand aslant, against closed forms and axis-aligned twins."""

import json
import os
import subprocess

import numpy as np
import pytest

TURN = np.linalg.qr(np.array([[2.0, -1, 0.3], [1, 2, -0.5], [0.2, 0.6, 2]]))[0]
TURN *= np.sign(np.linalg.det(TURN))
SIDES = ["x0", "x1", "y0", "y1", "z0", "z1"]


class Grid:
    """Quads or hexes of first order on a box of cells, moved by a map; or quads of second order with nodes on the curve."""

    CORNERS = {2: [(0, 0), (1, 0), (1, 1), (0, 1)], 3: [(0, 0, 0), (1, 0, 0), (1, 1, 0), (0, 1, 0), (0, 0, 1), (1, 0, 1), (1, 1, 1), (0, 1, 1)]}

    def __init__(self, cells, move=lambda x: x, order=1, prefix="", first=1):
        self.cells, self.order, self.prefix, self.dim = cells, order, prefix, len(cells)
        counts = [order * n + 1 for n in cells]
        grid = np.stack(np.meshgrid(*(np.linspace(0, 1, n) for n in counts), indexing="ij"), -1).reshape(-1, self.dim)
        self.numbers = np.arange(first, first + len(grid)).reshape(counts)
        points = np.array([move(x) for x in grid])
        self.points = np.pad(points, ((0, 0), (0, 3 - points.shape[1])))
        self.named = {}  # groups of points

    def elements(self):
        """(type, group, nodes) of the cells, then of the sides."""
        p, corners = self.order, np.array(self.CORNERS[self.dim])
        steps = {1: corners, 2: np.vstack([2 * corners, [(1, 0), (2, 1), (1, 2), (0, 1), (1, 1)]]) if self.dim == 2 else None}[p]
        for cell in np.ndindex(*self.cells):
            yield {(2, 1): 3, (2, 2): 10, (3, 1): 5}[self.dim, p], self.prefix + "body", [self.numbers[tuple(p * np.array(cell) + s)] for s in steps]
        for axis in range(self.dim):
            for end in (0, 1):
                side = np.take(self.numbers, -end, axis)
                where = [n for a, n in enumerate(self.cells) if a != axis]
                around = [[0], [p], *([k] for k in range(1, p))] if self.dim == 2 else [(0, 0), (1, 0), (1, 1), (0, 1)]
                for cell in np.ndindex(*where):
                    nodes = [side[tuple(p * np.array(cell) + s)] for s in around]
                    yield {(2, 1): 1, (2, 2): 8, (3, 1): 3}[self.dim, p], self.prefix + "xyz"[axis] + str(end), nodes
        for group, places in self.named.items():
            for place in places:
                yield 15, group, [self.numbers[place]]


def write_mesh(path, *grids):
    elements = [element for grid in grids for element in grid.elements()]
    names = sorted({group for _, group, _ in elements})
    dims = {15: 0, 1: 1, 8: 1, 2: 2, 3: 2, 10: 2, 5: 3}
    dim_of = {group: dims[kind] for kind, group, _ in elements}
    with open(path, "w") as file:
        file.write(f"$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$PhysicalNames\n{len(names)}\n")
        file.writelines(f'{dim_of[name]} {i + 1} "{name}"\n' for i, name in enumerate(names))
        points = np.vstack([grid.points for grid in grids])
        file.write(f"$EndPhysicalNames\n$Nodes\n{len(points)}\n")
        file.writelines(f"{i + 1} {x:.17g} {y:.17g} {z:.17g}\n" for i, (x, y, z) in enumerate(points))
        file.write(f"$EndNodes\n$Elements\n{len(elements)}\n")
        for i, (kind, group, nodes) in enumerate(elements):
            file.write(f"{i + 1} {kind} 2 {names.index(group) + 1} 1 {' '.join(map(str, nodes))}\n")
        file.write("$EndElements\n")


@pytest.fixture
def solve(program, tmp_path):
    """Solves a problem given as a dict beside mesh.msh, and hands out the JSON, the result file's points and fields."""

    def run(problem, *grids, fails=False):
        write_mesh(tmp_path / "mesh.msh", *grids)
        problem = {"mesh": "mesh.msh", "solver": {"tolerance": 1e-13}, "output": {"file": "out.vtkhdf"}, **problem}
        (tmp_path / "p.yaml").write_text(json.dumps(problem))
        done = subprocess.run([program, "solve", "p.yaml", "--json"], cwd=tmp_path, capture_output=True, text=True, timeout=120)
        assert done.returncode == (1 if fails else 0), done.stderr
        return done.stderr if fails else json.loads(done.stdout)

    return run


def reaction(result, groups):
    return np.array(next(r["force"] for r in result["reactions"] if r["groups"] == groups))


def expressions(matrix, offset=(0, 0, 0)):
    """matrix (x - offset) as expressions."""
    return [" + ".join(f"({m:.17g}) * ({c} - ({o:.17g}))" for m, c, o in zip(row, "xyz", offset)) for row in matrix]


STEEL = {"young": 1000.0, "poisson": 0.25}
GENTLE = np.array([0.1, -0.2, 0.3])


@pytest.mark.parametrize("order", [1, 3])
def test_sliding_on_slanted_faces_is_sliding_along_axes(solve, order):
    """A bar pulled along its own axis, on three planes that stand aslant: the strain is that of Hooke."""
    box = Grid((3, 2, 2), lambda x: TURN @ (x * [2, 1, 1.5]) + GENTLE)
    strain = TURN @ np.diag([10 / 1000, -2.5 / 1000, -2.5 / 1000]) @ TURN.T
    problem = {
        "physics": "elasticity",
        "order": order,
        "materials": STEEL,
        "boundary": [{"groups": ["x0", "y0"], "normal": 0}, {"group": "z0", "normal": 0}, {"group": "x1", "traction": list(TURN[:, 0] * 10)}],
        "exact": expressions(strain, GENTLE),
    }
    result = solve(problem, box)
    assert result["error"]["l2"] < 1e-12 and result["imbalance"] < 1e-9
    np.testing.assert_allclose(reaction(result, "x0, y0"), -15 * TURN[:, 0], atol=1e-9)
    np.testing.assert_allclose(result["applied"], 15 * TURN[:, 0], atol=1e-11)
    np.testing.assert_allclose(reaction(result, "z0"), 0, atol=1e-9)


def test_normals_take_numbers_and_load_cases(solve):
    """The same bar pushed by its ends, which also have fixed components where they need none."""
    box = Grid((2, 2, 2), lambda x: TURN @ (x * [2, 1, 1.5]))
    strain = TURN @ np.diag([0.05, -0.0125, -0.0125]) @ TURN.T
    sides = [{"groups": ["y0", "z0"], "normal": 0}, {"group": "x0", "normal": 0}]
    problem = {"physics": "elasticity", "order": 1, "materials": STEEL}
    exact = {"exact": expressions(strain)}
    result = solve({**problem, **exact, "boundary": [*sides, {"group": "x1", "normal": 0.1}]}, box)
    assert result["error"]["l2"] < 1e-12
    np.testing.assert_allclose(reaction(result, "x1"), 50 * 1.5 * TURN[:, 0], atol=1e-8)
    cases = [{"name": name, "boundary": [{"group": "x1", "normal": value}]} for name, value in {"pull": 0.1, "more": 0.3}.items()]
    cases[0].update(exact)
    result = solve({**problem, "boundary": [*sides, {"group": "x1", "normal": -1}], "cases": cases}, box)
    one, three = result["cases"]
    assert one["error"]["l2"] < 1e-12 and one["imbalance"] < 1e-9 and three["imbalance"] < 1e-9
    np.testing.assert_allclose(three["extremes"]["displacement"], 3 * one["extremes"]["displacement"])
    np.testing.assert_allclose(reaction(three, "x1"), 150 * 1.5 * TURN[:, 0], atol=1e-8)
    cases[0]["boundary"][0]["group"] = "y1"
    assert "a case prescribes the displacement of the group 'y1' in a direction that is free" in solve({**problem, "boundary": sides, "cases": cases}, box, fails=True)


def test_axes_that_are_held_already_count_once(solve):
    box = Grid((2, 2, 2))
    supports = [{"group": "x0", "displacement": {"x": 0}}, {"groups": ["x0", "y0", "z0"], "normal": 0}, {"group": "z0", "displacement": {"z": 0}}]
    problem = {"physics": "elasticity", "order": 2, "materials": STEEL, "exact": ["0.01*x", "-0.0025*y", "-0.0025*z"]}
    pull = {"group": "x1", "traction": [10, 0, 0]}
    assert solve({**problem, "boundary": [*supports, pull]}, box)["error"]["l2"] < 1e-12
    supports[1]["normal"] = 0.1
    assert "where another entry makes it 0; remove one" in solve({**problem, "boundary": [*supports, pull]}, box, fails=True)


def wedge_elements(grid):
    return [(kind, group, list(dict.fromkeys(nodes))) for kind, group, nodes in Grid.elements(grid) if len(set(nodes)) > 1]


def ring(x, low=np.radians(20), high=np.radians(50)):
    r, phi = 1 + x[0], low + (high - low) * x[1]
    return [r * np.cos(phi), r * np.sin(phi)]


LAME = {"inner": 1.0, "outer": 2.0, "pressure": 30.0}


def lame_radial(young=1000.0, nu=0.25, a=1.0, b=2.0, p=30.0):
    """u_r = A r + B / r of a thick cylinder with inner pressure p in plane strain (Lamé)."""
    factor = p * a * a / (b * b - a * a) * (1 + nu) / young
    return factor * (1 - 2 * nu), factor * b * b


def test_wedge_of_a_thick_cylinder_slides_on_its_cuts(solve):
    a, b = lame_radial()
    exact = [f"({a:.17g} + ({b:.17g})/(x*x + y*y)) * {c}" for c in "xy"]
    wedge = Grid((4, 3), ring, order=2)
    problem = {"physics": "plane-strain", "order": 3, "materials": STEEL, "exact": exact}
    cuts = {"groups": ["y0", "y1"], "normal": 0}
    result = solve({**problem, "boundary": [cuts, {"group": "x0", "pressure": 30}]}, wedge)
    assert result["error"]["l2"] < 2e-5 * (a + b) and result["imbalance"] < 1e-9
    finer = solve({**problem, "boundary": [cuts, {"group": "x0", "pressure": 30}]}, Grid((8, 6), ring, order=2))
    assert finer["error"]["l2"] < result["error"]["l2"] / 8
    push = {"group": "x0", "normal": -(a + b)}  # outward of the body is inward of the ring
    pull = {"group": "x1", "normal": 2 * a + b / 2}
    result = solve({**problem, "boundary": [cuts, push, pull]}, wedge)
    assert result["error"]["l2"] < 2e-5 * (a + b)


def test_what_slides_is_named(solve):
    box = Grid((2, 2, 2), lambda x: TURN @ x)
    problem = {"physics": "elasticity", "order": 1, "materials": STEEL}
    error = solve({**problem, "boundary": [{"groups": ["x0", "y0"], "normal": 0}]}, box, fails=True)
    assert "leave free translation along (" in error and "rotation" not in error.replace("stop", "")
    along = np.array(eval(error.split("translation along ")[1].split(")")[0] + ")"))
    np.testing.assert_allclose(abs(along @ TURN[:, 2]), 1, atol=1e-3)
    error = solve({**problem, "boundary": [{"groups": ["x0"], "normal": 0}]}, box, fails=True)
    assert error.count("translation") == 2 and error.count("rotation") == 1


def test_systems_turn_supports_and_tractions(solve):
    """A slanted bar in a system of its own; the twin of `normal` on the same faces."""
    box = Grid((3, 2, 2), lambda x: TURN @ (x * [2, 1, 1.5]) + GENTLE)
    strain = TURN @ np.diag([10 / 1000, -2.5 / 1000, -2.5 / 1000]) @ TURN.T
    problem = {
        "physics": "elasticity",
        "order": 2,
        "materials": STEEL,
        "systems": {"bar": {"x": list(TURN[:, 0]), "xy": list(TURN[:, 1] + 3 * TURN[:, 0])}},
        "boundary": [
            {"group": "x0", "system": "bar", "displacement": {"x": 0}},
            {"groups": ["y0"], "system": "bar", "displacement": [None, 0, None]},
            {"group": "z0", "system": "bar", "displacement": {"z": 0}},
            {"group": "x1", "system": "bar", "traction": [10, 0, 0]},
        ],
        "exact": expressions(strain, GENTLE),
    }
    result = solve(problem, box)
    assert result["error"]["l2"] < 1e-12 and result["imbalance"] < 1e-9
    np.testing.assert_allclose(reaction(result, "x0"), -15 * TURN[:, 0], atol=1e-9)


def test_rounding_carries_nothing(solve):
    """A body moved as a whole by supports in a system of its own, and loads that nothing has to hold."""
    box = Grid((1, 2, 1), lambda x: TURN @ x)
    problem = {"physics": "elasticity", "order": 1, "materials": STEEL, "solver": {"method": "direct"}}
    systems = {"bar": {"x": list(TURN[:, 0]), "xy": list(TURN[:, 1])}}
    moved = {"group": "x0", "system": "bar", "displacement": {"x": 0, "y": 0.02, "z": 0}}
    for boundary in (moved, [moved, {"group": "x1", "normal": 0}]):
        result = solve({**problem, "systems": systems, "boundary": boundary}, box)
        assert result["imbalance"] < 1e-6 and not result["warnings"]
        assert [r["groups"] for r in result["reactions"]] == (["x0"] if boundary is moved else ["x0", "x1"])


def test_loads_on_what_cannot_move_are_told(solve):
    """A rigid body takes all of its load to its support; without the load, none acts."""
    supports = [{"group": "x0", "displacement": "fixed"}, {"group": "x1", "traction": [2, 0, 0]}]
    problem = {"physics": "elasticity", "order": 1, "materials": STEEL, "rigid": {"group": "body"}}
    result = solve({**problem, "boundary": supports}, Grid((2, 1, 1)))
    assert len(result["warnings"]) == 1 and "all loads act where the supports and equations" in result["warnings"][0]
    assert "no load acts" in solve({**problem, "boundary": supports[0]}, Grid((2, 1, 1)))["warnings"][0]


def test_turns_are_about_axes_that_stay(solve):
    a, b, c = np.radians([20, -35, 50])
    about = [
        np.array([[1, 0, 0], [0, np.cos(a), -np.sin(a)], [0, np.sin(a), np.cos(a)]]),
        np.array([[np.cos(b), 0, np.sin(b)], [0, 1, 0], [-np.sin(b), 0, np.cos(b)]]),
        np.array([[np.cos(c), -np.sin(c), 0], [np.sin(c), np.cos(c), 0], [0, 0, 1]]),
    ]
    turn = about[2] @ about[1] @ about[0]
    push = [0.01, -0.02, 0.03]
    sides = {"groups": ["x0", "x1"], "system": "s", "displacement": push}
    problem = {"physics": "elasticity", "order": 1, "materials": STEEL, "systems": {"s": {"rotate": [20, -35, 50]}}, "boundary": sides}
    result = solve({**problem, "exact": [str(u) for u in turn @ push]}, Grid((2, 1, 1)))
    assert result["error"]["l2"] < 1e-13


@pytest.mark.parametrize("move", ["radial", "tangential"])
def test_cylindrical_systems(solve, move):
    """Lamé's cylinder by radial displacements and tractions, and a shaft in torsion: u_t = theta z r."""
    if move == "radial":
        a, b = lame_radial()
        r = "sqrt(x*x + y*y)"
        problem = {"physics": "plane-strain", "order": 3, "systems": {"c": {"axis": [0, 0, 1], "origin": [0.5, -0.25]}}}
        problem["exact"] = [f"({a:.17g} + ({b:.17g})/((x-0.5)*(x-0.5) + (y+0.25)*(y+0.25))) * ({c})" for c in ("x-0.5", "y+0.25")]
        supports = [{"groups": ["y0", "y1"], "system": "c", "displacement": {"tangential": 0}}]
        supports += [{"group": "x0", "system": "c", "traction": [30, 0]}, {"group": "x1", "system": "c", "displacement": {"radial": 2 * a + b / 2}}]
        body, limit = Grid((4, 3), lambda x: np.array(ring(x)) + [0.5, -0.25], order=2), 2e-5 * (a + b)
    else:
        problem = {"physics": "elasticity", "order": 2, "systems": {"c": {"axis": [0, 0, 2]}}, "exact": ["-0.01*y*z", "0.01*x*z", "0"]}
        radius = "sqrt(x*x + y*y)"
        supports = [{"group": "z0", "displacement": "fixed"}, {"group": "z1", "system": "c", "displacement": [0, f"0.02*{radius}", 0]}]
        supports += [{"groups": ["x0", "x1", "y0", "y1"], "displacement": ["-0.01*y*z", "0.01*x*z", 0]}]
        body, limit = Grid((2, 2, 2), lambda x: [x[0] - 0.5, x[1] - 0.5, 2 * x[2]]), 1e-12  # nodes on the axis, too
    result = solve({**problem, "materials": STEEL, "boundary": supports}, body)
    assert result["error"]["l2"] < limit and result["imbalance"] < 1e-9


@pytest.mark.parametrize(
    "systems, words",
    [
        ({"a": {"axis": [0, 0, 0]}}, "'axis' has no direction"),
        ({"a": {"axis": [0, 0, 1], "x": [1, 0, 0]}}, "must have one of 'axis'"),
        ({"a": {"x": [1, 0, 0], "xy": [-2, 0, 0]}}, "lies along its x axis"),
        ({"a": {"x": [0, 0, 1]}}, "lies along z, where the other two could be any"),
        ({"b": {"x": [1e300, 1e300, 0], "xy": [0, 1e-300, 0]}}, "there is no system 'a'"),
        ({"b": {"axis": [0, 0, 1]}}, "there is no system 'a'"),
    ],
)
def test_mistakes_in_systems_are_named(solve, systems, words):
    problem = {"physics": "elasticity", "materials": STEEL, "systems": systems}
    assert words in solve({**problem, "boundary": {"group": "x0", "system": "a", "displacement": [0, 0, 0]}}, Grid((1, 1, 1)), fails=True)


@pytest.mark.parametrize("degrees", [20, 40])
def test_a_sharp_wedge_is_held_at_its_apex(solve, degrees):
    """A disc that shrinks evenly: u = c x, which needs the apex at rest."""
    angle = np.radians(degrees)
    sharp = Grid((2, 2), lambda x: [x[0] * np.cos(x[1] * angle), x[0] * np.sin(x[1] * angle)])
    sharp.numbers[0, :] = 1
    sharp.elements = lambda: [(2, *e[1:]) if len(e[2]) == 3 else e for e in wedge_elements(sharp)]
    strain = -1.25 * 0.5 / 1000
    problem = {"physics": "plane-strain", "order": 1, "materials": STEEL, "exact": [f"{strain}*x", f"{strain}*y"]}
    edge = {"group": "x1", "displacement": [f"{strain}*x", f"{strain}*y"]}
    result = solve({**problem, "boundary": [{"groups": ["y0", "y1"], "normal": 0}, edge]}, sharp)
    assert result["error"]["l2"] < 1e-13


@pytest.mark.parametrize("b, words", [(2, None), (45, "another entry makes it")])
def test_nearly_parallel_directions_replace_and_others_contradict(solve, b, words):
    systems = {"a": {"rotate": [0, 0, 5]}, "b": {"rotate": [0, 0, b]}}
    supports = [{"groups": ["x0", "y0", "z0"], "normal": 0}]
    if words:
        supports += [{"group": "x0", "system": "b", "displacement": {"x": 0.001}}]
    else:
        supports += [{"group": "x1", "system": name, "displacement": {"x": value}} for name, value in (("a", 0.01), ("b", 0.5))]
    problem = {"physics": "elasticity", "order": 1, "materials": STEEL, "systems": systems, "boundary": supports}
    result = solve(problem, Grid((1, 1, 1)), fails=bool(words))
    assert words in result if words else result["extremes"]["displacement"] >= 0.49


def test_a_system_holds_tied_nodes(solve):
    """The side of a tie that follows is prescribed along a turned system as along the axes."""
    grids = stack((1, 2, 2), (1, 1, 1))
    problem = {"physics": "elasticity", "order": 1, "materials": STEEL, "ties": {"from": "b_x0", "to": "a_x1"}}
    problem["systems"] = {"s": {"rotate": [30, 0, 0]}}
    clamp = {"group": "a_x0", "displacement": "fixed"}
    push = {"group": "b_x0", "displacement": {"x": 0.5}}
    pull = {"group": "b_x1", "traction": [10, 0, 0]}
    along = solve({**problem, "boundary": [clamp, push, pull]}, *grids)
    turned = solve({**problem, "boundary": [clamp, {**push, "system": "s"}, pull]}, *grids)
    np.testing.assert_allclose(turned["extremes"]["displacement"], along["extremes"]["displacement"], rtol=1e-9)


def test_tangential_traction_on_the_axis_is_none(solve):
    body = Grid((3, 3, 1), lambda x: [x[0] - 0.5, x[1] - 0.5, x[2]])
    held = {"group": "z0", "displacement": "fixed"}
    problem = {"physics": "elasticity", "order": 2, "materials": STEEL, "systems": {"c": {"axis": [0, 0, 1]}}}
    result = solve({**problem, "boundary": [held, {"group": "z1", "system": "c", "traction": [0, 1, 0]}]}, body)
    np.testing.assert_allclose(result["applied"], 0, atol=1e-12)


# ---- Ties


def stack(fine, coarse, **options):
    """Two bodies along x that meet at x = 1 without sharing nodes."""
    lower = Grid(coarse, lambda x: np.array(x), prefix="a_", **options)
    upper = Grid(fine, lambda x: np.array(x) + np.eye(len(fine))[0], prefix="b_", first=1 + len(lower.points), **options)
    return lower, upper


PULLED = [
    {"group": "a_x0", "displacement": {"x": 0}},
    {"groups": ["a_y0", "b_y0"], "displacement": {"y": 0}},
    {"groups": ["a_z0", "b_z0"], "displacement": {"z": 0}},
    {"group": "b_x1", "traction": [10, 0, 0]},
]
UNIAXIAL = ["0.01*x", "-0.0025*y", "-0.0025*z"]


@pytest.mark.parametrize("order", [1, 2])
def test_ties_of_nested_meshes_pass_the_patch_test(solve, order):
    """Every trace of the coarse side is one of the fine side, so a constant stress goes through exactly."""
    problem = {"physics": "elasticity", "order": order, "materials": STEEL, "boundary": PULLED, "exact": UNIAXIAL}
    result = solve({**problem, "ties": {"from": "b_x0", "to": "a_x1"}}, *stack((2, 4, 2), (2, 2, 1)))
    assert result["error"]["l2"] < 1e-12 and result["imbalance"] < 1e-9 and not result["warnings"]
    assert "not held" in solve(problem, *stack((2, 4, 2), (2, 2, 1)), fails=True)


def test_ties_of_any_meshes_are_close(solve):
    """3 cells against 2: a tie by nodes is not exact there. Its error stays at the interface and in proportion."""
    problem = {"physics": "elasticity", "order": 2, "materials": STEEL, "boundary": PULLED, "exact": UNIAXIAL}
    tie = {"from": "b_x0", "to": "a_x1"}
    error = [solve({**problem, "ties": tie}, *stack((2, 3 * n, 3 * n), (2, 2 * n, 2 * n)))["error"]["l2"] for n in (1, 2)]
    assert error[0] < 0.01 * 0.014 and error[1] < error[0] / 2


def test_ties_from_the_coarser_side_are_told(solve):
    """Fine nodes between the coarse ones stay free: the bar gets much longer than it is. From the fine side it is exact, without a warning."""
    problem = {"physics": "elasticity", "order": 2, "materials": STEEL, "boundary": PULLED, "exact": UNIAXIAL}
    grids = stack((2, 4, 4), (2, 2, 2))
    wrong = solve({**problem, "ties": {"from": "a_x1", "to": "b_x0"}}, *grids)
    assert len(wrong["warnings"]) == 1 and wrong["error"]["l2"] > 0.05 * 0.014
    for part in ("'a_x1' are coarser than 'b_x0'", "0.707 and 0.354 across", "exchange 'from' and 'to'"):
        assert part in wrong["warnings"][0]
    assert not solve({**problem, "ties": {"from": "b_x0", "to": "a_x1"}}, *grids)["warnings"]


def test_ties_carry_heat_and_say_what_is_lost(solve):
    """A quad mesh on another one with half of its edge beyond."""
    grids = stack((2, 8), (2, 4))
    grids[1].points[:, 1] += 0.25
    boundary = [{"group": "a_x0", "temperature": 0}, {"group": "b_x1", "temperature": 1}]
    problem = {"physics": "heat", "order": 1, "materials": {"conductivity": 2}, "boundary": boundary}
    result = solve({**problem, "ties": {"from": "b_x0", "to": "a_x1", "tolerance": 1e-6}}, *grids)
    assert "2 of the 9 nodes of 'b_x0' do not lie on 'a_x1' within 1e-06" in result["warnings"][0]
    wrong = {"ties": {"from": "b_x1", "to": "a_x1"}}
    assert "none of the 9 nodes of 'b_x1' lies on 'a_x1'" in solve({**problem, **wrong}, *grids, fails=True)


def test_ties_reach_beyond_the_corners_of_curved_faces(solve):
    """Rings, open at one place: nodes at the middle of an edge that spans 45 degrees lie outside the box of its corners."""
    rings, first = [], 1
    for radius, prefix, n in ((0.5, "a_", 14), (1, "b_", 7)):
        turned = lambda x, radius=radius: radius * np.array(ring(x, np.pi / 8, 15 * np.pi / 8))
        rings.append(Grid((1, n), turned, order=2, prefix=prefix, first=first))
        first += len(rings[-1].points)
    boundary = [{"group": "b_x1", "displacement": "fixed"}, {"group": "a_x0", "pressure": 1}]
    problem = {"physics": "plane-strain", "order": 2, "materials": STEEL, "boundary": boundary}
    assert not solve({**problem, "ties": {"from": "a_x1", "to": "b_x0"}}, *rings)["warnings"]


# ---- Rigid faces


def test_rigid_bodies_without_supports_move_in_all_ways(solve):
    """Also where the mesh stands aslant: the rounding of equations holds nothing."""
    everything = "no displacement is fixed; free are translation along x, translation along y, translation along z, rotation about the x axis, rotation about the y axis"
    for move in (lambda x: np.array(x) * [1, 0.1, 0.1], lambda x: TURN @ (np.array(x) * [1, 0.1, 0.1]) + GENTLE):
        problem = {"physics": "elasticity", "order": 1, "materials": STEEL, "boundary": {"group": "x1", "force": [1, 0, 0]}}
        for rigid in ("x1", "body"):
            error = solve({**problem, "rigid": {"group": rigid, "at": [0.37, 0.11, 0.23]}}, Grid((3, 2, 2), move), fails=True)
            assert everything in error


def test_rigid_face_bends_a_beam(solve):
    """Without lateral contraction pure bending is u_x = k x z, u_z = -k x^2 / 2, with M = E I k: exact at order 2."""
    beam = Grid((4, 1, 1), lambda x: np.array(x) * [4, 1, 1] - [0, 0.5, 0.5])
    k = 1.2 / (1000 / 12)
    exact = [f"{k:.17g}*x*z", "0", f"-{k / 2:.17g}*x*x"]
    clamp = {"group": "x0", "displacement": "fixed"}
    problem = {"physics": "elasticity", "order": 2, "materials": {"young": 1000, "poisson": 0}, "exact": exact}
    rigid = {"group": "x1", "at": [4, 0, 0]}
    result = solve({**problem, "rigid": rigid, "boundary": [clamp, {"group": "x1", "moment": [0, 1.2, 0]}]}, beam)
    assert result["error"]["l2"] < 1e-11 and result["imbalance"] < 1e-9
    result = solve({**problem, "rigid": {**rigid, "rotation": {"y": 4 * k}}, "boundary": clamp}, beam)
    assert result["error"]["l2"] < 1e-11 and result["imbalance"] < 1e-9
    np.testing.assert_allclose(reaction(result, "x0"), 0, atol=1e-9)
    turned = next(one for one in result["reactions"] if one["key"] == "rigid")  # by a moment without a force
    np.testing.assert_allclose(turned["moment"], [0, 1.2, 0], atol=1e-8)
    shifted = {"group": "x1", "at": [4, 0, 2], "rotation": [0, 4 * k, 0], "displacement": {"x": 8 * k, "z": -8 * k}}
    result = solve({**problem, "rigid": shifted, "boundary": clamp}, beam)
    assert result["error"]["l2"] < 1e-11 and result["imbalance"] < 1e-9


def test_rigid_hub_turns_in_a_bush_whose_seam_is_tied(solve):
    """u_t = A r + B / r, with the moment 4 pi G B on the hub."""
    turn, twist = 0.003, 4 * np.pi * 400
    b = turn / 0.75
    bush = Grid((4, 24), lambda x: ring(x, 0, 2 * np.pi), order=2)
    exact = [f"({b:.17g}/(x*x + y*y) - {b / 4:.17g}) * {c}" for c in ("(-y)", "x")]
    problem = {"physics": "plane-strain", "order": 3, "materials": STEEL, "exact": exact, "ties": {"from": "y1", "to": "y0"}}
    held = {"group": "x1", "displacement": "fixed"}
    pushed = {"group": "x0", "at": [0, 0], "displacement": [0.01, 0], "rotation": 0}
    result = solve({**problem, "order": 2, "rigid": pushed, "boundary": held}, bush)
    np.testing.assert_allclose(reaction(result, "x0"), -reaction(result, "x1"), atol=1e-9)
    assert reaction(result, "x0")[0] > 1 and len(result["reactions"]) == 2
    hub = {"group": "x0", "at": [0, 0]}
    limit = 1e-4 * turn
    result = solve({**problem, "rigid": {**hub, "displacement": [0, 0], "rotation": turn}, "boundary": held}, bush)
    assert result["error"]["l2"] < limit and result["imbalance"] < 1e-9
    loads = [held, {"group": "x0", "moment": twist * b}]
    result = solve({**problem, "rigid": hub, "boundary": loads}, bush)
    assert result["error"]["l2"] < limit and result["imbalance"] < 1e-9
    result = solve({**problem, "rigid": hub, "boundary": loads, "solver": {"method": "direct"}}, bush)
    assert result["error"]["l2"] < limit


# ---- Equations


def test_equations_between_points_and_groups(solve):
    """A cube in uniaxial tension by the mean of its end and by a relation at a corner."""
    supports = [{"group": side, "displacement": {axis: 0}} for side, axis in zip(["x0", "y0", "z0"], "xyz")]
    problem = {"physics": "elasticity", "order": 1, "materials": STEEL, "boundary": supports, "exact": UNIAXIAL}
    mean = {"terms": {"group": "x1", "component": "x"}, "value": 0.01}
    flat = [{"terms": [{"at": [1, *yz], "component": "x"}, {"at": [1, 1, 1], "component": "x", "weight": -1}]} for yz in ([0, 0], [1, 0], [0, 1])]
    result = solve({**problem, "equations": [*flat, mean]}, Grid((1, 1, 1)))
    assert result["error"]["l2"] < 1e-12 and result["imbalance"] < 1e-9
    np.testing.assert_allclose(reaction(result, "equations"), [10, 0, 0], atol=1e-9)
    error = solve({**problem, "equations": [mean, {**mean, "value": 0.02}]}, Grid((1, 1, 1)), fails=True)
    assert "equation 2 (of 2" in error and "contradicts" in error
    error = solve({**problem, "equations": {"terms": {"at": [0.4, 0, 0], "component": "x"}}}, Grid((1, 1, 1)), fails=True)
    assert "no node at (0.4, 0, 0); the nearest one is at (0, 0, 0)" in error


# ---- Springs and bedding


def test_bar_on_a_spring(solve):
    """In series: F/k of the spring, F L / (E A) of the bar; the spring's force is the reaction."""
    sides = [{"group": "y0", "displacement": {"y": 0}}, {"group": "z0", "displacement": {"z": 0}}]
    problem = {"physics": "elasticity", "order": 2, "materials": STEEL, "exact": ["1.5/40 + 0.01*x", *UNIAXIAL[1:]]}
    bar = Grid((3, 2, 2), lambda x: np.array(x) * [2, 0.5, 0.3])
    pull = {"group": "x1", "traction": [10, 0, 0]}
    result = solve({**problem, "boundary": [*sides, {"group": "x0", "spring": [40, 0, 0]}, pull]}, bar)
    assert result["imbalance"] < 1e-9
    np.testing.assert_allclose(reaction(result, "x0"), [-1.5, 0, 0], atol=1e-9)
    assert result["error"]["l2"] < 1e-12
    cases = [{"name": "push", "boundary": [{"group": "x1", "displacement": {"x": 0.23}}]}]
    ends = [{"group": "x0", "spring": [75, 0, 0]}, {"group": "x1", "displacement": {"x": 1}}]  # the bar: E A / L = 75
    del problem["exact"]
    result = solve({**problem, "boundary": [*sides, *ends], "cases": cases}, bar)
    np.testing.assert_allclose(reaction(result["cases"][0], "x0"), [-75 * 0.115, 0, 0], atol=1e-8)
    assert result["cases"][0]["imbalance"] < 1e-9


def test_springs_at_nodes_share_a_total(solve):
    """A block of one cell on four springs that stand askew by one: each carries its share of what goes down."""
    block = Grid((1, 1, 1))
    block.named = {"feet": [(0, 0, 0), (1, 0, 0), (0, 1, 0), (1, 1, 0)]}
    problem = {"physics": "elasticity", "order": 1, "materials": {"young": 1000, "poisson": 0}, "exact": ["0", "0", "-10/80 - 0.01*z"]}
    result = solve({**problem, "boundary": [{"group": "feet", "spring": {"x": 5, "y": 5, "z": 80}}, {"group": "z1", "traction": [0, 0, -10]}]}, block)
    assert result["error"]["l2"] < 1e-12
    np.testing.assert_allclose(reaction(result, "feet"), [0, 0, 10], atol=1e-9)
    error = solve({**problem, "boundary": [{"group": "feet", "spring": {"z": 80}}, {"group": "z1", "traction": [0, 0, -10]}]}, block, fails=True)
    assert "the supports leave free translation along x, translation along y, rotation about" in error


def test_bedding_is_stiffness_per_area(solve):
    """A plate of thickness 0.1 on bedding that grows along it; a rigid plate under a force in its middle sinks and turns by
    statics: F = k (u L + w L^2/2)..., with k = 50 (1 + x)."""
    plate = Grid((4, 1), lambda x: np.array(x) * [2, 1])
    stiff = {"young": 1000, "poisson": 0, "thickness": 0.1}
    even = {"group": "y0", "bedding": [0, 50]}
    side = {"group": "x0", "displacement": {"x": 0}}
    down = {"group": "y1", "traction": [0, -10]}
    problem = {"physics": "plane-stress", "order": 2, "materials": stiff, "exact": ["0", "-10/50 - 0.01*y"]}
    result = solve({**problem, "boundary": [side, even, down]}, plate)
    assert result["error"]["l2"] < 1e-12 and result["imbalance"] < 1e-9
    np.testing.assert_allclose(reaction(result, "y0"), [0, 2, 0], atol=1e-9)
    moments = [2 + 2, 2 + 8 / 3, 8 / 3 + 4]  # of 1 + x over 0..2
    u, w = np.linalg.solve([[5 * moments[0], 5 * moments[1]], [5 * moments[1], 5 * moments[2]]], [-2.0, -2.0])
    all_rigid = {"groups": ["x0", "x1", "y0", "y1"], "at": [0, 0], "displacement": [0, None]}
    rising = {"group": "y0", "bedding": [0, "50*(1 + x)"]}
    problem["exact"] = [f"{-w:.17g}*y", f"{u:.17g} + {w:.17g}*x"]
    result = solve({**problem, "rigid": all_rigid, "boundary": [rising, down]}, plate)
    assert result["error"]["l2"] < 1e-12


@pytest.mark.parametrize(
    "entry, words",
    [
        ({"spring": -1}, "'spring' must be 0 or greater; got -1"),
        ({"spring": [0, 0, 0]}, "all stiffnesses of 'spring' are 0"),
        ({"spring": ["x", 0, 0]}, "'spring' is given in total and takes numbers"),
        ({"bedding": [0, 0, "y - 2"]}, "'bedding' must be 0 or greater; y - 2 is -"),
    ],
)
def test_mistakes_in_springs_are_named(solve, entry, words):
    problem = {"physics": "elasticity", "order": 1, "materials": STEEL, "boundary": [{"group": "x0", **entry}]}
    assert words in solve(problem, Grid((1, 1, 1)), fails=True)


@pytest.mark.parametrize("order", [1, 2])
@pytest.mark.parametrize("dim", [2, 3])
def test_ties_of_facets_turn_as_one_body(solve, dim, order):
    """A quarter of a disc in one of a ring, of straight facets that do not match: a rigid motion leaves them without stress, and a
    moment without a load."""

    def bend(inside, outside):
        return lambda x: [(inside + (outside - inside) * x[0]) * np.cos(np.pi / 2 * x[1]), (inside + (outside - inside) * x[0]) * np.sin(np.pi / 2 * x[1]), *x[2:]]

    ring = Grid((2, 6, 1)[:dim], bend(1, 2), prefix="ring ")
    disc = Grid((2, 9, 1)[:dim], bend(0.5, 1), prefix="disc ", first=1 + len(ring.points))
    turn = ["-0.01*y+0.002*z", "0.01*x-0.03*z", "-0.002*x+0.03*y"][:dim] if dim == 3 else ["-0.01*y", "0.01*x"]
    problem = {"physics": "elasticity" if dim == 3 else "plane-stress", "order": order, "materials": STEEL, "ties": {"from": "disc x1", "to": "ring x0"}}
    result = solve({**problem, "boundary": {"group": "ring x1", "displacement": turn}, "solver": {"method": "direct"}}, ring, disc)
    assert result["extremes"]["von_mises"] < 1e-9
    assert np.abs(result["reactions"][0]["moment"]).max() < 1e-9


@pytest.mark.parametrize("order", [1, 2])
def test_ties_over_a_gap_carry_moments(solve, order):
    """A block that hangs at another one across a gap, under a force along the gap and a twist: the reaction's moment has the gap in its
    arm."""
    grids = Grid((2, 2, 2), prefix="a_"), Grid((1, 3, 3), lambda x: x + np.array([1.25, 0, 0]), prefix="b_", first=28)
    tie = {"ties": {"from": "b_x0", "to": "a_x1", "tolerance": 0.3}}
    problem = {"physics": "elasticity", "order": order, "materials": STEEL, **tie, "solver": {"method": "direct"}}
    loads = [{"group": "a_x0", "displacement": "fixed"}, {"group": "b_x1", "force": [0, 3, 0], "moment": [0.5, 0, 0], "at": [2.25, 0.5, 0.5]}]
    result = solve({**problem, "boundary": loads}, *grids)
    np.testing.assert_allclose(reaction(result, "a_x0"), [0, -3, 0], atol=1e-9)
    held = next(r for r in result["reactions"] if r["groups"] == "a_x0")
    arm = np.array([2.25, 0.5, 0.5]) - held["about"]
    np.testing.assert_allclose(held["moment"], -np.array([0.5, 0, 0]) - np.cross(arm, [0, 3, 0]), atol=1e-9)


def test_ties_over_a_gap_end_at_slanted_supports(solve):
    """A quarter of a disc in one of a wider ring, both sliding on planes: however these stand, pressure widens it by the same."""
    found = []
    for start in (0, 0.35):

        def bend(inside, outside, start=start):
            return lambda x: (inside + (outside - inside) * x[0]) * np.array([np.cos(start + np.pi / 2 * x[1]), np.sin(start + np.pi / 2 * x[1])])

        outer = Grid((2, 4), bend(1, 2), prefix="ring ")
        disc = Grid((2, 7), bend(0.5, 0.98), prefix="disc ", first=1 + len(outer.points))
        sliding = {"groups": [f"{part} y{end}" for part in ("ring", "disc") for end in (0, 1)], "normal": 0}
        problem = {"physics": "plane-strain", "materials": STEEL, "ties": {"from": "disc x1", "to": "ring x0", "tolerance": 0.1}}
        result = solve({**problem, "boundary": [sliding, {"group": "disc x0", "pressure": 1}]}, outer, disc)
        found.append([result["extremes"]["displacement"], result["extremes"]["von_mises"]])
    np.testing.assert_allclose(found[0], found[1], rtol=1e-9)


@pytest.mark.parametrize("held", [{"normal": 0}, {"displacement": {"z": 0}}, {"system": "s", "displacement": {"z": 0}}])
def test_ties_of_facets_turn_between_two_planes(solve, held):
    """A slab of the same, held in its thickness: nodes on the planes turn as those between them do, whichever way they are held."""

    def bend(inside, outside):
        return lambda x: [*((inside + (outside - inside) * x[0]) * np.array([np.cos(np.pi / 2 * x[1]), np.sin(np.pi / 2 * x[1])])), 0.1 * x[2]]

    outer = Grid((2, 6, 2), bend(1, 2), prefix="ring ")
    disc = Grid((2, 9, 2), bend(0.5, 1), prefix="disc ", first=1 + len(outer.points))
    planes = {"groups": [f"{part} z{end}" for part in ("ring", "disc") for end in (0, 1)], **held}
    turned = {"group": "ring x1", "displacement": {"x": "-0.01*y", "y": "0.01*x"}}
    problem = {"physics": "elasticity", "materials": STEEL, "ties": {"from": "disc x1", "to": "ring x0"}, "systems": {"s": {"rotate": [0, 0, 20]}}}
    result = solve({**problem, "boundary": [planes, turned], "solver": {"method": "direct"}}, outer, disc)
    assert result["extremes"]["von_mises"] < 1e-9


def test_equations_at_points_of_two_bodies(solve):
    """Two nodes at one place, but for rounding, are not guessed between; a rigid face of both sides joins the bodies."""
    low, high = Grid((1, 1, 1), prefix="low "), Grid((1, 1, 1), lambda x: x + np.array([1 + 3e-16, 0, 0]), prefix="high ", first=9)
    problem = {"physics": "elasticity", "order": 1, "materials": STEEL, "solver": {"method": "direct"}}
    supports = [{"group": "low x0", "displacement": "fixed"}, {"group": "high x1", "displacement": "fixed"}]
    term = {"terms": [{"at": [1, 0, 0], "component": "z"}], "value": 1e-3}
    told = solve({**problem, "contact": "none", "boundary": supports, "equations": term}, low, high, fails=True)
    assert "2 nodes lie at (1, 0, 0)" in told
    pulled = [supports[0], {"group": "high x1", "force": [0, 0, 2]}]
    result = solve({**problem, "boundary": pulled, "rigid": {"groups": ["low x1", "high x0"]}}, low, high)
    np.testing.assert_allclose(reaction(result, "low x0"), [0, 0, -2], atol=1e-9)
