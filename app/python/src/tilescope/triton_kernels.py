"""Kernels of Triton, by their public attributes (tried with Triton 3.5). Triton is imported only where it has no GPU, to let
it compile without one; the tests use objects that have its attributes."""

import contextlib
import inspect
from typing import Any, Callable, Dict, Iterator, List, Mapping, NamedTuple, Optional, Sequence, Tuple

from .arguments import element_named
from .errors import WrongArgument

Grid = Tuple[int, ...]
SIGNATURE_TYPES = {"i1": "s8", "u1": "u8", "fp16": "f16", "bf16": "bf16", "fp32": "f32", "fp64": "f64"}
SIGNATURE_TYPES.update({f"{letter}{bits}": f"{'s' if letter == 'i' else 'u'}{bits}"
                        for letter in "iu" for bits in (8, 16, 32, 64)})


class CompiledKernel(NamedTuple):
    """A kernel as the launch needs it."""

    code: bytes
    entry: Optional[str]
    threads: int
    shared: int
    # The parameters that the caller's arguments belong to, by name; None where that is not known.
    signature: Optional[Dict[str, str]]
    # [B] of each pointer to scratch memory that Triton adds behind them: of the whole grid, and 0 for a null pointer.
    scratch: List[int]


class StandIn:
    """An argument that Triton compiles for in the place of an array: its type and an aligned address."""

    def __init__(self, dtype: Any) -> None:
        self.dtype = dtype

    @staticmethod
    def data_ptr() -> int:
        return 0


def is_compiled(value: Any) -> bool:
    return isinstance(getattr(value, "asm", None), Mapping) and hasattr(value, "metadata")


def launcher_parts(value: Any) -> Optional[Tuple[Any, Any]]:
    """The JITFunction and the grid of `kernel[grid]`, which is a function that holds both; None for anything else."""
    if not inspect.isfunction(value):
        return None
    held = inspect.getclosurevars(value).nonlocals
    kernel, grid = held.get("self"), held.get("grid")
    return None if grid is None or not hasattr(kernel, "warmup") else (kernel, grid)


def named_arguments(names: Sequence[str], args: Any) -> Dict[str, Any]:
    if isinstance(args, Mapping):
        return dict(args)
    if len(args) > len(names):
        raise WrongArgument(f"{len(args)} arguments given; the kernel takes {len(names)}: {', '.join(names)}")
    return dict(zip(names, args))


class NoGpu:
    """What Triton asks of its driver while it compiles, where there is no GPU. `architecture`: "sm_89"."""

    def __init__(self, architecture: str) -> None:
        from triton.backends.compiler import GPUTarget  # pylint: disable=import-outside-toplevel
        self.target = GPUTarget("cuda", int("".join(filter(str.isdigit, architecture))), 32)

    def get_current_target(self) -> Any:
        return self.target

    def get_current_device(self) -> int:
        # Triton keeps what it compiled by the number of the device.
        return int(self.target.arch)

    @staticmethod
    def get_current_stream(device: int = 0) -> int:
        return device

    @staticmethod
    def set_current_device(device: int) -> None:
        """There is one."""


@contextlib.contextmanager
def gpu_or_stand_in(architecture: Callable[[], str]) -> Iterator[None]:
    """Lets Triton compile for `architecture` where it finds no GPU; nothing changes where it has one, or is none."""
    try:
        from triton.runtime import driver  # pylint: disable=import-outside-toplevel
    except ImportError:
        yield
        return
    try:
        driver.active.get_current_target()
        has_gpu = True
    except Exception:  # which kind depends on its version
        has_gpu = False
    if has_gpu:
        yield
        return
    driver.set_active(NoGpu(architecture()))
    try:
        yield
    finally:
        try:
            driver.reset_active()
        except Exception:  # since Triton 3.4 it looks for a GPU, as the next use of the driver will
            driver.set_active(None)


def warmed_up(kernel: Any, grid: Any, args: Any, options: Mapping[str, Any],
              architecture: Callable[[], str]) -> Tuple[Any, Grid, Dict[str, Any]]:
    """Compiles without a launch, for `architecture` where there is no GPU: the compiled kernel, its grid, and its arguments by
    name."""
    arguments = named_arguments(kernel.arg_names, args)
    stand_ins = {name: StandIn(value.dtype) if getattr(value, "shape", ()) and hasattr(value, "dtype") else value
                 for name, value in arguments.items()}
    made = grid({**arguments, **options}) if callable(grid) else grid
    sizes = tuple(int(size) for size in (made if isinstance(made, (tuple, list)) else (made,)))
    try:
        with gpu_or_stand_in(architecture):
            return kernel.warmup(grid=sizes, **stand_ins, **options), sizes, arguments
    except Exception as error:  # the compiler raises many kinds
        raise WrongArgument(f"Triton cannot compile the kernel: {error}") from error


def metadata_of(kernel: Any, name: str, otherwise: Any = None) -> Any:
    metadata = kernel.metadata
    return metadata.get(name, otherwise) if isinstance(metadata, Mapping) else getattr(metadata, name, otherwise)


def signature_of(kernel: Any) -> Optional[Dict[str, str]]:
    """Without the arguments that Triton folded into the code."""
    source = getattr(kernel, "src", None)
    signature = getattr(source, "signature", None)
    if not isinstance(signature, Mapping):
        return None
    constants = getattr(source, "constants", None)
    folded = set(constants) if isinstance(constants, Mapping) else set()
    return {str(name): str(kind) for i, (name, kind) in enumerate(signature.items())
            if kind != "constexpr" and not folded & {name, i, (i,)}}


def read_compiled(kernel: Any, grid: Grid) -> CompiledKernel:
    code = kernel.asm.get("cubin") or kernel.asm.get("ptx")
    if code is None:
        raise WrongArgument("the compiled kernel has neither asm[\"cubin\"] nor asm[\"ptx\"]: it is not for an NVIDIA GPU")
    if (metadata_of(kernel, "num_ctas") or 1) > 1:
        raise WrongArgument("the kernel runs in clusters of blocks (num_ctas), which are not executed here")
    blocks = 1
    for size in grid:
        blocks *= size
    scratch = []
    for name in ("global_scratch_size", "profile_scratch_size"):
        size = metadata_of(kernel, name)
        if size is not None:
            scratch.append(int(size) * blocks)
    return CompiledKernel(code.encode() if isinstance(code, str) else bytes(code), metadata_of(kernel, "name"),
                          32 * int(metadata_of(kernel, "num_warps", 4)), int(metadata_of(kernel, "shared", 0)),
                          signature_of(kernel), scratch)


def arguments_of(signature: Mapping[str, str], arguments: Mapping[str, Any],
                 is_array: Callable[[Any], bool]) -> Dict[str, Any]:
    """The arguments that the code takes, in its order, numbers with the types of the signature."""
    taken = {}
    for name, kind in signature.items():
        if name not in arguments:
            raise WrongArgument(f"the kernel's argument '{name}' is missing")
        value = arguments[name]
        if not is_array(value) and isinstance(value, (int, float)) and kind in SIGNATURE_TYPES:
            value = (element_named(SIGNATURE_TYPES[kind]), int(value) if isinstance(value, bool) else value)
        taken[name] = value
    return taken
