"""Arguments of a kernel: from Python's values to a launch document, and the buffers of the answer back to arrays.

NumPy is used where the caller has imported it; lists with the name of a type and array.array work without it."""

import array
import ctypes
import math
import operator
import struct
import sys
from typing import Any, Callable, Dict, Iterator, List, Mapping, Optional, Sequence, Tuple, Union

from .errors import WrongArgument
from .subjects import SentArrays

Key = Union[str, int]
Arguments = Union[Sequence[Any], Mapping[str, Any]]

# Types of the launch file by the names of NumPy and PyTorch.
OTHER_NAMES = {"float16": "f16", "float32": "f32", "float64": "f64", "bfloat16": "bf16", "half": "f16", "float": "f32",
               "double": "f64", "bool": "u8"}
OTHER_NAMES.update({f"{sign}int{bits}": f"{'u' if sign else 's'}{bits}" for sign in ("", "u") for bits in (8, 16, 32, 64)})
# The format of struct for each type.
FORMATS = {"f16": "e", "f32": "f", "f64": "d", "bf16": "H", "s8": "b", "s16": "h", "s32": "i", "s64": "q", "u8": "B",
           "u16": "H", "u32": "I", "u64": "Q", "b8": "B", "b16": "H", "b32": "I", "b64": "Q"}


def element_named(name: str) -> str:
    """The type of the launch file: "f32" for "f32" and for "float32". Raises WrongArgument."""
    element = OTHER_NAMES.get(name, name)
    if element not in FORMATS:
        raise WrongArgument(f"there is no type '{name}': choose {', '.join(FORMATS)} or a name of NumPy such as float32")
    return element


def bytes_of_element(element: str) -> int:
    return struct.calcsize(FORMATS[element])


def bf16_bits(value: float) -> int:
    """Rounds to the nearest, as hardware does."""
    if math.isnan(value):
        return 0x7FC0
    try:
        bits: int = struct.unpack("<I", struct.pack("<f", value))[0]
    except OverflowError:
        return 0x7F80 if value > 0 else 0xFF80
    return (bits + 0x7FFF + (bits >> 16 & 1)) >> 16


def packed(element: str, values: Sequence[Any]) -> bytes:
    if element == "bf16":
        values = [bf16_bits(float(value)) for value in values]
    try:
        return struct.pack(f"<{len(values)}{FORMATS[element]}", *values)
    except (struct.error, OverflowError, TypeError) as error:
        raise WrongArgument(f"a value is not of the type {element}: {error}") from None


def unpacked(element: str, contents: bytes) -> List[Any]:
    values = list(struct.unpack(f"<{len(contents) // bytes_of_element(element)}{FORMATS[element]}", contents))
    if element == "bf16":
        values = [struct.unpack("<f", struct.pack("<I", bits << 16))[0] for bits in values]
    return values


def npy(element: str, shape: Sequence[int], contents: bytes) -> bytes:
    """The file that numpy.save() writes."""
    letter = {"s": "i", "b": "u"}.get(element[0], element[0])
    descr = "|V2" if element == "bf16" else f"<{letter}{bytes_of_element(element)}"
    sizes = "".join(f"{size}, " for size in shape)
    header = f"{{'descr': '{descr}', 'fortran_order': False, 'shape': ({sizes}), }}".encode()
    header += b" " * (-(len(header) + 11) % 64) + b"\n"
    return b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header + contents


class Array:
    """An array of the caller: its bytes in C order, and how another one of its kind is made."""

    def __init__(self, value: Any, element: str, shape: Sequence[int], contents: bytes, remake: Callable[[bytes], Any],
                 put: Optional[Callable[[Any], None]]) -> None:
        self.value, self.element, self.shape, self.contents = value, element, tuple(shape), contents
        self.remake = remake
        # Writes a new array into the caller's; None where that cannot be written.
        self.put = put


