"""Finds libritz and calls it: declarations from the C headers themselves, errors as exceptions, Ctrl-C, progress.

The headers are read as they are (cffi computes the layouts of their structs), so Python and C can not drift apart.
"""

from __future__ import annotations

import collections
import contextlib
import ctypes.util
import os
import re
import signal
import socket
import sys
import threading
import traceback
import weakref
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import cffi
import numpy as np

from ._version import VERSION

_HERE = Path(__file__).resolve().parent
_TREE = _HERE.parent.parent  # where the package runs from the source tree


# ---- Declarations ----


def header_folder() -> Path:
    """The headers that this package was made for: the tree's, or the copies that came with the installation."""
    inside = _HERE / "include"
    return inside if inside.is_dir() else _TREE / "include" / "ritz"


def declarations() -> str:
    """The public headers in one text, in the order in which they include each other, without the preprocessor's lines."""
    folder, seen, parts = header_folder(), set(), []

    def take(path: Path) -> None:
        if path in seen or not path.is_file():
            return
        seen.add(path)
        text = path.read_text(encoding="utf-8").replace("\\\n", " ")
        for name in re.findall(r'#include "ritz/(\w+\.h)"', text):
            take(folder / name)
        constants = re.findall(r"^#define (RITZ_\w+) (\d+)$", text, re.MULTILINE)
        text = re.sub(r"^#.*$", "", text, flags=re.MULTILINE)
        text = re.sub(r"\bRITZ_(API|BEGIN_DECLS|END_DECLS)\b", "", text)
        parts.append("".join(f"#define {name} {value}\n" for name, value in constants) + text)

    for path in sorted(folder.glob("*.h")):
        take(path)
    if not parts:
        raise ImportError(f"ritz: the library's headers are not in {folder}; install the package again")
    return "\n".join(parts)


ffi = cffi.FFI()
ffi.cdef(declarations())
NULL = ffi.NULL


# ---- The library ----


def _candidates() -> list[str]:
    """Where libritz may be: RITZ_LIBRARY alone if it is set; else a build in the tree, the newest first; else installed."""
    named = os.environ.get("RITZ_LIBRARY")
    if named:
        return [str(Path(named) / "libritz.so") if Path(named).is_dir() else named]
    built = sorted(_TREE.glob("build*/libritz.so"), key=lambda path: path.stat().st_mtime, reverse=True)
    prefixes = [Path(sys.prefix)] + ([_TREE.parent.parent] if _TREE.name == "ritz" else [])  # PREFIX/share/ritz/python/ritz
    installed = [path for prefix in prefixes for place in ("lib", "lib64", "lib/*") for path in prefix.glob(place + "/libritz.so")]
    found = ctypes.util.find_library("ritz")
    return [str(path) for path in built + installed] + ([found] if found else []) + ["libritz.so"]


def _open() -> Any:
    tried = []
    for name in _candidates():
        try:
            library = ffi.dlopen(name)
        except OSError as error:
            tried.append(str(error))
            continue
        have = ffi.string(library.ritz_version()).decode()
        if have.split(".")[:2] == VERSION.split(".")[:2]:
            return library
        tried.append(f"{name} is version {have}, and this package is for {VERSION}")
    raise ImportError(
        "ritz: libritz.so is not found; build it (cmake --build build), install it, or name it in the environment's "
        "RITZ_LIBRARY. Tried:\n  " + "\n  ".join(tried)
    )


lib = _open()


# ---- Errors ----


class Error(Exception):
    """What went wrong, in the library's words. `status` is the library's code: "input", "memory", "device", "file",
    "not_converged" or "interrupted"."""

    def __init__(self, message: str, status: str = "input") -> None:
        super().__init__(message)
        self.status = status


