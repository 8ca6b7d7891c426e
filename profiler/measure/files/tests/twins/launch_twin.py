#!/usr/bin/env python3
"""Launches one kernel of a cubin or PTX file on the GPU, as a launch file says: launch_twin.py FILE ENTRY LAUNCH.json

Prints how the launch ended: "launch: ok", or the driver's error and the call that returned it.
"""

import ctypes
import json
import struct
import sys

FORMATS = {"s8": "b", "u8": "B", "s16": "h", "u16": "H", "s32": "i", "u32": "I", "s64": "q", "u64": "Q",
           "f32": "f", "f64": "d"}
# Numbers of the driver's API.
GENERATE_LINE_INFO = 13
MAX_DYNAMIC_SHARED_BYTES = 8
DEFAULT_SHARED_BYTES = 48 * 1024


def packed(element, values):
    return struct.pack(f"<{len(values)}{FORMATS[element]}", *[float(v) if isinstance(v, str) else v for v in values])


def contents_of(buffer):
    """The bytes that the host stores in a buffer before the launch."""
    values = buffer["values"] if "values" in buffer else [buffer.get("fill", 0)] * buffer["count"]
    return packed(buffer["element"], values)


class DriverError(Exception):
    pass


class Driver:
    """Calls of the CUDA driver, each of which throws where it fails."""

    def __init__(self):
        self.library = ctypes.CDLL("libcuda.so.1")

    def __call__(self, name, *arguments):
        error = getattr(self.library, name)(*arguments)
        if error == 0:
            return
        text = ctypes.c_char_p()
        self.library.cuGetErrorName(error, ctypes.byref(text))
        raise DriverError(f"{text.value.decode() if text.value else error} from {name}")


def begin(driver):
    device, context = ctypes.c_int(), ctypes.c_void_p()
    driver("cuInit", 0)
    driver("cuDeviceGet", ctypes.byref(device), 0)
    driver("cuDevicePrimaryCtxRetain", ctypes.byref(context), device)
    driver("cuCtxSetCurrent", context)


def load(driver, path, entry):
    with open(path, "rb") as file:
        image = ctypes.create_string_buffer(file.read())
    module, function = ctypes.c_void_p(), ctypes.c_void_p()
    options, values = (ctypes.c_int * 1)(GENERATE_LINE_INFO), (ctypes.c_void_p * 1)(1)
    driver("cuModuleLoadDataEx", ctypes.byref(module), image, 1, options, values)
    driver("cuModuleGetFunction", ctypes.byref(function), module, entry.encode())
    return function


def place(driver, argument):
    """The value of an argument; a buffer is allocated and filled."""
    if argument["type"] != "buffer":
        return ctypes.create_string_buffer(packed(argument["type"], [argument["value"]]), 8)
    contents = contents_of(argument)
    address = ctypes.c_uint64()
    driver("cuMemAlloc_v2", ctypes.byref(address), ctypes.c_size_t(len(contents)))
    driver("cuMemcpyHtoD_v2", address, contents, ctypes.c_size_t(len(contents)))
    return address


def three(numbers):
    return [ctypes.c_uint(n) for n in (numbers + [1, 1])[:3]]


def launch(driver, function, document):
    arguments = [place(driver, argument) for argument in document["arguments"]]
    pointers = (ctypes.c_void_p * len(arguments))(*[ctypes.addressof(argument) for argument in arguments])
    shared = document.get("dynamic_shared_bytes", 0)
    if shared > DEFAULT_SHARED_BYTES:
        driver("cuFuncSetAttribute", function, MAX_DYNAMIC_SHARED_BYTES, shared)
    driver("cuLaunchKernel", function, *three(document["grid"]), *three(document["block"]), ctypes.c_uint(shared),
           None, pointers, None)
    driver("cuCtxSynchronize")


def main():
    path, entry, launch_file = sys.argv[1:]
    with open(launch_file, encoding="utf-8") as file:
        document = json.load(file)
    driver = Driver()
    try:
        begin(driver)
        launch(driver, load(driver, path, entry), document)
        print("launch: ok", flush=True)
    except DriverError as error:
        print(f"launch: {error}", flush=True)


if __name__ == "__main__":
    main()
