// Code that nvlink put together: calls of functions in other sections return to addresses that relocations give.

#include <gtest/gtest.h>

#include <string>

#include "profiler/execution/sass/build_program.hpp"
#include "profiler/execution/sass/unsupported.hpp"
#include "profiler/execution/simt/interpreter.hpp"

namespace tilescope::sass {
namespace {

constexpr std::uint32_t absolute_low = 56, absolute_high = 57;  // R_CUDA_ABS32_LO_32 and _HI_32

// The kernel calls f, which comes behind it in the file, and stores.
const std::string linked_text = R"(
	.section	.text.kernel
        /*0000*/ MOV R20, 32@lo((kernel + .L_x_0@srel)) ;
        /*0010*/ MOV R21, 32@hi((kernel + .L_x_0@srel)) ;
        /*0020*/ CALL.ABS.NOINC `(f) ;
.L_x_0:
        /*0030*/ STS [0x0], R4 ;
        /*0040*/ EXIT ;
	.section	.text.f
        /*0000*/ IADD3 R4, RZ, 0x7, RZ ;
        /*0010*/ RET.ABS.NODEC R20 0x0 ;
)";

Cubin linked_cubin() {
  Cubin cubin;
  cubin.architecture = "sm_89";
  cubin.symbols = {{}, {"kernel", SymbolKind::kernel, ".text.kernel", 0, 0x50}};
  const std::vector<Relocation> relocations = {{0x0, absolute_low, 1, 0x30}, {0x10, absolute_high, 1, 0x30}};
  cubin.functions.push_back({"kernel", true, std::vector<InstructionWord>(5), relocations, {}});
  cubin.functions.push_back({"f", false, std::vector<InstructionWord>(2), {}, {}});
  CubinKernel kernel;
  kernel.name = "kernel";
  kernel.registers = 32;
  kernel.static_shared_bytes = 16;
  cubin.kernels.push_back(kernel);
  return cubin;
}

TEST(LinkedCode, CallsReturnToTheAddressesOfRelocations) {
  const simt::Program program = build_program(linked_cubin(), parse_disassembly(linked_text), "kernel");
  simt::Launch launch;
  launch.block = {32, 1, 1};
  simt::GlobalMemory memory;
  const simt::RunResult result = simt::run(program, launch, memory, {});
  EXPECT_FALSE(result.fault) << result.fault->text;
  EXPECT_EQ(result.warp_instructions, 7u);
}

TEST(LinkedCode, AnAddressWithoutARelocationIsUnsupported) {
  Cubin cubin = linked_cubin();
  cubin.functions[0].relocations.pop_back();
  try {
    build_program(cubin, parse_disassembly(linked_text), "kernel");
    FAIL();
  } catch (const Unsupported& error) {
    EXPECT_NE(std::string(error.what()).find("32@hi"), std::string::npos) << error.what();
  }
}

}  // namespace
}  // namespace tilescope::sass
