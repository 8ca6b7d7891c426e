#include "kernels/attention/tests/covering_classes.hpp"

#include <algorithm>
#include <random>
#include <set>

#include "profiler/kernels/catalogue/constraints.hpp"

namespace tilescope {
namespace {

constexpr std::array<std::int64_t, 5> head_sizes = {32, 64, 96, 128, 256};
constexpr int draws = 800;  // half of mma_flash's are valid on an L4

// A value of a parameter or of D, dtype or causal: "STAGES=2".
using Choice = std::string;

std::set<Choice> choices_of(const CompileClass& one) {
  std::set<Choice> choices = {"D=" + std::to_string(one.shape.D), "dtype=" + to_string(one.shape.dtype),
                              one.shape.causal ? "causal=1" : "causal=0"};
  for (const auto& [name, value] : one.chosen) choices.insert(name + "=" + to_string(value));
  return choices;
}

// The values that the classes must cover: all D and masks, or those of `taken`.
std::set<Choice> wanted_choices(const KernelDeclaration& kernel, bool every_size,
                                const std::set<Choice>& taken) {
  std::set<Choice> choices = {"causal=0", "causal=1"};
  for (const std::int64_t size : head_sizes) choices.insert("D=" + std::to_string(size));
  if (!every_size) std::erase_if(choices, [&](const Choice& choice) { return !taken.contains(choice); });
  for (const DataType dtype : kernel.dtypes) choices.insert("dtype=" + to_string(dtype));
  for (const ParameterDeclaration& parameter : kernel.parameters) {
    for (const ParameterValue& value : parameter.values)
      choices.insert(parameter.name + "=" + to_string(value));
  }
  return choices;
}

std::set<std::string> pairs_of(const std::set<Choice>& choices) {
  std::set<std::string> pairs;
  for (auto one = choices.begin(); one != choices.end(); ++one) {
    for (auto other = std::next(one); other != choices.end(); ++other) pairs.insert(*one + " " + *other);
  }
  return pairs;
}

Shape shape_of(std::int64_t D, DataType dtype, bool causal) {
  Shape shape;
  shape.D = D;
  shape.dtype = dtype;
  shape.causal = causal;
  return shape;
}

// First the defaults, then each single changed value at three D, then several changed values at once.
std::vector<CompileClass> candidates(const KernelDeclaration& kernel) {
  const Configuration defaults = kernel.complete({});
  std::vector<CompileClass> found = {{defaults, shape_of(64, kernel.dtypes.front(), false)},
                                     {defaults, shape_of(128, kernel.dtypes.back(), true)}};
  for (const ParameterDeclaration& parameter : kernel.parameters) {
    for (const ParameterValue& value : parameter.values) {
      for (const std::int64_t D : {32, 64, 128}) {
        found.push_back({defaults, shape_of(D, kernel.dtypes.front(), false)});
        found.back().chosen[parameter.name] = value;
      }
    }
  }
  std::mt19937 generator(7);
  const auto draw = [&](std::size_t count) { return static_cast<std::size_t>(generator()) % count; };
  for (int i = 0; i < draws; ++i) {
    CompileClass one{defaults, shape_of(head_sizes[draw(head_sizes.size())],
                                        kernel.dtypes[draw(kernel.dtypes.size())], draw(2) == 1)};
    for (const ParameterDeclaration& parameter : kernel.parameters) {
      if (draw(2) == 1) one.chosen[parameter.name] = parameter.values[draw(parameter.values.size())];
    }
    found.push_back(std::move(one));
  }
  return found;
}

struct Candidate {
  CompileClass what;
  std::set<Choice> choices;
  std::set<std::string> pairs;
  std::int64_t shared_bytes = 0;
};

std::vector<Candidate> legal_candidates(const KernelDeclaration& kernel, const DeviceModel& device) {
  std::vector<Candidate> legal;
  for (CompileClass& one : candidates(kernel)) {
    if (!why_invalid(kernel, one.chosen, one.shape, device).empty()) continue;
    const std::int64_t bytes = launch_geometry(kernel, one.chosen, one.shape, device).dynamic_shared_bytes;
    const std::set<Choice> choices = choices_of(one);
    legal.push_back({std::move(one), choices, pairs_of(choices), bytes});
  }
  return legal;
}

// How many of `wanted` are not yet in `had`.
std::size_t count_new(const std::set<std::string>& wanted, const std::set<std::string>& had) {
  return static_cast<std::size_t>(std::count_if(wanted.begin(), wanted.end(),
                                                [&](const std::string& one) { return !had.contains(one); }));
}

DeviceClasses classes_of(const KernelDeclaration& kernel, const DeviceModel& device, std::size_t least,
                         bool every_size, std::set<std::string>& pairs) {
  DeviceClasses found{&device, {}, {}};
  const std::vector<Candidate> legal = legal_candidates(kernel, device);
  std::set<Choice> had;
  const auto take = [&](const Candidate& one) {
    if (std::find(found.classes.begin(), found.classes.end(), one.what) != found.classes.end()) return;
    found.classes.push_back(one.what);
    had.insert(one.choices.begin(), one.choices.end());
    pairs.insert(one.pairs.begin(), one.pairs.end());
  };
  const auto shared_bytes_less = [](const Candidate& one, const Candidate& other) {
    return one.shared_bytes < other.shared_bytes;
  };
  const auto [smallest, largest] = std::minmax_element(legal.begin(), legal.end(), shared_bytes_less);
  for (const Candidate& one : legal) {
    if (found.classes.size() < 2 && one.what.chosen == kernel.complete({})) take(one);
  }
  if (smallest != legal.end()) take(*smallest), take(*largest);

  std::set<Choice> taken;
  for (const Candidate& one : legal) taken.insert(one.choices.begin(), one.choices.end());
  const std::set<Choice> wanted = wanted_choices(kernel, every_size, taken);
  while (!legal.empty()) {
    const std::size_t missing = count_new(wanted, had);
    if (missing == 0 && found.classes.size() >= least) break;
    // Values that this device does not have yet come first; pairs decide among equals.
    const Candidate* best = nullptr;
    std::pair<std::size_t, std::size_t> most{};
    for (const Candidate& one : legal) {
      const std::pair worth(count_new(one.choices, had), count_new(one.pairs, pairs));
      if (worth > most) most = worth, best = &one;
    }
    if (best == nullptr || (missing > 0 && most.first == 0)) break;
    take(*best);
  }
  for (const Choice& choice : wanted) {
    if (!had.contains(choice)) found.missing.push_back(choice);
  }
  return found;
}

}  // namespace

std::string to_string(const CompileClass& one) {
  std::string text =
      to_string(one.chosen) + " D" + std::to_string(one.shape.D) + " " + to_string(one.shape.dtype);
  return one.shape.causal ? text + " causal" : text;
}

std::vector<DeviceClasses> covering_classes(const KernelDeclaration& kernel,
                                            const std::vector<const DeviceModel*>& devices, std::size_t least,
                                            bool every_size) {
  std::vector<DeviceClasses> found;
  found.reserve(devices.size());
  std::set<std::string> pairs;
  for (const DeviceModel* device : devices)
    found.push_back(classes_of(kernel, *device, least, every_size, pairs));
  return found;
}

}  // namespace tilescope
