"""Runs the PyTorch model of a task, and writes down what it passes to its CUDA extension.

    record_calls.py FOLDER LIMIT KERNELS REFERENCE

KERNELS has `ModelNew`, which loads an extension (load_inline); or it is a .cu file whose function the forward() of
REFERENCE takes as `fn`. REFERENCE has `Model`, `get_inputs()` and perhaps `get_init_inputs()`; both may be one file.
Nothing is compiled, and no GPU is used: tensors that ask for one are on the CPU, and the extension's functions only
record. FOLDER gets calls.json and the tensors as .npy files, up to LIMIT bytes together; larger ones have their sizes alone.
"""

import importlib.util
import json
import os
import sys

import numpy
import torch
from torch.overrides import TorchFunctionMode
from torch.utils import cpp_extension

SEED = 42
MOST_FUNCTIONS = 16
ELEMENTS = {
    torch.float64: "f64", torch.float32: "f32", torch.float16: "f16", torch.bfloat16: "bf16",
    torch.int64: "s64", torch.int32: "s32", torch.int16: "s16", torch.int8: "s8", torch.uint8: "u8", torch.bool: "u8",
}
IS_CUDA = torch.Tensor.is_cuda.__get__


def names_gpu(value):
    if isinstance(value, torch.device):
        return value.type == "cuda"
    return isinstance(value, str) and value.split(":")[0] == "cuda"


class OnCpu(TorchFunctionMode):
    """Keeps on the CPU what a task wants to have on a GPU, and lets it believe that it is there."""

    def __torch_function__(self, func, types, args=(), kwargs=None):
        kwargs = dict(kwargs or {})
        if func == torch.Tensor.cuda:
            return args[0]
        if func == IS_CUDA:
            return True
        if names_gpu(kwargs.get("device")):
            kwargs["device"] = "cpu"
        return func(*("cpu" if names_gpu(value) else value for value in args), **kwargs)


class Recorder:
    """The calls of extensions' functions, the first one of each function."""

    def __init__(self, results):
        # Every function returns tensors of this form, so that the model goes on.
        self.results = results
        self.calls = {}

    def call(self, function, arguments):
        returned = [torch.zeros_like(tensor) for tensor in self.results]
        if function not in self.calls and len(self.calls) < MOST_FUNCTIONS:
            copies = [value.detach().clone() if isinstance(value, torch.Tensor) else value for value in arguments]
            self.calls[function] = {"arguments": copies, "passed": [(value, value._version) for value in [*arguments, *returned]
                                               if isinstance(value, torch.Tensor)]}
        return returned[0] if len(returned) == 1 else tuple(returned)


class Extension:
    def __init__(self, recorder):
        self.recorder = recorder

    def __getattr__(self, function):
        if function.startswith("__"):
            raise AttributeError(function)
        return lambda *arguments, **named: self.recorder.call(function, [*arguments, *named.values()])


def load(path):
    specification = importlib.util.spec_from_file_location(os.path.splitext(os.path.basename(path))[0], path)
    module = importlib.util.module_from_spec(specification)
    # A task may be pickled or inspected by its module's name.
    sys.modules[specification.name] = module
    specification.loader.exec_module(module)
    return module


def build(make, inputs):
    torch.manual_seed(SEED)
    return make(**inputs) if isinstance(inputs, dict) else make(*inputs)


def tensors_of(value):
    values = value if isinstance(value, (tuple, list)) else [value]
    return [one.detach() for one in values if isinstance(one, torch.Tensor)]


def is_same(returned, tensor, version):
    """Whether a tensor is returned as it was, perhaps with another shape: nothing wrote to it after the call."""
    return (returned.numel() == tensor.numel() and returned.is_contiguous() and returned._version == version and
            returned.untyped_storage().data_ptr() == tensor.untyped_storage().data_ptr())


class Writer:
    """Tensors as .npy files, until the limit is reached."""

    def __init__(self, folder, limit):
        self.folder, self.left, self.count = folder, limit, 0

    def tensor(self, tensor):
        element = ELEMENTS.get(tensor.dtype)
        if element is None:
            return None
        tensor = tensor.detach().contiguous()
        described = {"element": element, "shape": list(tensor.shape), "strides": list(tensor.stride()), "array": ""}
        array = (tensor.float() if element == "bf16" else tensor).numpy()
        if array.nbytes > self.left or array.nbytes == 0:
            return described
        self.left -= array.nbytes
        described["array"] = f"tensor_{self.count}.npy"
        self.count += 1
        numpy.save(os.path.join(self.folder, described["array"]), array)
        return described

    def argument(self, value):
        if isinstance(value, torch.Tensor):
            return {"tensor": self.tensor(value), "number": None}
        is_number = isinstance(value, (bool, int, float)) and abs(value) < 2**53
        return {"tensor": None, "number": float(value) if is_number else None}


def run_model(kernels, reference, recorder_of):
    """Returns what the reference returns, the recorder, what the model with the extension returns, and its problem."""
    module = load(reference)
    inputs = module.get_inputs()
    init = module.get_init_inputs() if hasattr(module, "get_init_inputs") else []
    model = build(module.Model, init)
    copies = [value.clone() if isinstance(value, torch.Tensor) else value for value in inputs]
    expected = tensors_of(model(*copies))
    recorder = recorder_of(expected)
    extension = Extension(recorder)
    cpp_extension.load_inline = cpp_extension.load = lambda *arguments, **named: extension
    try:
        if kernels.endswith(".py"):
            answer = build((module if kernels == reference else load(kernels)).ModelNew, init)
            returned = answer(*inputs)
        else:
            returned = model(*inputs, fn=extension.forward)
    except Exception as error:  # a task raises any kind; what was recorded before is of use
        return expected, recorder, [], f"{type(error).__name__}: {error}"
    return expected, recorder, tensors_of(returned), ""


def results_of(call, expected, returned):
    """What a call should return or leave in its arguments, where the model returns just that."""
    if len(expected) != 1 or len(returned) != 1:
        return []
    return expected if any(is_same(returned[0], *passed) for passed in call["passed"]) else []


def main():
    folder, limit, kernels, reference = sys.argv[1], int(sys.argv[2]), sys.argv[3], sys.argv[4]
    sys.path.insert(0, os.path.dirname(os.path.abspath(kernels)))
    torch.cuda.is_available = lambda: True
    torch.cuda.synchronize = lambda *arguments, **named: None
    # An extension that is loaded while the files are read.
    recorder = Recorder([])

    def with_results(results):
        recorder.results = results
        return recorder

    cpp_extension.load_inline = cpp_extension.load = lambda *arguments, **named: Extension(recorder)
    with torch.no_grad(), OnCpu():
        expected, recorder, returned, problem = run_model(kernels, reference, with_results)
        writer = Writer(folder, limit)
        calls = []
        for function, call in recorder.calls.items():
            results = [tensor for tensor in map(writer.tensor, results_of(call, expected, returned)) if tensor]
            arguments = [writer.argument(value) for value in call["arguments"]]
            calls.append({"function": function, "arguments": arguments, "results": results,
                          "caller": os.path.basename(kernels if kernels.endswith(".py") else reference)})
    if not calls and not problem:
        problem = "the model calls no function of an extension"
    with open(os.path.join(folder, "calls.json"), "w", encoding="utf-8") as file:
        json.dump({"calls": calls, "problem": problem}, file)


if __name__ == "__main__":
    main()
