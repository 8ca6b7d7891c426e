#include "profiler/kernels/containers/find_code.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "profiler/kernels/containers/packed_members.hpp"
#include "profiler/kernels/containers/tests/container_fixture.hpp"

namespace tilescope::test_support {
namespace {

namespace fs = std::filesystem;
using Texts = std::vector<std::string>;
using Form = FoundCode::Form;

std::string two_architectures() {
  return fat_binary_of(
      {{Form::cubin, cubin_of("scale", "sm_80"), 80}, {Form::cubin, cubin_of("scale", "sm_89"), 89}});
}

// A cubin says in its header whether it is linked.
std::string relocatable(std::string cubin) {
  cubin.at(16) = 1;
  return cubin;
}

class Containers : public ContainerTest {};

TEST_F(Containers, ACubinAndPtxAreWhatTheyAre) {
  const std::string cubin = cubin_of("scale", "sm_90a"), ptx = ptx_of("scale", "sm_89");
  FoundIn in = found("a.cubin", cubin);
  EXPECT_EQ(in.kind, "a cubin");
  EXPECT_EQ(summary(in.codes), Texts{"cubin sm_90a: scale"});
  EXPECT_EQ(in.codes[0].contents, cubin);
  EXPECT_EQ(in.codes[0].origin, "a.cubin");
  in = found("a.txt", ptx);
  EXPECT_EQ(in.kind, "a PTX file");
  EXPECT_EQ(summary(in.codes), Texts{"PTX sm_89: scale"});
  EXPECT_EQ(in.codes[0].contents, ptx);
}

TEST_F(Containers, AFatBinaryHasTheCodeOfEveryArchitecture) {
  needs_cuobjdump();
  if (IsSkipped()) return;
  const FoundIn in = found("k.fatbin", two_architectures());
  EXPECT_EQ(in.kind, "a fat binary");
  EXPECT_EQ(summary(in.codes), (Texts{"cubin sm_80: scale", "cubin sm_89: scale"}));
  EXPECT_EQ(in.codes[1].origin, "k.fatbin: 2nd cubin");
  EXPECT_EQ(in.codes[1].contents, cubin_of("scale", "sm_89"));
}

TEST_F(Containers, SourcesOfOneNameInTwoFoldersAreBothThere) {
  needs_cuobjdump();
  if (IsSkipped()) return;
  const std::string both = fat_binary_of({{Form::cubin, cubin_of("first", "sm_89"), 89, "a/k.cu"}}) +
                           fat_binary_of({{Form::cubin, cubin_of("second", "sm_89"), 89, "b/k.cu"}});
  const FoundIn in = found("k.fatbin", both);
  EXPECT_EQ(summary(in.codes), (Texts{"cubin sm_89: first", "cubin sm_89: second"}));
  EXPECT_EQ(in.codes[1].origin, "k.fatbin: 2nd cubin (k)");
}

TEST_F(Containers, ASharedLibraryAndAnObjectFile) {
  needs_cuobjdump();
  if (IsSkipped()) return;
  const std::string library = host_file_with(two_architectures(), ".nv_fatbin", true);
  if (library.empty()) GTEST_SKIP() << "g++, which makes the library, is missing";
  FoundIn in = found("libk.so.1", library);
  EXPECT_EQ(in.kind, "a shared library with device code");
  EXPECT_EQ(summary(in.codes), (Texts{"cubin sm_80: scale", "cubin sm_89: scale"}));
  in = found("k.o", host_file_with(two_architectures(), ".nv_fatbin", false));
  EXPECT_EQ(in.kind, "an object file with device code");
  EXPECT_EQ(in.codes.size(), 2U);
}

TEST_F(Containers, CodeThatIsNotLinkedIsRefusedWithTheCommandThatLinksIt) {
  EXPECT_NE(refused(file("k.cubin", relocatable(cubin_of("scale", "sm_89")))).find("nvcc -cubin -dlink"),
            std::string::npos);
  const std::string object = host_file_with(two_architectures(), "__nv_relfatbin", false);
  if (object.empty()) GTEST_SKIP() << "g++, which makes the object file, is missing";
  EXPECT_NE(refused(file("k.o", object)).find("not linked (nvcc -dc or -rdc=true)"), std::string::npos);
}

TEST_F(Containers, AWheelAndAStaticLibraryHaveTheCodeOfTheirMembers) {
  needs_cuobjdump();
  if (IsSkipped()) return;
  const std::string object = host_file_with(two_architectures(), ".nv_fatbin", false);
  if (object.empty()) GTEST_SKIP() << "g++, which makes the object file, is missing";
  const fs::path wheel = folder.path() / "pkg-1.whl", library = folder.path() / "libk.a";
  write_archive(wheel, ArchiveForm::zip,
                {{"pkg/ext.so", object}, {"pkg/read.me", "text"}, {"pkg/k.ptx", ptx_of("other", "sm_80")}});
  FoundIn in = found_in(wheel);
  EXPECT_EQ(in.kind, "a Python wheel");
  EXPECT_EQ(summary(in.codes), (Texts{"cubin sm_80: scale", "cubin sm_89: scale", "PTX sm_80: other"}));
  EXPECT_EQ(in.codes[0].origin, "pkg-1.whl: pkg/ext.so: 1st cubin");
  write_archive(library, ArchiveForm::static_library, {{"a.o", object}, {"b.o", object}});
  in = found_in(library);
  EXPECT_EQ(in.kind, "a static library");
  EXPECT_EQ(in.codes.size(), 4U);
  EXPECT_EQ(in.codes[3].origin, "libk.a: b.o: 2nd cubin");
}

TEST_F(Containers, MembersThatUnpackToTooMuchAreRefused) {
  const fs::path zip = folder.path() / "bomb.zip";
  write_archive(zip, ArchiveForm::zip, {{"a.so", std::string(std::size_t{3} << 20U, '\0')}});
  EXPECT_LT(fs::file_size(zip), 10'000U);
  const auto any = [](const std::string&) { return true; };
  const auto none = [](const std::string&, const fs::path&) {};
  EXPECT_NO_THROW(for_each_member(zip, any, none, {}));
  EXPECT_THROW(for_each_member(zip, any, none, {}, std::uint64_t{2} << 20U), CodeNotFound);
}

TEST_F(Containers, OtherFilesAreRefusedWithWhatTheyAre) {
  const auto expect_refused = [&](const std::string& contents, const std::string& part) {
    const std::string sentence = refused(file("x", contents));
    EXPECT_NE(sentence.find(part), std::string::npos) << sentence;
  };
  expect_refused("", "it is an empty file");
  expect_refused("hello", "it is a text without a kernel");
  expect_refused("__global__ void k() {}", "it is CUDA C++");
  expect_refused(std::string("\x01\x00\x02", 3), "a file of an unknown format");
  expect_refused(contents_of_file("/proc/self/exe"), "without device code of CUDA");
  expect_refused(std::string("PK\x03\x04 but cut"), "an archive that cannot be unpacked");
  EXPECT_NE(refused(folder.path() / ".").find(".ptx or .fatbin file that has a kernel"), std::string::npos);
}

TEST_F(Containers, AFolderOfSourcesNamesThoseWithKernels) {
  file("task/model_new.py", "source = '__global__ void k() {}'");
  file("task/model.py", "class Model: pass");
  file("task/sub/k.cu", "__global__ void k() {}");
  EXPECT_EQ(refused(folder.path() / "task"),
            "it is a folder without compiled kernels, and with sources that have some: open one of them, "
            "model_new.py, sub/k.cu");
}

TEST_F(Containers, CutFilesAreRefusedOrLoseCode) {
  needs_cuobjdump();
  if (IsSkipped()) return;
  const std::string fat = two_architectures(), library = host_file_with(fat, ".nv_fatbin", true);
  const fs::path zip = folder.path() / "k.zip";
  write_archive(zip, ArchiveForm::zip, {{"k.fatbin", fat}, {"k.cubin", cubin_of("scale", "sm_89")}});
  for (const std::string& whole : {fat, library, contents_of_file(zip), cubin_of("scale", "sm_89")}) {
    for (std::size_t part = 1; part < 12; ++part) {
      const std::string cut = whole.substr(0, whole.size() * part / 12);
      EXPECT_EQ(refused(file("cut", cut)).find("found"), std::string::npos)
          << part << " " << refused(file("cut", cut));
    }
  }
}

TEST_F(Containers, WithoutCuobjdumpItSaysHowToGetIt) {
  tools = {{{}, folder.path(), ""}};
  try {
    found("k.fatbin", two_architectures());
    FAIL() << "it was unpacked without cuobjdump";
  } catch (const CuobjdumpUnavailable& unavailable) {
    EXPECT_NE(std::string(unavailable.what()).find("./tilescope setup"), std::string::npos);
  }
}

TEST_F(Containers, ASearchIsCancelled) {
  EXPECT_THROW(find_code(file("k.fatbin", two_architectures()), tools, [] { return true; }), SearchCancelled);
}

}  // namespace
}  // namespace tilescope::test_support
