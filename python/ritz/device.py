"""Devices that compute: graphics cards, and processors through PoCL."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from ._library import Handle, call, ffi, lib, struct, text


@dataclass(frozen=True)
class DeviceInfo:
    """What a device says of itself; sizes in bytes."""

    name: str
    vendor: str
    platform: str
    driver: str
    kind: str  # "cpu", "gpu", "other"
    number: int  # "gpu:1" opens the gpu with number 1
    global_memory: int
    local_memory: int
    compute_units: int
    has_f64: bool


def _info(info: Any) -> DeviceInfo:
    values = {name: getattr(info, name) for name in DeviceInfo.__dataclass_fields__}
    for name in ("name", "vendor", "platform", "driver"):
        values[name] = text(values[name])
    values["kind"] = text(lib.ritz_device_kind_name(info.kind))
    return DeviceInfo(**values)


def devices() -> list[DeviceInfo]:
    """All devices, in the order in which "auto" prefers them."""
    infos, n = ffi.new("ritz_device_info **"), ffi.new("int32_t *")
    call(lib.ritz_device_list, infos, n)
    try:
        return [_info(infos[0][k]) for k in range(n[0])]
    finally:
        lib.ritz_device_list_free(infos)


class Device(Handle):
    """An open device: "auto", "gpu", "cpu", "gpu:1", part of a name, or "pci:0000:3b:00.0"."""

    _kind = "ritz_device"

    def __init__(self, selector: str = "auto") -> None:
        self._make(lib.ritz_device_open, selector.encode())

    @property
    def info(self) -> DeviceInfo:
        """Name, kind and limits of the device."""
        return _info(lib.ritz_device_get_info(self.handle)[0])

    def measure(self) -> dict[str, float]:
        """What the device can do at best: GB/s copied and stored, Gflop/s in f32 and f64."""
        ceilings = struct("ritz_device_ceilings", [])
        call(lib.ritz_device_measure, self.handle, ceilings)
        names = [name for name, _ in ffi.typeof("ritz_device_ceilings").fields if name != "size"]
        return {name: getattr(ceilings, name) for name in names}

    def __repr__(self) -> str:
        return f"<ritz.Device {self.info.name}>"


_default: Device | None = None


def default_device() -> Device:
    """The device that functions take where none is given: "auto", opened once."""
    global _default
    if _default is None:
        _default = Device()
    return _default
