"""Which NVRTC a machine needs: its driver loads machine code of its own CUDA major version and of older ones.

Source: CUDA Toolkit release notes, "CUDA Toolkit and minimum required driver version for CUDA minor version
compatibility". Within a major version, machine code of the newest NVRTC runs on every driver. PTX would not, and is
never loaded.
"""

import ctypes
import re
from dataclasses import dataclass


@dataclass(frozen=True)
class Nvrtc:
    name: str  # "NVRTC 12.9"
    cuda: int  # The major version of its machine code.
    oldest_driver: int  # The first driver that loads it.
    requirements: str  # Its list in third_party/.


NEWEST_FIRST = (
    Nvrtc("NVRTC 13.0", 13, 580, "requirements-cuda13.txt"),
    Nvrtc("NVRTC 12.9", 12, 525, "requirements-cuda12.txt"),
)


class WrongDriver(Exception):
    """The named driver has no NVRTC: the message lists the possible ones."""


def driver_cuda(library="libcuda.so.1"):
    """The CUDA version that the driver here supports, (12, 4), or None without one. Needs no toolkit and no GPU."""
    try:
        ask = ctypes.CDLL(library).cuDriverGetVersion
    except (OSError, AttributeError):
        return None
    version = ctypes.c_int(0)
    if ask(ctypes.byref(version)) != 0 or version.value <= 0:
        return None
    return version.value // 1000, version.value % 1000 // 10


def usable(cuda):
    """The NVRTCs that the driver of a CUDA version can use, the best first; all of them without a driver."""
    return [nvrtc for nvrtc in NEWEST_FIRST if cuda is None or nvrtc.cuda <= cuda[0]]


def chosen_here(cuda):
    """(the NVRTC for this machine's driver, a message about the driver or None)."""
    for nvrtc in usable(cuda):
        return nvrtc, None
    oldest = NEWEST_FIRST[-1]
    return NEWEST_FIRST[0], (
        f"This machine's NVIDIA driver supports CUDA {cuda[0]}.{cuda[1]}, and Tilescope measures on driver "
        f"{oldest.oldest_driver} (CUDA {oldest.cuda}.0) or newer: install a newer NVIDIA driver. Until then kernels are interpreted.")


def named(text):
    """The NVRTCs for a driver as nvidia-smi shows it: "550.54.15", its CUDA version "12.4", or "all" drivers."""
    if text == "all":
        return list(NEWEST_FIRST)
    if not re.fullmatch(r"\d+(\.\d+)*", text):
        raise WrongDriver(f"'{text}' is not a version of a driver: give what nvidia-smi shows, the driver (550.54) or its "
                          f"CUDA version (12.4), or all.")
    number = int(text.split(".")[0])
    is_cuda_version = number < 100
    for nvrtc in NEWEST_FIRST:
        if number >= (nvrtc.cuda if is_cuda_version else nvrtc.oldest_driver):
            return [nvrtc]
    oldest = NEWEST_FIRST[-1]
    kind = "CUDA" if is_cuda_version else "driver"
    raise WrongDriver(f"{kind} {text} is too old: Tilescope measures on driver {oldest.oldest_driver} (CUDA {oldest.cuda}.0) "
                      f"or newer.")
