#pragma once

#include <filesystem>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "sessions/measurement.hpp"

namespace tilescope {

/// The files of other programs that become recorded points.
enum class ImportFormat { ncu, nvbench, kernel_tuner };

/// As the command line has it: "ncu", "nvbench", "kernel-tuner".
std::string to_string(ImportFormat format);
/// Throws std::invalid_argument with the names that there are.
ImportFormat import_format_from(const std::string& text);
/// "Nsight Compute", "nvbench", "Kernel Tuner"
std::string tool_name(ImportFormat format);

/// Facts that the caller knows and a file may not state.
struct ImportOptions {
  /// None: found from the file's text.
  std::optional<ImportFormat> format;
  /// Replaces the file's name of its kernel; "" to keep it.
  std::string kernel;
  /// B, Hq, Hkv, Sq, Sk and D of the shape, where the file does not have them as axes or parameters.
  std::optional<Shape> sizes;
  std::optional<DataType> dtype;
  std::optional<bool> causal;
  /// Replaces the file's name of the device.
  std::optional<DeviceIdentity> device;
};

/// A file that cannot be imported: the message has the file, the line or field, what is wrong and what to do.
class ImportError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// The recorded points of a file.
struct ImportedFile {
  ImportFormat format = ImportFormat::ncu;
  /// "nvbench 0.2.0": with the version where the file has it.
  std::string tool;
  std::vector<Measurement> points;
  /// Entries that did not become a point and why, a sentence each.
  std::vector<std::string> left_out;
};

/// Reads a file of another program. Every latency is LatencyKind::recorded, and what the file does not say stays empty.
/// nvbench's samples are read from the files beside it, if they are there. Throws ImportError.
ImportedFile import_file(const std::filesystem::path& file, const ImportOptions& options);

}  // namespace tilescope
