// PTX as a user gives it, run by a service.
#include <chrono>
#include <cstring>
#include <fstream>

#include "base/json_reader.hpp"
#include "profiler/measure/files/tests/file_service_fixture.hpp"
#include "profiler/service/requests/base64.hpp"

namespace tilescope {
namespace {

using test_support::subject_of;

// y = a * x + y
const std::string scale_and_add = R"(.version 6.0
.target sm_50
.address_size 64
.entry axpy(.param .f32 a, .param .u64 x, .param .u64 y, .param .u32 count)
{
  .reg .f32 f<4>; .reg .b64 d<4>; .reg .b32 r<6>; .reg .pred p;
  mov.u32 r0, %ctaid.x; mov.u32 r1, %ntid.x; mov.u32 r2, %tid.x; mad.lo.u32 r0, r0, r1, r2;
  ld.param.u32 r3, [count]; setp.ge.u32 p, r0, r3; @p ret;
  ld.param.f32 f0, [a]; ld.param.u64 d0, [x]; ld.param.u64 d1, [y];
  mul.wide.u32 d2, r0, 4; add.u64 d0, d0, d2; add.u64 d1, d1, d2;
  ld.global.f32 f1, [d0]; ld.global.f32 f2, [d1];
  fma.rn.f32 f2, f0, f1, f2;
  st.global.f32 [d1], f2;
  ret;
}
)";
Json launch_of(std::uint32_t count) {
  return Json::parse(R"({"grid": [2], "block": [32], "arguments": [{"type": "f32", "value": 2},
    {"type": "buffer", "element": "f32", "values": [1, 2, 3, 4, 5]},
    {"type": "buffer", "element": "f32", "count": 5, "fill": 0.5, "name": "y"},
    {"type": "u32", "value": )" +
                     std::to_string(count) + "}]}");
}
const std::string two_kernels = ".version 8.0\n.target sm_80\n.entry a() { ret; }\n.entry b() { trap; }\n";

class RunPtx : public test_support::FileServiceTest {
 protected:
  LaunchedPoint run_ptx(const std::string& text, const Json& launch, RunFile::Params params = {},
                        const MeasureControl& control = test_support::no_control) const {
    const FileSubject given = params.subject;
    params.subject = subject_of(text, launch, given.entry);
    params.subject.time_limit_s = given.time_limit_s;
    return run(params, control);
  }
  static RunFile::Params with_entry(const std::string& entry) {
    RunFile::Params params;
    params.subject.entry = entry;
    return params;
  }
  std::string wrong_usage(const std::string& text, const Json& launch, const std::string& entry,
                          FileProblem problem) const {
    const LaunchedPoint point = run_ptx(text, launch, with_entry(entry));
    EXPECT_EQ(point.problem, problem);
    return point.reason;
  }
};

TEST_F(RunPtx, EndsAtItsTimeLimit) {
  const std::string head = ".version 8.0\n.target sm_80\n.address_size 64\n.visible .entry k() {\n";
  const std::string loops[] = {head + "A: bra A;\n}\n",
                               head + ".reg .b32 r<2>; mov.u32 r0, 0;\nA: add.u32 r0, r0, 1; bra.uni A;\n}\n",
                               // Each block ends at once.
                               head + "ret;\n}\n"};
  for (const std::string& text : loops) {
    RunFile::Params options;
    options.subject.time_limit_s = 0.3;
    const Json launch =
        Json::parse(R"({"grid": [2147483647, 65535, 65535], "block": [32], "arguments": []})");
    const LaunchedPoint run = run_ptx(text, launch, options);
    EXPECT_EQ(run.status, Status::timed_out) << text;
    EXPECT_EQ(run.reason, "the kernel did not end within 0.3 s of interpreting; --time-limit allows more");
    MeasureControl control = test_support::no_control;
    control.cancelled = [begin = std::chrono::steady_clock::now()] {
      return std::chrono::steady_clock::now() - begin > std::chrono::milliseconds(100);
    };
    EXPECT_EQ(run_ptx(text, launch, options, control).status, Status::cancelled) << text;
  }
}

TEST_F(RunPtx, GivesTheBuffersAsTheKernelLeftThem) {
  const LaunchedPoint run = run_ptx(scale_and_add, launch_of(4));
  EXPECT_EQ(run.status, Status::ok) << run.reason;
  EXPECT_EQ(run.entry, "axpy");
  EXPECT_EQ(run.target, "sm_50");
  EXPECT_EQ(run.blocks_run, 2);
  // 7 instructions for all; the second block exits at the seventh; 11 for the remaining lanes of the first.
  EXPECT_EQ(run.warp_instructions, 7 + 7 + 11);
  EXPECT_EQ(run.instructions.at("lsu"), 2 + 6);
  const auto bytes_of = [](const std::vector<float>& values) {
    return std::string(reinterpret_cast<const char*>(values.data()), values.size() * sizeof(float));
  };
  ASSERT_EQ(run.buffers.size(), 2u);
  EXPECT_EQ(run.buffers[0], (LaunchedBuffer{1, "argument 1", "f32", bytes_of({1, 2, 3, 4, 5})}));
  EXPECT_EQ(run.buffers[1], (LaunchedBuffer{2, "y", "f32", bytes_of({2.5, 4.5, 6.5, 8.5, 0.5})}));
  EXPECT_EQ(Json(run)["findings"], Json::array());
}

TEST_F(RunPtx, CountsMemoryAccesses) {
  const LaunchedPoint run = run_ptx(scale_and_add, launch_of(4));
  ASSERT_TRUE(run.memory);
  EXPECT_EQ(run.memory->counted_from, CountedFrom::ptx);
  EXPECT_EQ(run.memory->warp_instructions, run.warp_instructions);
  EXPECT_EQ(run.memory->global_requests, 3);
  EXPECT_EQ(run.memory->global_sectors, 3) << "16 bytes each";
  ASSERT_EQ(run.memory->sites.size(), 3u);
  const Json document = run;
  EXPECT_EQ(document["memory"]["counted_from"], "ptx");
  EXPECT_TRUE(document["machine_code"].is_null());
  EXPECT_FALSE(run_ptx(scale_and_add, launch_of(6)).memory) << "it ends with a fault";
}

TEST_F(RunPtx, PtxHasNoMachineCode) {
  RunFile::Params options;
  options.machine_code = true;
  EXPECT_EQ(run_ptx(scale_and_add, launch_of(4), options).problem, FileProblem::code);
}

TEST_F(RunPtx, ChoosesTheKernel) {
  EXPECT_EQ(run_ptx(two_kernels, Json::object(), with_entry("a")).status, Status::ok);
  EXPECT_EQ(wrong_usage(two_kernels, Json::object(), "", FileProblem::entry),
            "the PTX has several kernels; choose one with --entry: a, b");
  EXPECT_EQ(wrong_usage(two_kernels, Json::object(), "c", FileProblem::entry),
            "the PTX has no kernel 'c'; it has a, b");
  EXPECT_EQ(wrong_usage(".version 8.0\n.target sm_80\n.func f() { ret; }\n", Json::object(), "",
                        FileProblem::entry),
            "the PTX has no kernel (.entry)");
  EXPECT_EQ(wrong_usage(scale_and_add, Json::object(), "", FileProblem::launch),
            "arguments: 0 given; the kernel takes 4");
}

TEST_F(RunPtx, SaysWhatTheKernelDidWrong) {
  const LaunchedPoint trapped = run_ptx(two_kernels, Json::object(), with_entry("b"));
  EXPECT_EQ(trapped.status, Status::launch_failed);
  EXPECT_NE(trapped.reason.find("trap"), std::string::npos) << trapped.reason;
  const LaunchedPoint outside = run_ptx(scale_and_add, launch_of(6));
  EXPECT_EQ(outside.status, Status::launch_failed);
  EXPECT_NE(outside.reason.find("0 bytes behind the end of 'argument 1'"), std::string::npos)
      << outside.reason;
  ASSERT_EQ(outside.findings.size(), 1u);
  EXPECT_EQ(outside.findings[0].kind, "out_of_bounds");
}

TEST_F(RunPtx, LooksForRacesWhenAsked) {
  const std::string race = R"(.version 8.0
.target sm_80
.entry k(.param .u64 out)
{
  .shared .align 4 .b8 word[4]; .reg .b32 r<3>; .reg .b64 d;
  mov.u32 r0, %tid.x; st.shared.u32 [word], r0; ld.shared.u32 r1, [word];
  ld.param.u64 d, [out]; st.global.u32 [d], 1;
}
)";
  const Json launch =
      Json::parse(R"({"block": [64], "arguments": [{"type": "buffer", "element": "u32", "count": 1}]})");
  const LaunchedPoint unchecked = run_ptx(race, launch);
  EXPECT_TRUE(unchecked.findings.empty());
  RunFile::Params options;
  options.check = true;
  const LaunchedPoint checked = run_ptx(race, launch, options);
  EXPECT_EQ(checked.status, Status::ok);
  ASSERT_FALSE(checked.findings.empty());
  EXPECT_EQ(checked.findings[0].kind, "race");
}

