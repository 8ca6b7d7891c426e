#include "profiler/measure/open/launch_guess.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <set>
#include <stdexcept>
#include <utility>

#include "profiler/execution/simt/launch_limits.hpp"
#include "profiler/kernels/formula/formula.hpp"
#include "profiler/measure/open/block_search.hpp"
#include "profiler/measure/open/buffer_guess.hpp"
#include "profiler/measure/open/chosen_values.hpp"
#include "profiler/measure/open/grid_search.hpp"
#include "profiler/measure/open/probe_arguments.hpp"

namespace tilescope {
namespace {

// Warp instructions of the blocks that show how far a launch reaches.
constexpr double most_tried_instructions = 4e6;
constexpr std::array<const char*, 3> axis_names = {"x", "y", "z"};

// "width" of "A.width".
std::string last_name(const KnownParameter& parameter) {
  return parameter.is_member ? parameter.name.substr(parameter.name.find_last_of('.') + 1) : parameter.name;
}

SuggestedNumber suggested_for(const KnownParameter& parameter, const SuggestionBasis& basis) {
  const Element& element = *parameter.element;
  const bool is_floating = element.kind == Element::Kind::floating;
  SuggestedNumber number = suggested_number(last_name(parameter), is_floating, basis);
  constexpr double most_of_byte = 127;
  if (is_floating || element.bytes > 1 || number.value <= most_of_byte) return number;
  return {1, "1 for a number of one byte whose name says nothing known"};
}

class LaunchGuesser {
 public:
  explicit LaunchGuesser(const GuessSources& sources) : sources_(sources) {
    launch_.parameters =
        known_parameters(sources.entry, sources.program.parameters, sources.written.parameters);
    take_written();
  }

  GuessedLaunch guess() {
    guess_numbers();
    refuse_unknown_choices();
    guess_shared();
    guess_block();
    if (launch_.problem.empty()) guess_grid();
    if (launch_.problem.empty()) probe();
    launch_.is_cooperative = sources_.written.is_cooperative;
    return std::move(launch_);
  }

  GuessedLaunch reach_of_contents(GuessedLaunch launch) {
    launch_ = std::move(launch);
    ProbedLaunch probed = run(launch_.grid, blocks_of_sample());
    ProbedLaunch before;
    for (const auto& buffer : launch_.buffers)
      before.regions.push_back(buffer ? buffer->touched : TouchedRegion());
    join(before, probed);
    for (const KnownParameter& parameter : launch_.parameters) {
      if (parameter.is_pointer)
        std::erase_if(launch_.guesses, [&](const LaunchGuess& guess) {
          return guess.what.starts_with(parameter.name + ": ");
        });
    }
    take(probed);
    return std::move(launch_);
  }

 private:
  const std::string* chosen(const std::string& what) const {
    const auto found = sources_.chosen.find(what);
    return found == sources_.chosen.end() ? nullptr : &found->second;
  }
  void add(std::string what, std::string value, std::string reason) {
    launch_.guesses.push_back({std::move(what), std::move(value), std::move(reason)});
  }

  // The file's values of each parameter and of each member.
  void take_written() {
    const WrittenKernel& written = sources_.written;
    std::size_t member = 0;
    for (const KnownParameter& parameter : launch_.parameters) {
      const std::size_t i = parameter.parameter;
      member = parameter.is_member && parameter.offset > 0 ? member + 1 : 0;
      WrittenMember one;
      if (!parameter.is_member) {
        if (i < written.arguments.size()) one.number = written.arguments[i];
        if (i < written.buffers.size()) one.buffer = written.buffers[i];
      } else if (i < written.members.size() && member < written.members[i].size()) {
        one = written.members[i][member];
      }
      written_.push_back(std::move(one));
    }
  }

  // A pointer that the launch in the file passes as 0.
  void find_null_pointers() {
    for (std::size_t i = 0; i < launch_.parameters.size(); ++i) {
      KnownParameter& parameter = launch_.parameters[i];
      const auto& argument = written_[i].number;
      if (parameter.is_member || !parameter.is_pointer || !argument) continue;
      if (argument->value != 0 || argument->is_guess) continue;
      parameter.is_pointer = false;
      parameter.element = element_named("u64");
    }
  }

