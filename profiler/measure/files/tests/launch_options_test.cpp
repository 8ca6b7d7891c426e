#include "profiler/measure/files/launch_options.hpp"

#include <gtest/gtest.h>

#include "profiler/measure/files/launch_file.hpp"

namespace tilescope {
namespace {

TEST(LaunchOptions, AreTakenWithFoldersOfTheLaunch) {
  const std::vector<std::string> expected = {"-DTILE=32", "-I/home/me/include", "--use_fast_math"};
  EXPECT_EQ(launch_options(R"({"options": ["-DTILE=32", "-Iinclude", "--use_fast_math"]})", "/home/me"),
            expected);
  EXPECT_TRUE(launch_options(R"({"grid": 1})", "/").empty());
  EXPECT_TRUE(launch_options("not JSON", "/").empty()) << "its reader says so";
}

TEST(LaunchOptions, ThatStartAProgramAreRefused) {
  for (const char* option :
       {"-ccbin=/tmp/evil", "--compiler-bindir=/tmp/evil", "-Xcompiler", "-fplugin=evil.so", "-o", "evil",
        "-optf=evil", "--options-file=evil", "-include"})
    EXPECT_THROW(launch_options(std::string(R"({"options": [")") + option + "\"]}", "/"), LaunchFileError)
        << option;
  EXPECT_THROW(launch_options(R"({"options": "-DTILE=1"})", "/"), LaunchFileError);
  EXPECT_THROW(launch_options(R"({"options": [1]})", "/"), LaunchFileError);
}

TEST(LaunchOptions, GoBehindThoseThatAreGiven) {
  const SentFile launch{"/home/me/k.launch.json",
                        R"({"options": ["-DTILE=32", "-DROWS=4", "--use_fast_math"]})"};
  const std::vector<std::string> expected = {"-DROWS=4", "--use_fast_math", "-DTILE=8"};
  EXPECT_EQ(with_launch_options(launch, {"-DTILE=8"}), expected);
  EXPECT_EQ(with_launch_options(std::nullopt, {"-DTILE=8"}), std::vector<std::string>{"-DTILE=8"});
}

}  // namespace
}  // namespace tilescope