def numpy_array(value: Any) -> Array:
    import numpy

    dtype = value.dtype
    if dtype.byteorder == ">":
        raise WrongArgument("an array is big-endian, and a GPU is not: give array.astype(array.dtype.newbyteorder('<'))")
    shape = value.shape
    if dtype.name == "bfloat16":
        element = "bf16"
    elif dtype.kind in "fiub" and dtype.itemsize <= 8:
        kind = {"i": "s", "b": "u"}.get(dtype.kind, dtype.kind)
        element = f"{kind}{8 * dtype.itemsize}"
    elif dtype.kind == "c" and dtype.itemsize <= 16:
        element, shape = f"f{4 * dtype.itemsize}", (*shape, 2)
    elif dtype.hasobject:
        raise WrongArgument("an array holds Python objects: give an array of numbers")
    else:
        element, shape = "b8", (*shape, dtype.itemsize)

    def remake(contents: bytes) -> Any:
        return numpy.frombuffer(contents, dtype=dtype).reshape(value.shape).copy()

    def put(new: Any) -> None:
        value[...] = new

    return Array(value, element, shape, value.tobytes(), remake, put if value.flags.writeable else None)


def standard_array(value: "array.array[Any]") -> Array:
    kind = "f" if value.typecode in "fd" else "u" if value.typecode in "BHILQ" else "s"
    if value.typecode not in "fdbBhHiIlLqQ":
        raise WrongArgument(f"an array of the type code '{value.typecode}' holds text, not numbers")

    def put(new: "array.array[Any]") -> None:
        value[:] = new

    return Array(value, f"{kind}{8 * value.itemsize}", (len(value),), value.tobytes(),
                 lambda contents: array.array(value.typecode, contents), put)


def shape_of_list(value: Any) -> Tuple[int, ...]:
    return (len(value), *(shape_of_list(value[0]) if value else ())) if isinstance(value, list) else ()


def flat(value: Any, shape: Sequence[int]) -> Iterator[Any]:
    if not shape:
        if isinstance(value, list):
            raise WrongArgument("a list is nested deeper in one place than in another")
        yield value
        return
    if not isinstance(value, list) or len(value) != shape[0]:
        raise WrongArgument("the lists in a list have different lengths")
    for item in value:
        yield from flat(item, shape[1:])


def nested(values: Iterator[Any], shape: Sequence[int]) -> Any:
    return [nested(values, shape[1:]) for _ in range(shape[0])] if shape else next(values)


def typed_list(element: str, value: List[Any]) -> Array:
    shape = shape_of_list(value)

    def put(new: List[Any]) -> None:
        value[:] = new

    return Array(value, element, shape, packed(element, list(flat(value, shape))),
                 lambda contents: nested(iter(unpacked(element, contents)), shape), put)


class Number:
    """A number whose type is not given: its width follows from the kernel's parameter where 4 B do not fit."""

    def __init__(self, value: Union[int, float]) -> None:
        self.value = value
        self.bytes = 4
        if isinstance(value, int) and not -(1 << 31) <= value < 1 << 32:
            self.bytes = 8

    def document(self) -> Dict[str, Any]:
        if isinstance(self.value, float):
            return number_document(f"f{8 * self.bytes}", self.value)
        kind = "u" if self.value >> (8 * self.bytes - 1) > 0 else "s"
        return number_document(f"{kind}{8 * self.bytes}", self.value)


def number_document(element: str, value: Any) -> Dict[str, Any]:
    if element[0] in "fb" and not isinstance(value, int) and not math.isfinite(value):
        value = "nan" if math.isnan(value) else "inf" if value > 0 else "-inf"
    return {"type": element, "value": value}


def array_of(value: Any) -> Optional[Array]:
    """None for what is not an array."""
    numpy = sys.modules.get("numpy")
    if isinstance(value, tuple) and len(value) == 2 and isinstance(value[0], str) and isinstance(value[1], list):
        return typed_list(element_named(value[0]), value[1])
    if isinstance(value, array.array):
        return standard_array(value)
    if numpy is None or isinstance(value, numpy.generic):
        return None
    if isinstance(value, numpy.ndarray):
        return numpy_array(value)
    if not hasattr(value, "__array__"):
        return None
    try:
        made = numpy_array(numpy.asarray(value))
    except (TypeError, ValueError, RuntimeError) as error:
        raise WrongArgument(f"a {type(value).__name__} cannot become a NumPy array: {error}") from None
    made.value = value
    return made