_STATUS = {
    lib.RITZ_ERROR_INPUT: "input",
    lib.RITZ_ERROR_MEMORY: "memory",
    lib.RITZ_ERROR_DEVICE: "device",
    lib.RITZ_ERROR_FILE: "file",
    lib.RITZ_ERROR_NOT_CONVERGED: "not_converged",
    lib.RITZ_INTERRUPTED: "interrupted",
}


def text(pointer: Any) -> str | None:
    """A C string as text; None for NULL."""
    return None if pointer == NULL else ffi.string(pointer).decode("utf-8", "replace")


def check(status: int) -> None:
    if status != lib.RITZ_OK:
        raise Error(text(lib.ritz_message()) or "", _STATUS.get(status, "input"))


# ---- Ctrl-C ----


class _Watcher:
    """Turns a Ctrl-C that arrives during a call of the library into ritz_interrupt(). Python's own handler waits until the
    call is over; but it writes a byte to the wake-up socket at once, which a thread reads here."""

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.active = self.pressed = False
        self.caught = False  # by a callback, which has not passed it on
        self.frame: Any = None  # of the call in progress
        self.read_all = threading.Event()
        self.reader, self.writer = socket.socketpair()
        self.writer.setblocking(False)
        threading.Thread(target=self._watch, name="ritz-interrupt", daemon=True).start()

    def _watch(self) -> None:
        while data := self.reader.recv(64):
            if signal.SIGINT in data:
                self.press()
            if 0 in data:
                self.read_all.set()

    def settle(self) -> None:
        """Waits until all that was written is read: a Ctrl-C that also ended a callback must not stop the next call."""
        self.read_all.clear()
        self.writer.send(b"\0")
        self.read_all.wait(10)

    def press(self) -> None:
        with self.lock:
            if self.active:
                self.pressed = True
                lib.ritz_interrupt()

    def is_within(self, frame: Any) -> bool:
        """Whether the call in progress is below the frame: a Ctrl-C may have cut one short anywhere."""
        while self.active and frame is not None and frame is not self.frame:
            frame = frame.f_back
        return self.active and frame is not None

    def leave(self) -> None:
        with self.lock:
            if self.pressed:
                lib.ritz_clear_interrupt()
            self.active = self.pressed = self.caught = False
            self.frame = None

    def run(self, function: Callable[..., Any], arguments: tuple[Any, ...]) -> Any:
        """The call; KeyboardInterrupt if Ctrl-C ended it. One within another, as of a preconditioner that calls the library, is
        watched with it."""
        if self.is_within(sys._getframe()):
            result = function(*arguments)
            if self.pressed and result == lib.RITZ_INTERRUPTED:
                raise KeyboardInterrupt
            return result
        result, old, stopped = None, -1, False
        self.leave()
        try:
            self.frame, self.active = sys._getframe(), True
            old = signal.set_wakeup_fd(self.writer.fileno(), warn_on_full_buffer=False)
            result = function(*arguments)
        finally:
            try:
                signal.set_wakeup_fd(-1 if old == self.writer.fileno() else old)
                if result != lib.RITZ_OK or self.caught:
                    self.settle()
                stopped = self.caught or self.pressed and result == lib.RITZ_INTERRUPTED
            finally:
                self.leave()
        if stopped:
            raise KeyboardInterrupt
        return result


_watcher: _Watcher | None = None


# ---- Threads and processes ----


class _Turn:
    """Lets one thread at a time use a device. A call within a callback of the same thread goes on; and while Python's code runs
    in a callback, other threads may have the device, as those that the callback waits for."""

    _here = threading.local()  # .turns: those that the thread has, innermost last

    def __init__(self) -> None:
        self._lock = threading.Lock()

    def take(self, wait: bool = True) -> bool:
        turns = self._here.__dict__.setdefault("turns", [])
        if self not in turns and not self._lock.acquire(wait):
            return False
        turns.append(self)
        return True

    def give(self) -> None:
        self._here.turns.pop()
        if self not in self._here.turns:
            self._lock.release()

    def is_free(self) -> bool:
        return not self._lock.locked()

    def __enter__(self) -> None:
        self.take()

    def __exit__(self, *_: object) -> None:
        self.give()
        sweep()

    def take_again(self) -> bool:
        """Whether Ctrl-C came meanwhile: a callback can not end before it has its turn."""
        pressed = False
        while True:
            try:
                self._lock.acquire()
                return pressed
            except KeyboardInterrupt:
                pressed = True