TEST_F(RunPtx, TellsBadPtxFromPtxThatIsNotSupported) {
  const LaunchedPoint bad = run_ptx("int main() {}", Json::object());
  EXPECT_EQ(bad.status, Status::compile_failed);
  EXPECT_NE(bad.reason.find("PTX line 1, column 1: expected '.version'"), std::string::npos) << bad.reason;
  const LaunchedPoint called =
      run_ptx(".version 8.0\n.target sm_80\n.extern .func f();\n.entry k() { call f; }", Json::object());
  EXPECT_EQ(called.status, Status::unsupported);
  EXPECT_NE(called.reason.find("the function 'f' has no body"), std::string::npos) << called.reason;
}

TEST_F(RunPtx, SaysThatPrintfPrintsNothing) {
  const LaunchedPoint run = run_ptx(
      ".version 8.0\n.target sm_80\n.extern .func (.param .b32 r) vprintf(.param .b64 a, .param .b64 b);\n"
      ".entry k() { .param .b64 a; .param .b64 b; .param .b32 r; st.param.b64 [a], 0; st.param.b64 [b], 0;\n"
      "call (r), vprintf, (a, b); }",
      Json::object());
  EXPECT_EQ(run.status, Status::ok) << run.reason;
  ASSERT_EQ(run.notes.size(), 1u);
  EXPECT_EQ(run.notes[0], "PTX line 5: printf prints nothing in the interpreter.");
}

