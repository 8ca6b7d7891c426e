"""open(), measure() and trace(): each asks the worker one typed request of profiler/service/requests."""

import base64
import json
import operator
import os
import pathlib
import re
import tempfile
from typing import Any, Dict, List, Mapping, Optional, Sequence, Tuple, Union

from . import triton_kernels
from .arguments import Arguments, Launch, Number, array_of
from .errors import TilescopeError, UnreadableFile, WrongArgument
from .records import OpenedPoint, Point, TracedPoint
from .subjects import FILE_LIMIT, SENT_FILE_LIMIT, SentArrays, StrPath, launch_of, read_file, sent
from .worker import ask

# How much longer than a run a request may take, to send, compile and answer. [s]
PATIENCE_S = 60.0
ALL_BLOCKS = (1 << 63) - 1
Size = Union[int, Sequence[int]]
SHAPE_HELP = ("give B,H,S,D such as 1,8,512,64; grouped heads as Hq/Hkv and unequal lengths as Sq/Sk: "
              "1,32/8,512/4096,128; then causal and bf16 where they apply")
MISFIT = re.compile(r"arguments\[(\d+)\]: an? \w+ has \d B; the kernel's parameter \d+ has ([1248]) B")


def open(path: StrPath, entry: Optional[str] = None, set: Optional[Mapping[str, Any]] = None,
         options: Sequence[str] = (), device: Optional[str] = None, check: bool = True, blocks: Union[int, str, None] = None,
         launch: Optional[StrPath] = None, time_limit: float = 120) -> OpenedPoint:
    """Opens a file that holds kernels (CUDA C++, PTX, a cubin, a program or library), finds out how one of them is launched,
    executes it, and says what it costs.

    `entry`: the kernel; by default the one that the file launches first. `set`: values in the place of guesses, by the
    names in `.guesses`: {"n": 4096, "grid": (64, 2)}. `options`: of the compiler, "-Iinclude", "-DTILE=64". `device`: for
    which it is compiled and predicted. `check`: look for races and other faults. `blocks`: how many are executed, or
    "all"; by default as many as take about a second. `launch`: a file as `tilescope run --args` takes it; by default
    NAME.launch.json beside the file, where `set` is not given. `time_limit`: of the run, in seconds.

    Raises TilescopeError, also for CUDA C++ that does not compile. A kernel that cannot be executed or runs out of time is a
    point whose `status` and `reason` say so."""
    subject: Dict[str, Any] = {"entry": entry or "", "time_limit_s": limit_of(time_limit)}
    # A folder has no contents.
    subject["code"] = sent(path, None if os.path.isdir(path) else read_file(path))
    sidecar = pathlib.Path(path).with_suffix(".launch.json")
    if launch is None and not set and sidecar.exists():
        launch = sidecar
    if launch is not None:
        subject.update(launch_of(launch))
    params = {"subject": subject, "chosen": {str(name): chosen_text(value) for name, value in (set or {}).items()},
              "options": absolute_includes(options), "device": device or "", "check": bool(check), "list_only": False,
              "blocks": blocks_of(blocks)}
    answer = ask("open_file", params, time_limit + PATIENCE_S)
    raise_for(answer, f"'{os.fspath(path)}' cannot be opened: ")
    return OpenedPoint(answer)