@contextlib.contextmanager
def others_may() -> Iterator[None]:
    """Around a callback: gives up the turn that the thread has, and takes it again."""
    turns = _Turn._here.__dict__.setdefault("turns", [])
    had, mine = turns[:], list(dict.fromkeys(turns))
    turns.clear()
    for turn in mine:
        turn._lock.release()
    try:
        yield
    finally:
        pressed = any([turn.take_again() for turn in mine])
        turns.extend(had)
        if pressed:
            raise KeyboardInterrupt


_shared: dict[int, tuple[Any, _Turn]] = {}  # by the address of an object of a device: the object's own lock, the device's turn
processor = _Turn()  # of all devices on the processor: PoCL 3.1 fails where two of them run kernels at once
_used = False  # the library has run
_forked = False  # this process is a copy of one in which it had


def _address(pointer: Any) -> int:
    return int(ffi.cast("intptr_t", pointer))


def _owner(argument: Any) -> tuple[Any, _Turn] | None:
    """The lock of an object of a device, and the device's turn."""
    if isinstance(argument, Handle):
        return (argument._owned.lock, argument._owned.turn) if argument._owned.turn else None
    if isinstance(argument, ffi.CData) and ffi.typeof(argument).kind == "pointer":
        return _shared.get(_address(argument))
    return None


@contextlib.contextmanager
def alone(*arguments: Any) -> Iterator[None]:
    """With the first argument that is of a device to itself, and with a turn on the device."""
    lock, turn = next(filter(None, map(_owner, arguments)), (contextlib.nullcontext(), contextlib.nullcontext()))
    with lock, turn:
        yield


def _after_fork() -> None:
    global _forked
    _forked = _used


os.register_at_fork(after_in_child=_after_fork)


def call(function: Callable[..., Any], *arguments: Any) -> None:
    """Calls a function that returns a ritz_status; the interpreter's lock is released meanwhile. Ctrl-C stops it soon. Of objects that
    are given themselves the C pointer is taken when no other thread can replace what it points at any more."""
    global _watcher, _used
    if _forked:
        raise Error(
            "this process was forked from one that had used the library, whose drivers and threads are not in the copy; start "
            'processes anew, as multiprocessing.get_context("spawn") does',
            "device",
        )
    _used = True
    with alone(*arguments):
        pointers = tuple(argument.handle if isinstance(argument, Handle) else argument for argument in arguments)
        if threading.current_thread() is not threading.main_thread():
            check(function(*pointers))
            return
        if _watcher is None:
            _watcher = _Watcher()
        check(_watcher.run(function, pointers))


# ---- Progress and log ----

_kept: dict[str, Any] = {}  # callbacks that the library holds


def guarded_callback(declaration: str, function: Callable[..., None], lets_others: bool = True) -> Any:
    """Of C. A Ctrl-C that Python notices inside ends the library's call, not the callback; other errors are printed. lets_others: other
    threads may have the device meanwhile."""

    def guarded(*arguments: Any) -> None:
        with others_may() if lets_others else contextlib.nullcontext():
            function(*arguments)

    def failed(kind: type[BaseException], error: BaseException, trace: Any) -> None:
        if issubclass(kind, KeyboardInterrupt) and _watcher is not None:
            _watcher.caught = True
            _watcher.press()
        else:
            traceback.print_exception(kind, error, trace)

    return ffi.callback(declaration, guarded, onerror=failed)


