#include "app/explorer/compare/side_source.hpp"

#include <fmt/format.h>

#include <stdexcept>
#include <utility>

#include "base/text/format.hpp"
#include "profiler/kernels/compile/kernel_source.hpp"

namespace tilescope {
namespace {

/// The kernel's file as it is now, or why it cannot be read.
struct PresentFile {
  std::optional<KernelSource> source;
  std::string problem;
};

PresentFile read_present(const WantedSource& wanted) {
  if (wanted.file.empty())
    return {std::nullopt, fmt::format("the kernel '{}' is not in the catalogue", wanted.kernel)};
  try {
    return {read_kernel_source(wanted.file, wanted.kernels_folder), ""};
  } catch (const std::runtime_error& error) {
    return {std::nullopt, error.what()};
  }
}

std::string heading(const WantedSource& wanted) {
  return "No source of " + to_string(wanted.side);
}

SideSource missing_source(const WantedSource& wanted, const std::string& problem) {
  SideSource side;
  side.missing.heading = heading(wanted);
  if (!wanted.point) {
    side.missing.text = fmt::format("{}. Restore the file, or choose another kernel as {}.",
                                    capitalised(problem), to_string(wanted.side));
    return side;
  }
  side.missing.text = fmt::format(
      "Neither an open session nor the compile cache has the source of this point of '{}', and there is no "
      "file "
      "to show in its place: {}. Open the session that holds the source, or choose another point as {}.",
      wanted.kernel, problem, to_string(wanted.side));
  return side;
}

SideSource kept_source(const WantedSource& wanted, const PresentFile& now) {
  SideSource side;
  side.compiled = MacroSource{*wanted.kept, wanted.macros};
  if (!now.source) {
    side.remark = "the source as it was recorded.";
  } else if (is_doubtful(*wanted.point, now.source->sha256)) {
    side.remark = "the source as it was recorded; the file has changed since.";
  }
  return side;
}

}  // namespace

bool is_doubtful(const Measurement& point, const std::string& sha256) {
  return point.provenance.source_sha256 != sha256;
}

std::string present_file_words(const Measurement& point) {
  if (point.provenance.source_sha256.empty())
    return "not the recorded source, of which the point has no hash, but the file as it is now. Measure the "
           "configuration again to be sure.";
  return "not the recorded source but the file as it is now, which has changed since. Open a session that "
         "holds the source, or measure the configuration again.";
}

SideSource find_side_source(const WantedSource& wanted) {
  if (!wanted.why_none.empty()) {
    SideSource side;
    side.missing = {heading(wanted), wanted.why_none};
    return side;
  }
  PresentFile now = read_present(wanted);
  if (wanted.kept) return kept_source(wanted, now);
  if (!now.source) return missing_source(wanted, now.problem);
  SideSource side;
  side.is_doubtful = wanted.point && is_doubtful(*wanted.point, now.source->sha256);
  if (side.is_doubtful) side.remark = present_file_words(*wanted.point);
  side.compiled = MacroSource{std::move(now.source->file), wanted.macros};
  return side;
}

}  // namespace tilescope
