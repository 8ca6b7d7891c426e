#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <utility>

#include "profiler/installation.hpp"
#include "profiler/measure/files/tests/file_service_fixture.hpp"
#include "profiler/service/requests/open_file.hpp"

namespace tilescope::test_support {

/// Opens files as a worker without a GPU does.
class OpenedFiles : public FileServiceTest {
 protected:
  OpenedPoint open(OpenFile::Params params) const {
    params.device = "L4";
    return ask<OpenFile>(make_measure_service(installation), params, no_control);
  }
  /// Opens a text as if it were the file "kernel.cu" in a folder without anything else.
  OpenedPoint open_text(const std::string& text, OpenFile::Params params = {}) const {
    params.subject.code = {"/nowhere/kernel.cu", text};
    return open(std::move(params));
  }
  OpenedPoint open_gallery(const std::string& name, OpenFile::Params params = {}) const {
    const std::filesystem::path path = find_installation().kernels / "foreign" / name;
    std::ifstream file(path, std::ios::binary);
    params.subject.code = {path.string(), std::string(std::istreambuf_iterator<char>(file), {})};
    return open(std::move(params));
  }

  static std::string guessed(const OpenedPoint& point, const std::string& what) {
    const auto found = std::ranges::find(point.guesses, what, &LaunchGuess::what);
    return found == point.guesses.end() ? "" : found->value;
  }
  static std::int64_t conflicts_at(const OpenedPoint& point, std::int64_t line) {
    std::int64_t conflicts = 0;
    if (!point.memory) return conflicts;
    for (const MemorySite& site : point.memory->sites)
      if (site.line == line) conflicts += site.conflicts;
    return conflicts;
  }
  static bool finds(const OpenedPoint& point, const std::string& kind) {
    return std::ranges::find(point.findings, kind, &Finding::kind) != point.findings.end();
  }
};

}  // namespace tilescope::test_support