def set_progress(function: Callable[[str, float], None] | None) -> None:
    """Has function(stage, fraction) called while the library works: the fraction done is 0 to 1, or -1 where nobody knows.
    None turns it off."""
    if function is None:
        lib.ritz_set_progress(NULL, NULL)
        _kept.pop("progress", None)
        return
    callback = guarded_callback("void(const char *, double, void *)", lambda stage, fraction, _: function(text(stage) or "", fraction))
    lib.ritz_set_progress(callback, NULL)
    _kept["progress"] = callback


def show_progress(on: bool = True) -> None:
    """Shows the stage and the share that is done on a line of stderr, where that is a terminal or a notebook."""
    shown = sys.stderr.isatty() or "ipykernel" in sys.modules

    def draw(stage: str, fraction: float) -> None:
        share = f" {100 * fraction:3.0f} %" if fraction >= 0 else ""
        end = "\r\033[K" if fraction >= 1 else ""
        print(f"\r{stage}{share}\033[K{end}", end="", file=sys.stderr, flush=True)

    set_progress(draw if on and shown else None)


def set_log(function: Callable[[str], None] | None) -> None:
    """Has function(line) called for each decision that the library takes: which path ran and why. Lines that start with
    "warning: " are for every user. None turns it off."""
    if function is None:
        lib.ritz_set_log(NULL, NULL)
        _kept.pop("log", None)
        return
    callback = guarded_callback("void(const char *, void *)", lambda line, _: function(text(line) or ""))
    lib.ritz_set_log(callback, NULL)
    _kept["log"] = callback


def interrupt() -> None:
    """Asks the library's call in progress, on whatever thread, to stop soon. Later calls stop as well, until clear_interrupt()."""
    lib.ritz_interrupt()


def clear_interrupt() -> None:
    """Takes a request to stop back."""
    lib.ritz_clear_interrupt()


def version() -> str:
    """ "MAJOR.MINOR.PATCH" of the library."""
    return text(lib.ritz_version()) or ""


# ---- Arrays and structs ----


def array(values: Any, dtype: Any, shape: tuple[int | None, ...] | None = None, name: str = "array") -> np.ndarray:
    """The values as a contiguous array: itself where it is one already. The shape is checked; None: any length. What the type
    does not hold as it is, such as 2.5 among whole numbers, is an error."""
    try:
        given = np.asarray(values)
        with np.errstate(invalid="ignore"):  # numbers too large: they are told of below
            made = np.ascontiguousarray(given, dtype) if given.dtype.kind in "biufO" else None
    except (TypeError, ValueError, OverflowError) as error:
        raise Error(f"{name}: this is no array of numbers: {error}") from None
    if made is None:
        raise Error(f"{name}: values of the type {given.dtype} can not be taken; give real numbers")
    if made.dtype.kind == "i":
        _check_whole(given, made, name)
    if shape is not None and (
        made.ndim != len(shape) or any(want is not None and want != have for want, have in zip(shape, made.shape))
    ):
        wanted = ", ".join("any" if want is None else str(want) for want in shape)
        raise Error(f"{name} has the shape {made.shape}; give ({wanted})")
    return made


def _check_whole(given: np.ndarray, made: np.ndarray, name: str) -> None:
    """Whether whole numbers are those that were given."""
    if given.dtype == bool:
        raise Error(f"{name}: True and False are no whole numbers; of a mask give np.flatnonzero(mask)")
    if np.can_cast(given.dtype, made.dtype):
        return
    changed = np.flatnonzero(given.reshape(-1) != made.reshape(-1))
    if len(changed):
        limits = np.iinfo(made.dtype)
        raise Error(f"{name}: {given.reshape(-1)[changed[0]]} is not a whole number from {limits.min} to {limits.max}")


def number(value: Any, name: str) -> float:
    """A real number."""
    return float(array(value, np.float64, (1,), name)[0])