def scalar_of(value: Any, place: str) -> Union[Dict[str, Any], Number]:
    """The argument that is not an array. Raises WrongArgument."""
    numpy = sys.modules.get("numpy")
    if value is None:
        return {"type": "u64", "value": 0}
    if isinstance(value, tuple) and len(value) == 2 and isinstance(value[0], str):
        element = element_named(value[0])
        if not isinstance(value[1], (int, float)):
            raise WrongArgument(f"{place} has a {type(value[1]).__name__} of the type {element}: give a number or a list")
        return number_document(element, value[1])
    if isinstance(value, bool):
        return {"type": "u8", "value": int(value)}
    if numpy is not None and isinstance(value, numpy.generic):
        if value.dtype.kind in "fiub" and value.dtype.itemsize <= 8:
            return number_document(element_named(value.dtype.name), value.item() if value.dtype.kind != "b" else int(value))
        return {"type": "bytes", "values": list(value.tobytes())}
    if isinstance(value, (int, float)):
        if isinstance(value, int) and not -(1 << 63) <= value < 1 << 64:
            raise WrongArgument(f"{place} is {value}, which has more than 64 bits")
        return Number(value)
    if isinstance(value, bytes):
        return {"type": "bytes", "values": list(value)}
    if isinstance(value, (ctypes.Structure, ctypes.Array, ctypes.Union, ctypes._SimpleCData)):
        return {"type": "bytes", "values": list(bytes(value))}
    if isinstance(value, list):
        raise WrongArgument(f"{place} is a list, whose type is not known: give (\"f32\", [1, 2]) or a NumPy array")
    try:
        return Number(operator.index(value))
    except TypeError:
        raise WrongArgument(f"{place} is a {type(value).__name__}: give arrays, numbers, bytes of a structure or "
                            "(\"f32\", [1, 2])") from None


class Launch:
    """The arguments of one launch. An array that is given twice is one buffer."""

    def __init__(self, args: Arguments, in_place: bool = False) -> None:
        pairs: List[Tuple[Key, Any]] = list(args.items()) if isinstance(args, Mapping) else list(enumerate(args))
        self.arrays: Dict[Key, Array] = {}
        self.documents: List[Union[Dict[str, Any], Number]] = []
        self._keys: List[Key] = []
        keys_by_identity: Dict[int, Key] = {}
        for key, value in pairs:
            place = f"args[{key!r}]"
            made = array_of(value)
            self._keys.append(key)
            if made is None:
                self.documents.append(scalar_of(value, place))
            elif not made.contents:
                self.arrays[key] = made
                self.documents.append({"type": "u64", "value": 0})
            elif id(made.value) in keys_by_identity:
                self.documents.append({"type": "address", "of": self.name(keys_by_identity[id(made.value)])})
            else:
                if in_place and made.put is None:
                    raise WrongArgument(f"{place} is read-only, and in_place was asked for")
                keys_by_identity[id(made.value)] = key
                self.arrays[key] = made
                self.documents.append({"type": "buffer", "element": made.element, "name": self.name(key)})

    @staticmethod
    def name(key: Key) -> str:
        return key if isinstance(key, str) else f"args[{key}]"

    def add(self, document: Dict[str, Any]) -> None:
        """Appends a parameter that the caller has no argument for."""
        self._keys.append(len(self._keys))
        self.documents.append(document)

    def arguments(self, files: SentArrays) -> List[Dict[str, Any]]:
        """For the launch document; arrays become files."""
        arguments = []
        for i, (key, document) in enumerate(zip(self._keys, self.documents)):
            if isinstance(document, Number):
                document = document.document()
            elif document["type"] == "buffer" and key in self.arrays:
                made = self.arrays[key]
                files.add(f"{i}.npy", npy(made.element, made.shape or (1,), made.contents))
                document = dict(document, values=f"{i}.npy")
            arguments.append(document)
        return arguments

    def key_of(self, argument: int) -> Key:
        return self._keys[argument]