def measure(kernel: StrPath, parameters: Optional[Mapping[str, Any]] = None,
            shape: Union[str, Mapping[str, Any]] = "1,2,128,64", device: Optional[str] = None, seed: int = 1,
            blocks: Union[int, str, None] = None, compiler: str = "nvrtc", time_budget: float = 0.3, explain: bool = True,
            time_limit: float = 120) -> Point:
    """One point: compiles a configuration of a kernel, checks its result, and times it on the GPU or predicts its latency.

    `kernel`: a name from `tilescope kernels`, or the path of a .cu file. `parameters`: those that are left out have their
    defaults. `shape`: "1,32/8,512/4096,128 causal bf16", or an object as in sessions/schema.json. `device`: by default this
    machine's GPU, or the L4 without one. `blocks`: that are interpreted, "all" or a number. `time_budget`: seconds for the
    L2-warm series. `explain`: predict also without each cause of the time, which the advice needs.

    Raises TilescopeError for a kernel, device or parameter that does not exist. A configuration that cannot run is a point
    whose `status` and `reason` say so."""
    name = os.fspath(kernel)
    if name.endswith(".cu") or os.sep in name:
        name = os.path.abspath(name)
    chosen = {str(key): parameter_of(key, value) for key, value in (parameters or {}).items()}
    experiment = {"kernel": name, "parameters": chosen, "shape": shape_of(shape), "device": device or "", "seed": seed,
                  "timing_budget_s": time_budget, "blocks": "auto" if blocks is None else str(blocks), "compiler": compiler}
    params = {"experiment": experiment, "stages": False, "variants": False, "explain": bool(explain),
              "time_limit_s": limit_of(time_limit)}
    answer = ask("measure", params, time_limit + PATIENCE_S)
    reason = str(answer.get("reason", ""))
    if answer.get("status") == "invalid_configuration" and (
            reason.startswith(("there is no device", "there is no kernel")) or " has no parameter '" in reason):
        raise WrongArgument(reason)
    raise_for(answer, "")
    return Point(answer)


def trace(code: Any, args: Arguments = (), grid: Optional[Size] = None, block: Optional[Size] = None,
          entry: Optional[str] = None, shared: int = 0, check: bool = True, device: Optional[str] = None,
          in_place: bool = False, constants: Optional[Mapping[str, Any]] = None, time_limit: float = 120) -> TracedPoint:
    """Executes one launch of a kernel without a GPU: buffers in, buffers out, what its memory accesses cost, and with `check`
    races and other faults.

    `code`: the path of a .ptx, .cubin or .cu file, its bytes, or its text of more than one line. `args`: the arguments in the
    order of the kernel's parameters; a dict is in the same order and gives them names. Each is

    - a NumPy array, an array.array or ("f32", [1, 2.5]): a buffer, in C order. An array that is given twice is one buffer.
    - a NumPy number or ("f32", 2.5), with that type; a Python number, with the width of the parameter: int is an integer
      and float a floating-point number. ctypes numbers and structures, and bytes, are passed as they are; None is a null
      pointer.

    `shared`: dynamic shared memory in bytes. `device`: predict the latency of machine code on it. After the launch
    `.arrays` has new arrays for those that the kernel wrote, by index or name; `in_place` also writes them into yours.

    `code` may be a kernel of Triton: `kernel[grid]`, which is compiled for the arguments and for `constants` (its constexpr
    arguments and options such as num_warps), or a compiled kernel, as `kernel.warmup(..., grid=grid)` returns it, with `grid`
    and the arguments of its signature. Its threads and shared memory are those of its metadata. Where there is no GPU, Triton
    compiles for `device`.

    Raises TilescopeError. A launch that ends otherwise is a point whose `status` and `reason` say so, without arrays."""
    contents: Optional[bytes]
    parts = triton_kernels.launcher_parts(code)
    if parts is not None:
        if not isinstance(args, Mapping):
            args = list(args)
        code, grid, args = triton_kernels.warmed_up(*parts, args, constants or {}, lambda: architecture_of(device))
    if triton_kernels.is_compiled(code):
        sizes = size_of("grid", grid)
        kernel = triton_kernels.read_compiled(code, sizes)
        if kernel.signature is not None:
            named = triton_kernels.named_arguments(list(kernel.signature), args)
            args = triton_kernels.arguments_of(kernel.signature, named, lambda value: array_of(value) is not None)
        launch = Launch(args, in_place)
        for size in kernel.scratch:
            launch.add({"type": "buffer", "element": "b8", "count": size, "fill": 0} if size else {"type": "u64", "value": 0})
        return run_launch((name_of_code(kernel.code), kernel.code), launch, sizes, (kernel.threads,), entry or kernel.entry,
                          kernel.shared, check, device, in_place, time_limit)
    if isinstance(code, (bytes, bytearray)):
        contents = bytes(code)
        path: StrPath = name_of_code(contents)
    elif isinstance(code, str) and "\n" in code:
        contents = code.encode()
        path = name_of_code(contents)
    elif isinstance(code, (str, os.PathLike)):
        contents, path = read_file(code), code
    else:
        raise WrongArgument(f"the code is a {type(code).__name__}: give a path, bytes, text, or a kernel of Triton")
    return run_launch((path, contents), Launch(args, in_place), size_of("grid", grid), size_of("block", block), entry, shared,
                      check, device, in_place, time_limit)


