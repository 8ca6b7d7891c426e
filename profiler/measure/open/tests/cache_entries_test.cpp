// Entries of Triton's cache as points of one kernel. The kernel doubles BLOCK numbers with each block of threads.
#include <fmt/format.h>

#include "profiler/measure/open/tests/opened_files.hpp"
#include "profiler/process/temporary_folder.hpp"

namespace tilescope {
namespace {

using test_support::says;

constexpr const char* python = R"(@triton.jit
def twice(x_ptr, BLOCK: tl.constexpr):
    at = tl.arange(0, BLOCK)
    tl.store(x_ptr + at, 2 * tl.load(x_ptr + at))
)";

class CacheEntries : public test_support::OpenedFiles {
 protected:
  // With `warps` * 32 numbers a block, one for each thread.
  void add_entry(const std::string& hash, int warps, int stages, const std::string& architecture = "89") {
    const std::filesystem::path place = folder_.path() / hash;
    std::filesystem::create_directories(place);
    const int block = 32 * warps;
    write(place / "twice.ptx",
          fmt::format(".version 8.4\n.target sm_{}\n.address_size 64\n"
                      ".visible .entry twice(.param .u64 .ptr .global a) .reqntid {} {{\n"
                      "  .reg .b64 %rd<3>; .reg .b32 %r<4>; .reg .f32 %f;\n"
                      "  ld.param.u64 %rd0, [a]; mov.u32 %r0, %tid.x; mov.u32 %r1, %ctaid.x;\n"
                      "  mad.lo.s32 %r2, %r1, {}, %r0; mul.wide.s32 %rd1, %r2, 4; add.u64 %rd0, %rd0, %rd1;\n"
                      "  ld.global.f32 %f, [%rd0]; add.f32 %f, %f, %f; st.global.f32 [%rd0], %f; ret;\n}}\n",
                      architecture, block, block));
    write(
        place / "twice.json",
        fmt::format(
            R"({{"target": {{"backend": "cuda", "arch": {}}}, "num_warps": {}, "num_stages": {}, "shared": 0, )"
            R"("name": "twice"}})",
            architecture, warps, stages));
    write(
        place / "twice.ttir",
        fmt::format("#loc = loc(\"/home/me/twice.py\":2:0)\n"
                    "tt.func public @twice(%x_ptr: !tt.ptr<f32> loc(\"x_ptr\"(#loc))) {{\n"
                    "  %at = tt.make_range {{end = {} : i32, start = 0 : i32}} : tensor<{}xi32> loc(#loc1)\n"
                    "#loc1 = loc(\"/home/me/twice.py\":3:22)\n",
                    block, block));
    std::filesystem::last_write_time(place / "twice.ptx", std::filesystem::file_time_type::clock::now() +
                                                              std::chrono::seconds(++entries_));
  }

  OpenedPoint open_cache(std::map<std::string, std::string> chosen = {}, bool list_only = false) const {
    OpenFile::Params params;
    params.subject.code.path = folder_.path();
    params.chosen = std::move(chosen);
    params.list_only = list_only;
    return open(std::move(params));
  }

  const std::filesystem::path& cache() const { return folder_.path(); }
  void write_python() const { write(folder_.path() / "twice.py", python); }

 private:
  static void write(const std::filesystem::path& file, const std::string& text) {
    std::ofstream(file) << text;
  }

  TemporaryFolder folder_;
  int entries_ = 0;
};

TEST_F(CacheEntries, ArePointsOfOneKernel) {
  write_python();
  add_entry("A", 4, 2);
  add_entry("B", 8, 2);
  add_entry("C", 4, 3);
  const OpenedPoint newest = open_cache();
  EXPECT_EQ(newest.status, Status::unchecked) << newest.reason;
  ASSERT_EQ(newest.kernels.size(), 1u);
  const std::vector<OpenedConstant> expected = {{"cache_entry", 3, 0, {1, 2, 3}},
                                                {"num_warps", 4, 0, {4, 8}},
                                                {"num_stages", 3, 0, {2, 3}},
                                                {"BLOCK", 128, 2, {128, 256}}};
  EXPECT_EQ(newest.constants, expected);
  EXPECT_EQ(newest.outputs, std::vector<std::string>{"x_ptr"}) << "as the IR names it";
  const OpenedPoint second = open_cache({{"num_warps", "8"}, {"x_ptr: expected", "2 * x_ptr"}});
  EXPECT_EQ(second.status, Status::ok) << second.reason;
  EXPECT_EQ(second.block, (std::array<std::uint32_t, 3>{256, 1, 1}));
  EXPECT_EQ(std::get<std::int64_t>(second.parameters.at("cache_entry")), 2);
  EXPECT_EQ(std::get<std::int64_t>(second.parameters.at("BLOCK")), 256);
  EXPECT_EQ(open_cache({{"BLOCK", "128"}, {"num_stages", "2"}}).constants[0].value, 1);
}

TEST_F(CacheEntries, ThatAreNotThereAreRefusedWithThoseThatAre) {
  write_python();
  add_entry("A", 4, 2);
  add_entry("B", 8, 3);
  const OpenedPoint point = open_cache({{"num_warps", "8"}, {"num_stages", "2"}});
  EXPECT_EQ(point.status, Status::launch_failed);
  EXPECT_TRUE(says(point.reason, "no entry of 'twice' was compiled with num_warps 8 with num_stages 2"))
      << point.reason;
  EXPECT_TRUE(says(point.reason,
                   "1 (num_warps 4, num_stages 2, BLOCK 128), 2 (num_warps 8, num_stages 3, BLOCK 256)"))
      << point.reason;
}

TEST_F(CacheEntries, OfOtherGpusKeepTheirNumbersAndAreNotOffered) {
  add_entry("A", 4, 2);
  add_entry("B", 8, 2, "90");
  add_entry("C", 2, 2);
  const OpenedPoint listed = open_cache({}, true);
  ASSERT_EQ(listed.constants.size(), 2u) << "BLOCK has no name without the Python file";
  EXPECT_EQ(listed.constants[0].proposals, (std::vector<std::int64_t>{1, 3}));
  EXPECT_EQ(listed.constants[1].name, "num_warps");
  EXPECT_EQ(open_cache({{"cache_entry", "2"}}).status, Status::launch_failed);
}

TEST_F(CacheEntries, OfOneKernelAloneOfferNothing) {
  write_python();
  add_entry("A", 4, 2);
  const OpenedPoint point = open_cache();
  EXPECT_TRUE(point.constants.empty());
  EXPECT_EQ(std::get<std::int64_t>(point.parameters.at("num_warps")), 4);
}

TEST_F(CacheEntries, OpenAloneWithTheirNames) {
  write_python();
  add_entry("A", 4, 2);
  OpenFile::Params params;
  params.subject.code.path = cache() / "A" / "twice.ptx";
  const OpenedPoint point = open(std::move(params));
  EXPECT_EQ(point.status, Status::unchecked) << point.reason;
  EXPECT_EQ(point.outputs, std::vector<std::string>{"x_ptr"});
  EXPECT_EQ(std::get<std::int64_t>(point.parameters.at("num_warps")), 4);
}

}  // namespace
}  // namespace tilescope
