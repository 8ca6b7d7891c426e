// Small kernels with a fault and their twins without it (twins/*.cu), as PTX and as machine code: each form gives the
// findings that twins/twins.json says, and nothing else.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <set>
#include <string>
#include <vector>

#include "base/json.hpp"
#include "base/regular_file.hpp"
#include "profiler/measure/files/tests/checked_forms.hpp"

namespace tilescope {
namespace {

const std::filesystem::path folder_of_twins = TILESCOPE_SOURCE_DIR "/profiler/measure/files/tests/twins";

std::string read(const std::filesystem::path& path) {
  return read_regular_file(path, std::uint64_t{1} << 20U);
}

const std::vector<Json>& twins() {
  static const std::vector<Json> all =
      parse_json(read(folder_of_twins / "twins.json")).at("twins").get<std::vector<Json>>();
  return all;
}

std::vector<std::string> names() {
  std::vector<std::string> all;
  all.reserve(twins().size());
  for (const Json& twin : twins()) all.push_back(twin.at("name").get<std::string>());
  return all;
}

// Lines with the remark "// fault", counted from 1.
std::set<std::int64_t> fault_lines(const std::string& source) {
  std::set<std::int64_t> lines;
  std::int64_t line = 1;
  for (std::size_t at = 0; at < source.size(); ++at) {
    if (source.compare(at, 8, "// fault") == 0) lines.insert(line);
    line += source[at] == '\n';
  }
  return lines;
}

class Twins : public test_support::CheckedFormsTest, public ::testing::WithParamInterface<std::string> {
 protected:
  static const Json& twin() {
    return *std::ranges::find_if(twins(), [](const Json& one) { return one.at("name") == GetParam(); });
  }

  static CompilerOutput compile_twin(const std::string& source) {
    static const Nvrtc nvrtc = Nvrtc::open({{}, find_installation().dependencies, std::pair(13, 9)});
    return nvrtc.compile("twin.cu", source, {}, {"--gpu-architecture=sm_89", "--std=c++17", "-lineinfo"});
  }

  LaunchedPoint check_kernel(std::string code, const std::string& side) const {
    Json launch = twin().at("launch");
    if (side == "clean" && twin().contains("clean_launch")) launch.update(twin().at("clean_launch"));
    RunFile::Params params;
    params.check = true;
    params.subject = test_support::subject_of(std::move(code), launch, GetParam() + "_" + side);
    return run(params);
  }

  static void expect_fault(const LaunchedPoint& point, const std::string& kind,
                           const std::set<std::int64_t>& lines) {
    if (kind.empty()) return expect_none(point);
    if (kind == "cannot_launch") {
      EXPECT_EQ(point.problem, FileProblem::launch) << text_of(point);
      return;
    }
    EXPECT_FALSE(point.findings.empty());
    for (const Finding& finding : point.findings) {
      EXPECT_EQ(finding.kind, kind) << text_of(point);
      const auto is_marked = [&](std::int64_t line) { return lines.contains(line); };
      EXPECT_TRUE(lines.empty() || std::ranges::any_of(finding.lines, is_marked)) << text_of(point);
    }
  }
  static void expect_none(const LaunchedPoint& point) {
    EXPECT_EQ(point.status, Status::ok);
    EXPECT_EQ(text_of(point), "");
  }
};

TEST_P(Twins, HaveTheFindingsOfTheTable) {
  const std::string source = read(folder_of_twins / (GetParam() + ".cu"));
  const CompilerOutput compiled = compile_twin(source);
  const std::string cubin(compiled.cubin.begin(), compiled.cubin.end());
  for (const auto& [form, code] :
       {std::pair<std::string, std::string>("ptx", compiled.ptx), {"machine_code", cubin}}) {
    SCOPED_TRACE(form);
    expect_fault(check_kernel(code, "faulty"), twin().at(form), fault_lines(source));
    expect_none(check_kernel(code, "clean"));
  }
}

INSTANTIATE_TEST_SUITE_P(All, Twins, ::testing::ValuesIn(names()),
                         [](const auto& info) { return info.param; });

// Whether compute-sanitizer reported one of these lines, or the launch failed.
bool is_reported_at(const Json& reports, const std::set<std::int64_t>& lines) {
  if (reports.at("launch") != "ok") return true;
  for (const auto& [tool, reported] : reports.items()) {
    if (tool == "launch") continue;
    for (const Json& line : reported) {
      if (lines.contains(line.get<std::int64_t>())) return true;
    }
  }
  return false;
}

// Each report of compute-sanitizer is a finding here too, on its lines, and neither reports a kernel without a fault.
TEST(TableOfTwins, AgreesWithTheReportsOfComputeSanitizer) {
  const Json record = parse_json(read(folder_of_twins / "sm_90_reports.json"));
  const Json& recorded = record.at("kernels");
  std::size_t faults = 0, reported = 0;
  for (const Json& twin : twins()) {
    const std::string name = twin.at("name").get<std::string>();
    EXPECT_EQ(recorded.at(name + "_clean"), (Json{{"launch", "ok"}})) << name;
    ++faults;
    const Json& reports = recorded.at(name + "_faulty");
    if (reports == Json{{"launch", "ok"}}) continue;
    ++reported;
    EXPECT_NE(twin.at("ptx"), "") << name;
    EXPECT_TRUE(is_reported_at(reports, fault_lines(read(folder_of_twins / (name + ".cu"))))) << name;
  }
  EXPECT_EQ(faults, 70u);
  EXPECT_EQ(reported, 30u);
}

TEST(TableOfTwins, HasEachFileAndAReasonWhereAFormShowsLess) {
  std::set<std::string> in_table, in_folder;
  for (const Json& twin : twins()) {
    in_table.insert(twin.at("name").get<std::string>() + ".cu");
    const bool differs =
        twin.at("ptx") != twin.at("machine_code") || twin.at("ptx").get<std::string>().empty();
    EXPECT_EQ(twin.contains("why"), differs) << twin.at("name");
  }
  for (const auto& entry : std::filesystem::directory_iterator(folder_of_twins)) {
    if (entry.path().extension() == ".cu") in_folder.insert(entry.path().filename().string());
  }
  EXPECT_EQ(in_table, in_folder);
  EXPECT_GE(in_table.size(), 60u);
}

}  // namespace
}  // namespace tilescope
