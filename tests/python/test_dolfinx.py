"""Matrices against DOLFINx: the same mesh, the same UFL form, entry by entry. DOLFINx is Debian's (python3-dolfinx-real), for
Debian's Python, whose UFL is older than the one that `ritz compile` takes: each reads the text of the form by itself."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from dolfinx_forms import FORMS

HERE = Path(__file__).parent
PYTHON = "/usr/bin/python3"
# Open MPI looks for ssh even where a process is alone.
ENVIRONMENT = {**os.environ, "OMPI_MCA_plm": "isolated", "OMP_NUM_THREADS": "1"}

HEAD = """import basix.ufl
from ufl import *

cell, order, components = {!r}, {!r}, {!r}
mesh = Mesh(basix.ufl.element("Lagrange", cell, 1, shape=(3,)))
V = FunctionSpace(mesh, basix.ufl.element("Lagrange", cell, order, **({{"shape": (3,)}} if components > 1 else {{}})))
u, v = TrialFunction(V), TestFunction(V)
a = {}
"""


def test_matrices_are_those_of_dolfinx(program, root, tmp_path):
    needs = "from dolfinx import fem; import cffi, scipy, petsc4py"
    if not Path(PYTHON).exists() or subprocess.run([PYTHON, "-c", needs], capture_output=True, env=ENVIRONMENT).returncode:
        pytest.skip("Debian's python3-dolfinx-real, python3-cffi and python3-scipy are not installed")
    compilers = []
    for name, given in FORMS.items():
        (tmp_path / f"{name}.py").write_text(HEAD.format(*given))
        words = [program, "compile", f"{name}.py", "-o", f"{name}.json"]
        compilers.append(subprocess.Popen(words, cwd=tmp_path, env={**os.environ, "RITZ_PYTHON": sys.executable}))
    assert [c.wait() for c in compilers] == [0] * len(FORMS)
    environment = {**ENVIRONMENT, "PYTHONPATH": str(root / "python"), "XDG_CACHE_HOME": str(tmp_path)}
    done = subprocess.run([PYTHON, HERE / "peer_dolfinx.py", tmp_path], env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr[-2000:]
    assert done.stdout.count("largest difference") == len(FORMS) and "PETSc solves it" in done.stdout
