"""Matrices and vectors of a mesh from the kernels that FFCx compiles from the same form: the truth for `ritz compile`."""

import hashlib
import os
from pathlib import Path

import basix
import numpy as np
import ufl
from ffcx.codegeneration.jit import compile_forms

CELLS = {"tri": "triangle", "quad": "quadrilateral", "tet": "tetrahedron", "prism": "prism", "hex": "hexahedron"}
# Vertices of Basix's cells in the order of Gmsh's.
VERTICES = {"tri": [0, 1, 2], "quad": [0, 1, 3, 2], "tet": [0, 1, 2, 3], "prism": range(6), "hex": [0, 1, 3, 2, 4, 5, 7, 6]}


def element_of(function):
    return function.ufl_function_space().ufl_element()


def compiled(forms):
    """Forms by FFCx, kept in the cache folder of the tests."""
    folder = os.environ.get("RITZ_CACHE_DIR", "none")
    key = hashlib.sha1(repr([form.signature() for form in forms]).encode()).hexdigest()[:16]
    cache = Path(folder) / "ffcx" / key if folder != "none" else None
    objects, module, _ = compile_forms(forms, cache_dir=cache, cffi_extra_compile_args=["-O0"], options={"scalar_type": np.float64})
    return objects, module.ffi


class Reference:
    """Cells with nodes in Gmsh's order; values of functions at Basix's points of each cell."""

    def __init__(self, cell, points, cells):
        self.cell, self.points = cell, points
        self.nodes = np.asarray(cells)[:, np.argsort(VERTICES[cell])]  # Basix's order
        self.kind = getattr(basix.CellType, CELLS[cell])
        self.geometry = basix.create_element(basix.ElementFamily.P, self.kind, 1)

    def places(self, element):
        """Points [cells][points][dim] of an element's degrees of freedom (one component)."""
        part = getattr(element, "_sub_element", element)
        shape = self.geometry.tabulate(0, part.basix_element.points)[0, :, :, 0]
        return np.einsum("qg,cgd->cqd", shape, self.points[self.nodes])

    def values(self, function, values):
        """Degrees of freedom [cells][points * components] of a coefficient; values(x[dim][n]) gives [components][n]."""
        x = self.places(element_of(function))
        flat = np.atleast_2d(values(x.reshape(-1, x.shape[2]).T))
        return flat.T.reshape(len(x), -1)

    def assemble(self, form, coefficients, constants, sides):
        """Dense: {(i, j) or i: value} by places of nodes and components. coefficients {function: values(x)}, constants {constant:
        value}, sides {id: [(cell, facet of Basix)]}."""
        (compiled_form,), ffi = compiled([form])
        data = ufl.algorithms.compute_form_data(form)
        test = form.arguments()[0]
        x = self.places(element_of(test))
        components = getattr(element_of(test), "block_size", 1)
        rows = x.shape[1] * components
        used = [form.coefficients()[compiled_form.original_coefficient_positions[k]] for k in range(compiled_form.num_coefficients)]
        del data
        w = [self.values(function, coefficients[function]) for function in used]
        w = np.concatenate([*w, np.empty((len(x), 0))], axis=1)
        c = np.concatenate([*(np.ravel(constants[constant]) for constant in form.constants()), []]).astype(float)
        rank = len(form.arguments())
        parts = np.zeros((len(x),) + (rows,) * rank)
        offsets = [compiled_form.form_integral_offsets[k] for k in range(3)]
        for kind in range(2):
            for k in range(offsets[kind], offsets[kind + 1]):
                number, integral = compiled_form.form_integral_ids[k], compiled_form.form_integrals[k]
                where = [(cell, 0) for cell in self.regions(number)] if kind == 0 else sides[number]
                for cell, facet in where:
                    made = np.zeros((rows,) * rank)
                    geometry = np.zeros((self.nodes.shape[1], 3))
                    geometry[:, : self.points.shape[1]] = self.points[self.nodes[cell]]
                    own = np.ascontiguousarray(w[cell])
                    local = np.array([facet], np.intc)
                    address = [ffi.cast("double *", a.ctypes.data) for a in (made, own, c, geometry)]
                    integral.tabulate_tensor_float64(*address, ffi.cast("int *", local.ctypes.data), ffi.NULL, ffi.NULL)
                    parts[cell] += made
        return x, components, parts

    region = None

    def regions(self, number):
        return range(len(self.nodes)) if self.region is None or number == -1 else np.flatnonzero(self.region == number)


def dense(places, components, parts, points):
    """Element matrices or vectors [cells][rows](x2) summed at the nodes [n][dim] on which their places lie."""
    key = {tuple(np.round(p, 7) + 0.0): k for k, p in enumerate(points)}
    made = np.zeros((len(points) * components,) * (parts.ndim - 1))
    for x, part in zip(places, parts):
        nodes = np.array([key[tuple(np.round(p, 7) + 0.0)] for p in x])
        dofs = (nodes[:, None] * components + np.arange(components)).ravel()
        made[np.ix_(*[dofs] * part.ndim)] += part
    return made