  void guess_numbers() {
    find_null_pointers();
    const std::vector<KnownParameter>& parameters = launch_.parameters;
    std::vector<std::optional<SuggestedNumber>> values(parameters.size());
    std::vector<bool> is_guess(parameters.size());
    for (std::size_t i = 0; i < parameters.size(); ++i) {
      const KnownParameter& parameter = parameters[i];
      if (parameter.is_pointer || parameter.is_structure) continue;
      if (const std::string* const given = chosen(parameter.name)) {
        values[i] = SuggestedNumber{chosen_number(parameter.name, *given), ""};
      } else if (written_[i].number && !is_scale_by_name(parameter, *written_[i].number)) {
        values[i] = written_[i].number;
        is_guess[i] = written_[i].number->is_guess;
      } else {
        values[i] = suggested_for(parameter, sources_.basis);
        is_guess[i] = true;
      }
    }
    for (std::size_t i = 0; i < parameters.size(); ++i)
      has_guessed_size_ |= is_guess[i] && parameters[i].element->kind != Element::Kind::floating;
    suggest_strides(parameters, is_guess, sources_.written.compiled_in, values);
    take_numbers(values);
  }

  // A floating-point number that the host passes and does not give: its name there has no known type, in a template.
  static bool is_scale_by_name(const KnownParameter& parameter, const SuggestedNumber& number) {
    return number.is_guess && parameter.element->kind == Element::Kind::floating;
  }

  // A misspelt name would leave the guess in place without a word.
  void refuse_unknown_choices() const {
    std::vector<std::string> names = {"block", "grid", "shared"};
    for (const KnownParameter& parameter : launch_.parameters) {
      if (parameter.is_structure) continue;
      if (!parameter.is_pointer) names.push_back(parameter.name);
      if (parameter.is_pointer) names.push_back(parameter.name + ": elements");
      if (parameter.is_pointer) names.push_back(parameter.name + ": fill");
      if (parameter.is_pointer) names.push_back(parameter.name + ": expected");
      if (parameter.is_pointer && formula_name(parameter.name) != parameter.name)
        names.push_back(formula_name(parameter.name) + ": expected");
    }
    for (const auto& [name, value] : sources_.chosen) {
      if (sources_.written.taken.contains(name) || std::ranges::find(names, name) != names.end()) continue;
      throw std::invalid_argument(fmt::format(
          "no value of this launch is named '{}': give one of {}{}", name, fmt::join(names, ", "),
          is_whole(sources_.written.grid) ? ", or a number of the host code on which the launch depends"
                                          : ""));
    }
  }

  void take_numbers(const std::vector<std::optional<SuggestedNumber>>& values) {
    launch_.numbers.resize(values.size());
    for (std::size_t i = 0; i < values.size(); ++i) {
      const KnownParameter& parameter = launch_.parameters[i];
      if (values[i]) launch_.numbers[i] = values[i]->value;
      if (values[i] && !values[i]->reason.empty())
        add(parameter.name, value_text(parameter, values[i]->value), values[i]->reason);
      if (parameter.is_structure)
        add(parameter.name, "0",
            fmt::format("a structure of {} B whose members are not known: zeros", parameter.bytes));
    }
  }

  // "1.0" where the kernel takes a fraction, "1" where it takes a whole number.
  static std::string value_text(const KnownParameter& parameter, double value) {
    const std::string text = number_text(value);
    const bool is_floating = parameter.element && parameter.element->kind == Element::Kind::floating;
    return is_floating && text.find_first_of(".e") == std::string::npos ? text + ".0" : text;
  }

