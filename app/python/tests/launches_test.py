"""trace(): arguments in, arrays out, and kernels of Triton by objects that have its attributes."""

import array
import ctypes
import math
import sys
import types
import unittest
import unittest.mock

from client_test_support import CONFLICTS, HEAD, SCALE, ClientTest

import tilescope
from tilescope import arguments
from tilescope.subjects import SentArrays

try:
    import numpy
except ImportError:
    numpy = None

needs_numpy = unittest.skipIf(numpy is None, "NumPy is not installed (python3-numpy)")
# One lane copies 32 B of its parameter, a structure, to out.
STRUCTURE = HEAD + """.visible .entry k(.param .align 8 .b8 s[8], .param .u64 out)
{
  .reg .b64 d<1>; .reg .b32 r<2>;
  ld.param.u32 r0, [s]; ld.param.u32 r1, [s+4]; ld.param.u64 d0, [out];
  st.global.u32 [d0], r0; st.global.u32 [d0+4], r1; ret;
}
"""


class Pair(ctypes.Structure):
    _fields_ = [("first", ctypes.c_int), ("second", ctypes.c_float)]


class Launches(ClientTest):
    def test_lists(self):
        given, out = [1.0, 2.5, -3.0], ("f32", [0.0] * 3)
        point = tilescope.trace(SCALE, [("float32", given), out, 2.0, 3], grid=1, block=32)
        self.assertEqual((point.status, point.arrays, point.kernel), ("ok", {1: [2.0, 5.0, -6.0]}, "scale"))
        self.assertEqual(point.buffers[0], given)
        self.assertEqual(out[1], [0.0] * 3)
        self.assertIn("scale", repr(point))

    def test_names_and_in_place(self):
        out = [[0.0, 0.0], [0.0, 0.0]]
        point = tilescope.trace(SCALE, {"x": array.array("f", [1, 2, 3, 4]), "y": ("f32", out), "a": 3, "n": 4}, (1,), (32, 1),
                                in_place=True)
        self.assertEqual(point.status, "ok", point.reason)
        # 3 is an integer, and its bits are a tiny float.
        self.assertNotEqual(out, [[3.0, 6.0], [9.0, 12.0]])
        tilescope.trace(SCALE, {"x": array.array("f", [1, 2, 3, 4]), "y": ("f32", out), "a": 3.0, "n": 4}, 1, 32, in_place=True)
        self.assertEqual(out, [[3.0, 6.0], [9.0, 12.0]])

    def test_an_array_that_is_given_twice_is_one_buffer(self):
        both = array.array("f", [1, 2, 3])
        point = tilescope.trace(SCALE, [both, both, 2.0, 3], 1, 32)
        self.assertEqual(point.arrays, {0: array.array("f", [2, 4, 6])})
        self.assertEqual(both, array.array("f", [1, 2, 3]))

    def test_a_buffer_that_is_written_as_it_was_is_written(self):
        point = tilescope.trace(SCALE, [("f32", [1.0]), ("f32", [2.0]), 2.0, 1], 1, 32)
        self.assertEqual(point.arrays, {1: [2.0]})

    def test_structures_go_as_their_bytes(self):
        pair = Pair(7, 0.5)
        for given in (pair, bytes(pair)):
            point = tilescope.trace(STRUCTURE, [given, ("u32", [0, 0])], 1, 1)
            self.assertEqual(point.arrays, {1: [7, 0x3F000000]})

    def test_faults_are_findings(self):
        point = tilescope.trace(SCALE, [("f32", [1.0]), ("f32", [2.0]), 2.0, 5], 1, 32)
        self.assertEqual(point.findings[0].kind, "out_of_bounds")
        self.assertIn("args[0]", point.findings[0].text)
        self.assertIn("<b>out_of_bounds</b>", point._repr_html_())

    def test_cuda_source_and_a_prediction(self):
        given = array.array("f", range(1024))
        path = self.file("columns.cu", CONFLICTS)
        for code in (path, str(path), CONFLICTS):
            point = tilescope.trace(code, [given, ("f32", [0.0] * 1024), 1024], 1, (32, 32), device="L4")
            self.assertEqual(point.status, "ok", point.reason)
            self.assertEqual(point.arrays[1][:3], [0, 32, 64])
            self.assertGreater(point.predicted_us, 0)
        lines = [(line.line, line.worst_degree) for line in point.conflict_lines()]
        self.assertEqual(lines, [(5, 32)])
        self.assertEqual(point.conflicts, 31 * 32)

    def test_long_arrays_go_as_files(self):
        given = array.array("f", bytes(9 << 20))
        given[3] = 2
        out = array.array("f", bytes(16))
        point = tilescope.trace(SCALE, [given, out, 2.0, 4], 1, 32, check=False)
        self.assertEqual(list(point.arrays), [1])
        self.assertEqual(point.arrays[1][3], 4)

    def test_arguments_that_are_refused(self):
        one = ("f32", [1.0])
        for args, words in [([one, one, 2.0], ("3 given; the kernel takes 4",)), ([[1.0]], ("args[0] is a list", "f32")),
                            ([object()], ("args[0] is a object",)), ([("f31", [1.0])], ("no type 'f31'",)),
                            ([("f32", [[1.0], [2.0, 3.0]])], ("different lengths",)), ([("u8", [256])], ("of the type u8",)),
                            ([1 << 70], ("more than 64 bits",)),
                            ([one, one, one, 1], ("address has 8 B",))]:
            with self.refused(tilescope.WrongArgument, *words):
                tilescope.trace(SCALE, args, 1, 32)
        for name, size in (("grid", None), ("grid", (1, 2, 3, 4)), ("block", 0), ("block", 1.5)):
            with self.refused(tilescope.WrongArgument, f"the {name} is"):
                tilescope.trace(SCALE, [], **{"grid": 1, "block": 1, name: size})
        with self.refused(tilescope.WrongArgument, "no table of the device 'H1000'"):
            tilescope.trace(SCALE, [one, one, 2.0, 1], 1, 32, device="H1000")
        with self.refused(tilescope.WrongArgument, "has no kernel 'other'", "scale"):
            tilescope.trace(SCALE, [], 1, 1, entry="other")
        with self.refused(tilescope.UnreadableFile, "cannot read", "No such file"):
            tilescope.trace(self.folder / "none.ptx", [], 1, 1)
        with self.refused(tilescope.UnreadableFile, "cannot be run"):
            tilescope.trace(b"\x7fELF", [], 1, 1)
        self.assertEqual(tilescope.trace(HEAD + "garbage\n", [], 1, 1).status, "compile_failed")


