#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "base/json_fwd.hpp"
#include "profiler/execution/simt/block.hpp"
#include "profiler/kernels/formula/formula.hpp"
#include "profiler/measure/files/element.hpp"
#include "profiler/measure/files/fill_pattern.hpp"
#include "profiler/service/requests/file_subject.hpp"

/// The launch of a kernel, as a JSON document:
///   {"grid": [2, 1, 1], "block": [32, 1, 1], "dynamic_shared_bytes": 0,
///    "arguments": [{"type": "buffer", "element": "f32", "values": [1, 2.5, "nan"]},
///                  {"type": "buffer", "element": "u32", "count": 64, "fill": 0, "name": "out", "output": true},
///                  {"type": "u32", "value": 3, "name": "M"},
///                  {"type": "struct", "members": [{"type": "buffer", "element": "f32", "count": 8, "name": "x"},
///                                                 {"type": "address", "of": "x", "plus_bytes": 16},
///                                                 {"type": "s32", "values": [1, 2, 3], "offset": 24}]},
///                  {"type": "bytes", "values": [0, 255]}],
///    "buffers": [{"name": "table", "element": "b64", "values": [{"of": "x"}, 0]}],
///    "variables": {"weights": {"element": "f32", "values": [0.25, 0.5, 0.25]}}}
/// A "fill" of "random" or "iota" gives each element a value of its own (fill_pattern.hpp).
/// A buffer may have a "shape": [2, 32], in which its indices are shown and which gives its "count". The "values" of a
/// buffer or variable may be "q.npy" or {"npy": "q.npy"}: the name of a file, from the folder of the launch file.
/// A buffer may have "expected" values after the launch: 0 for all elements, [1, null, 3] for each (null: any value),
/// "reference.npy", or {"values": 0 or [...] | "npy": "reference.npy" | "buffer": "reference",
///     "tolerance": 1e-3 or {"absolute": 1e-3, "relative": 1e-2}, "elements": [first, end]}, or
/// {"formula": "y[M][N] = softmax(x[M][N])", "tolerance": ...} of the buffers as they are before the launch
/// (profiler/kernels/formula). It may name buffers, number arguments, "numbers": {"K": 64}, and
/// gridDim.x to blockDim.z.
/// "reference" is another kernel's launch, which says what this one should leave in the buffers (reference_launch.hpp).
/// "before" lists launches of other kernels that come first (earlier_launches.hpp), and "options" says how its source is
/// compiled (launch_options.hpp).
/// A member of a structure without an "offset" begins at the next multiple of its alignment, as in C++.
namespace tilescope {

/// Everything that is wrong with a launch, one line each.
class LaunchFileError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// A place that holds the address of a buffer.
struct BufferAddress {
  /// [B] From the beginning of the bytes that hold it.
  std::size_t offset = 0;
  /// Into LaunchFile::buffers.
  std::size_t buffer = 0;
  /// [B] Added to the buffer's address.
  std::uint64_t plus_bytes = 0;
};

/// Bytes in which the addresses of buffers are put, once the buffers have addresses.
struct LaunchBytes {
  std::vector<std::byte> contents;
  std::vector<BufferAddress> addresses;
  /// In place of contents, which may be more than memory has.
  std::optional<PatternFill> pattern{};

  std::uint64_t size() const { return pattern ? pattern->bytes() : contents.size(); }
};

/// The difference from an expected value that is allowed: absolute + relative * |expected|.
struct Tolerance {
  double absolute = 0, relative = 0;
};

/// Values that elements [first, first + count) of a buffer should have after the launch.
struct ExpectedValues {
  std::uint64_t first = 0, count = 0;
  Tolerance tolerance;
  /// In the form of the buffer's elements: one for each, or one for all; none where `buffer` has them.
  std::vector<std::byte> values;
  /// Those that may have any value, as indices from `first`, ascending.
  std::vector<std::uint64_t> any;
  /// Into LaunchFile::buffers: its elements after the launch, from its first one.
  std::optional<std::size_t> buffer;
  /// Gives `values` and what follows, by compute_formulas().
  std::shared_ptr<const Formula> formula{};
  /// The kernel that left the values; "" for none.
  std::string reference{};
  /// By element: the sum of the magnitudes of the terms behind its value, which the relative tolerance is of. Empty: the
  /// value's magnitude.
  std::vector<double> scales{};
  /// The buffer is an output if all of it is expected.
  bool marks_output = true;
};

struct LaunchBuffer {
  std::string name;
  Element element;
  LaunchBytes bytes;
  /// The argument that has its address; none for a buffer of "buffers".
  std::optional<std::size_t> argument;
  /// The kernel should write all of it: "output": true, filled with "nan", or with expected values for all of it.
  bool is_output = false;
  /// Empty where none is given.
  std::vector<std::uint64_t> shape;
  std::optional<ExpectedValues> expected;
};

/// Contents that the host writes into a variable in constant or global memory before the launch.
struct LaunchVariable {
  std::string name;
  LaunchBytes bytes;
};

struct LaunchFile {
  simt::Dimensions grid, block;
  /// By the names that formulas use.
  std::map<std::string, double> numbers;
  std::uint32_t dynamic_shared_bytes = 0;
  std::vector<LaunchBuffer> buffers;
  /// In the order of the kernel's parameters.
  std::vector<LaunchBytes> arguments;
  std::vector<LaunchVariable> variables;
};

/// Reads the document for a kernel with these parameters. `arrays`: the .npy files that it names. Throws LaunchFileError.
LaunchFile read_launch_file(const Json& document, const std::vector<simt::KernelParameter>& parameters,
                            const std::vector<SentArray>& arrays = {});

/// Reads the document without its kernel: whether the arguments fit the parameters is not checked. Throws LaunchFileError.
LaunchFile read_launch_alone(const Json& document, const std::vector<SentArray>& arrays = {});

}  // namespace tilescope