  static bool is_whole(const std::array<std::optional<SuggestedNumber>, 3>& sizes) {
    return std::ranges::all_of(sizes, [](const auto& size) { return size.has_value(); });
  }
  // Sizes of a launch that the file has; none where one of them is not a size.
  static std::optional<simt::Dimensions> written(const std::array<std::optional<SuggestedNumber>, 3>& sizes) {
    if (!is_whole(sizes)) return std::nullopt;
    std::array<std::uint32_t, 3> whole{};
    for (std::size_t axis = 0; axis < 3; ++axis) {
      const double value = std::floor(sizes[axis]->value);
      if (!(value >= 1) || value > 2147483647.0) return std::nullopt;
      whole[axis] = static_cast<std::uint32_t>(value);
    }
    return simt::Dimensions{whole[0], whole[1], whole[2]};
  }
  static std::string reason_of(const std::array<std::optional<SuggestedNumber>, 3>& sizes) {
    std::string reason = sizes[0]->reason;
    const std::string launch = reason.substr(0, reason.find(": ") + 2);
    for (std::size_t axis = 1; axis < 3; ++axis) {
      if (sizes[axis]->value == 1 || sizes[axis]->reason == sizes[0]->reason) continue;
      const std::string& further = sizes[axis]->reason;
      reason += "; " + (further.starts_with(launch) ? further.substr(launch.size())
                                                    : fmt::format("{}: {}", axis_names[axis], further));
    }
    return reason;
  }

  static bool is_guess(const std::array<std::optional<SuggestedNumber>, 3>& sizes) {
    return std::ranges::any_of(sizes, [](const auto& size) { return size && size->is_guess; });
  }

  void guess_block() {
    const auto take = [this](const simt::Dimensions& block, const std::string& reason) {
      launch_.block = block;
      if (!reason.empty()) add("block", sizes_text(block), reason);
    };
    if (const std::string* const given = chosen("block")) {
      const auto sizes = chosen_sizes("block", *given);
      return take({sizes[0], sizes[1], sizes[2]}, "");
    }
    const simt::DeclaredSize& required = sources_.program.required_block;
    if (required.x != 0)
      return take({required.x, std::max(required.y, 1U), std::max(required.z, 1U)},
                  "the kernel must be launched with it (.reqntid)");
    const std::uint32_t most = sources_.program.max_threads == 0 ? 1024 : sources_.program.max_threads;
    const std::uint32_t most_that_fit = simt::most_threads_of_block(sources_.program);
    const auto size = written(sources_.written.block);
    const bool fits = size && size->count() <= (is_guess(sources_.written.block) ? most_that_fit : most);
    if (fits) return take(*size, reason_of(sources_.written.block));
    if (size && !is_guess(sources_.written.block)) {
      launch_.problem =
          fmt::format("A block of {} has {} threads, and the kernel can have {}: {}.", sizes_text(*size),
                      size->count(), most, reason_of(sources_.written.block));
      return;
    }
    const FoundBlock found = find_block(usual_blocks(sources_.axes.thread_y, most_that_fit),
                                        [this](const simt::Dimensions& size) { return try_block(size); });
    const std::string lead =
        size ? fmt::format("the launch in the file has {} threads with guessed values", size->count())
             : "no launch is in the file";
    take(found.block,
         lead + (found.stores_all_once ? "; with it each element is stored once"
                                       : ", and none of the usual sizes stores each element once"));
  }

  // The whole grid with a size of block. Of one that has no end, a block shows faults alone; of a large one nothing is known.
  TriedBlock try_block(const simt::Dimensions& size) {
    constexpr std::uint64_t most_blocks = 4096;
    launch_.block = size;
    const FoundGrid found = searched_grid();
    TriedBlock tried;
    if (found.grid.count() > most_blocks) return tried;
    std::vector<std::uint64_t> blocks(found.has_end ? found.grid.count() : 1);
    std::iota(blocks.begin(), blocks.end(), 0);
    const ProbedLaunch probed = run(found.grid, blocks);
    tried.has_fault = probed.fault.has_value();
    if (!found.has_end) return tried;
    double stored = 0, bytes = 0;
    for (const TouchedRegion& region : probed.regions) {
      if (region.stored_bytes == 0) continue;
      stored += static_cast<double>(region.stored_bytes);
      bytes += static_cast<double>(region.bytes + region.below);
    }
    if (bytes > 0) tried.stores_per_byte = stored / bytes;
    return tried;
  }

  void guess_shared() {
    if (const std::string* const given = chosen("shared")) {
      launch_.dynamic_shared_bytes =
          static_cast<std::uint32_t>(std::max(0.0, chosen_number("shared", *given)));
    } else if (const auto& shared = sources_.written.shared;
               shared && shared->value > 0 && !is_absurd(*shared)) {
      launch_.dynamic_shared_bytes = static_cast<std::uint32_t>(shared->value);
      add("shared", number_text(shared->value), shared->reason);
    }
  }