def architecture_of(device: Optional[str]) -> str:
    """"sm_89" of a device, which the worker chooses where none is named."""
    ptx = b".version 8.0\n.target sm_80\n.address_size 64\n.visible .entry none() { ret; }\n"
    subject = {"code": sent(name_of_code(ptx), ptx), "entry": "", "time_limit_s": 10.0}
    answer = ask("open_file", {"subject": subject, "list_only": True, "device": device or ""}, PATIENCE_S)
    raise_for(answer, "")
    return str(answer["device"]["arch"])


def run_launch(code: Tuple[StrPath, bytes], launch: Launch, grid: Tuple[int, ...], block: Tuple[int, ...],
               entry: Optional[str], shared: int, check: bool, device: Optional[str], in_place: bool,
               time_limit: float) -> TracedPoint:
    path, contents = code
    if len(contents) > FILE_LIMIT:
        raise UnreadableFile(f"the code has more than {FILE_LIMIT >> 20} MiB")
    with tempfile.TemporaryDirectory(prefix="tilescope-") as folder:
        if len(contents) > SENT_FILE_LIMIT and not os.path.exists(path):
            path = os.path.join(folder, os.fspath(path))
            pathlib.Path(path).write_bytes(contents)
        document: Dict[str, Any] = {"grid": list(grid), "block": list(block), "dynamic_shared_bytes": operator.index(shared)}
        subject: Dict[str, Any] = {"code": sent(path, contents), "entry": entry or "", "time_limit_s": limit_of(time_limit)}
        params = {"subject": subject, "check": bool(check), "machine_code": False, "device": device or ""}
        for _ in range(2):
            files = SentArrays(folder)
            document["arguments"] = launch.arguments(files)
            subject["launch"] = sent(os.path.join(folder, "launch.json"), json.dumps(document).encode())
            subject["arrays"] = files.files
            answer, buffers = ask_for_run(params, time_limit)
            if not widened(launch, answer):
                break
    raise_for(answer, "the code cannot be run: ")
    return traced(answer, buffers, launch, in_place)


def ask_for_run(params: Dict[str, Any], time_limit: float) -> Tuple[Dict[str, Any], Dict[int, bytearray]]:
    buffers: Dict[int, bytearray] = {}

    def take(part: Any) -> None:
        buffers.setdefault(part["buffer"], bytearray()).extend(base64.b64decode(part["contents"]))

    return ask("run_file", params, time_limit + PATIENCE_S, take), buffers


def widened(launch: Launch, answer: Mapping[str, Any]) -> bool:
    """Gives plain numbers the width of their parameters where the worker says that they have another one."""
    if answer.get("problem") != "launch":
        return False
    has_changed = False
    for index, size in MISFIT.findall(str(answer.get("reason", ""))):
        number = launch.documents[int(index)]
        if not isinstance(number, Number) or number.bytes == int(size):
            continue
        if isinstance(number.value, float) and int(size) < 2:
            continue
        number.bytes = int(size)
        has_changed = True
    return has_changed


def traced(answer: Dict[str, Any], contents: Mapping[int, bytearray], launch: Launch, in_place: bool) -> TracedPoint:
    stored = {site.get("tile") for site in (answer.get("memory") or {}).get("sites") or []
              if not str(site.get("operation", "")).startswith("ld")}
    buffers: Dict[Any, Any] = {}
    written: List[Any] = []
    for i, buffer in enumerate(answer.get("buffers") or []):
        if i not in contents or buffer.get("argument") is None:
            continue
        key = launch.key_of(buffer["argument"])
        given = launch.arrays.get(key)
        if given is None:
            continue
        after = bytes(contents[i])
        if len(after) != len(given.contents):
            raise TilescopeError(f"the worker answered with {len(after)} B of '{key}', which has {len(given.contents)} B")
        buffers[key] = given.remake(after)
        if after != given.contents or launch.name(key) in stored:
            written.append(key)
            if in_place and given.put is not None:
                given.put(given.remake(after))
    return TracedPoint(answer, buffers, written)


