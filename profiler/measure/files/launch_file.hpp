#pragma once

#include <cstddef>
#include <stdexcept>
#include <string>
#include <variant>
#include <vector>

#include "base/json_fwd.hpp"
#include "profiler/execution/simt/block.hpp"
#include "profiler/measure/files/element.hpp"

/// The launch of a kernel, as a JSON document:
///   {"grid": [2, 1, 1], "block": [32, 1, 1], "dynamic_shared_bytes": 0,
///    "arguments": [{"type": "buffer", "element": "f32", "values": [1, 2.5, "nan"]},
///                  {"type": "buffer", "element": "u32", "count": 64, "fill": 0, "name": "out",
///                   "output": true},
///                  {"type": "u32", "value": 3},
///                  {"type": "bytes", "values": [0, 255]}]}
namespace tilescope {

/// Everything that is wrong with a launch, one line each.
class LaunchFileError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Memory whose address is passed to the kernel.
struct BufferArgument {
  std::string name;
  Element element;
  std::vector<std::byte> contents;
  /// The kernel should write all of it: "output": true, or filled with "nan".
  bool is_output = false;
};

struct LaunchFile {
  simt::Dimensions grid, block;
  std::uint32_t dynamic_shared_bytes = 0;
  /// The arguments in the order of the kernel's parameters; a number or a structure as its bytes.
  std::vector<std::variant<BufferArgument, std::vector<std::byte>>> arguments;
};

/// Reads the document for a kernel with these parameters. Throws LaunchFileError.
LaunchFile read_launch_file(const Json& document, const std::vector<simt::KernelParameter>& parameters);

}  // namespace tilescope
