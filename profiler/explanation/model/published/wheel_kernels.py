"""Kernels of FlashAttention-2 in PyTorch's wheel, and their launches.

The wheel is fetched from the package index with its hash and is not kept in the repository. Its library holds the
kernels as fat binaries, whose entries are compressed with LZ4.
"""

import ctypes
import ctypes.util
import hashlib
import math
import mmap
import pathlib
import re
import struct
import subprocess
import sys
import zipfile

WHEEL = "torch==2.2.1"
WHEEL_SHA256 = "d86664ec85902967d902e78272e97d1aff1d331f7619d398d3ffab1c9b8e9157"
LIBRARY = "torch/lib/libtorch_cuda.so"

FAT_BINARY = 0xBA55ED50
ELF_ENTRY = 2
NAME = re.compile(rb"\.text\.(_Z\w*flash_fwd_kernel\w*)")
LOG2_E = 1.4426950408889634


def fetch_wheel(folder):
    """The wheel for CPython 3.11 on x86-64 Linux, in the folder."""
    for wheel in folder.glob("torch-2.2.1-*.whl"):
        return checked(wheel)
    subprocess.run([sys.executable, "-m", "pip", "download", "--no-deps", "--only-binary", ":all:", "--python-version",
                    "3.11", "--platform", "manylinux1_x86_64", "-d", str(folder), WHEEL], check=True)
    return checked(next(folder.glob("torch-2.2.1-*.whl")))


def checked(wheel):
    digest = hashlib.sha256()
    with open(wheel, "rb") as file:
        while block := file.read(1 << 24):
            digest.update(block)
    if digest.hexdigest() != WHEEL_SHA256:
        sys.exit(f"'{wheel}' is another file than was measured: SHA-256 {digest.hexdigest()}")
    return wheel


def decompressed(data, size):
    """An LZ4 block."""
    lz4 = ctypes.CDLL(ctypes.util.find_library("lz4") or "liblz4.so.1")
    out = ctypes.create_string_buffer(size)
    written = lz4.LZ4_decompress_safe(data, out, len(data), size)
    if written != size:
        raise ValueError(f"an entry of {size} B ends after {written} B")
    return out.raw


def cubins(library, architecture):
    """The cubins of an architecture in a library's fat binaries."""
    with open(library, "rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as data:
        magic = struct.pack("<I", FAT_BINARY)
        at = data.find(magic)
        while at >= 0:
            _, header, size = struct.unpack_from("<HHQ", data, at + 4)
            entry, end = at + header, min(at + header + size, len(data))
            while entry + 64 <= end:
                kind, _, header, size, packed = struct.unpack_from("<HHIQI", data, entry)
                if header == 0 or entry + header + size > end:
                    break
                if kind == ELF_ENTRY and struct.unpack_from("<I", data, entry + 28)[0] == architecture:
                    contents = data[entry + header:entry + header + size]
                    unpacked = struct.unpack_from("<Q", data, entry + 56)[0]
                    yield decompressed(contents[:packed], unpacked) if packed else contents
                entry += header + size
            at = data.find(magic, max(end, at + 4))


def extract(wheel, folder, architecture):
    """Writes the cubins with kernels of FlashAttention-2's forward pass to the folder. Returns the file of each kernel."""
    library = folder / LIBRARY
    if not library.exists():
        with zipfile.ZipFile(wheel) as archive:
            archive.extract(LIBRARY, folder)
    files = {}
    for number, cubin in enumerate(cubins(library, architecture)):
        names = {name.decode() for name in NAME.findall(cubin)}
        if not names:
            continue
        file = folder / f"flash_fwd_sm{architecture}_{number}.cubin"
        file.write_bytes(cubin)
        files.update(dict.fromkeys(names, file))
    return files


def tile_of(head_dim, causal, architecture):
    """Rows of Q and of K and V in a tile, as PyTorch 2.2 chooses them (flash_fwd_launch_template.h)."""
    if head_dim == 64:
        return 128, 128
    if architecture == 86:
        return (64, 64) if causal else (128, 32)
    return 128, 64


def entry_of(names, head_dim, causal, dtype, even, architecture):
    rows, keys = tile_of(head_dim, causal, architecture)
    number = {"fp16": "half_t", "bf16": "bfloat16_t"}[dtype]
    traits = f"Flash_fwd_kernel_traitsILi{head_dim}ELi{rows}ELi{keys}ELi4ELb0ELb0EN7cutlass{len(number)}{number}E"
    # Dropout, causal, local, even numbers of rows, even head dimension, softmax returned.
    flags = f"Lb0ELb{int(causal)}ELb0ELb{int(even)}ELb1ELb0E"
    found = [name for name in names if traits in name and flags in name]
    if len(found) != 1:
        sys.exit(f"the wheel has {len(found)} kernels {traits} {flags}")
    return found[0]


def launch_document(B, H, Hkv, S, D, dtype, causal, architecture):
    """A launch as `open --args` takes it: Flash_fwd_params of PyTorch 2.2.1, 336 B. The tensors are [B, H, S, D]."""
    rows, keys = tile_of(D, causal, architecture)
    element = {"fp16": "f16", "bf16": "bf16"}[dtype]
    scale = 1 / math.sqrt(D)

    def member(kind, *places):
        return [{"type": kind, "value": value, "offset": offset} for offset, value in places]

    def address(*places):
        return [{"type": "address", "of": name, "offset": offset} for offset, name in places]

    q_batch, k_batch, rounded = H * S * D, Hkv * S * D, -(-S // 128) * 128
    members = (
        address((0, "q"), (8, "k"), (16, "v"), (72, "o"), (112, "lse"))
        # Strides of batches, rows and heads.
        + member("u32", (24, q_batch), (28, k_batch), (32, k_batch), (36, D), (40, D), (44, D), (48, S * D), (52, S * D),
                 (56, S * D), (88, q_batch), (92, D), (96, S * D))
        + member("s32", (60, H), (64, Hkv), (68, H // Hkv))
        # Batches, lengths and head dimension, and these rounded up.
        + member("s32", (128, B), (132, S), (136, S), (144, D), (148, rounded), (152, rounded), (156, D))
        + member("f32", (164, scale), (168, scale * LOG2_E))
        # No dropout, and the window of keys.
        + member("f32", (264, 1.0), (272, 1.0), (276, scale)) + member("u8", (268, 255))
        + member("s32", (280, S if causal else -1), (284, 0 if causal else -1))
        + member("u8", (328, int(dtype == "bf16")), (329, int(causal))) + member("s32", (332, 1)))
    members.sort(key=lambda member: member["offset"])
    buffers = [{"name": name, "element": element, "shape": [B, heads, S, D], "fill": "random"}
               for name, heads in (("q", H), ("k", Hkv), ("v", Hkv))]
    buffers.append({"name": "o", "element": element, "shape": [B, H, S, D], "fill": 0, "output": True})
    buffers.append({"name": "lse", "element": "f32", "shape": [B, H, S], "fill": 0})
    return {"grid": [-(-S // rows), B, H], "block": [128, 1, 1], "dynamic_shared_bytes": 2 * (rows + 2 * keys) * D,
            "arguments": [{"type": "struct", "members": members}], "buffers": buffers}


def is_even(S, D, causal, architecture):
    return all(S % size == 0 for size in tile_of(D, causal, architecture))


def folder_of(text):
    folder = pathlib.Path(text)
    folder.mkdir(parents=True, exist_ok=True)
    return folder
