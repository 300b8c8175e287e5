"""The cantilever of test_newton.c by an independent program, scikit-fem 12.0.2 (pip install scikit-fem).

Prints the mean displacement of the loaded end, whose digits stand in test_newton.c. The block 4 x 1 x 1 of 4 x 2 x 2
hexes is clamped at x = 0 and pulled at x = 4 by the dead traction (0.01, 0, -0.02); mu = 1, lambda = 1.5. The residual
is written as the textbook has it, P = mu (F - F^-T) + lambda ln J F^-T, the tangent as its derivative along du.
"""
import numpy as np
from skfem import (Basis, BilinearForm, ElementHex1, ElementHex2, ElementVector, FacetBasis, LinearForm, MeshHex,
                   condense, solve)
from skfem.helpers import ddot, det, grad, inv, transpose

MU, LAMBDA, TRACTION = 1.0, 1.5, np.array([0.01, 0.0, -0.02])


def product(a, b):
    return np.einsum("ij...,jk...->ik...", a, b)


def deformation(w):
    H = grad(w["u"])
    return H + np.eye(3).reshape(3, 3, *[1] * (H.ndim - 2))


@LinearForm
def residual(v, w):
    F = deformation(w)
    inverse = transpose(inv(F))
    return ddot(MU * (F - inverse) + LAMBDA * np.log(det(F)) * inverse, grad(v))


@BilinearForm
def tangent(du, v, w):
    F = deformation(w)
    G = inv(F)
    inverse = transpose(G)
    turned = product(product(inverse, transpose(grad(du))), inverse)
    step = MU * grad(du) + (MU - LAMBDA * np.log(det(F))) * turned + LAMBDA * ddot(inverse, grad(du)) * inverse
    return ddot(step, grad(v))


@LinearForm
def end_load(v, w):
    return w["share"] * sum(TRACTION[c] * v[c] for c in range(3))


@LinearForm
def end_displacement(v, w):
    return v[int(w["component"])]


for order, element in ((1, ElementHex1()), (2, ElementHex2())):
    mesh = MeshHex.init_tensor(np.linspace(0, 4, 5), np.linspace(0, 1, 3), np.linspace(0, 1, 3))
    basis = Basis(mesh, ElementVector(element), intorder=2 * order + 1)  # order + 1 Gauss points along each axis
    end = FacetBasis(mesh, ElementVector(element), facets=mesh.facets_satisfying(lambda x: np.isclose(x[0], 4)))
    clamped = basis.get_dofs(lambda x: np.isclose(x[0], 0)).flatten()
    u = basis.zeros()
    for share in (0.25, 0.5, 0.75, 1.0):
        for _ in range(12):
            K = tangent.assemble(basis, u=basis.interpolate(u))
            f = end_load.assemble(end, share=share) - residual.assemble(basis, u=basis.interpolate(u))
            du = solve(*condense(K, f, D=clamped))
            u += du
            if abs(du).max() < 1e-13:
                break
    print(order, *("%.12f" % (end_displacement.assemble(end, component=c) @ u) for c in range(3)))
