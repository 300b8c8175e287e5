"""The package from the tree, with the library of the build that ctest names in RITZ_LIBRARY."""

import os
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "python"))


@pytest.fixture(scope="session")
def root():
    return ROOT


@pytest.fixture(scope="session")
def program():
    """The program `ritz` beside the library."""
    library = Path(os.environ["RITZ_LIBRARY"])
    return str((library if library.is_dir() else library.parent) / "ritz")