  // More than any GPU has, with a guessed value: what the kernel accesses says more.
  static bool is_absurd(const SuggestedNumber& shared) {
    constexpr double most_bytes = 227 * 1024;
    return shared.is_guess && shared.value > most_bytes;
  }

  ProbedLaunch run(const simt::Dimensions& grid, const std::vector<std::uint64_t>& blocks) const {
    return probe_launch(sources_.program, grid, launch_.block, launch_.dynamic_shared_bytes,
                        probe_arguments(launch_), blocks, sources_.cancelled);
  }

  FoundGrid searched_grid() const {
    return find_grid(
        {sources_.axes.block_y, sources_.axes.block_z},
        [this](const simt::Dimensions& grid, std::uint64_t block) { return run(grid, {block}).stores; });
  }

  void guess_grid() {
    if (const std::string* const given = chosen("grid")) {
      const auto sizes = chosen_sizes("grid", *given);
      launch_.grid = {sizes[0], sizes[1], sizes[2]};
      return;
    }
    if (const auto size = written(sources_.written.grid)) {
      if (is_guess(sources_.written.grid) && take_wider_grid(*size)) return;
      launch_.grid = *size;
      add("grid", sizes_text(*size), reason_of(sources_.written.grid));
      return;
    }
    const FoundGrid found = searched_grid();
    launch_.grid = found.grid;
    add("grid", sizes_text(found.grid), found.reason);
  }

  // The launch in the file has a size that is a guess and not one of the kernel's arguments: blocks beyond it may store, too.
  bool take_wider_grid(const simt::Dimensions& size) {
    const FoundGrid found = searched_grid();
    if (!found.has_end || found.grid.count() <= size.count()) return false;
    launch_.grid = found.grid;
    add("grid", sizes_text(found.grid),
        fmt::format("{}; the launch in the file has {} with guessed values", found.reason, sizes_text(size)));
    return true;
  }

  // Runs blocks that reach far. A kernel that wants more shared memory than it is given gets more.
  ProbedLaunch reach() {
    constexpr std::array<std::uint32_t, 4> shared_sizes = {16U << 10U, 48U << 10U, 99U << 10U, 227U << 10U};
    const auto fixed = static_cast<std::uint32_t>(sources_.program.static_shared_bytes);
    const std::uint32_t before = launch_.dynamic_shared_bytes;
    ProbedLaunch probed = run(launch_.grid, {0});
    const auto lacks_shared = [](const ProbedLaunch& launch) {
      return launch.fault && launch.fault->kind == simt::FaultKind::out_of_bounds &&
             launch.fault->text.find("shared") != std::string::npos;
    };
    for (const std::uint32_t size : shared_sizes) {
      if (is_shared_known() || !lacks_shared(probed)) break;
      if (size <= fixed || size > sources_.most_shared_bytes) continue;
      launch_.dynamic_shared_bytes = size - fixed;
      probed = run(launch_.grid, {0});
    }
    // The size is not what it lacks.
    if (lacks_shared(probed)) launch_.dynamic_shared_bytes = before;
    if (launch_.dynamic_shared_bytes != before)
      add("shared", std::to_string(launch_.dynamic_shared_bytes),
          "with less dynamic shared memory the kernel accesses shared memory that it does not have");
    if (probed.fault || probed.cancelled) return probed;
    const double instructions = std::max(1.0, cost_of(probed).instructions);
    ProbedLaunch further =
        run(launch_.grid,
            reaching_blocks(launch_.grid, static_cast<std::size_t>(most_tried_instructions / instructions)));
    join(further, probed);
    probed.instructions = std::move(further.instructions);
    return probed;
  }

  // The user gave it, or a launch of which all values are in the file.
  bool is_shared_known() const {
    const auto& shared = sources_.written.shared;
    return chosen("shared") != nullptr || (shared && shared->value > 0 && !shared->is_guess);
  }

  static BlockCost cost_of(const ProbedLaunch& probed) {
    const double blocks = std::max(1.0, static_cast<double>(probed.instructions.size()));
    BlockCost cost{0, 0};
    for (const auto& [block, instructions] : probed.instructions)
      cost.instructions += static_cast<double>(instructions) / blocks;
    for (const TouchedRegion& region : probed.regions)
      cost.bytes += static_cast<double>(touched_bytes(region)) / blocks;
    return cost;
  }

