// Cubins that cannot be run, each with its reason.
#include <gtest/gtest.h>

#include <cstring>
#include <string>
#include <vector>

#include "base/json.hpp"
#include "profiler/execution/sass/tests/cubin_fixture.hpp"
#include "profiler/measure/files/tests/cubin_run_fixture.hpp"

namespace tilescope {
namespace {

using sass::CubinEditor;
using test_support::CubinRunTest;
using test_support::says;

const std::string loop_source = R"(__device__ int counter;
extern "C" __global__ void loop(int* out, int n) {
  int sum = counter;
  #pragma unroll 1
  for (int i = 0; i < n; ++i) sum = sum * 3 + out[sum & 7];
  out[threadIdx.x] = sum;
}
)";

const Json launch =
    Json::parse(R"({"block": [8], "arguments": [{"type": "buffer", "element": "s32", "count": 8},
                                                                {"type": "s32", "value": 3}]})");

class DamagedCubin : public CubinRunTest {
 protected:
  static CubinEditor editor(const std::string& architecture = "sm_89") {
    return CubinEditor(compile(loop_source, architecture));
  }
  LaunchedPoint run_edited(const CubinEditor& cubin) const { return run_cubin(cubin.bytes, launch); }
  void expect_unsupported(const CubinEditor& cubin, const std::string& words) const {
    const LaunchedPoint ended = run_edited(cubin);
    EXPECT_EQ(ended.status, Status::unsupported);
    EXPECT_PRED2(says, ended.reason, words);
    EXPECT_EQ(ended.problem, FileProblem::none);
    EXPECT_TRUE(Json(ended)["memory"].is_null());
  }
  /// Changes the words of the first instruction with this opcode (its low 12 bits).
  static void change_instruction(CubinEditor& cubin, std::uint64_t opcode,
                                 const std::function<void(std::uint64_t& low, std::uint64_t& high)>& change) {
    const Elf64_Shdr code = cubin.section(".text.loop");
    for (std::size_t at = code.sh_offset; at < code.sh_offset + code.sh_size; at += 16) {
      auto low = cubin.get<std::uint64_t>(at), high = cubin.get<std::uint64_t>(at + 8);
      if ((low & 0xfff) != opcode) continue;
      change(low, high);
      std::memcpy(&cubin.bytes[at], &low, sizeof low);
      std::memcpy(&cubin.bytes[at + 8], &high, sizeof high);
      return;
    }
    FAIL() << "no instruction has opcode " << opcode;
  }
};

TEST_F(DamagedCubin, AnIntactOneRuns) {
  EXPECT_EQ(run_edited(editor()).status, Status::ok);
}

TEST_F(DamagedCubin, OfAnotherArchitecture) {
  for (const std::uint32_t number : {75u, 100u, 120u}) {
    CubinEditor cubin = editor();
    cubin.header([&](Elf64_Ehdr& header) { header.e_flags = number << 8; });
    expect_unsupported(cubin, "the cubin is for sm_" + std::to_string(number) + ": only sm_80 to sm_90a");
  }
}

TEST_F(DamagedCubin, Stripped) {
  CubinEditor cubin = editor();
  cubin.section(".symtab", [](Elf64_Shdr& table) { table.sh_size = 0; });
  expect_unsupported(cubin, "it was stripped");
}

TEST_F(DamagedCubin, LargerThanMemory) {
  for (const std::uint64_t bytes : {std::uint64_t{1} << 60, std::uint64_t{5} << 30}) {
    CubinEditor cubin = editor();
    cubin.section(".nv.global", [&](Elf64_Shdr& data) { data.sh_size = bytes; });
    expect_unsupported(cubin, "the cubin's variables are too large");
  }
}

TEST_F(DamagedCubin, Truncated) {
  CubinEditor cubin = editor();
  cubin.bytes.resize(cubin.bytes.size() / 2);
  expect_unsupported(cubin, "truncated");
}

TEST_F(DamagedCubin, WithAnInstructionThatNvdisasmDoesNotKnow) {
  CubinEditor cubin = editor();
  change_instruction(cubin, 0x947, [](std::uint64_t& low, std::uint64_t&) { low |= 0xfff; });
  expect_unsupported(cubin, "nvdisasm");
}

TEST_F(DamagedCubin, WithAnInstructionThatIsNotExecuted) {
  const std::string source =
      R"(extern "C" __global__ void fence() { asm volatile("wgmma.fence.sync.aligned;"); })";
  const LaunchedPoint ended = run_cubin(compile(source, "sm_90a"), Json::object());
  EXPECT_EQ(ended.status, Status::unsupported);
  EXPECT_PRED2(says, ended.reason, "WARPGROUP.ARRIVE' at address 0x00");
  EXPECT_EQ(ended.entry, "fence");
  EXPECT_EQ(ended.target, "sm_90a");
}

// The target of BRA is counted from the next instruction, in bits 34 to 81.
TEST_F(DamagedCubin, WithABranchOutOfItsSection) {
  for (const std::int64_t bytes : {std::int64_t{1} << 20, -(std::int64_t{1} << 20), std::int64_t{1} << 40}) {
    CubinEditor cubin = editor();
    change_instruction(cubin, 0x947, [&](std::uint64_t& low, std::uint64_t& high) {
      low = (low & 0xffff'ffff) | static_cast<std::uint64_t>(bytes) << 32;
      high = (high & ~std::uint64_t{0x3ffff}) | (static_cast<std::uint64_t>(bytes) >> 32 & 0x3ffff);
    });
    expect_unsupported(cubin, "BRA");
  }
}

TEST_F(DamagedCubin, WithoutNvdisasm) {
  const std::vector<char> cubin = compile(loop_source, "sm_89");
  installation.dependencies = folder() / "none";
  for (const char* name : {"PATH", "TILESCOPE_CUDA"}) ::setenv(name, "", 1);
  const LaunchedPoint ended = run_cubin(cubin, launch);
  EXPECT_EQ(ended.status, Status::unsupported);
  EXPECT_PRED2(says, ended.reason, "nvdisasm, which prints machine code, was not found");
  EXPECT_PRED2(says, ended.reason, "./tilescope setup");
}

TEST_F(DamagedCubin, ThatIsNotLinked) {
  CubinEditor cubin = editor();
  cubin.header([](Elf64_Ehdr& header) { header.e_type = ET_REL; });
  EXPECT_EQ(run_edited(cubin).problem, FileProblem::code);
}

}  // namespace
}  // namespace tilescope
