"""Forms that DOLFINx and Ritz assemble alike (test_dolfinx.py): cell, order, components, the text in UFL."""

FORMS = {
    "convection": ("hexahedron", 2, 1, "(inner(grad(u), grad(v)) + dot(as_vector((1.5, -0.5, 2)), grad(u)) * v + u * v) * dx(degree=4)"),
    "elasticity": ("tetrahedron", 2, 3, "(2 * inner(sym(grad(u)), sym(grad(v))) + 1.25 * div(u) * div(v)) * dx(degree=4)"),
}
