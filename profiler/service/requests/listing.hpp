#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "profiler/service/requests/chosen_file.hpp"
#include "profiler/service/requests/request.hpp"

namespace tilescope {

/// A line of the CUDA source that an instruction was made from.
struct CodePlace {
  /// Without its folder.
  std::string file;
  std::int64_t line = 0;

  bool operator==(const CodePlace&) const = default;
};

/// One line of the machine code: an instruction, or a label, which ends with a colon.
struct SassLine {
  static constexpr std::uint32_t no_places = 0xffff'ffff;

  /// [B] from the start of the function; a label has the address of the instruction behind it.
  std::uint64_t address = 0;
  /// "@!P0 LDS.128 R4, [R2+0x10]", ".L_x_3:"
  std::string text;
  /// Into MachineCode::places; no_places where the compiler says none.
  std::uint32_t places = no_places;
  /// From 1; 0 where the compiler says none.
  std::uint32_t ptx_line = 0;

  bool is_label() const { return text.ends_with(':'); }
  bool operator==(const SassLine&) const = default;
};

struct MachineCode {
  /// As Resources::sass_sha256; "" where there is no machine code.
  std::string sha256;
  /// Why there are no lines: a sentence with what to do, "" where there are.
  std::string why_none;
  /// "nvdisasm 13.5.37"
  std::string program;
  /// The kernel, then the functions of the file that were not inlined, each behind a label with its name.
  std::vector<SassLine> lines;
  /// Lists of places: of an inlined instruction the innermost first, and the kernel's own line last.
  std::vector<std::vector<CodePlace>> places;

  bool operator==(const MachineCode&) const = default;
};

/// The compiler's output for an experiment, or for a kernel of a file: PTX, machine code and log.
struct Listing {
  static constexpr const char* name = "listing";
  static constexpr std::chrono::seconds time_limit{120};
  struct Params {
    Experiment experiment;
    /// In the place of the experiment. Its answer has PTX where the file is PTX, and no source.
    std::optional<ChosenFile> file{};
  };
  struct Answer {
    Status status = Status::ok;
    std::string reason;
    std::string ptx;
    MachineCode machine_code;
    std::string compiler_log;
    /// Hash of the source that was compiled, as Provenance::source_sha256.
    std::string source_sha256;
    /// The source with this hash, also where it does not compile; none where it could not be read.
    std::optional<SourceFile> source;
  };
};

void to_json(Json& json, const Listing::Params& params);
void to_json(Json& json, const MachineCode& code);
void to_json(Json& json, const Listing::Answer& answer);
/// Reading throws DocumentError with the place.
void from_json(const Json& json, Listing::Params& params);
void from_json(const Json& json, MachineCode& code);
void from_json(const Json& json, Listing::Answer& answer);

}  // namespace tilescope
