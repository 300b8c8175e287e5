"""Sparse matrices on the device, and their solution."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from threading import get_ident
from typing import Any

import numpy as np

from ._library import CHOICES, Error, Handle, alone, array, call, check, choice, ffi, lib, others_may, pointer, struct
from .device import Device, default_device


class Matrix(Handle):
    """A sparse matrix in the device's memory."""

    _kind = "ritz_matrix"
    _looks_symmetric = True  # unless SciPy's matrix does not
    _owner: Any = None  # the assembler that it belongs to,
    _replaced = 0  # and how many of its matrices were gone before

    def __init__(self) -> None:
        raise Error("make a matrix by assemble(), an Assembler, or Matrix.from_scipy")

    @classmethod
    def _created(cls, owner: Any, create: Any, *arguments: Any) -> Matrix:
        matrix = cls.__new__(cls)
        matrix._make(create, *arguments, needs=[owner])
        matrix._measure()
        return matrix

    @classmethod
    def _borrowed(cls, owner: Any, handle: Any) -> Matrix:
        matrix = cls.__new__(cls)
        matrix._owner, matrix._replaced = owner, owner._replaced
        matrix._place, matrix._owned = ffi.new("ritz_matrix **", ffi.cast("ritz_matrix *", handle)), owner._owned
        owner._owned.note_address(handle)
        matrix._measure()
        return matrix

    def _measure(self) -> None:
        self._shape = lib.ritz_matrix_n_rows(self.handle), lib.ritz_matrix_n_columns(self.handle)

    @property
    def _space(self) -> Any:
        """Where an assembly with derivatives made it, and None of others: of its last fill, as the next two."""
        return self._owner.space if self._owner is not None and self._owner._has_derivatives else None

    @property
    def _embeds(self) -> bool:
        """Whether that was without equations between unknowns."""
        return self._owner is not None and not self._owner._has_equations

    @property
    def _symmetric(self) -> bool:
        """False of an assembly of a form that is not."""
        return self._owner is None or bool(self._owner._symmetric)

    def _check_there(self) -> None:
        if self._owner is not None and self._owner._replaced != self._replaced:
            raise Error("the assembler has made another matrix since this one was taken, or failed to: take assembler.matrix again after a fill")

    @property
    def handle(self) -> Any:
        """The C pointer, for functions of the library that this package does not wrap."""
        self._check_there()
        if self._owner is not None and self._owner._filling:  # and has the device no longer: a callback of the fill runs
            raise Error("the assembler is filling its matrix anew: a function that it calls meanwhile, or another thread then, can not use it")
        return super().handle

    @classmethod
    def from_scipy(cls, matrix: Any, device: Device | None = None, precision: str = "f64") -> Matrix:
        """A square or rectangular SciPy matrix, sent to the device. Of one in the format bsr, with square blocks of up to 8, the blocks
        stay: multigrid takes them for the unknowns of a node, and products read them faster."""
        device = device or default_device()
        if not hasattr(matrix, "tocsr") or len(matrix.shape) != 2:
            raise Error(f"the matrix is one of SciPy's sparse ones, of rows and columns, and not {type(matrix).__name__} of the shape {np.shape(matrix)}; scipy.sparse.csr_array makes one")
        block = matrix.blocksize[0] if matrix.format == "bsr" and matrix.blocksize[0] == matrix.blocksize[1] <= 8 else 1
        rows = (matrix if block > 1 else matrix.tocsr()).sorted_indices()
        rows.sum_duplicates()
        if 0 in rows.shape:
            raise Error(f"a matrix of {rows.shape[0]} rows and {rows.shape[1]} columns has no entries to send")
        start, columns = array(rows.indptr, np.int64), array(rows.indices, np.int32)
        values = array(rows.data, np.float64)
        keep: list[Any] = []
        options = struct("ritz_matrix_options", keep, precision=choice("precision", precision), n_columns=rows.shape[1] // block)
        made = cls._created(
            device,
            lib.ritz_matrix_create,
            device.handle,
            options,
            block,
            rows.shape[0] // block,
            pointer(start, "int64_t *"),
            pointer(columns, "int32_t *"),
            pointer(values, "double *"),
        )
        made._looks_symmetric = _is_symmetric(rows)
        return made

    @property
    def shape(self) -> tuple[int, int]:
        """Rows and columns."""
        self._check_there()
        return self._shape

    @property
    def nonzeros(self) -> int:
        """Scalar entries, without padding."""
        with alone(self):
            return lib.ritz_matrix_nonzeros(self.handle)

    def __matmul__(self, x: np.ndarray) -> np.ndarray:
        """A x, computed on the device."""
        x = array(x, np.float64, (self.shape[1],), "x")
        y = np.empty(self.shape[0])
        call(lib.ritz_matrix_multiply, self, pointer(x, "double *"), pointer(y, "double *"))
        return y

    def csr(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Compressed rows: row starts, columns, values; indices of 32 bits where they suffice."""
        statistics = struct("ritz_matrix_statistics", [])
        call(lib.ritz_matrix_get_statistics, self, statistics)
        room = statistics.stored
        small = max(room, *self.shape) < 2**31
        index = np.int32 if small else np.int64
        start, columns, values = np.empty(self.shape[0] + 1, index), np.empty(room, index), np.empty(room)
        n = ffi.new("int64_t *")
        call(
            lib.ritz_matrix_get_csr,
            self,
            lib.RITZ_INDEX_I32 if small else lib.RITZ_INDEX_I64,
            room,
            pointer(start, "void *"),
            pointer(columns, "void *"),
            pointer(values, "double *"),
            n,
        )
        return start, columns[: n[0]], values[: n[0]]

    def to_scipy(self) -> Any:
        """A scipy.sparse.csr_matrix."""
        from scipy.sparse import csr_matrix

        start, columns, values = self.csr()
        return csr_matrix((values, columns, start), shape=self.shape)

    def to_petsc(self, comm: Any = None) -> Any:
        """A petsc4py matrix (AIJ)."""
        from petsc4py import PETSc

        start, columns, values = (np.asarray(part, kind) for part, kind in zip(self.csr(), (PETSc.IntType, PETSc.IntType, float)))
        return PETSc.Mat().createAIJ(size=self.shape, csr=(start, columns, values), comm=comm or PETSc.COMM_SELF)

    def __repr__(self) -> str:
        return f"<ritz.Matrix {self.shape[0]} x {self.shape[1]}, {self.nonzeros} entries>"


@dataclass(frozen=True)
class Level:
    """One of multigrid; the last has no aggregates where it is solved directly."""

    rows: int
    nonzeros: int
    nodes: int
    aggregates: int


@dataclass(frozen=True)
class Report:
    """How a solve went; residuals as docs/solve.md says."""

    iterations: int
    converged: bool
    outcome: str  # "converged", "limited by rounding", "not converged"
    method: str
    preconditioner: str
    relative_residual: float
    true_relative_residual: float
    setup_seconds: float
    history: np.ndarray = field(repr=False)  # relative residuals, one every history_stride iterations
    history_stride: int
    operator_complexity: float  # of multigrid: nonzeros of all levels over those of the finest; else 0
    sensitivity: float  # of method direct, else 0: what rounding of the matrix's entries does to the solution,
    correction: float  # and the last refinement, both beside it
    n_free_motions: int  # multigrid's near-nullspace: how much of them is in the solution is undetermined, as they take no energy
    levels: tuple[Level, ...] = field(repr=False)  # of multigrid, from the finest


def _add_near_nullspace(matrix: Matrix, options: dict[str, Any]) -> None:
    """What multigrid has to know, where it may serve and the caller says nothing: motions that cost almost no energy, and the space
    of order 1."""
    space, asked = matrix._space, options.get("preconditioner") or "auto"
    given = any(options.get(name) is not None for name in ("near_nullspace", "coordinates", "coarse", "unknowns_per_node", "precondition"))
    may_serve = asked == "multigrid" or (asked == "auto" and (options.get("method") or "cg") == "cg")
    if space is None or given or not may_serve or matrix.shape[0] != space.n_dofs:
        return
    if space.components == space.mesh.dim:
        options["coordinates"] = space.points
    else:
        options["near_nullspace"] = np.tile(np.eye(space.components), (space.n_nodes, 1))
        options["unknowns_per_node"] = space.components
    if space.order > 1 and matrix._embeds:
        options["coarse"] = space.vertex_weights()


def _is_symmetric(rows: Any) -> bool:
    """Of SciPy's matrix, scaled to a diagonal of ones so that penalties do not outweigh the rest: whether y . A x is x . A y but for
    rounding, also in single, for numbers x and y that favour none."""
    if rows.shape[0] != rows.shape[1]:
        return False
    sizes = type(rows)((np.abs(rows.data), rows.indices, rows.indptr), shape=rows.shape)
    with np.errstate(all="ignore"):  # numbers that are not finite are the solver's to name
        diagonal = np.abs(rows.diagonal())
        root = np.sqrt(np.where(diagonal > 0, diagonal, sizes.data.max(initial=0)))
        x, y = np.random.default_rng(0).uniform(0.5, 1.5, (2, rows.shape[0])) / root
        return not abs(y @ (rows @ x) - x @ (rows @ y)) > 1e-8 * ((1 / root) @ (sizes @ (1 / root)))


@contextmanager
def _kept(*matrices: Matrix | None) -> Iterator[None]:
    """While a call runs in whose callbacks other threads have the device: their assemblers fill no others in the place of these."""
    owners = [matrix._owner for matrix in matrices if matrix is not None and matrix._owner is not None]
    for owner in owners:
        owner._in_use += 1
    try:
        yield
    finally:
        for owner in owners:
            owner._in_use -= 1


def _check_matrix(matrix: Any, name: str) -> None:
    if not isinstance(matrix, Matrix):
        raise Error(f"{name} is a ritz.Matrix, such as Matrix.from_scipy gives, and not of the type {type(matrix).__name__}")


def _name(kind: str, number: int) -> str:
    return next((name for name, value in CHOICES[kind].items() if value == number), "unknown")


def read_report(report: Any) -> Report:
    """The library's report of a solve as a Report."""
    values = {name: getattr(report, name) for name in Report.__dataclass_fields__}
    values["history"] = np.array(ffi.unpack(report.history, report.history_count))
    values["levels"] = tuple(Level(one.n_rows, one.n_nonzeros, one.n_nodes, one.n_aggregates) for one in report.levels[0 : report.n_levels])
    for name in ("outcome", "method", "preconditioner"):
        values[name] = _name(name, values[name])
    return Report(**values)


class Solver(Handle):
    """A matrix made ready for any number of right-hand sides; the matrix stays as it is meanwhile. Options are the fields of
    ritz_solve_options, with the library's names for choices: method ("cg", "direct", ...), preconditioner ("auto", "jacobi",
    "chebyshev", "multigrid", ...), degree, tolerance, max_iterations, matrix ("auto", "whole", "half"), storage ("auto", "f64",
    "f32", "f16", "bf16") and vectors ("auto", "double", "single") of the preconditioner. precondition is a function that gives z
    for a residual r, arrays both.

    The method is cg, or bicgstab for a matrix that is not symmetric.
    Large symmetric matrices are solved with multigrid. Of an assembled matrix it knows what it has to; of another one tell it
    near_nullspace=space.rigid_motions() [n][columns] (constants where the unknown is no displacement), or for an elastic body in its
    place coordinates=space.points [nodes][dim], and for orders above 1 also coarse=space.vertex_weights(). precondition_matrix is
    what multigrid is made of in the place of the matrix. With thorough=True, as where no tolerance is given, the solution is to be within
    the tolerance, too, not the residual alone (docs/solve.md)."""

    _kind = "ritz_solver"

    def __init__(self, matrix: Matrix, /, **options: Any) -> None:
        keep: list[Any] = []
        _check_matrix(matrix, "the matrix")
        symmetric = matrix._symmetric and matrix._looks_symmetric
        if options.get("method") == "cg" and not symmetric:
            what = "the matrix" if matrix._symmetric else "the form"
            raise Error(f"{what} is not symmetric, and cg serves symmetric matrices alone: give another method, such as bicgstab")
        if not symmetric:
            options["method"] = options.get("method") or "bicgstab"
        _add_near_nullspace(matrix, options)
        options.setdefault("thorough", not options.get("tolerance"))  # one that is given is taken at its word
        for name in ("method", "preconditioner", "matrix", "storage", "vectors"):
            if isinstance(options.get(name), str):
                options[name] = choice(name, options[name])
        if options.get("near_nullspace") is not None:
            motions = array(options["near_nullspace"], np.float64, (matrix.shape[0], None), "near_nullspace")
            options |= {"near_nullspace": pointer(motions, "double *"), "near_nullspace_columns": motions.shape[1]}
            keep.append(motions)
        if options.get("coordinates") is not None:
            coordinates = array(options["coordinates"], np.float64, (None, None), "coordinates")
            dim = coordinates.shape[1]
            if coordinates.size != matrix.shape[0]:
                raise Error(f"coordinates[nodes][dim] have {coordinates.shape[0]} x {dim} numbers, and the matrix has {matrix.shape[0]} rows")
            options |= {"coordinates": pointer(coordinates, "double *"), "unknowns_per_node": dim}
            keep.append(coordinates)
        if options.get("coarse") is not None:
            nodes, weights = options.pop("coarse")
            per_node = options.setdefault("unknowns_per_node", matrix.shape[0] // max(len(nodes), 1))
            if per_node * len(nodes) != matrix.shape[0]:
                raise Error(f"coarse has {len(nodes)} nodes, which are not the {matrix.shape[0]} rows of the matrix by {per_node} a node")
            keep += [array(nodes, np.int32, (None, 8), "coarse nodes"), array(weights, np.float64, (len(nodes), 8), "coarse weights")]
            options |= {"coarse_nodes": pointer(keep[-2], "int32_t *"), "coarse_weights": pointer(keep[-1], "double *")}
            options["n_coarse_nodes"] = int(keep[-2].max(initial=-1)) + 1
        made_of = options.get("precondition_matrix")
        if made_of is not None:
            _check_matrix(made_of, "precondition_matrix")
        self._failure: BaseException | None = None
        self._solving: set[int] = set()  # threads
        if callable(options.get("precondition")):
            options["precondition"] = self._callback(options["precondition"])
            self._precondition = options["precondition"]
        self.matrix, self._made_of = matrix, made_of
        with alone(matrix), _kept(matrix, made_of):
            if made_of is not None:
                options["precondition_matrix"] = made_of.handle
            self._make(lib.ritz_solver_create, matrix, struct("ritz_solve_options", keep, **options), needs=[matrix, made_of])

    @property
    def handle(self) -> Any:
        """The C pointer, for functions of the library that this package does not wrap; an Error where a matrix of it is gone."""
        for matrix in (self.matrix, self._made_of):
            if matrix is not None:
                matrix.handle
        return super().handle

    def _callback(self, function: Callable[[np.ndarray], np.ndarray]) -> Any:
        """The function as the library calls it; what it raises ends the solve."""

        def apply(x: Any, y: Any, _: Any) -> int:
            try:
                r = np.empty(lib.ritz_vector_size(x))
                check(lib.ritz_vector_read(x, pointer(r, "double *")))
                with others_may():
                    z = array(function(r), np.float64, r.shape, "what precondition gives")
                check(lib.ritz_vector_write(y, pointer(z, "double *")))
            except BaseException as error:  # a Ctrl-C, too
                self._failure = error
                return lib.RITZ_ERROR_INPUT
            return lib.RITZ_OK

        def failed(_: Any, error: BaseException, __: Any) -> None:  # a Ctrl-C before apply's first line
            self._failure = error

        return ffi.callback("ritz_apply_function *", apply, error=lib.RITZ_ERROR_INPUT, onerror=failed)

    def update(self, matrix: Matrix) -> None:
        """New values of the matrix, as Assembler.fill leaves them, or another of as many rows: what a new solver would be, but
        that multigrid keeps what depends on the pattern alone. The solver had the option updatable=True."""
        _check_matrix(matrix, "the matrix")
        self._check_idle()
        with alone(matrix), _kept(matrix):
            call(lib.ritz_solver_update, super().handle, matrix)  # the one before may be gone
        self._owned.replace(self.matrix._owned, matrix._owned)
        self.matrix = matrix

    def solve(self, b: np.ndarray, x0: np.ndarray | None = None) -> tuple[np.ndarray, Report]:
        """x with A x = b, and how it went. x0 is the start, zeros if None. An Error with status "not_converged" has the last
        iterate as `solution` and the `report`."""
        self._check_idle()
        n = self.matrix.shape[0]
        b = array(b, np.float64, (n,), "b")
        x = np.zeros(n) if x0 is None else np.array(array(x0, np.float64, (n,), "x0"))
        keep: list[Any] = []
        report = struct("ritz_solve_report", keep)
        self._solving.add(get_ident())
        try:
            with alone(self), _kept(self.matrix):
                call(lib.ritz_solver_solve, self, pointer(b, "double *"), pointer(x, "double *"), report)
        except Error as error:
            failure, self._failure = self._failure, None
            if failure is not None:
                raise failure from None
            if error.status == "not_converged":
                error.solution, error.report = x, read_report(report)
            raise
        finally:
            self._solving.discard(get_ident())
        return x, read_report(report)

    def _check_idle(self) -> None:
        if get_ident() in self._solving:
            raise Error("this solver is in the middle of a solve: its own precondition can not use it")


def solve(matrix: Matrix, /, b: np.ndarray, x0: np.ndarray | None = None, **options: Any) -> tuple[np.ndarray, Report]:
    """Solver(matrix, **options).solve(b, x0)"""
    return Solver(matrix, **options).solve(b, x0)
