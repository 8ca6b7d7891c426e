// Every value of every parameter of the ladder compiles to other code, or changes the launch.

#include <algorithm>
#include <map>

#include "kernels/attention/tests/kernel_test.hpp"

namespace tilescope {
namespace {

class LadderCode : public KernelTest, public testing::WithParamInterface<std::string> {
 protected:
  const KernelDeclaration kernel = catalogue().find(GetParam());

  // The launch for each value of a parameter that is valid with `base`: the hash of the machine code, with blocks and
  // threads, which code may read at run time.
  std::map<std::string, std::string> codes(const ParameterDeclaration& parameter, const Configuration& base,
                                           const Shape& shape) const {
    std::map<std::string, std::string> found;
    for (const ParameterValue& value : parameter.values) {
      Configuration chosen = base;
      chosen[parameter.name] = value;
      const KernelCase one{kernel, chosen, shape};
      if (!why_illegal(one).empty()) continue;
      const LaunchGeometry geometry = launch_geometry(kernel, kernel.complete(chosen), shape, l4());
      found[to_string(value)] = compile(one).resources.sass_sha256 + " " + std::to_string(geometry.blocks()) +
                                " " + std::to_string(geometry.threads);
    }
    return found;
  }
};

// Pairs of values for which no difference has been found yet.
std::vector<std::pair<std::string, std::string>> all_pairs(const ParameterDeclaration& parameter) {
  std::vector<std::pair<std::string, std::string>> pairs;
  for (std::size_t i = 0; i < parameter.values.size(); ++i) {
    for (std::size_t j = i + 1; j < parameter.values.size(); ++j) {
      pairs.emplace_back(to_string(parameter.values[i]), to_string(parameter.values[j]));
    }
  }
  return pairs;
}

// The configurations in which a parameter is tried until each pair of its values has given different code. Most pairs
// differ with the defaults; some are valid, or differ, only with other values.
struct Place {
  Configuration base;
  Shape shape;
};

std::vector<Place> places() {
  const auto tile = [](std::int64_t block_m, std::int64_t block_n, std::int64_t warps, std::int64_t stages) {
    return Configuration{
        {"BLOCK_M", block_m}, {"BLOCK_N", block_n}, {"NUM_WARPS", warps}, {"STAGES", stages}};
  };
  const Shape plain;
  Shape narrow, wide;
  narrow.D = 32;
  wide.D = 128;
  return {{{}, plain},
          {tile(64, 64, 4, 3), narrow},
          {tile(64, 64, 4, 1), plain},
          {tile(128, 64, 8, 1), wide},
          {tile(32, 32, 2, 1), wide}};
}

TEST_P(LadderCode, NoParameterIsDead) {
  for (const ParameterDeclaration& parameter : kernel.parameters) {
    auto pairs = all_pairs(parameter);
    for (const Place& place : places()) {
      if (pairs.empty()) break;
      Configuration base = place.base;
      std::erase_if(base, [&](const auto& chosen) { return kernel.find_parameter(chosen.first) == nullptr; });
      const auto found = codes(parameter, base, place.shape);
      std::erase_if(pairs, [&](const auto& pair) {
        return found.contains(pair.first) && found.contains(pair.second) &&
               found.at(pair.first) != found.at(pair.second);
      });
    }
    for (const auto& [one, other] : pairs) {
      ADD_FAILURE() << parameter.name << " = " << one << " and " << other
                    << " are the same code and the same launch everywhere";
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Rungs, LadderCode, testing::ValuesIn(attention_kernels(KernelRole::rung)),
                         test_name);

}  // namespace
}  // namespace tilescope
