"""Reads result files with VTK itself: python test_vtk.py PATH/TO/write_vtk_cells.

For every cell, order and geometry, VTK's own shape functions must give back the polynomials that write_vtk_cells.c put in,
at random points of every cell, and VTK's volumes must add up to the box's."""

import os
import random
import subprocess
import sys
import tempfile

import vtk

TOLERANCE = 1e-10
TYPES = {"tri": (5, 69), "quad": (9, 70), "tet": (10, 71), "prism": (13, 73), "hex": (12, 72)}


def polynomial(dim, degree, x):
    return sum(
        x[0] ** i * x[1] ** j * x[2] ** k / (1 + i + 2 * j + 3 * k)
        for i in range(degree + 1)
        for j in range(degree + 1 - i)
        for k in range(degree + 1 - i - j if dim == 3 else 1)
    )


def expected(dim, degree, x):
    scalar = polynomial(dim, degree, x)
    return {
        "scalar": [scalar],
        "vector": [x[0] ** degree, x[0] * x[1] ** (degree - 1) if degree > 0 else 1.0, scalar],
        "tensor": [(k + 1) * scalar for k in range(6)],
    }


def random_point(name):
    while True:
        p = [random.random() for _ in range(3)]
        if name in ("tri", "quad"):
            p[2] = 0.0
        limit = {"tri": p[0] + p[1], "prism": p[0] + p[1], "tet": sum(p)}.get(name, 0)
        if limit <= 1:
            return p


def check_cell(grid, number, name, dim, degree):
    """Largest error of the fields at random points of one cell."""
    cell, worst = grid.GetCell(number), 0.0
    points = cell.GetPointIds()
    n = points.GetNumberOfIds()
    for _ in range(5):
        x, weights = [0.0] * 3, [0.0] * n
        cell.EvaluateLocation(vtk.reference(0), random_point(name), x, weights)
        for field, exact in expected(dim, degree, x).items():
            array = grid.GetPointData().GetArray(field)
            assert array.GetNumberOfComponents() == len(exact), (field, array.GetNumberOfComponents())
            for c, value in enumerate(exact):
                found = sum(weights[k] * array.GetComponent(points.GetId(k), c) for k in range(n))
                worst = max(worst, abs(found - value))
    return worst


def check_volume(grid, name, dim):
    sizes = vtk.vtkCellSizeFilter()
    sizes.SetInputData(grid)
    sizes.Update()
    array = sizes.GetOutput().GetCellData().GetArray("Area" if dim == 2 else "Volume")
    values = [array.GetValue(i) for i in range(array.GetNumberOfTuples())]
    exact = 0.8 if dim == 2 else 0.48
    tolerance = TOLERANCE
    if name in ("prism", "hex"):  # VTK 9.2 cuts them into tets, even with bent sides, and counts prisms negative
        values, tolerance = [abs(v) for v in values], 0.01
    assert all(v > 0 for v in values), values
    assert abs(sum(values) - exact) < tolerance, (sum(values), exact)


def check_file(folder, name, order, curved):
    path = os.path.join(folder, f"{name}_{order}{'_curved' if curved else ''}.vtkhdf")
    reader = vtk.vtkHDFReader()
    assert reader.CanReadFile(path), path
    reader.SetFileName(path)
    reader.Update()
    grid = reader.GetOutput()
    dim = 2 if name in ("tri", "quad") else 3
    assert grid.GetNumberOfCells() > 0
    for i in range(grid.GetNumberOfCells()):
        assert grid.GetCellType(i) == TYPES[name][order > 1]
        error = check_cell(grid, i, name, dim, order // 2 if curved else order)
        assert error < TOLERANCE, f"{path}: cell {i} is off by {error}"
    groups = grid.GetCellData().GetArray("group")
    names = grid.GetFieldData().GetAbstractArray("group_names")
    assert {names.GetValue(int(groups.GetTuple1(i))) for i in range(grid.GetNumberOfCells())} == {"body"}
    if not curved and (name in ("tri", "tet") or order == 1):
        check_volume(grid, name, dim)


def main():
    random.seed(1)
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([sys.argv[1], folder], check=True)
        for name in TYPES:
            for order in range(1, 8):
                check_file(folder, name, order, False)
                if order > 1:
                    check_file(folder, name, order, True)
    print(f"VTK {vtk.vtkVersion().GetVTKVersion()} reads all cells and orders")


if __name__ == "__main__":
    main()
