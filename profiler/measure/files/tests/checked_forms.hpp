#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "base/json.hpp"
#include "profiler/measure/files/tests/cubin_run_fixture.hpp"

namespace tilescope::test_support {

/// Checks a kernel `k` as PTX and as machine code. Its first line is line 1 of test.cu.
class CheckedFormsTest : public CubinRunTest {
 protected:
  struct Forms {
    LaunchedPoint ptx, machine_code;
  };

  LaunchedPoint check_ptx(const std::string& source, const Json& launch) const {
    const CompilerOutput compiled =
        Nvrtc::open({{}, find_installation().dependencies, std::pair(13, 9)})
            .compile("test.cu", source, {}, {"--gpu-architecture=sm_89", "--std=c++17", "-lineinfo"});
    RunFile::Params params;
    params.subject = subject_of(compiled.ptx, launch);
    params.check = true;
    return run(params);
  }
  LaunchedPoint check_machine_code(const std::string& source, const Json& launch) const {
    RunFile::Params params;
    params.check = true;
    return run_cubin(compile(source, "sm_89", {"-lineinfo"}), launch, params);
  }
  Forms check(const std::string& source, const Json& launch) const {
    return {check_ptx(source, launch), check_machine_code(source, launch)};
  }

  static std::string text_of(const LaunchedPoint& run) {
    std::string text = run.reason.empty() ? "" : run.reason + "\n";
    for (const Finding& finding : run.findings) text += finding.kind + ": " + finding.text + "\n";
    return text;
  }
  static const Finding* finding_of(const LaunchedPoint& run, const std::string& kind) {
    const auto found = std::ranges::find(run.findings, kind, &Finding::kind);
    return found == run.findings.end() ? nullptr : &*found;
  }
  /// Not a finding in either form, not even one that changes nothing.
  void expect_clean(const std::string& source, const Json& launch) const {
    const Forms forms = check(source, launch);
    EXPECT_EQ(text_of(forms.ptx), "") << source;
    EXPECT_EQ(text_of(forms.machine_code), "") << source;
  }
  /// A finding of the kind at the line, and no other kind.
  static void expect_in(const LaunchedPoint& run, const std::string& kind, std::int64_t line) {
    const Finding* found = finding_of(run, kind);
    ASSERT_NE(found, nullptr) << text_of(run);
    EXPECT_TRUE(line == 0 || std::ranges::find(found->lines, line) != found->lines.end()) << text_of(run);
    for (const Finding& finding : run.findings) EXPECT_EQ(finding.kind, kind) << text_of(run);
  }
  void expect_both(const std::string& source, const Json& launch, const std::string& kind,
                   std::int64_t line) const {
    SCOPED_TRACE(source);
    const Forms forms = check(source, launch);
    expect_in(forms.ptx, kind, line);
    expect_in(forms.machine_code, kind, line);
  }
};

/// Buffers of so many words of 32 bits, zeros; the last one is called 'out'.
inline Json launch_of(std::uint32_t blocks, std::uint32_t threads, const std::vector<std::uint32_t>& words) {
  Json arguments = Json::array();
  for (std::size_t i = 0; i < words.size(); ++i) {
    arguments.push_back({{"type", "buffer"},
                         {"element", "s32"},
                         {"count", words[i]},
                         {"fill", 0},
                         {"name", i + 1 == words.size() ? "out" : "in" + std::to_string(i)}});
  }
  return {{"grid", {blocks}}, {"block", {threads}}, {"arguments", arguments}};
}

}  // namespace tilescope::test_support
