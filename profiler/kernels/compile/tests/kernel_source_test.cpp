#include "profiler/kernels/compile/kernel_source.hpp"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include "base/json.hpp"
#include "base/tests/scratch_folder.hpp"
#include "profiler/kernels/compile/compiler_output.hpp"
#include "profiler/kernels/compile/hash.hpp"
#include "profiler/kernels/compile/redacted_log.hpp"

namespace tilescope {
namespace {

namespace fs = std::filesystem;

class SourceOfKernel : public ::testing::Test {
 protected:
  KernelSource read(const std::string& text) const {
    return read_kernel_source(scratch_.write("mine/k.cu", text), scratch_.path() / "kernels");
  }
  std::string complaint(const std::string& text) const {
    try {
      read(text);
    } catch (const CompileFailed& failed) {
      return failed.what();
    }
    return "";
  }
  /// All that leaves this machine.
  static std::string carried(const KernelSource& source) { return to_line(Json(source.file)); }

  test_support::ScratchFolder scratch_;
};

TEST_F(SourceOfKernel, HeadersOfTheKernelAndOfTilescopeAreCarried) {
  scratch_.write("mine/a.cuh", "#include \"sub/b.h\"\n#include \"device/c.cuh\"\n");
  scratch_.write("mine/sub/b.h", "b");
  scratch_.write("kernels/device/c.cuh", "#include \"d.inl\"\n");
  scratch_.write("kernels/device/d.inl", "d");
  scratch_.write("mine/k.json", "{}");
  const KernelSource source = read("#include \"a.cuh\"\n#include \"nowhere.h\"\n#include \"sub\"\n");
  EXPECT_EQ(source.file.headers.size(), 5u);
  EXPECT_EQ(source.file.headers.at("sub/b.h"), "b");
  EXPECT_EQ(source.file.headers.at("d.inl"), "d");
  EXPECT_EQ(source.file.headers.at("k.json"), "{}");
  EXPECT_TRUE(source.file.hashed_headers.empty());
  EXPECT_EQ(kernel_source_of(source.file).sha256, source.sha256);
}

TEST_F(SourceOfKernel, OtherFilesAreCarriedByHashAlone) {
  const std::string secret = "it is a secret";
  scratch_.write("mine/notes.txt", secret);
  scratch_.write("mine/id_key", secret);
  const fs::path outside = scratch_.write("outside/o.cuh", secret);
  scratch_.write("outside/passwords", secret);
  fs::create_symlink(outside, scratch_.path() / "mine/link.cuh");
  fs::create_symlink(scratch_.path() / "outside/passwords", scratch_.path() / "mine/plain.cuh");
  fs::create_directory_symlink(scratch_.path() / "outside", scratch_.path() / "mine/folder");
  fs::create_symlink("notes.txt", scratch_.path() / "mine/notes.h");
  const std::vector<std::string> names{"notes.txt",      "id_key",       "../outside/o.cuh",
                                       outside.string(), "folder/o.cuh", "link.cuh",
                                       "plain.cuh",      "notes.h",      "../mine/../outside/o.cuh"};
  for (const std::string& name : names) {
    for (const std::string& text :
         {"#include \"" + name + "\"\n", "#if 0\n#include \"" + name + "\"\n#endif\n",
          "#define X \"" + name + "\"\n#include X\n"}) {
      const KernelSource source = read(text);
      EXPECT_EQ(carried(source).find(secret), std::string::npos) << text;
      ASSERT_TRUE(source.file.hashed_headers.contains(name)) << text;
      EXPECT_EQ(source.file.hashed_headers.at(name), sha256(secret)) << text;
      EXPECT_EQ(source.complete_file().headers.at(name), secret) << "the compiler of this machine gets it";
      const KernelSource elsewhere = kernel_source_of(source.file);
      EXPECT_EQ(elsewhere.sha256, source.sha256);
      EXPECT_EQ(missing_headers(elsewhere), std::vector<std::string>{name});
      EXPECT_TRUE(missing_headers(source).empty());
    }
  }
  const KernelSource angled = read("#include <" + outside.string() + ">\n");
  EXPECT_TRUE(angled.file.hashed_headers.contains(outside.string()));
  EXPECT_TRUE(angled.file.headers.empty());
}

TEST_F(SourceOfKernel, TheDeclarationBesideItIsNotCarriedFromElsewhere) {
  fs::create_directories(scratch_.path() / "mine");
  fs::create_symlink(scratch_.write("outside/private.json", "secret"), scratch_.path() / "mine/k.json");
  const KernelSource source = read("");
  EXPECT_TRUE(source.file.headers.empty());
  EXPECT_EQ(source.file.hashed_headers.at("k.json"), sha256("secret"));
}

TEST_F(SourceOfKernel, AHashChangesWithAHeaderThatIsNotCarried) {
  scratch_.write("outside/o.cuh", "1");
  const std::string before = read("#include \"../outside/o.cuh\"\n").sha256;
  scratch_.write("outside/o.cuh", "2");
  EXPECT_NE(read("#include \"../outside/o.cuh\"\n").sha256, before);
}

TEST_F(SourceOfKernel, OnlyRegularFilesAreRead) {
  fs::create_directories(scratch_.path() / "mine");
  ASSERT_EQ(::mkfifo((scratch_.path() / "mine/pipe.h").c_str(), 0600), 0);
  for (const std::string name : {"pipe.h", "/dev/zero", "/dev/../dev/zero", "../mine/pipe.h"}) {
    for (const std::string& text : {"#include \"" + name + "\"", "#if 0\n#include \"" + name + "\"\n#endif",
                                    "#define X \"" + name + "\"\n#include X"}) {
      const std::string why = complaint(text);
      EXPECT_TRUE(why.starts_with("k.cu includes \"" + name + "\": ")) << why;
      EXPECT_NE(why.find("only regular files"), std::string::npos) << why;
    }
  }
  EXPECT_NE(complaint("#include </dev/zero>"), "");
  EXPECT_NE(complaint("#include <../x.h>"), "");
}

TEST_F(SourceOfKernel, LargeFilesAndLongNamesAreRefusedByTheirName) {
  scratch_.write("mine/large.h", std::string(9U << 20U, ' '));
  EXPECT_NE(complaint("#include \"large.h\"").find("\"large.h\": it is larger than 8 MiB"),
            std::string::npos);
  const std::string why = complaint("#if 0\n#include \"" + std::string(50'000, 'a') + "\"\n#endif");
  EXPECT_NE(why.find("the name is longer than 4096 letters"), std::string::npos) << why;
  EXPECT_LT(why.size(), 200u);
  EXPECT_EQ(complaint("#include \"" + std::string(300, 'a') + "\""), "")
      << "a file cannot have it: it is not found";
}

TEST_F(SourceOfKernel, IncludesHaveALimitInNumberAndNoneInDepth) {
  for (int i = 0; i < 500; ++i)
    scratch_.write("mine/h" + std::to_string(i) + ".h",
                   "#include \"h" + std::to_string(i + 1) + ".h\"\n#include \"h0.h\"\n");
  EXPECT_EQ(read("#include \"h0.h\"").file.headers.size(), 500u) << "a chain and a circle";
  std::string many;
  for (int i = 0; i < 2100; ++i) {
    scratch_.write("mine/m" + std::to_string(i) + ".h", "");
    many += "#include \"m" + std::to_string(i) + ".h\"\n";
  }
  EXPECT_NE(complaint(many).find("more than 2000 files"), std::string::npos);
}

TEST_F(SourceOfKernel, TheIncludesOfAHeaderComeBeforeTheNextOne) {
  scratch_.write("mine/sub/a.h", "#include \"same.h\"\n");
  scratch_.write("mine/sub/same.h", "of sub");
  scratch_.write("mine/same.h", "of the kernel");
  EXPECT_EQ(read("#include \"sub/a.h\"\n#include \"same.h\"\n").file.headers.at("same.h"), "of sub");
}

TEST_F(SourceOfKernel, TheStoreReplacesWhatIsNotTheSource) {
  const KernelSource source = read("one"), other = read("other");
  const fs::path folder = scratch_.path() / "cache/sources";
  ASSERT_TRUE(SourceStore(folder).keep(source));
  ASSERT_TRUE(SourceStore(folder).keep(other));
  const fs::path entry = folder / (source.sha256 + ".json");
  fs::copy_file(folder / (other.sha256 + ".json"), entry, fs::copy_options::overwrite_existing);
  EXPECT_FALSE(SourceStore(folder).find(source.sha256));
  ASSERT_TRUE(SourceStore(folder).keep(source));
  EXPECT_EQ(SourceStore(folder).find(source.sha256), source.file);
  fs::remove(entry);
  fs::create_symlink(scratch_.write("victim", "of the user"), entry);
  ASSERT_TRUE(SourceStore(folder).keep(source));
  EXPECT_EQ(SourceStore(folder).find(source.sha256), source.file);
  EXPECT_EQ(scratch_.text("victim"), "of the user");
}

TEST_F(SourceOfKernel, ALogQuotesNoFileThatIsNotCarried) {
  scratch_.write("mine/a.cuh", "a");
  scratch_.write("outside/o.cuh", "pass word");
  const KernelSource source = read("#include \"a.cuh\"\n#include \"../outside/o.cuh\"\n");
  const std::string log =
      "../outside/o.cuh(1): error: identifier \"pass\" is undefined\n  pass word\n  ^\n\n"
      "k.cu(3): error: expected a \";\"\n  int x = f(1): 2\n  ^\n\n"
      "/etc/hostname(1): warning: \"pass\"\n  pass\n\n"
      "/opt/cuda/include/x.h(7): note: \"x\"\n  x\n\n1 error detected in the compilation of \"k.cu\".\n";
  EXPECT_EQ(
      redacted_log(log, source, {"/opt/cuda/include"}),
      "../outside/o.cuh(1): error: identifier \"...\" is undefined\n\n"
      "k.cu(3): error: expected a \";\"\n  int x = f(1): 2\n  ^\n\n"
      "/etc/hostname(1): warning: \"...\"\n\n"
      "/opt/cuda/include/x.h(7): note: \"x\"\n  x\n\n1 error detected in the compilation of \"k.cu\".\n");
  const std::string plain = "ptxas info    : Used 8 registers\nCompile time = 1.5 ms";
  EXPECT_EQ(redacted_log(plain, source, {}), plain);
}

}  // namespace
}  // namespace tilescope
