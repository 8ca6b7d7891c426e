#pragma once

#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <utility>

#include "base/json.hpp"
#include "profiler/installation.hpp"
#include "profiler/measure/register_answer.hpp"
#include "profiler/measure/tests/process_cache.hpp"
#include "profiler/service/requests/run_file.hpp"
#include "profiler/service/requests/tests/ask_service.hpp"

namespace tilescope::test_support {

inline const MeasureControl no_control{[](const RequestProgress&) {}, [] { return false; }};

inline FileSubject subject_of(std::string code, const Json& launch, const std::string& entry = "") {
  FileSubject subject;
  subject.code = {"/kernel", std::move(code)};
  subject.entry = entry;
  subject.launch = SentFile{"/launch.json", to_line(launch)};
  return subject;
}

/// Asks a service to run a file, and puts the buffers of its answer together.
inline LaunchedPoint run_file(const Service& service, const RunFile::Params& params,
                              MeasureControl control = no_control) {
  BufferParts parts;
  control.send = [&parts](const Json& part) { parts.add(part); };
  LaunchedPoint point = ask<RunFile>(service, params, control);
  parts.move_into(point);
  return point;
}

/// A service for files, and a folder of the test's own.
class FileServiceTest : public ::testing::Test {
 protected:
  FileServiceTest() {
    setenv("TILESCOPE_ROOT", TILESCOPE_SOURCE_DIR, 1);
    std::filesystem::remove_all(folder());
    installation = find_installation();
    installation.cache = process_cache();
  }
  ~FileServiceTest() override { std::filesystem::remove_all(folder()); }

  /// Only the caller may write it.
  static std::filesystem::path folder() {
    const ::testing::TestInfo* test = ::testing::UnitTest::GetInstance()->current_test_info();
    std::string name = std::string(test->test_suite_name()) + "." + test->name();
    for (char& c : name) c = c == '/' ? '.' : c;
    return std::filesystem::temp_directory_path() / ("tilescope-run-" + name);
  }

  LaunchedPoint run(const RunFile::Params& params, const MeasureControl& control = no_control) const {
    return run_file(make_measure_service(installation), params, control);
  }

  Installation installation;
};

inline bool says(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

}  // namespace tilescope::test_support
