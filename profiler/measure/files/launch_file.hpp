#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "base/json_fwd.hpp"
#include "profiler/execution/simt/block.hpp"
#include "profiler/measure/files/element.hpp"

/// The launch of a kernel, as a JSON document:
///   {"grid": [2, 1, 1], "block": [32, 1, 1], "dynamic_shared_bytes": 0,
///    "arguments": [{"type": "buffer", "element": "f32", "values": [1, 2.5, "nan"]},
///                  {"type": "buffer", "element": "u32", "count": 64, "fill": 0, "name": "out", "output": true},
///                  {"type": "u32", "value": 3},
///                  {"type": "struct", "members": [{"type": "buffer", "element": "f32", "count": 8, "name": "x"},
///                                                 {"type": "address", "of": "x", "plus_bytes": 16},
///                                                 {"type": "s32", "values": [1, 2, 3], "offset": 24}]},
///                  {"type": "bytes", "values": [0, 255]}],
///    "buffers": [{"name": "table", "element": "b64", "values": [{"of": "x"}, 0]}],
///    "variables": {"weights": {"element": "f32", "values": [0.25, 0.5, 0.25]}}}
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
};

struct LaunchBuffer {
  std::string name;
  Element element;
  LaunchBytes bytes;
  /// The argument that has its address; none for a buffer of "buffers".
  std::optional<std::size_t> argument;
  /// The kernel should write all of it: "output": true, or filled with "nan".
  bool is_output = false;
};

/// Contents that the host writes into a variable in constant or global memory before the launch.
struct LaunchVariable {
  std::string name;
  LaunchBytes bytes;
};

struct LaunchFile {
  simt::Dimensions grid, block;
  std::uint32_t dynamic_shared_bytes = 0;
  std::vector<LaunchBuffer> buffers;
  /// In the order of the kernel's parameters.
  std::vector<LaunchBytes> arguments;
  std::vector<LaunchVariable> variables;
};

/// Reads the document for a kernel with these parameters. Throws LaunchFileError.
LaunchFile read_launch_file(const Json& document, const std::vector<simt::KernelParameter>& parameters);

}  // namespace tilescope
