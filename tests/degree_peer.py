"""Exact integrals of element matrices of test_degree.c, by an independent program: numpy alone.

Prints for one distorted cell of each type the trace and the sum of squares of the stiffness matrix of order 2 with the
conductivity exp(x + y / 2); neither depends on how shape functions are numbered. Shape functions are written from
the textbook (quadratic Lagrange on lines, area coordinates), the integrals are products of n Gauss-Legendre points a
line, collapsed to simplices; two choices of n agree to 13 digits.
"""
import itertools

import numpy as np

VERTICES = {
    "tri": [[0, 0], [1.5, 0.2], [0.3, 1.2]],
    "quad": [[0, 0], [1.5, 0.2], [1.1, 1.3], [-0.2, 0.8]],
    "tet": [[0, 0, 0], [1.5, 0.2, 0.1], [0.3, 1.2, 0], [0.1, 0.3, 0.9]],
    "prism": [[0, 0, 0], [1.5, 0.2, 0.1], [0.3, 1.2, 0], [0.1, 0.2, 0.9], [1.1, 0, 1.3], [0.2, 0.8, 1.1]],
    "hex": [[0, 0, 0], [1.5, 0.2, 0.1], [1.1, 1.3, -0.1], [-0.2, 0.8, 0], [0.1, 0.2, 0.9], [1.1, 0, 1.3],
            [1.2, 1.1, 1.2], [0.2, 0.8, 1.1]],
}


def line(order, t):
    """Lagrange polynomials on equispaced nodes of [0, 1] and their derivatives."""
    if order == 1:
        return np.array([1 - t, t]), np.array([-1.0, 1.0])
    return (np.array([(1 - t) * (1 - 2 * t), t * (2 * t - 1), 4 * t * (1 - t)]),
            np.array([4 * t - 3, 4 * t - 1, 4 - 8 * t]))


def simplex(dim, order, x):
    """Lagrange functions in area coordinates and their gradients."""
    b = np.append(1 - sum(x), x)
    db = np.vstack([-np.ones(dim), np.eye(dim)])
    if order == 1:
        return b, db
    pairs = list(itertools.combinations(range(dim + 1), 2))
    values = [*(b * (2 * b - 1)), *(4 * b[i] * b[j] for i, j in pairs)]
    slopes = [*((4 * b - 1)[:, None] * db), *(4 * (b[i] * db[j] + b[j] * db[i]) for i, j in pairs)]
    return np.array(values), np.array(slopes)


def tensor(a, da, b, db):
    """Products of functions of the first coordinates with functions of one more."""
    slopes = [np.append(da[i] * b[j], a[i] * db[j]) for j in range(len(b)) for i in range(len(a))]
    return np.array([a[i] * b[j] for j in range(len(b)) for i in range(len(a))]), np.array(slopes)


def functions(cell, order, x):
    if cell in ("tri", "tet"):
        return simplex(len(x), order, x)
    if cell == "prism":
        return tensor(*simplex(2, order, x[:2]), *line(order, x[2]))
    value, slope = line(order, x[0])
    value, slope = value, slope[:, None]
    for t in x[1:]:
        value, slope = tensor(value, slope, *line(order, t))
    return value, slope


def rule(cell, n):
    t, w = np.polynomial.legendre.leggauss(n)
    t, w = (t + 1) / 2, w / 2
    for index in itertools.product(range(n), repeat=len(VERTICES[cell][0])):
        x, weight = t[list(index)], np.prod(w[list(index)])
        if cell in ("tri", "prism"):
            weight *= 1 - x[0]
            x[1] *= 1 - x[0]
        if cell == "tet":
            weight *= (1 - x[0]) ** 2 * (1 - x[1])
            x[2] *= (1 - x[0]) * (1 - x[1])
            x[1] *= 1 - x[0]
        yield x, weight


def geometry(cell):
    """Vertices in the order of the functions of order 1: those of quads and hexes run along x, then y."""
    v = np.array(VERTICES[cell], float)
    return v[[0, 1, 3, 2, 4, 5, 7, 6][:len(v)]] if cell in ("quad", "hex") else v


def stiffness(cell, n):
    total, vertices = 0, geometry(cell)
    for x, weight in rule(cell, n):
        value, slope = functions(cell, 1, x)
        jacobian, place = vertices.T @ slope, vertices.T @ value
        gradient = functions(cell, 2, x)[1] @ np.linalg.inv(jacobian)
        total += weight * np.linalg.det(jacobian) * np.exp(place[0] + place[1] / 2) * (gradient @ gradient.T)
    return total


for cell in VERTICES:
    for n in (30, 50) if len(VERTICES[cell][0]) == 2 else (24, 34):
        K = stiffness(cell, n)
        print(f"{cell:6} n = {n}: trace {np.trace(K):.14g}, squares {np.sum(K * K):.14g}")
