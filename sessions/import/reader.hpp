#pragma once

#include <cstdint>
#include <filesystem>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>

#include "base/json_fwd.hpp"
#include "sessions/import/import.hpp"

namespace tilescope {

/// The largest file that is imported, and the largest file of samples beside it. [B]
inline constexpr std::uint64_t import_file_limit = std::uint64_t{256} << 20U;

/// Input of a reader of one format.
struct ImportSource {
  /// Only its name is kept with the points; nvbench has its samples beside it.
  const std::filesystem::path& file;
  const std::string& text;
  const ImportOptions& options;
};

/// An error at a place of the file, "line 12" or "/benchmarks/0/name": import_file() adds the file's name.
class FormatError : public std::runtime_error {
 public:
  FormatError(const std::string& place, const std::string& what) : std::runtime_error(place + ": " + what) {}
};

/// One point that cannot be imported, while others of the file can.
class LeftOut : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// The readers throw FormatError, DocumentError or another std::exception. They name the tool where the file says more of it than
/// its format does.
ImportedFile read_ncu(const ImportSource& source);
ImportedFile read_nvbench(const ImportSource& source);
ImportedFile read_kernel_tuner(const ImportSource& source);

/// Whether a text looks like a file of the format.
bool is_ncu(std::string_view text);
bool is_nvbench(std::string_view text);
bool is_kernel_tuner(std::string_view text);

/// A value of JSON as a parameter: a whole number, else a text.
ParameterValue parameter_value_of(const Json& value);

/// A point with what all imported points have in common: the kernel, the device, a shape and the parameters that are
/// not of the shape. Throws LeftOut and std::invalid_argument as take_shape() does.
Measurement imported_point(const ImportOptions& options, const std::string& kernel,
                           const DeviceIdentity& device, Configuration parameters);

}  // namespace tilescope
