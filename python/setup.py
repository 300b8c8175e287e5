"""Puts the library's headers into the package: they are its declarations (ritz/_library.py)."""

import shutil
from pathlib import Path

from setuptools import setup
from setuptools.command.build_py import build_py

HEADERS = Path(__file__).resolve().parent.parent / "include" / "ritz"


class BuildWithHeaders(build_py):
    def run(self):
        super().run()
        target = Path(self.build_lib) / "ritz" / "include"
        target.mkdir(parents=True, exist_ok=True)
        for header in HEADERS.glob("*.h"):
            shutil.copy(header, target)


setup(cmdclass={"build_py": BuildWithHeaders})