TEST_F(RunPtx, LongBuffersComeInParts) {
  std::string text = scale_and_add;
  Json launch = launch_of(4);
  constexpr std::size_t count = (std::size_t{7} << 20) / sizeof(float) + 1;
  launch["arguments"][1] = {{"type", "buffer"}, {"element", "f32"}, {"count", count}, {"fill", 3}};
  launch["arguments"][2] = {{"type", "buffer"}, {"element", "f32"}, {"count", 5}, {"fill", 0.5}};
  std::size_t parts = 0;
  MeasureControl control = test_support::no_control;
  control.send = [&parts](const Json&) { ++parts; };
  RunFile::Params params;
  params.subject = subject_of(text, launch);
  test_support::ask<RunFile>(make_measure_service(installation), params, control);
  EXPECT_EQ(parts, 3u + 1u);
  const LaunchedPoint run = run_ptx(text, launch);
  ASSERT_EQ(run.status, Status::ok) << run.reason;
  ASSERT_EQ(run.buffers[0].contents.size(), count * sizeof(float));
  for (std::size_t i = 0; i < count; ++i) {
    float value = 0;
    std::memcpy(&value, run.buffers[0].contents.data() + i * sizeof value, sizeof value);
    ASSERT_EQ(value, 3) << i;
  }
}

TEST_F(RunPtx, ALargeFileIsReadByItsPath) {
  std::filesystem::create_directories(folder());
  const std::filesystem::path path = folder() / "large.ptx";
  const std::string text = two_kernels + "//" + std::string(sent_file_limit, ' ') + "\n";
  RunFile::Params params;
  params.subject.entry = "a";
  params.subject.code = sent_file(path, text);
  ASSERT_FALSE(params.subject.code.contents);
  const LaunchedPoint none = run(params);
  EXPECT_EQ(none.status, Status::unsupported);
  EXPECT_PRED2(test_support::says, none.reason, "the worker cannot read '" + path.string());
  EXPECT_PRED2(test_support::says, none.reason, "more than 16 MiB");
  std::ofstream(path) << text;
  EXPECT_EQ(run(params).status, Status::ok);
  EXPECT_TRUE(sent_file(path, two_kernels).contents);
}

TEST(FileRequests, BytesAreText) {
  std::string bytes;
  for (int i = 0; i < 256; ++i) {
    EXPECT_EQ(from_base64(to_base64(bytes)), bytes);
    bytes += static_cast<char>(i);
  }
  EXPECT_EQ(to_base64("Man"), "TWFu");
  EXPECT_EQ(to_base64("Ma"), "TWE=");
  EXPECT_EQ(to_base64("M"), "TQ==");
  for (const char* text : {"TWE", "T===", "TQ=u", "T!Fu", "TQ==TWFu", "====", "TR==", "TWF="})
    EXPECT_THROW(from_base64(text), std::invalid_argument) << text;
}

TEST(FileRequests, PartsThatCannotBeReadAreReported) {
  const Json parts[] = {Json{{"buffer", 1}, {"contents", "TWFu"}}, Json{{"buffer", 0}, {"contents", "%"}},
                        Json{{"buffer", -1}, {"contents", "TWFu"}}, Json::array()};
  for (const Json& part : parts) {
    LaunchedPoint point;
    point.buffers.resize(1);
    BufferParts collected;
    collected.add(part);
    EXPECT_THROW(collected.move_into(point), DocumentError) << part;
  }
}

}  // namespace
}  // namespace tilescope
