#include "profiler/service/client/neighbours.hpp"

#include <algorithm>
#include <utility>

#include "profiler/kernels/catalogue/constraints.hpp"

namespace tilescope {
namespace {

using Direction = SliderMove::Direction;

/// The declared place of the parameter's value; nothing for a value that is not declared.
std::optional<std::size_t> place_of(const ParameterDeclaration& parameter,
                                    const Configuration& configuration) {
  const auto chosen = configuration.find(parameter.name);
  if (chosen == configuration.end()) return std::nullopt;
  const auto found = std::find(parameter.values.begin(), parameter.values.end(), chosen->second);
  if (found == parameter.values.end()) return std::nullopt;
  return static_cast<std::size_t>(found - parameter.values.begin());
}

bool has_names(const ParameterDeclaration& parameter) {
  return std::any_of(parameter.values.begin(), parameter.values.end(),
                     [](const ParameterValue& value) { return std::holds_alternative<std::string>(value); });
}

Direction opposite(Direction direction) {
  return direction == Direction::up ? Direction::down : Direction::up;
}

/// Collects the neighbours of one experiment.
class Neighbourhood {
 public:
  Neighbourhood(const KernelDeclaration& kernel, const DeviceModel& device, const Experiment& experiment)
      : kernel_(kernel), device_(device), experiment_(experiment) {}

  void add_last_move(const ParameterDeclaration& parameter, Direction direction) {
    const std::size_t names = parameter.values.size();
    add_steps(parameter, direction, has_names(parameter) ? names : 2, true);
    add_steps(parameter, opposite(direction), has_names(parameter) ? names : 1, true);
  }
  void add_other(const ParameterDeclaration& parameter) {
    const std::size_t steps = has_names(parameter) ? parameter.values.size() : 1;
    add_steps(parameter, Direction::up, steps, false);
    add_steps(parameter, Direction::down, steps, false);
  }
  std::vector<Neighbour> take() { return std::move(found_); }

 private:
  /// The next `steps` valid values in a direction; fewer at the slider's end.
  void add_steps(const ParameterDeclaration& parameter, Direction direction, std::size_t steps,
                 bool is_of_last_move) {
    const auto place = place_of(parameter, experiment_.parameters);
    if (!place) return;
    const std::size_t on_this_side =
        direction == Direction::up ? parameter.values.size() - 1 - *place : *place;
    for (std::size_t step = 1; step <= on_this_side && steps > 0; ++step) {
      if (found_.size() == max_neighbours) return;
      Neighbour neighbour{experiment_, is_of_last_move};
      const std::size_t there = direction == Direction::up ? *place + step : *place - step;
      neighbour.experiment.parameters[parameter.name] = parameter.values[there];
      if (!why_invalid(kernel_, neighbour.experiment.parameters, experiment_.shape, device_).empty())
        continue;
      found_.push_back(std::move(neighbour));
      --steps;
    }
  }

  const KernelDeclaration& kernel_;
  const DeviceModel& device_;
  const Experiment& experiment_;
  std::vector<Neighbour> found_;
};

}  // namespace

std::optional<SliderMove> slider_move(const KernelDeclaration& kernel, const Experiment& from,
                                      const Experiment& to) {
  if (from.kernel != to.kernel) return std::nullopt;
  std::optional<SliderMove> move;
  for (const ParameterDeclaration& parameter : kernel.parameters) {
    const auto before = place_of(parameter, from.parameters), now = place_of(parameter, to.parameters);
    if (!before || !now || (move && before != now)) return std::nullopt;
    if (before != now) move = {parameter.name, *before < *now ? Direction::up : Direction::down};
  }
  return move;
}

std::vector<Neighbour> neighbours_of(const KernelDeclaration& kernel, const DeviceModel& device,
                                     const Experiment& experiment,
                                     const std::optional<SliderMove>& last_move) {
  Neighbourhood neighbourhood(kernel, device, experiment);
  const ParameterDeclaration* moved = last_move ? kernel.find_parameter(last_move->parameter) : nullptr;
  if (moved != nullptr) neighbourhood.add_last_move(*moved, last_move->direction);
  for (const ParameterDeclaration& parameter : kernel.parameters) {
    if (&parameter != moved) neighbourhood.add_other(parameter);
  }
  return neighbourhood.take();
}

}  // namespace tilescope
