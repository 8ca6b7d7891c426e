// Accesses through null pointers are called that.
#include <gtest/gtest.h>

#include <string>

#include "profiler/execution/ptx/tests/ptx_kernel_run.hpp"

namespace tilescope::ptx {
namespace {

std::string fault_of(const Program& program, std::uint64_t argument) {
  GlobalMemory memory;
  memory.allocate("other", 64);
  Launch launch;
  launch.parameters.resize(sizeof argument);
  std::memcpy(launch.parameters.data(), &argument, sizeof argument);
  const RunResult result = run(program, launch, memory, {});
  return result.fault ? result.fault->text : "";
}
bool says(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

TEST(NullPointers, AreNamedWithTheArgumentThatIsNull) {
  const Program program = decode_module("", "ld.global.u32 %r1, [%o];");
  EXPECT_PRED2(
      says, fault_of(program, 0),
      "reads 4 bytes at global address 0x0 (PTX line 12): a null pointer (0 was given for argument 0 of the "
      "kernel): give the kernel a buffer, or test the pointer");
}

TEST(NullPointers, AnIndexDoesNotHideThem) {
  EXPECT_PRED2(says, fault_of(decode_module("", "st.global.u32 [%o+4096], %t;"), 0),
               "a null pointer, 4096 bytes behind it (0 was given for argument 0");
  EXPECT_PRED2(says, fault_of(decode_module("", "ld.global.u64 %rd1, [%o+-8];"), 0),
               "a null pointer, 8 bytes before it (0 was given for argument 0");
}

TEST(NullPointers, WhereNoArgumentIsNullNoneIsNamed) {
  EXPECT_PRED2(says, fault_of(decode_module("", "mov.u64 %rd1, 16; ld.global.u32 %r1, [%rd1];"), 1u << 30),
               "a null pointer, 16 bytes behind it: give the kernel a buffer");
}

TEST(NullPointers, OtherAddressesAreStillNamedByTheNearestBuffer) {
  EXPECT_PRED2(says, fault_of(decode_module("", "ld.global.u32 %r1, [%o];"), std::uint64_t{1} << 21),
               "before 'other'");
}

}  // namespace
}  // namespace tilescope::ptx
