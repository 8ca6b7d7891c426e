#include "sessions/import/import.hpp"

#include <sha2.h>

#include <array>
#include <utility>

#include "base/enum_names.hpp"
#include "base/json_reader.hpp"
#include "base/regular_file.hpp"
#include "sessions/import/imported_shape.hpp"
#include "sessions/import/reader.hpp"

namespace tilescope {
namespace {

constexpr EnumNames<ImportFormat, 3> format_names{{{ImportFormat::ncu, "ncu"},
                                                   {ImportFormat::nvbench, "nvbench"},
                                                   {ImportFormat::kernel_tuner, "kernel-tuner"}}};

constexpr const char* known_formats =
    "known are Nsight Compute CSV (ncu --csv, with --page raw or details), nvbench JSON (--json) and Kernel "
    "Tuner cache files";

[[noreturn]] void refuse(const std::filesystem::path& file, const std::string& why) {
  throw ImportError(file.string() + ": " + why);
}

std::string read_whole(const std::filesystem::path& file) {
  try {
    return read_regular_file(file, import_file_limit);
  } catch (const UnreadableFile& error) {
    refuse(file, error.reason() + ". Name a file that another program wrote");
  }
}

/// Without the byte order mark that some editors and shells put in front of UTF-8.
std::string plain_text(const std::filesystem::path& file, const std::string& bytes) {
  if (bytes.starts_with("\xef\xbb\xbf")) return bytes.substr(3);
  constexpr std::size_t looked_at = 4;
  const bool has_mark = bytes.starts_with("\xff\xfe") || bytes.starts_with("\xfe\xff");
  if (has_mark || bytes.substr(0, looked_at).find('\0') != std::string::npos) {
    refuse(file,
           "the text is UTF-16 or UTF-32 (a redirection of PowerShell writes it), and UTF-8 is expected: "
           "convert it "
           "with iconv -f UTF-16 -t UTF-8, or let the other program write the file itself");
  }
  return bytes;
}

std::string sha256_of(const std::string& text) {
  std::array<char, SHA256_DIGEST_STRING_LENGTH> digits{};
  SHA256Data(reinterpret_cast<const std::uint8_t*>(text.data()), text.size(), digits.data());
  return digits.data();
}

ImportFormat format_of(const std::filesystem::path& file, const std::string& text) {
  if (is_ncu(text)) return ImportFormat::ncu;
  if (is_kernel_tuner(text)) return ImportFormat::kernel_tuner;
  if (is_nvbench(text)) return ImportFormat::nvbench;
  refuse(file, std::string("not a file that can be imported: ") + known_formats +
                   ". --format ncu|nvbench|kernel-tuner names the format where it was not recognised");
}

ImportedFile read(ImportFormat format, const ImportSource& source) {
  switch (format) {
    case ImportFormat::ncu:
      return read_ncu(source);
    case ImportFormat::nvbench:
      return read_nvbench(source);
    case ImportFormat::kernel_tuner:
      return read_kernel_tuner(source);
  }
  throw std::logic_error("an import format has no reader");
}

/// sm_90 and sm_90a are one GPU.
std::string plain_arch(const std::string& arch) {
  return arch.substr(0, arch.find_last_of("0123456789") + 1);
}

}  // namespace

std::string to_string(ImportFormat format) {
  return name_of(format, format_names);
}

ImportFormat import_format_from(const std::string& text) {
  return value_of(text, format_names, "format of imported files");
}

std::string tool_name(ImportFormat format) {
  switch (format) {
    case ImportFormat::ncu:
      return "Nsight Compute";
    case ImportFormat::nvbench:
      return "nvbench";
    case ImportFormat::kernel_tuner:
      return "Kernel Tuner";
  }
  return {};
}

ParameterValue parameter_value_of(const Json& value) {
  return parameter_value_from(value.is_string() ? value.get<std::string>() : value.dump());
}

Measurement imported_point(const ImportOptions& options, const std::string& kernel,
                           const DeviceIdentity& device, Configuration parameters) {
  Measurement point;
  point.kernel = options.kernel.empty() ? kernel : options.kernel;
  point.parameters = std::move(parameters);
  point.shape = take_shape(point.parameters, options, point.notes);
  point.device = options.device.value_or(device);
  if (options.device && plain_arch(device.arch) != plain_arch(options.device->arch) && !device.arch.empty()) {
    throw std::invalid_argument("it was recorded on " + device.arch + ", and the device of --device is " +
                                options.device->arch + ": leave --device out, or name the right one");
  }
  point.device.present = true;  // The GPU that timed it was.
  return point;
}

ImportedFile import_file(const std::filesystem::path& file, const ImportOptions& options) {
  const std::string bytes = read_whole(file);
  const std::string text = plain_text(file, bytes);
  const ImportFormat format = options.format ? *options.format : format_of(file, text);
  ImportedFile imported;
  try {
    imported = read(format, {file, text, options});
  } catch (const ImportError&) {
    throw;
  } catch (const std::exception& error) {
    refuse(file, "not imported as a file of " + tool_name(format) + ": " + error.what());
  }
  imported.format = format;
  if (imported.tool.empty()) imported.tool = tool_name(format);
  const std::string origin = "Recorded by " + imported.tool + "; imported from " + file.filename().string() +
                             ", SHA-256 " + sha256_of(bytes) + ".";
  for (Measurement& point : imported.points) point.notes.insert(point.notes.begin(), origin);
  return imported;
}

}  // namespace tilescope