  // The blocks that will stand for the grid, and all that they touch.
  void probe() {
    ProbedLaunch probed = reach();
    launch_.sample = sample_of_grid(launch_.grid, cost_of(probed), sources_.blocks);
    if (!probed.fault && !probed.cancelled) join(run(launch_.grid, blocks_of_sample()), probed);
    take(probed);
  }

  std::vector<std::uint64_t> blocks_of_sample() const {
    std::vector<std::uint64_t> blocks(launch_.sample.empty() ? launch_.grid.count() : launch_.sample.size());
    if (launch_.sample.empty())
      std::iota(blocks.begin(), blocks.end(), std::uint64_t{0});
    else
      std::ranges::transform(launch_.sample, blocks.begin(), &SampledBlock::index);
    return blocks;
  }

  void take(const ProbedLaunch& probed) {
    launch_.buffers.resize(launch_.parameters.size());
    std::uint64_t total = 0;
    for (std::size_t i = 0; i < launch_.parameters.size(); ++i) {
      const KnownParameter& parameter = launch_.parameters[i];
      if (!parameter.is_pointer) continue;
      BufferSources sources{probed.regions[i], launch_.numbers, launch_.block.count()};
      sources.elements = chosen(parameter.name + ": elements");
      sources.fill = chosen(parameter.name + ": fill");
      sources.written = written_[i].buffer;
      launch_.buffers[i] = guess_buffer(parameter, sources, launch_.guesses);
      for (const std::string& name : std::set{parameter.name, formula_name(parameter.name)}) {
        if (const std::string* const formula = chosen(name + ": expected"))
          expect(*formula, *launch_.buffers[i]);
      }
      total += launch_.buffers[i]->count * launch_.buffers[i]->element.bytes;
    }
    launch_.problem = why_too_large(launch_, total);
    const bool runs_long = probed.fault && probed.fault->kind == simt::FaultKind::instruction_budget;
    launch_.is_too_large = has_guessed_size_ && (!launch_.problem.empty() || runs_long);
    if (launch_.problem.empty() && probed.fault) launch_.problem = why_it_faults(*probed.fault);
  }

  // A formula may name numbers of the source. One that cannot be read is refused where the launch is.
  void expect(const std::string& formula, GuessedBuffer& buffer) {
    buffer.expected = formula;
    try {
      const Formula read(formula);
      for (const std::string& name : read.names()) {
        const auto number = sources_.constants.find(name);
        if (number != sources_.constants.end()) launch_.formula_numbers.insert(*number);
      }
    } catch (const FormulaError&) {
    }
  }

  // A fault that a wrong guess may have caused. Others are the kernel's, and its checked run reports them.
  std::string why_it_faults(const simt::Fault& fault) const {
    if (fault.kind != simt::FaultKind::out_of_bounds && fault.kind != simt::FaultKind::misaligned) return "";
    const char* launch = sources_.chosen.empty() ? "The launch as it was guessed" : "This launch";
    return fmt::format("{} does not run. {} {} Give other values (--set NAME=VALUE).", launch, fault.text,
                       cause_of(fault));
  }

  static const char* cause_of(const simt::Fault& fault) {
    if (fault.kind == simt::FaultKind::misaligned)
      return "A row whose length is no multiple of the access's width begins at such an address.";
    const bool is_of_no_buffer = fault.address < simt::allocation_base || fault.address >= simt::param_window;
    return is_of_no_buffer
               ? "The address comes from no buffer of the launch: a pointer in a structure or in an "
                 "array of pointers is not found out."
               : "An index is below the start of a buffer, or far beyond any size.";
  }

  const GuessSources& sources_;
  GuessedLaunch launch_;
  // By GuessedLaunch::parameters.
  std::vector<WrittenMember> written_;
  bool has_guessed_size_ = false;
};

}  // namespace

GuessedLaunch guess_launch(const GuessSources& sources) {
  return LaunchGuesser(sources).guess();
}

GuessedLaunch with_reach_of_contents(const GuessSources& sources, GuessedLaunch launch) {
  return LaunchGuesser(sources).reach_of_contents(std::move(launch));
}

}  // namespace tilescope