def spread(values: Any, shape: tuple[int, ...], name: str, also: str = "") -> np.ndarray:
    """Real numbers in this shape, or what NumPy repeats to it, as one number for all. also: for the message, what else may be given."""
    given = array(values, np.float64, name=name)
    try:
        return np.array(np.broadcast_to(given, shape))
    except ValueError:
        raise Error(f"{name} has the shape {np.shape(values)}; give {shape}{also} or one number") from None


def output(out: np.ndarray | None, shape: tuple[int, ...], name: str) -> np.ndarray:
    """The caller's array for a result, checked, or a new one."""
    if out is None:
        return np.empty(shape)
    if not isinstance(out, np.ndarray) or out.dtype != np.float64 or out.shape != shape or not out.flags.c_contiguous or not out.flags.writeable:
        raise Error(f"{name} must be a writable, contiguous array of float64 with the shape {shape}")
    return out


def pointer(values: np.ndarray | None, kind: str) -> Any:
    """A C pointer to the array's own memory; NULL for None."""
    return NULL if values is None else ffi.cast(kind, values.ctypes.data)


def words(value: str, keep: list[Any]) -> Any:
    """A C string, which lives as long as `keep`."""
    keep.append(ffi.new("char[]", value.encode()))
    return keep[-1]


class _Memory:
    """Memory of the library's as NumPy's array interface describes it; keeps its owner alive."""

    def __init__(self, address: int, shape: tuple[int, ...], owner: Any) -> None:
        self.owner = owner
        self.__array_interface__ = {"version": 3, "shape": shape, "typestr": "<f8", "data": (address, True)}


def view(data: Any, shape: tuple[int, ...], owner: Any) -> np.ndarray:
    """Doubles that the library owns as a read-only array, which keeps their owner alive."""
    return np.asarray(_Memory(int(ffi.cast("intptr_t", data)), shape, owner))


def struct(kind: str, keep: list[Any], **fields: Any) -> Any:
    """A struct of options with its size set; what it points at is put into `keep`. Fields that are None stay 0; texts become
    C strings."""
    made = ffi.new(kind + " *")
    known = dict(ffi.typeof(kind).fields)
    size = next((name for name in ("struct_size", "size") if name in known and known[name].type is ffi.typeof("size_t")), "")
    if size:
        setattr(made, size, ffi.sizeof(kind))
    for name, value in fields.items():
        if value is None:
            continue
        if name not in known or name == size:
            raise Error(f"there is no option '{name}'; there are {', '.join(key for key in known if key != size)}")
        keep.append(value)
        try:
            setattr(made, name, words(value, keep) if isinstance(value, str) else value)
        except (TypeError, OverflowError) as error:
            raise Error(f"the option '{name}' can not be {value!r}: {error}") from None
    keep.append(made)
    return made


def names_of(name_of: Any) -> dict[str, int]:
    """The values of an enum by the names that the library gives them."""
    found: dict[str, int] = {}
    while (name := text(name_of(len(found)))) not in (None, "unknown", *found):
        found[str(name)] = len(found)
    return found


CHOICES = {
    "precision": {"f64": lib.RITZ_F64, "f32": lib.RITZ_F32},
    "scheme": {"gather": lib.RITZ_ASSEMBLE_GATHER, "colours": lib.RITZ_ASSEMBLE_COLOURS},
    "cell": names_of(lib.ritz_cell_name),
    "method": names_of(lib.ritz_solve_method_name),
    "preconditioner": names_of(lib.ritz_preconditioner_name),
    "matrix": names_of(lib.ritz_matrix_choice_name),
    "storage": {"auto": lib.RITZ_VALUES_AS_VECTORS, "f64": lib.RITZ_VALUES_F64, "f32": lib.RITZ_VALUES_F32, "f16": lib.RITZ_VALUES_F16, "bf16": lib.RITZ_VALUES_BF16},
    "vectors": {"auto": lib.RITZ_VECTORS_AUTOMATIC, "double": lib.RITZ_VECTORS_DOUBLE, "single": lib.RITZ_VECTORS_SINGLE},
    "outcome": names_of(lib.ritz_solve_outcome_name),
}


