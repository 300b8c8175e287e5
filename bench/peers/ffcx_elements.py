"""Element matrices by FFCx's generated C, by `ritz integrate` and as published for libCEED: microseconds an element.

    python3 ffcx_elements.py [--ritz build/ritz] [--method lanes[,NAME...]] [--only WORD] [--rounds 3] [--core 0]
                             [--quiet 0.1] [--patience 10] [--json]

One core, f64, every element with a geometry and coefficients of its own, every matrix stored, equal numbers of points.
FFCx's kernels are generated here for each case (form, cell, order), with coefficients constant an element, compiled with
`gcc -O3 -march=native -ffast-math` and run by ffcx_elements.c; their first matrices are compared with numpy's. Both peers
run in turn, `--rounds` times 5 passes over the elements: a figure is the fastest pass. `--method` takes the best of several; a
parameter is set as NAME:KEY=VALUE[:KEY=VALUE]. Prints one Markdown table, and one line of JSON a case with --json.
GFLOP/s are by the papers' count: 63 operations a block and point for elasticity, 7 for the Laplacian.

At order 1 FFCx computes load vectors too, by a second kernel, as Ritz does at every order. Its sources are constant an
element (Ritz' for Poisson differ from point to point), and on tets it has one point for the products of gradients, which
are constant there. Convection-diffusion has 16 + 4 coefficients an element.

Where FFCx has no rule of as many points as Ritz it gets a custom one: on prisms the triangle's rule times Gauss points;
on tets of order 4 its rule of 45 points with the first one halved into two, 46. FFCx 0.5 refuses prisms above order 1
because of its dof maps; kernels do not read those, so that check is taken off. Made for FFCx 0.5 of Debian 12."""

import argparse
import json
import logging
import os
import re
import resource
import subprocess
import sys
import tempfile
import time

import basix
import basix.ufl_wrapper
import ffcx.codegeneration
import ffcx.compiler
import ffcx.parameters
import numpy
import ufl

CELLS = {
    "tet": ("tetrahedron", basix.CellType.tetrahedron, 6),  # UFL's name, basix's, elements in a cube of the box
    "prism": ("prism", basix.CellType.prism, 2),
    "hex": ("hexahedron", basix.CellType.hexahedron, 1),
}
# Full assembly without geometry, best of libCEED's CPU backends, published for one core of an EPYC (Zen 3).
LIBCEED = {
    "tet": {1: 1.52, 2: 10.2, 3: 59, 4: 179},
    "prism": {1: 11.9, 2: 95, 3: 557, 4: 2690},
    "hex": {1: 13.0, 2: 146, 3: 1121, 4: 6085},
}
CASES = ([("elasticity", cell, order) for cell in CELLS for order in (2, 3, 4)] + [("poisson", cell, 2) for cell in CELLS]
         + [("poisson", "tet", order) for order in (3, 4)]
         + [(form, cell, 1) for form in ("poisson", "convection-diffusion", "elasticity") for cell in CELLS])
BARS = {"elasticity": 4, "poisson": 1.5}
FIRST_ORDER_BAR = TET_BAR = 3  # of the Laplacian on tets, for --method tensor
# Coefficients an element: of the matrix, of the load.
DATA = {"elasticity": (2, 3), "poisson": (1, 1), "convection-diffusion": (16, 4)}
SECONDS = 0.1  # about, for one pass over the elements
PASSES = 5
BYTES = 256e6  # of matrices at most
ELEMENTS = 500000  # at most
SAMPLE = 4


def even_entity_dofs(element):
    """What FFCx's dof map takes: as many dofs on each entity of a dimension. Wrong on prisms, whose faces differ."""
    return [[max(dofs)] * len(dofs) for dofs in element.element.num_entity_dofs]


def quadrature(cell, order, n_points):
    """A rule of degree 2 * order with n_points points."""
    if cell == "prism":
        flat, flat_weights = basix.make_quadrature(basix.CellType.triangle, 2 * order)
        line, line_weights = basix.make_quadrature(basix.CellType.interval, 2 * order)
        points = numpy.array([[*a, *b] for a in flat for b in line])
        weights = numpy.array([v * w for v in flat_weights for w in line_weights])
    else:
        points, weights = basix.make_quadrature(CELLS[cell][1], 2 * order)
    while len(weights) < n_points:
        weights = numpy.append(weights, weights[0] / 2)
        weights[0] /= 2
        points = numpy.vstack([points, points[:1]])
    assert len(weights) == n_points, f"no rule of {n_points} points on {cell} of order {order}"
    return points, weights


