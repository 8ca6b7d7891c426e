#include "profiler/kernels/containers/compile_cache.hpp"

#include <gtest/gtest.h>

#include "profiler/kernels/containers/tests/container_fixture.hpp"

namespace tilescope::test_support {
namespace {

constexpr const char* triton_3 = R"({"hash": "b3", "target": {"backend": "cuda", "arch": 89, "warp_size": 32},
  "num_warps": 4, "num_ctas": 1, "num_stages": 3, "shared": 4096, "name": "add_kernel"})";
constexpr const char* triton_2 = R"({"target": ["cuda", 80], "num_warps": 8, "shared": 0, "num_stages": 2,
  "name": "old_kernel"})";
constexpr const char* amd =
    R"({"target": {"backend": "hip", "arch": "gfx942"}, "num_warps": 4, "name": "other"})";

class CompileCaches : public ContainerTest {
 protected:
  void add(const std::string& place, const std::string& name, const char* json,
           const std::string& architecture) {
    file(place + "/" + name + ".json", json);
    file(place + "/" + name + ".cubin", cubin_of(name, architecture));
    file(place + "/" + name + ".ttgir", "module {}");
    file(place + "/__grp__" + name + ".json", R"({"child_paths": {}})");
  }
};

TEST_F(CompileCaches, TritonsKernelsHaveTheirNumbers) {
  add("HASH1", "add_kernel", triton_3, "sm_89");
  file("HASH1/add_kernel.ptx",
       "//\n.version 8.4\n.target sm_89\n.visible .entry add_kernel(\n)\n{\n ret;\n}\n"
       "\t.file\t1 \"/home/user/add.py\"\n");
  const FoundIn in = found_in(folder.path());
  EXPECT_EQ(in.kind, "a folder of Triton's cache");
  EXPECT_EQ(in.notes, std::vector<std::string>{});
  EXPECT_EQ(summary(in.codes),
            (std::vector<std::string>{"cubin sm_89: add_kernel", "PTX sm_89: add_kernel"}));
  EXPECT_EQ(in.codes[0].origin,
            "add_kernel (num_warps 4, num_stages 3, 4096 B of shared memory): HASH1/add_kernel.cubin");
  ASSERT_EQ(in.triton.size(), 1U);
  const TritonEntry& entry = in.triton[0];
  EXPECT_EQ(entry.name, "add_kernel");
  EXPECT_EQ(entry.num_warps, 4);
  EXPECT_EQ(entry.num_stages, 3);
  EXPECT_EQ(entry.shared, 4096);
  EXPECT_EQ(entry.architecture, "sm_89");
  EXPECT_EQ(entry.cubin, folder.path() / "HASH1/add_kernel.cubin");
  EXPECT_EQ(entry.source, "/home/user/add.py");
}

TEST_F(CompileCaches, TorchInductorsCacheHasThemFurtherDown) {
  add("triton/0/HASH2", "old_kernel", triton_2, "sm_80");
  const FoundIn in = found_in(folder.path());
  EXPECT_EQ(in.kind, "a folder of TorchInductor's cache");
  ASSERT_EQ(in.triton.size(), 1U);
  EXPECT_EQ(in.triton[0].architecture, "sm_80");
  EXPECT_EQ(in.triton[0].num_warps, 8);
}

TEST_F(CompileCaches, DamagedEntriesAndOtherGpusAreNoted) {
  add("A", "add_kernel", triton_3, "sm_89");
  file("B/broken.json", "{\"num_warps\": ");
  file("C/other.json", amd);
  file("D/lonely.json", triton_3);
  const FoundIn in = found_in(folder.path());
  EXPECT_EQ(in.codes.size(), 1U);
  ASSERT_EQ(in.notes.size(), 3U);
  EXPECT_NE(in.notes[0].find("broken.json is left out: invalid JSON"), std::string::npos) << in.notes[0];
  EXPECT_NE(in.notes[1].find("it is for hip, not for an NVIDIA GPU"), std::string::npos) << in.notes[1];
  EXPECT_NE(in.notes[2].find("its .cubin and .ptx are missing"), std::string::npos) << in.notes[2];
}

}  // namespace
}  // namespace tilescope::test_support