class Values(unittest.TestCase):
    def arguments(self, *args):
        return arguments.Launch(args).arguments(SentArrays("/nowhere"))

    def test_numbers(self):
        self.assertEqual(self.arguments(1, -1, 1 << 31, 1 << 40, (1 << 64) - 1, 0.5, math.inf, True, None, ("bf16", 1.5)), [
            {"type": "s32", "value": 1}, {"type": "s32", "value": -1}, {"type": "u32", "value": 1 << 31},
            {"type": "s64", "value": 1 << 40}, {"type": "u64", "value": (1 << 64) - 1}, {"type": "f32", "value": 0.5},
            {"type": "f32", "value": "inf"}, {"type": "u8", "value": 1}, {"type": "u64", "value": 0},
            {"type": "bf16", "value": 1.5}])
        self.assertEqual(self.arguments(ctypes.c_int16(-2)), [{"type": "bytes", "values": [254, 255]}])

    def test_an_empty_array_is_a_null_pointer(self):
        self.assertEqual(self.arguments(("f32", [])), [{"type": "u64", "value": 0}])

    def test_bf16_is_rounded_to_the_nearest(self):
        for value, bits in [(1.0, 0x3F80), (1.00390625, 0x3F80), (1.01171875, 0x3F82), (-2.5, 0xC020), (1e39, 0x7F80),
                            (-math.inf, 0xFF80)]:
            self.assertEqual(arguments.bf16_bits(value), bits, value)
        self.assertEqual(arguments.unpacked("bf16", arguments.packed("bf16", [1.5, -3.0])), [1.5, -3.0])


