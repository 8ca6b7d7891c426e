#include "profiler/views/code/same_code.hpp"

#include "profiler/kernels/catalogue/catalogue.hpp"
#include "profiler/measure/tests/service_fixture.hpp"

namespace tilescope {
namespace {

class SameCodeTest : public test_support::ServiceTest {
 protected:
  Shape shape;
  KernelDeclaration kernel(const std::string& name) const {
    return Catalogue(installation.kernels).find(name);
  }
  DeviceModel device() const {
    for (const DeviceModel& one : load_device_tables(installation)) {
      if (one.name == "L4") return one;
    }
    throw std::out_of_range("no L4");
  }
  /// A point of dead_knob with this width and machine code.
  SharedMeasurement point(const Configuration& parameters, const std::string& hash) const {
    auto made = std::make_shared<Measurement>();
    made->kernel = "dead_knob";
    made->parameters = kernel("dead_knob").complete(parameters);
    made->device.arch = "sm_89";
    made->resources.emplace().sass_sha256 = hash;
    return made;
  }
  std::optional<SameCode> compare(const std::string& name, const Configuration& a,
                                  const Configuration& b) const {
    const KernelDeclaration declared = kernel(name);
    return same_code(declared, device(), {declared.complete(a), {}, "hash"},
                     {declared.complete(b), {}, "hash"});
  }
};

TEST_F(SameCodeTest, NamesTheParametersThatChangeNothing) {
  const auto one = compare("dead_knob", {{"VEC_WIDTH", std::int64_t{8}}}, {{"VEC_WIDTH", std::int64_t{2}}});
  ASSERT_TRUE(one);
  EXPECT_EQ(one->title, "This parameter changes nothing here");
  EXPECT_EQ(one->text, "VEC_WIDTH 8 and 2 compile to the same machine code.");
  const auto two = compare("dead_knob", {{"FAULT", "on"}, {"VEC_WIDTH", std::int64_t{8}}},
                           {{"FAULT", "off"}, {"VEC_WIDTH", std::int64_t{2}}});
  ASSERT_TRUE(two);
  EXPECT_EQ(two->title, "These parameters change nothing here");
  EXPECT_EQ(two->text, "FAULT on and off, VEC_WIDTH 8 and 2 compile to the same machine code.");
}

TEST_F(SameCodeTest, AnotherLaunchIsSaid) {
  const auto launch =
      compare("flash_scalar", {{"BLOCK_M", std::int64_t{32}}}, {{"BLOCK_M", std::int64_t{64}}});
  ASSERT_TRUE(launch);
  EXPECT_EQ(launch->title, "This parameter changes the launch alone");
  EXPECT_TRUE(
      launch->text.starts_with("BLOCK_M 32 and 64 compile to the same machine code. The launch differs in "))
      << launch->text;
  EXPECT_NE(launch->text.find("the grid"), std::string::npos) << launch->text;
}

TEST_F(SameCodeTest, NothingIsSaidOfOtherCodeOrOfTheSameConfiguration) {
  EXPECT_FALSE(compare("dead_knob", {}, {}));
  const KernelDeclaration declared = kernel("dead_knob");
  const Configuration wide = declared.complete({}),
                      narrow = declared.complete({{"VEC_WIDTH", std::int64_t{2}}});
  EXPECT_FALSE(same_code(declared, device(), {wide, shape, "one"}, {narrow, shape, "another"}));
  EXPECT_FALSE(same_code(declared, device(), {wide, shape, ""}, {narrow, shape, ""})) << "no hash is known";
}

TEST_F(SameCodeTest, FindsItAmongThePointsAndInTheComparedOne) {
  const KernelDeclaration declared = kernel("dead_knob");
  const Configuration here = declared.complete({{"VEC_WIDTH", std::int64_t{8}}});
  const auto find = [&](const Measurement* compared, const std::vector<SharedMeasurement>& points) {
    const auto same = find_same_code(declared, device(), {here, shape, "hash"}, compared, points);
    return same ? same->text : "";
  };
  const auto narrow = point({{"VEC_WIDTH", std::int64_t{4}}}, "hash");
  const auto both = point({{"VEC_WIDTH", std::int64_t{2}}, {"FAULT", "on"}}, "hash");
  const auto other = point({{"VEC_WIDTH", std::int64_t{4}}}, "another hash");
  EXPECT_EQ(find(nullptr, {other, point({}, "hash"), both}), "")
      << "two parameters differ, or none, or the code";
  EXPECT_EQ(find(nullptr, {other, narrow}), "VEC_WIDTH 8 and 4 compile to the same machine code.");
  EXPECT_EQ(find(both.get(), {narrow}),
            "FAULT off and on, VEC_WIDTH 8 and 2 compile to the same machine code.");
  EXPECT_EQ(find(other.get(), {}), "");
  auto elsewhere = *narrow;
  elsewhere.device.arch = "sm_90a";
  EXPECT_EQ(find(&elsewhere, {}), "") << "of another architecture";
}

}  // namespace
}  // namespace tilescope