def make_forms(form, cell, order, points, weights):
    """The matrix's form, and at order 1 the load's."""
    name = CELLS[cell][0]
    mesh = ufl.Mesh(ufl.VectorElement("Lagrange", name, 1))
    dx = ufl.Measure("dx", domain=mesh, metadata={"quadrature_rule": "custom", "quadrature_degree": 2 * order,
                                                  "quadrature_points": points, "quadrature_weights": weights})
    element = ufl.VectorElement if form == "elasticity" else ufl.FiniteElement
    space = ufl.FunctionSpace(mesh, element("Lagrange", name, order))
    scalar = ufl.FunctionSpace(mesh, ufl.FiniteElement("DG", name, 0))
    vector = ufl.FunctionSpace(mesh, ufl.VectorElement("DG", name, 0))
    tensor = ufl.FunctionSpace(mesh, ufl.TensorElement("DG", name, 0))
    u, v = ufl.TrialFunction(space), ufl.TestFunction(space)
    counts = iter(range(9))  # FFCx's names are C only up to w_9

    def datum(kind):
        return ufl.Coefficient(kind, count=next(counts))

    at_once = ufl.dx(domain=mesh, degree=0) if (cell, order) == ("tet", 1) else dx
    if form == "poisson":
        matrix, load = datum(scalar) * ufl.inner(ufl.grad(u), ufl.grad(v)) * at_once, datum(scalar) * v * dx
    elif form == "convection-diffusion":
        matrix = (ufl.dot(datum(tensor) * ufl.grad(u), ufl.grad(v)) + u * ufl.dot(datum(vector), ufl.grad(v))
                  + ufl.dot(datum(vector), ufl.grad(u)) * v + datum(scalar) * u * v) * dx
        load = (datum(scalar) * v + ufl.dot(datum(vector), ufl.grad(v))) * dx
    else:
        mu, lam = datum(scalar), datum(scalar)
        matrix = (2 * mu * ufl.inner(ufl.sym(ufl.grad(u)), ufl.sym(ufl.grad(v))) + lam * ufl.div(u) * ufl.div(v)) * at_once
        load = ufl.inner(datum(vector), v) * dx
    return [matrix, load] if order == 1 else [matrix]


def by_numpy(form, cell, order, points, weights, vertices, data):
    """One element matrix from basix's tables, and the load."""
    geo, psi = (basix.create_element(basix.ElementFamily.P, CELLS[cell][1], p, basix.LagrangeVariant.gll_warped)
                .tabulate(1, points)[:, :, :, 0] for p in (1, order))
    J = numpy.einsum("dqg,ga->qad", geo[1:], vertices)
    vol = weights * abs(numpy.linalg.det(J))
    grad = numpy.einsum("qda,dqi->qia", numpy.linalg.inv(J), psi[1:])
    value = psi[0]
    if form == "poisson":
        return data[0] * numpy.einsum("q,qia,qja->ij", vol, grad, grad), data[1] * vol @ value
    if form == "convection-diffusion":
        tensor, test, trial, both = data[:9].reshape(3, 3), data[9:12], data[12:15], data[15]
        matrix = numpy.einsum("q,qia,ab,qjb->ij", vol, grad, tensor, grad) + both * numpy.einsum("q,qi,qj->ij", vol, value, value)
        matrix += numpy.einsum("q,qia,a,qj->ij", vol, grad, test, value) + numpy.einsum("q,qi,qja,a->ij", vol, value, grad, trial)
        return matrix, data[16] * vol @ value + numpy.einsum("q,qia,a->i", vol, grad, data[17:])
    mu, lam = data[:2]
    blocks = numpy.einsum("q,qia,qjb->iajb", vol, grad, grad)  # test component a, trial component b
    matrix = lam * blocks + mu * numpy.einsum("q,qib,qja->iajb", vol, grad, grad)
    matrix += mu * numpy.einsum("q,qic,qjc,ab->iajb", vol, grad, grad, numpy.eye(3))
    n = 3 * psi.shape[2]
    return matrix.reshape(n, n), numpy.einsum("q,qi,a->ia", vol, value, data[2:]).ravel()


def busy():
    """Seconds of all cores' work since the start, those of our own finished children taken off; and the time now."""
    with open("/proc/stat") as file:
        user, nice, system, _, _, irq, softirq, steal = map(int, file.readline().split()[1:9])
    own = resource.getrusage(resource.RUSAGE_CHILDREN)
    total = (user + nice + system + irq + softirq + steal) / os.sysconf("SC_CLK_TCK")
    return total - own.ru_utime - own.ru_stime, time.monotonic()