@needs_numpy
class NumpyArrays(ClientTest):
    def test_arrays_stay_unless_in_place_is_asked_for(self):
        given = numpy.arange(6, dtype=numpy.float32).reshape(2, 3)
        out = numpy.zeros((2, 3), numpy.float32)
        args = [given, out, numpy.float32(2), numpy.int64(6)]
        point = tilescope.trace(SCALE, args, 1, 32)
        self.assertEqual(list(point.arrays), [1])
        numpy.testing.assert_array_equal(point.arrays[1], 2 * given)
        self.assertEqual((out.sum(), point.arrays[1].shape, point.arrays[1].dtype), (0, (2, 3), numpy.float32))
        point.arrays[1][0, 0] = 1
        tilescope.trace(SCALE, args, 1, 32, in_place=True)
        numpy.testing.assert_array_equal(out, 2 * given)
        out.flags.writeable = False
        with self.refused(tilescope.WrongArgument, "args[1] is read-only"):
            tilescope.trace(SCALE, args, 1, 32, in_place=True)

    def test_a_view_is_written_where_it_lies(self):
        whole = numpy.zeros((4, 2), numpy.float32)
        tilescope.trace(SCALE, [numpy.ones(4, numpy.float32), whole[:, 1], 3.0, 4], 1, 32, in_place=True)
        numpy.testing.assert_array_equal(whole, [[0, 3]] * 4)

    def test_every_type_comes_back_as_it_went(self):
        kernel = HEAD + ".visible .entry k(.param .u64 out) { ret; }\n"
        for name in ("float16", "float32", "float64", "int8", "uint16", "int32", "uint64", "bool", "complex64", "complex128",
                     "V3", "datetime64[s]"):
            given = numpy.frombuffer(bytes(range(48)), numpy.uint8).copy()
            given = (given % 2).view(name) if name == "bool" else given.view(name)
            point = tilescope.trace(kernel, [given.reshape(1, -1)], 1, 1)
            self.assertEqual(point.status, "ok", f"{name}: {point.reason}")
            self.assertEqual(point.arrays, {})
            self.assertEqual(point.buffers[0].tobytes(), given.tobytes(), name)
            self.assertEqual((point.buffers[0].dtype, point.buffers[0].shape), (given.dtype, (1, len(given))))
        for given, words in [(numpy.zeros(2, ">f4"), "big-endian"), (numpy.array([None]), "Python objects")]:
            with self.refused(tilescope.WrongArgument, words):
                tilescope.trace(kernel, [given], 1, 1)

    def test_the_files_are_those_of_numpy(self):
        import io
        for shape in ((3,), (2, 3), ()):
            given = numpy.arange(math.prod(shape), dtype=numpy.int16).reshape(shape)
            made = arguments.npy("s16", shape, given.tobytes())
            self.assertEqual(made.find(b"\n") % 64, 63)
            numpy.testing.assert_array_equal(numpy.load(io.BytesIO(made)), given)


# The scaling kernel as Triton has it: a folded constant, and two pointers to scratch memory behind the parameters.
TRITON_PTX = SCALE.replace(".param .u64 n)", ".param .u64 n, .param .u64 scratch, .param .u64 profile)")


class Compiled:
    """The attributes of triton.compiler.CompiledKernel that are read."""

    def __init__(self, asm=None, **metadata):
        self.asm = asm or {"ptx": TRITON_PTX}
        self.metadata = types.SimpleNamespace(**{"name": "scale", "num_warps": 2, "shared": 64, "global_scratch_size": 0,
                                                 "profile_scratch_size": 16, "num_ctas": 1, **metadata})
        self.src = types.SimpleNamespace(signature={"x": "*fp32", "y": "*fp32", "a": "fp32", "n": "i64", "BLOCK": "constexpr",
                                                    "one": "i32"}, constants={(5,): 1})


class Jit:
    """The attributes of triton.runtime.JITFunction that are read. kernel[grid] is a function, as there."""

    arg_names = ["x", "y", "a", "n", "BLOCK", "one"]

    def __init__(self):
        self.seen = None

    def warmup(self, *args, grid, **kwargs):
        self.seen = (args, grid, kwargs)
        return Compiled()

    def run(self, *args, grid, warmup, **kwargs):
        raise AssertionError("it must not be launched")

    def __getitem__(self, grid):
        return lambda *args, **kwargs: self.run(*args, grid=grid, warmup=False, **kwargs)


