#include "app/commands/opened_side.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <system_error>

#include "profiler/kernels/catalogue/kernel_declaration.hpp"
#include "profiler/kernels/formula/formula.hpp"
#include "profiler/views/kernel_file/file_measurement.hpp"
#include "profiler/views/kernel_file/named_sources.hpp"

namespace tilescope {
namespace {

namespace fs = std::filesystem;

constexpr const char* entry_setting = "entry";

std::int64_t blocks_of(const BlockChoice& blocks) {
  if (blocks.kind == BlockChoice::Kind::all) return OpenFile::all_blocks;
  return blocks.kind == BlockChoice::Kind::count ? blocks.count : 0;
}

OpenFile::Params opening_of(const ComparedSide& side, const OpeningOptions& options,
                            const Experiment& conditions, LaunchArguments& launch,
                            std::chrono::milliseconds time_limit) {
  OpenFile::Params params;
  for (const auto& [name, value] : side.parameters) {
    if (name == entry_setting) {
      launch.entry = to_string(value);
    } else {
      params.chosen[name] = to_string(value);
    }
  }
  options.add_to(params);
  launch.launch = declared_launch(side.name, !params.chosen.empty());
  params.device = conditions.device;
  params.blocks = blocks_of(conditions.blocks);
  params.subject = launch.subject(side.name, time_limit);
  return params;
}

std::map<std::string, std::string> equal_formulas(const OpenedPoint& point) {
  constexpr std::string_view ending = ": expected";
  std::map<std::string, std::string> formulas;
  for (const LaunchGuess& guess : point.guesses) {
    if (guess.what.ends_with(ending))
      formulas.emplace(guess.what.substr(0, guess.what.size() - ending.size()), guess.value);
  }
  return formulas;
}

}  // namespace

bool is_opened(const ComparedSide& side, const Catalogue& catalogue) {
  std::error_code ignored;
  const auto& kernels = catalogue.kernels();
  const bool is_named = std::ranges::find(kernels, side.name, &KernelDeclaration::name) != kernels.end();
  if (side.is_session || is_named) return false;
  const fs::path file = side.name;
  if (file.extension() == ".cu") return fs::is_regular_file(file, ignored) && !declares_kernel(file);
  return fs::exists(file, ignored);
}

OpenedSide open_side(Client& client, const ComparedSide& side, const OpeningOptions& options,
                     const Experiment& conditions, std::chrono::milliseconds time_limit) {
  LaunchArguments launch;
  const OpenFile::Params params = opening_of(side, options, conditions, launch, time_limit);
  const OpenedPoint opened = ask_to_open(client, params);
  refuse_unopened(opened, side.name, launch);
  OpenedSide found{file_measurement(opened, side.name, params.chosen), named_sources(opened, side.name),
                   equal_formulas(opened)};
  // An instantiation was chosen, whose arguments the name does not have.
  if (launch.entry.find('<') != std::string::npos)
    found.point.parameters.emplace(entry_setting, launch.entry);
  return found;
}

std::vector<std::string> result_remarks(const OpenedSide& a, const OpenedSide& b) {
  std::vector<std::string> remarks;
  if (a.point.status != Status::unchecked || b.point.status != Status::unchecked) return remarks;
  for (const auto& [output, formula] : a.equal_formulas) {
    const auto other = b.equal_formulas.find(output);
    if (other == b.equal_formulas.end()) {
      remarks.push_back(
          fmt::format("'{}' equals {} in A alone: B may compute something else.", output, formula));
    } else if (other->second == formula) {
      remarks.push_back(fmt::format("'{}' equals {} in both. If it should, check it by --expect \"{} = {}\".",
                                    output, formula, formula_name(output), formula));
    }
  }
  for (const auto& [output, formula] : b.equal_formulas) {
    if (!a.equal_formulas.contains(output))
      remarks.push_back(
          fmt::format("'{}' equals {} in B alone: A may compute something else.", output, formula));
  }
  return remarks;
}

}  // namespace tilescope
