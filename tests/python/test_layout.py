"""The structs, enums and functions that Python reads from the headers are those that a C compiler sees."""

import shutil
import subprocess

import pytest
import ritz
from ritz._library import ffi, header_folder, lib

COMPILER = shutil.which("cc") or shutil.which("gcc")


def described():
    """Lines "what number" of everything that the headers declare, as Python has it, and C that prints the same."""
    names = [name for kind in ffi.list_types() for name in kind if name.startswith("ritz_") and not name.endswith("_function")]
    lines, code = [], []
    for name in sorted(set(names)):
        kind = ffi.typeof(name)
        if kind.kind == "enum":
            for value, word in kind.elements.items():
                lines.append(f"{word} {value}")
                code.append(f'printf("{word} %lld\\n", (long long){word});')
        elif kind.kind == "struct" and kind.fields is not None:
            lines.append(f"{name} {ffi.sizeof(kind)}")
            code.append(f'printf("{name} %zu\\n", sizeof({name}));')
            for field, about in kind.fields:
                lines.append(f"{name}.{field} {about.offset} {ffi.sizeof(about.type)}")
                code.append(f'printf("{name}.{field} %zu %zu\\n", offsetof({name}, {field}), sizeof((({name} *)0)->{field}));')
    return lines, code


@pytest.mark.skipif(not COMPILER, reason="needs a C compiler")
def test_layouts_are_those_of_the_compiler(tmp_path):
    lines, code = described()
    assert len(lines) > 200
    source = tmp_path / "layout.c"
    source.write_text("#include <ritz.h>\n#include <stdio.h>\nint main(void)\n{\n" + "\n".join(code) + "\nreturn 0;\n}\n")
    program = tmp_path / "layout"
    subprocess.run([COMPILER, f"-I{header_folder().parent}", source, "-o", program], check=True)
    printed = subprocess.run([program], check=True, capture_output=True, text=True).stdout.splitlines()
    assert printed == lines


def test_versions_are_one(root):
    assert f"project(ritz VERSION {ritz.__version__} " in (root / "CMakeLists.txt").read_text()
    assert ritz.version() == ritz.__version__


def test_every_function_of_the_headers_is_in_the_library(root):
    lines = (root / "tests" / "symbols.txt").read_text().splitlines()
    exported = [line for line in lines if line.startswith("ritz_")]  # others hold the sizes of structs
    assert exported and [name for name in exported if not hasattr(lib, name)] == []