def raise_for(answer: Mapping[str, Any], beginning: str) -> None:
    """Raises where an argument or the file is wrong, whatever the kernel does."""
    reason, problem = str(answer.get("reason", "")), answer.get("problem")
    if problem == "code":
        raise UnreadableFile(beginning + reason)
    if problem in ("entry", "launch") or reason.startswith(("there is no device", "the worker has no table of the device")):
        raise WrongArgument(reason)
    if reason.startswith("the worker cannot read"):
        raise UnreadableFile(beginning + reason)


def name_of_code(contents: bytes) -> str:
    """The contents decide how the file is read; its name stands in messages."""
    if contents.startswith(b"\x7fELF"):
        return "kernel.cubin"
    return "kernel.ptx" if re.search(rb"^\s*\.version\b", contents[:65536], re.M) else "kernel.cu"


def size_of(name: str, size: Any) -> Tuple[int, ...]:
    if size is None:
        raise WrongArgument(f"the {name} is missing: give {name}=(x, y, z), or a number")
    try:
        sizes = tuple(operator.index(one) for one in (size if isinstance(size, (tuple, list)) else (size,)))
    except TypeError:
        raise WrongArgument(f"the {name} is {size!r}: give up to three whole numbers (x, y, z)") from None
    if not 1 <= len(sizes) <= 3 or min(sizes) < 1:
        raise WrongArgument(f"the {name} is {size!r}: give up to three whole numbers (x, y, z) from 1")
    return sizes


def limit_of(time_limit: float) -> float:
    if not 0 < time_limit < 1e8:
        raise WrongArgument(f"the time limit is {time_limit!r}: give seconds above 0")
    return float(time_limit)


def blocks_of(blocks: Union[int, str, None]) -> int:
    if blocks is None:
        return 0
    if blocks == "all":
        return ALL_BLOCKS
    if isinstance(blocks, str) or not 1 <= blocks <= ALL_BLOCKS:
        raise WrongArgument(f"{blocks!r} is not a valid block count: give \"all\" or a number from 1")
    return operator.index(blocks)


def chosen_text(value: Any) -> str:
    if isinstance(value, (tuple, list)):
        return json.dumps([operator.index(one) for one in value])
    return str(value)


def absolute_includes(options: Sequence[str]) -> List[str]:
    """The worker has the folder in which it was started."""
    if isinstance(options, str):
        raise WrongArgument("the options are one text: give a list, [\"-Iinclude\", \"-DTILE=64\"]")
    made: List[str] = []
    for option in options:
        if option.startswith("-I") and len(option) > 2:
            option = "-I" + os.path.abspath(option[2:])
        elif made and made[-1] == "-I":
            made[-1:], option = [], "-I" + os.path.abspath(option)
        made.append(str(option))
    return made


def parameter_of(name: str, value: Any) -> Union[int, str]:
    if isinstance(value, str):
        return value
    try:
        return operator.index(value)
    except TypeError:
        raise WrongArgument(f"the parameter {name} is {value!r}: give a whole number or a name") from None


def shape_of(shape: Union[str, Mapping[str, Any]]) -> Dict[str, Any]:
    if isinstance(shape, Mapping):
        return {"dtype": "fp16", "causal": False, **shape}
    words = shape.split()
    sizes = words[0].split(",") if words else []
    try:
        if len(sizes) != 4:
            raise ValueError
        batch, heads, lengths, width = sizes
        query_heads, _, key_heads = heads.partition("/")
        queries, _, keys = lengths.replace("x", "/").partition("/")
        numbers = [int(one) for one in (batch, query_heads, key_heads or query_heads, queries, keys or queries, width)]
    except ValueError:
        raise WrongArgument(f"the shape is '{shape}': {SHAPE_HELP}") from None
    if any(word not in ("causal", "fp16", "bf16") for word in words[1:]):
        raise WrongArgument(f"the shape is '{shape}': {SHAPE_HELP}")
    return dict(zip(("B", "Hq", "Hkv", "Sq", "Sk", "D"), numbers), dtype="bf16" if "bf16" in words else "fp16",
                causal="causal" in words)