def others(before):
    """Cores that others kept busy since `before` = busy()."""
    work, now = busy()
    return max(0, (work - before[0]) / (now - before[1]))


def wait_for_quiet(options):
    """Until others keep fewer than options.quiet cores busy, for options.patience seconds at most."""
    end = time.monotonic() + options.patience
    while time.monotonic() < end:
        before = busy()
        time.sleep(0.25)
        if others(before) <= options.quiet:
            break


def best(options, runs):
    """The fastest of (microseconds, busy cores, ...) among those that others left alone, if there are any."""
    return min(runs, key=lambda run: (run[1] > options.quiet, run[0]))


class Ffcx:
    """The kernel of one case, compiled; run() returns seconds an element."""

    def __init__(self, form, cell, order, n_points, folder):
        self.case = form, cell, order
        self.rule = quadrature(cell, order, n_points)
        forms = make_forms(*self.case, *self.rule)
        header, code = ffcx.compiler.compile_ufl_objects(forms, prefix="element",
                                                         parameters=ffcx.parameters.get_parameters())
        self.file, self.program = os.path.join(folder, "sample"), os.path.join(folder, "-".join(map(str, self.case)))
        with open(self.program + ".c", "w") as file:
            file.write(code)
        kernels = re.findall(r"\.tabulate_tensor_float64 = (\w+)", code)
        assert len(kernels) == len(forms), kernels
        load = [f"-DLOAD_KERNEL={kernels[1]}", f"-DLOAD_AT={DATA[form][0]}"] if len(forms) > 1 else []
        self.has_load = len(forms) > 1
        corners = basix.geometry(CELLS[cell][1])
        self.vertices = len(corners)
        self.rows = basix.create_element(basix.ElementFamily.P, CELLS[cell][1], order,
                                         basix.LagrangeVariant.gll_warped).dim * (3 if form == "elasticity" else 1)
        here = os.path.dirname(os.path.abspath(__file__))
        subprocess.run(
            ["gcc", "-O3", "-march=native", "-ffast-math", "-o", self.program, "-include", "stddef.h", "-include",
             "stdint.h", "-I", ffcx.codegeneration.get_include_path(), f"-DROWS={self.rows}",
             f"-DVERTICES={self.vertices}", "-DCORNERS=" + ",".join(f"{{{x},{y},{z}}}" for x, y, z in corners),
             f"-DKERNEL={kernels[0]}", f"-DDATA={sum(DATA[form])}", *load, "-include", self.program + ".c", os.path.join(here, "ffcx_elements.c")], check=True)
        self.n = SAMPLE
        self.n = int(max(64, min(BYTES / (8 * self.rows**2), ELEMENTS, SECONDS / self.run(0))))

    def run(self, core):
        output = subprocess.run(["taskset", "-c", str(core), self.program, str(self.n), str(PASSES), str(SAMPLE),
                                 self.file],
                                check=True, capture_output=True, text=True).stdout
        return float(output)

    def error(self):
        """Largest difference from numpy's matrices and loads, relative to each one's largest entry."""
        sizes = self.vertices * 3, sum(DATA[self.case[0]]), self.rows**2, self.rows
        parts = numpy.split(numpy.fromfile(self.file), SAMPLE * numpy.cumsum(sizes[:3]))
        worst = 0
        for vertices, data, matrix, load in zip(*(part.reshape(SAMPLE, -1) for part in parts)):
            exact = by_numpy(*self.case, *self.rule, vertices.reshape(-1, 3), data)
            worst = max(worst, abs(matrix.reshape(exact[0].shape) - exact[0]).max() / abs(exact[0]).max())
            if self.has_load:
                worst = max(worst, abs(load - exact[1]).max() / abs(exact[1]).max())
        return worst


def ritz(options, form, cell, order, method, elements):
    """One run of `ritz integrate` on one core over about `elements` elements; None where the method does not serve."""
    name, *settings = method.split(":")
    n = max(2, round((elements / CELLS[cell][2]) ** (1 / 3)))
    words = ["taskset", "-c", str(options.core), options.ritz, "integrate", "--box", f"{n}x{n}x{n}", "--cell", cell,
             "--distort", "0.2", "--order", str(order), "--form", form, "--method", name, "--device", "cpu", "--repeat",
             str(PASSES), "--json"]
    words += ["--data", "source=points"] if form == "poisson" and order == 1 else []
    words += [word for setting in settings for word in ("--set", setting)]
    done = subprocess.run(words, capture_output=True, text=True, env={**os.environ, "POCL_MAX_PTHREAD_COUNT": "1"})
    if "does not serve" in done.stderr:
        return None
    if done.returncode != 0:
        sys.exit(done.stderr or done.stdout)
    return json.loads(done.stdout)