def choice(name: str, value: str | None) -> int | None:
    """The number of an enum's value by its name; None for None."""
    if value is None:
        return None
    values = CHOICES[name]
    if value not in values:
        raise Error(f"{name} is one of {', '.join(values)}, not '{value}'")
    return values[value]


_counting = threading.RLock()


class _Owned:
    """An object of the library and how many hold it: Python, and the objects that need it. In what order Python lets go of
    objects that refer to each other, or of all of them at its end, is not known; here one goes after those that need it."""

    def __init__(self, place: Any, destroy: Callable[[Any], None], owners: list[_Owned], turn: _Turn | None) -> None:
        self.place, self.destroy, self.owners, self.holders = place, destroy, owners, 1
        self.turn = turn or next((owner.turn for owner in owners if owner.turn), None)  # of its device
        self.addresses: list[int] = []
        self.lock = threading.RLock()
        self.note_address(place[0])
        with _counting:
            for owner in owners:
                owner.holders += 1

    def note_address(self, pointer: Any) -> None:
        """Of it, or of a part that is handed on: arguments of calls are known by it."""
        address = _address(pointer)
        if self.turn and address not in self.addresses:
            self.addresses.append(address)
            _shared[address] = self.lock, self.turn

    def replace(self, old: _Owned, new: _Owned) -> None:
        """Needs another one now."""
        with _counting:
            new.holders += 1
            self.owners[self.owners.index(old)] = new
        old.release()

    def release(self) -> None:
        """May be called wherever Python collects garbage: it waits for no device."""
        if _forked:
            return
        with _counting:
            self.holders -= 1
            if self.holders > 0:
                return
        if not self.end():
            _unwanted.append(self)
            if self.turn and self.turn.is_free():  # given up since: nobody else comes
                sweep()

    def end(self) -> bool:
        """False while another thread uses the device."""
        if self.turn and not self.turn.take(wait=False):
            return False
        for address in self.addresses:
            _shared.pop(address, None)
        try:
            self.destroy(self.place)
        finally:  # Ctrl-C may come meanwhile
            if self.turn:
                self.turn.give()
            for owner in self.owners:
                owner.release()
        return True


_unwanted: collections.deque[_Owned] = collections.deque()  # to be destroyed when nobody uses their device


def sweep() -> None:
    """Destroys what can be: a thread does so that has ended its turn."""
    for _ in range(len(_unwanted)):
        try:
            unwanted = _unwanted.popleft()
        except IndexError:  # another thread has it
            return
        if not unwanted.end():
            _unwanted.append(unwanted)


class Handle:
    """An object of the library, destroyed with its last reference in Python."""

    _kind: str  # "ritz_mesh"
    _owned: _Owned

    def _make(self, create: Callable[..., Any], *arguments: Any, needs: Sequence[Handle | None] = ()) -> None:
        """create(arguments..., &handle), of an object that needs others."""
        place = ffi.new(self._kind + " **")
        call(create, *arguments, place)
        turn = None
        if self._kind == "ritz_device":
            destroy = lib.ritz_device_close
            turn = processor if lib.ritz_device_get_info(place[0]).kind == lib.RITZ_DEVICE_CPU else _Turn()
        else:
            destroy = getattr(lib, self._kind + "_destroy")
        self._place = place
        self._owned = _Owned(place, destroy, [other._owned for other in needs if other is not None], turn)
        weakref.finalize(self, self._owned.release)

    def __copy__(self) -> Handle:
        raise Error(f"a {type(self).__name__} can not be copied: it is one object of the library")

    def __deepcopy__(self, memo: Any) -> Handle:
        return self.__copy__()

    @property
    def handle(self) -> Any:
        """The C pointer, for functions of the library that this package does not wrap."""
        return self._place[0]
