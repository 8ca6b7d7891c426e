#include "profiler/measure/files/run_file.hpp"

#include <gtest/gtest.h>

#include "base/json.hpp"
#include "profiler/measure/files/launch_file.hpp"

namespace tilescope {
namespace {

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

FileRun run_ptx(const std::string& text, const Json& launch, const FileRunOptions& options) {
  DisassemblyCache none({}, {});
  return run_file(text, launch, options, none);
}

FileRunOptions with_entry(const std::string& entry) {
  FileRunOptions options;
  options.entry = entry;
  return options;
}

std::string wrong_usage(const std::string& text, const Json& launch, const std::string& entry) {
  try {
    run_ptx(text, launch, with_entry(entry));
  } catch (const std::runtime_error& error) {
    return error.what();
  }
  return "";
}

TEST(RunFile, EndsAtItsTimeLimit) {
  const std::string head = ".version 8.0\n.target sm_80\n.address_size 64\n.visible .entry k() {\n";
  const std::string loops[] = {head + "A: bra A;\n}\n",
                               head + ".reg .b32 r<2>; mov.u32 r0, 0;\nA: add.u32 r0, r0, 1; bra.uni A;\n}\n",
                               // Each block ends at once.
                               head + "ret;\n}\n"};
  for (const std::string& text : loops) {
    FileRunOptions options;
    options.time_limit = std::chrono::milliseconds(300);
    const Json launch =
        Json::parse(R"({"grid": [2147483647, 65535, 65535], "block": [32], "arguments": []})");
    const FileRun run = run_ptx(text, launch, options);
    EXPECT_EQ(run.status, Status::timed_out) << text;
    EXPECT_EQ(run.reason, "the kernel did not end within 0.3 s of interpreting; --time-limit allows more");
    options.cancelled = [] { return true; };
    EXPECT_EQ(run_ptx(text, launch, options).status, Status::cancelled) << text;
  }
}

TEST(RunFile, GivesTheBuffersAsTheKernelLeftThem) {
  const FileRun run = run_ptx(scale_and_add, launch_of(4), {});
  EXPECT_EQ(run.status, Status::ok) << run.reason;
  EXPECT_EQ(run.entry, "axpy");
  EXPECT_EQ(run.target, "sm_50");
  EXPECT_EQ(run.blocks_run, 2);
  // 7 instructions for all; the second block exits at the seventh; 11 for the remaining lanes of the first.
  EXPECT_EQ(run.warp_instructions, 7 + 7 + 11);
  EXPECT_EQ(run.instructions.at("lsu"), 2 + 6);
  const Json document = to_json_document(run);
  ASSERT_EQ(document["buffers"].size(), 2u);
  EXPECT_EQ(to_line(document["buffers"][0]),
            R"({"argument":1,"name":"argument 1","element":"f32","values":[1.0,2.0,3.0,4.0,5.0]})");
  EXPECT_EQ(to_line(document["buffers"][1]["values"]), "[2.5,4.5,6.5,8.5,0.5]");
  EXPECT_EQ(document["findings"], Json::array());
}

TEST(RunFile, CountsMemoryAccesses) {
  const FileRun run = run_ptx(scale_and_add, launch_of(4), {});
  ASSERT_TRUE(run.memory);
  EXPECT_EQ(run.memory->counted_from, CountedFrom::ptx);
  EXPECT_EQ(run.memory->warp_instructions, run.warp_instructions);
  EXPECT_EQ(run.memory->global_requests, 3);
  EXPECT_EQ(run.memory->global_sectors, 3) << "16 bytes each";
  ASSERT_EQ(run.memory->sites.size(), 3u);
  const Json document = to_json_document(run);
  EXPECT_EQ(document["memory"]["counted_from"], "ptx");
  EXPECT_TRUE(document["machine_code"].is_null());
  EXPECT_FALSE(run_ptx(scale_and_add, launch_of(6), {}).memory) << "it ends with a fault";
}

TEST(RunFile, PtxHasNoMachineCode) {
  FileRunOptions options;
  options.machine_code = true;
  EXPECT_THROW(run_ptx(scale_and_add, launch_of(4), options), UnusableFile);
}

TEST(RunFile, ChoosesTheKernel) {
  EXPECT_EQ(run_ptx(two_kernels, Json::object(), with_entry("a")).status, Status::ok);
  EXPECT_EQ(wrong_usage(two_kernels, Json::object(), ""),
            "the PTX has several kernels; choose one with --entry: a, b");
  EXPECT_EQ(wrong_usage(two_kernels, Json::object(), "c"), "the PTX has no kernel 'c'; it has a, b");
  EXPECT_EQ(wrong_usage(".version 8.0\n.target sm_80\n.func f() { ret; }\n", Json::object(), ""),
            "the PTX has no kernel (.entry)");
  EXPECT_EQ(wrong_usage(scale_and_add, Json::object(), ""), "arguments: 0 given; the kernel takes 4");
}

TEST(RunFile, SaysWhatTheKernelDidWrong) {
  const FileRun trapped = run_ptx(two_kernels, Json::object(), with_entry("b"));
  EXPECT_EQ(trapped.status, Status::launch_failed);
  EXPECT_NE(trapped.reason.find("trap"), std::string::npos) << trapped.reason;
  const FileRun outside = run_ptx(scale_and_add, launch_of(6), {});
  EXPECT_EQ(outside.status, Status::launch_failed);
  EXPECT_NE(outside.reason.find("0 bytes behind the end of 'argument 1'"), std::string::npos)
      << outside.reason;
  ASSERT_EQ(outside.findings.size(), 1u);
  EXPECT_EQ(outside.findings[0].kind, "out_of_bounds");
}

TEST(RunFile, LooksForRacesWhenAsked) {
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
  const FileRun unchecked = run_ptx(race, launch, {});
  EXPECT_TRUE(unchecked.findings.empty());
  FileRunOptions options;
  options.check = true;
  const FileRun checked = run_ptx(race, launch, options);
  EXPECT_EQ(checked.status, Status::ok);
  ASSERT_FALSE(checked.findings.empty());
  EXPECT_EQ(checked.findings[0].kind, "race");
}

TEST(RunFile, TellsBadPtxFromPtxThatIsNotSupported) {
  const FileRun bad = run_ptx("int main() {}", Json::object(), {});
  EXPECT_EQ(bad.status, Status::compile_failed);
  EXPECT_NE(bad.reason.find("PTX line 1, column 1: expected '.version'"), std::string::npos) << bad.reason;
  const FileRun called =
      run_ptx(".version 8.0\n.target sm_80\n.extern .func f();\n.entry k() { call f; }", Json::object(), {});
  EXPECT_EQ(called.status, Status::unsupported);
  EXPECT_NE(called.reason.find("the function 'f' has no body"), std::string::npos) << called.reason;
}

TEST(RunFile, SaysThatPrintfPrintsNothing) {
  const FileRun run = run_ptx(
      ".version 8.0\n.target sm_80\n.extern .func (.param .b32 r) vprintf(.param .b64 a, .param .b64 b);\n"
      ".entry k() { .param .b64 a; .param .b64 b; .param .b32 r; st.param.b64 [a], 0; st.param.b64 [b], 0;\n"
      "call (r), vprintf, (a, b); }",
      Json::object(), {});
  EXPECT_EQ(run.status, Status::ok) << run.reason;
  ASSERT_EQ(run.notes.size(), 1u);
  EXPECT_EQ(run.notes[0], "PTX line 5: printf prints nothing in the interpreter.");
}

}  // namespace
}  // namespace tilescope
