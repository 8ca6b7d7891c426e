#include <gtest/gtest.h>

#include "profiler/execution/memory/tests/checker_fixture.hpp"

namespace tilescope::checked {
namespace {

std::string async_copy(const std::string& wait, const std::string& barrier, int reads_from) {
  return R"(
  mul.wide.u32 %rd2, %r1, 16;
  add.s64 %rd3, %rd1, %rd2;
  shl.b32 %r4, %r1, 4;
  add.s32 %r4, %r4, %r2;
  at(70)
  cp.async.cg.shared.global [%r4], [%rd3], 16;
  cp.async.commit_group;
  )" + wait +
         "\n" + barrier + R"(
  xor.b32 %r5, %r1, )" +
         std::to_string(reads_from) + R"(;
  shl.b32 %r5, %r5, 4;
  add.s32 %r5, %r5, %r2;
  at(71)
  ld.shared.v4.u32 {%r10, %r11, %r12, %r13}, [%r5];
)";
}

TEST(AsyncCopies, ReadBeforeTheWait) {
  const std::string wait = "cp.async.wait_group 0;";
  EXPECT_EQ(text_of(check(async_copy(wait, "", 0))), "");
  EXPECT_EQ(text_of(check(async_copy(wait, "bar.sync 0;", 32))), "");
  expect_one(check(async_copy("", "", 0)), "early_cp_async_read", {70, 71});
  expect_one(check(async_copy("", "bar.sync 0;", 32)), "early_cp_async_read", {70, 71});
  expect_one(check(async_copy("cp.async.wait_group 1;", "bar.sync 0;", 32)), "early_cp_async_read", {70, 71});
}

TEST(AsyncCopies, TheWaitOrdersItsThreadOnly) {
  expect_one(check(async_copy("cp.async.wait_group 0;", "", 32)), "race", {70, 71});
}

TEST(AsyncCopies, IssuedOverWhatOthersStillRead) {
  const auto body = [](const std::string& barrier) {
    return R"(
  st.shared.u32 [%r3], %r1;
  bar.sync 0;
  at(72)
  xor.b32 %r4, %r3, 128;
  ld.shared.u32 %r5, [%r4];
  )" + barrier +
           R"(
  at(73)
  cp.async.ca.shared.global [%r3], [%rd1], 4;
  cp.async.wait_all;
)";
  };
  expect_one(check(body("")), "race", {72, 73});
  EXPECT_EQ(text_of(check(body("bar.sync 0;"))), "");
}

// Threads 0 to 31 copy, and wait before or behind the barrier; all 64 read the copies.
std::string copied_for_all(const std::string& before, const std::string& behind) {
  return R"(
  setp.ge.u32 %p1, %r1, 32;
  @%p1 bra $meet;
  at(70)
  cp.async.ca.shared.global [%r3], [%rd1], 4;
  )" + before +
         R"(
$meet:
  at(71)
  bar.sync 0;
  )" + behind +
         R"(
  at(72)
  and.b32 %r4, %r1, 31;
  shl.b32 %r4, %r4, 2;
  add.s32 %r4, %r4, %r2;
  ld.shared.u32 %r5, [%r4];
)";
}

TEST(AsyncCopies, AwaitedBehindTheBarrierAreNotOrderedByIt) {
  EXPECT_EQ(text_of(check(copied_for_all("cp.async.wait_all;", ""))), "");
  const auto late = check(copied_for_all("", "cp.async.wait_all;"));
  expect_one(late, "race", {70, 72});
  EXPECT_NE(late[0].text.find("Put cp.async.wait_group (or cp.async.wait_all) before the barrier at line 71"),
            std::string::npos)
      << late[0].text;
  const auto never = check(copied_for_all("", ""));
  expect_one(never, "early_cp_async_read", {70, 72});
  EXPECT_NE(
      never[0].text.find("wait for the copy's group (cp.async.wait_group) before the barrier at line 71"),
      std::string::npos)
      << never[0].text;
}

}  // namespace
}  // namespace tilescope::checked