def measure(options, form, cell, order, folder):
    """All figures of one case."""
    first = {m: ritz(options, form, cell, order, m, 64) for m in options.method.split(",")}
    methods = [m for m in first if first[m]]
    if not methods:
        sys.exit(f"none of {options.method} serves {form} on {cell} cells of order {order}")
    points = first[methods[0]]["quadrature_points"]
    case = {"form": form, "cell": cell, "order": order, "points": points}
    peer = Ffcx(form, cell, order, points, folder)
    ffcx_runs, ours = [], []
    rows = first[methods[0]]["shape_functions"] * (3 if form == "elasticity" else 1)
    for _ in range(options.rounds):
        wait_for_quiet(options)
        before = busy()
        ffcx_runs.append((1e6 * peer.run(options.core), others(before)))
        for m in methods:
            elements = min(BYTES / (8 * rows**2), ELEMENTS, SECONDS / (first[m]["kernel_ns_per_element"] * 1e-9))
            wait_for_quiet(options)
            before = busy()
            run = ritz(options, form, cell, order, m, elements)
            ours.append((1e6 * run["seconds"]["kernel_least"] / run["elements"], others(before), m,
                         run["max_relative_error"]))
    flops = first[methods[0]]["flops_per_element"]
    case["ffcx_us"], case["others"] = best(options, ffcx_runs)
    case["ffcx_gflops"] = flops / case["ffcx_us"] * 1e-3
    case["ffcx_error"] = peer.error()
    if form == "elasticity" and order > 1:
        case["libceed_us"] = LIBCEED[cell][order]
    case["us"], busy_cores, case["method"], _ = best(options, ours)
    case["others"] = max(case["others"], busy_cores)
    case["error"] = max(run[-1] for run in ours)
    case["gflops"] = flops / case["us"] * 1e-3
    case["ratio"] = min(case["ffcx_us"], case.get("libceed_us", case["ffcx_us"])) / case["us"]
    return case


def row(case):
    bar = FIRST_ORDER_BAR if case["order"] == 1 else TET_BAR if case["form"] == "poisson" and case["cell"] == "tet" else BARS[case["form"]]
    return (f"| {case['form']} {case['cell']} p = {case['order']} | {case['points']} | "
            f"{case['ffcx_us']:.3g} ({case['ffcx_gflops']:.0f}; {case['ffcx_error']:.0e}) | {case.get('libceed_us', '')} | "
            f"{case['us']:.3g} ({case['gflops']:.0f}; {case['error']:.0e}) | {case['method']} | "
            f"{case['ratio']:.1f} ({'above' if case['ratio'] >= bar else 'BELOW'} {bar}) |")


def main():
    basix.ufl_wrapper.BasixElement.num_entity_dofs = property(even_entity_dofs)
    logging.disable(logging.WARNING)  # the form compiler tells each step
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--ritz", default="build/ritz", help="the program")
    parser.add_argument("--method", default="lanes", help="methods whose best counts, by commas")
    parser.add_argument("--only", default="", help="cases whose name ('elasticity tet 2') has these words")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--quiet", type=float, default=0.1, help="runs beside which others kept more cores busy count last")
    parser.add_argument("--patience", type=float, default=10, help="seconds to wait for that before a run")
    parser.add_argument("--core", type=int, default=0, help="the core that all run on")
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    cases = [case for case in CASES if all(word in map(str, case) for word in options.only.split())]
    table = []
    with tempfile.TemporaryDirectory() as folder:
        for form, cell, order in cases:
            case = measure(options, form, cell, order, folder)
            table.append(case)
            if options.json:
                print(json.dumps(case), flush=True)
    print("microseconds an element (GFLOP/s by the papers' count; largest error)\n")
    print("| case | points | FFCx | libCEED, published | Ritz | method | ratio to the better peer |")
    print("| --- | --- | --- | --- | --- | --- | --- |")
    for case in table:
        print(row(case))
    print(f"\nCores that others kept busy during the runs that count: {max(case['others'] for case in table):.2f} at most")


if __name__ == "__main__":
    main()