class Triton(ClientTest):
    def test_a_compiled_kernel(self):
        point = tilescope.trace(Compiled(), [("f32", [1.0, 2.0]), ("f32", [0.0, 0.0]), 2, 2], grid=(1, 1, 1))
        self.assertEqual((point.status, point.arrays), ("ok", {"y": [2.0, 4.0]}), point.reason)
        self.assertEqual((point.block, point.dynamic_shared_bytes), ([64, 1, 1], 64))

    def test_kernel_of_a_grid(self):
        kernel = Jit()
        point = tilescope.trace(kernel[lambda meta: (meta["n"] // meta["BLOCK"],)],
                                [("f32", [1.0, 2.0]), ("f32", [0.0, 0.0]), 2.0, 2], constants={"BLOCK": 2, "one": 1})
        self.assertEqual((point.status, point.arrays), ("ok", {"y": [2.0, 4.0]}), point.reason)
        self.assertEqual(kernel.seen[1], (1,))
        self.assertEqual(kernel.seen[2]["BLOCK"], 2)

    @needs_numpy
    def test_triton_sees_types_in_the_place_of_arrays(self):
        kernel = Jit()
        x, y = numpy.ones(2, numpy.float32), numpy.zeros(2, numpy.float32)
        tilescope.trace(kernel[(1,)], {"x": x, "y": y, "a": 3.0, "n": 2}, constants={"BLOCK": 2, "one": 1}, in_place=True)
        self.assertEqual((str(kernel.seen[2]["x"].dtype), kernel.seen[2]["x"].data_ptr()), ("float32", 0))
        self.assertEqual(y.tolist(), [3.0, 3.0])

    def test_triton_compiles_for_the_device_where_it_finds_no_gpu(self):
        """Modules stand in for Triton's: as there, asking for the driver fails without a GPU."""
        class Driver:
            def __init__(self):
                self.held = None

            @property
            def active(self):
                if self.held is None:
                    raise RuntimeError("0 active drivers ([]). There should only be one.")
                return self.held

            def set_active(self, held):
                self.held = held

            def reset_active(self):
                self.held = None
                self.active.get_current_target()

        driver, seen = Driver(), []
        modules = {"triton": types.ModuleType("triton"), "triton.runtime": types.ModuleType("triton.runtime"),
                   "triton.backends": types.ModuleType("triton.backends"),
                   "triton.backends.compiler": types.ModuleType("triton.backends.compiler")}
        modules["triton.runtime"].driver = driver
        modules["triton.backends.compiler"].GPUTarget = lambda *parts: types.SimpleNamespace(arch=parts[1], parts=parts)

        class Asking(Jit):
            def warmup(self, *args, **kwargs):
                seen.append((driver.active.get_current_target().parts, driver.active.get_current_device()))
                return super().warmup(*args, **kwargs)

        with unittest.mock.patch.dict(sys.modules, modules):
            for device in (None, "H100"):
                tilescope.trace(Asking()[(1,)], [("f32", [1.0]), ("f32", [0.0]), 2.0, 1], constants={"BLOCK": 2, "one": 1},
                                device=device)
        self.assertEqual(seen, [(("cuda", 89, 32), 89), (("cuda", 90, 32), 90)])
        self.assertIsNone(driver.held, "a launch finds no GPU, as before")

    def test_refusals(self):
        for kernel, words in [(Compiled({"hsaco": b""}), "not for an NVIDIA GPU"), (Compiled(num_ctas=2), "clusters")]:
            with self.refused(tilescope.WrongArgument, words):
                tilescope.trace(kernel, [], grid=1)
        with self.refused(tilescope.WrongArgument, "argument 'y' is missing"):
            tilescope.trace(Compiled(), [("f32", [1.0])], grid=1)
        with self.refused(tilescope.WrongArgument, "the grid is missing"):
            tilescope.trace(Compiled(), [])
        with self.refused(tilescope.WrongArgument, "7 arguments given; the kernel takes 6"):
            tilescope.trace(Jit()[(1,)], [1] * 7)
        with self.refused(tilescope.WrongArgument, "6 arguments given; the kernel takes 4: x, y, a, n"):
            tilescope.trace(Compiled(), [1] * 6, grid=1)


if __name__ == "__main__":
    unittest.main()
