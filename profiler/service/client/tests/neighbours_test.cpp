#include "profiler/service/client/neighbours.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "profiler/installation.hpp"
#include "profiler/kernels/catalogue/catalogue.hpp"
#include "profiler/kernels/catalogue/constraints.hpp"

namespace tilescope {
namespace {

using Direction = SliderMove::Direction;

class Neighbours : public testing::Test {
 protected:
  Neighbours() {
    kernel = Catalogue(place.kernels).find("flash_scalar");
    for (const DeviceModel& table : load_device_tables(place)) {
      if (table.name == "L4") device = table;
    }
    experiment.kernel = kernel.name;
    experiment.parameters = kernel.complete({});
  }
  void set(const std::string& parameter, const ParameterValue& value) {
    experiment.parameters[parameter] = value;
  }
  /// The changed parameter of each, "BLOCK_M=64".
  std::vector<std::string> changes(const std::optional<SliderMove>& move) const {
    std::vector<std::string> texts;
    for (const Neighbour& neighbour : neighbours_of(kernel, device, experiment, move)) {
      Configuration changed;
      for (const auto& [name, value] : neighbour.experiment.parameters) {
        if (value != experiment.parameters.at(name)) changed[name] = value;
      }
      EXPECT_EQ(changed.size(), 1U) << "one slider moves";
      texts.push_back(to_string(changed) + (neighbour.is_of_last_move ? " *" : ""));
    }
    return texts;
  }
  static std::vector<std::string> first(std::vector<std::string> texts, std::size_t count) {
    texts.resize(std::min(count, texts.size()));
    return texts;
  }

  const Installation place = find_installation();
  KernelDeclaration kernel;
  DeviceModel device;
  Experiment experiment;
};

TEST_F(Neighbours, TheSliderOfTheLastMoveComesFirstInItsDirection) {
  set("BLOCK_M", std::int64_t{32});
  const std::vector<std::string> up = changes(SliderMove{"BLOCK_M", Direction::up});
  EXPECT_EQ(first(up, 4),
            (std::vector<std::string>{"BLOCK_M=64 *", "BLOCK_M=128 *", "BLOCK_M=16 *", "BLOCK_N=128"}));
  set("NUM_WARPS", std::int64_t{4});
  const std::vector<std::string> down = changes(SliderMove{"BLOCK_M", Direction::down});
  EXPECT_EQ(first(down, 4),
            (std::vector<std::string>{"BLOCK_M=16 *", "BLOCK_M=8 *", "BLOCK_M=64 *", "BLOCK_N=128"}));
}

TEST_F(Neighbours, WithoutAMoveEverySliderHasItsTwoSteps) {
  EXPECT_EQ(changes({}),
            (std::vector<std::string>{"BLOCK_M=64", "BLOCK_M=16", "BLOCK_N=128", "BLOCK_N=32", "NUM_WARPS=16",
                                      "NUM_WARPS=4", "VEC_WIDTH=4", "SMEM_LAYOUT=padded",
                                      "SMEM_LAYOUT=row_major", "REDUCE=shared", "SYNC_POLICY=heavy"}));
}

TEST_F(Neighbours, AStepSkipsInvalidValuesAndEndsAtTheSlidersEnd) {
  set("BLOCK_M", std::int64_t{8});
  set("NUM_WARPS", std::int64_t{8});
  // 16 warps do not divide 8 rows, and there is nothing below 8.
  const std::vector<std::string> texts = changes(SliderMove{"NUM_WARPS", Direction::up});
  EXPECT_EQ(first(texts, 3), (std::vector<std::string>{"NUM_WARPS=4 *", "BLOCK_M=16", "BLOCK_N=128"}));
  // From 16 rows down, 8 is invalid for 16 warps.
  set("BLOCK_M", std::int64_t{16});
  set("NUM_WARPS", std::int64_t{16});
  EXPECT_EQ(first(changes(SliderMove{"BLOCK_M", Direction::down}), 2),
            (std::vector<std::string>{"BLOCK_M=32 *", "BLOCK_N=128"}));
}

TEST_F(Neighbours, EachOtherNameIsOneStepAway) {
  const std::vector<std::string> texts = changes(SliderMove{"SMEM_LAYOUT", Direction::up});
  EXPECT_EQ(first(texts, 3),
            (std::vector<std::string>{"SMEM_LAYOUT=padded *", "SMEM_LAYOUT=row_major *", "BLOCK_M=64"}));
}

TEST_F(Neighbours, OfEveryKernelAreValidFewAndDifferent) {
  const Catalogue catalogue(place.kernels);
  for (const KernelDeclaration& each : catalogue.kernels()) {
    Experiment start;
    start.kernel = each.name;
    start.parameters = each.complete({});
    std::vector<Neighbour> neighbours = neighbours_of(each, device, start, {});
    EXPECT_LE(neighbours.size(), max_neighbours) << each.name;
    for (const Neighbour& neighbour : neighbours) {
      EXPECT_EQ(why_invalid(each, neighbour.experiment.parameters, start.shape, device), "") << each.name;
      EXPECT_EQ(neighbour.experiment.shape, start.shape);
      EXPECT_NE(neighbour.experiment.parameters, start.parameters) << each.name;
      EXPECT_EQ(std::count_if(neighbours.begin(), neighbours.end(),
                              [&](const Neighbour& n) { return n.experiment == neighbour.experiment; }),
                1);
    }
  }
}

TEST_F(Neighbours, AMoveIsTheOneParameterThatDiffers) {
  Experiment to = experiment;
  EXPECT_FALSE(slider_move(kernel, experiment, to));
  to.parameters["VEC_WIDTH"] = std::int64_t{4};
  EXPECT_EQ(slider_move(kernel, experiment, to), (SliderMove{"VEC_WIDTH", Direction::down}));
  EXPECT_EQ(slider_move(kernel, to, experiment), (SliderMove{"VEC_WIDTH", Direction::up}));
  to.parameters["REDUCE"] = std::string("shared");
  EXPECT_FALSE(slider_move(kernel, experiment, to)) << "two moved: a point was chosen, no slider";
  to = experiment;
  to.shape.D = 128;
  EXPECT_FALSE(slider_move(kernel, experiment, to)) << "the shape has no slider";
  to = experiment;
  to.kernel = "naive";
  EXPECT_FALSE(slider_move(kernel, experiment, to));
  to = experiment;
  to.parameters["VEC_WIDTH"] = std::int64_t{3};
  EXPECT_FALSE(slider_move(kernel, experiment, to)) << "not declared";
}

}  // namespace
}  // namespace tilescope
