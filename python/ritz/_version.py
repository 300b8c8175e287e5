"""The version of the library that this package was made for."""

VERSION = "0.2.0"
