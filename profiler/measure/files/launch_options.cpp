#include "profiler/measure/files/launch_options.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

#include "base/json.hpp"
#include "profiler/kernels/compile/compiler_options.hpp"
#include "profiler/measure/files/launch_file.hpp"

namespace tilescope {
namespace {

constexpr const char* member = "options";

// "TILE" of "-DTILE=32"; "" for another option.
std::string_view defined_by(std::string_view option) {
  return option.starts_with("-D") ? option.substr(2, option.find('=') - 2) : std::string_view();
}

bool replaces(const std::string& option, const std::string& other) {
  return option == other || (!defined_by(option).empty() && defined_by(option) == defined_by(other));
}

}  // namespace

bool may_be_in_launch(const std::string& option) {
  constexpr std::array<std::string_view, 5> beginnings = {"-I", "-D", "-U", "-maxrregcount",
                                                          "--maxrregcount"};
  constexpr std::array<std::string_view, 13> names = {"-use_fast_math",
                                                      "--use_fast_math",
                                                      "-fmad",
                                                      "--fmad",
                                                      "-ftz",
                                                      "--ftz",
                                                      "-prec-div",
                                                      "--prec-div",
                                                      "-prec-sqrt",
                                                      "--prec-sqrt",
                                                      "-std",
                                                      "--std",
                                                      "--extra-device-vectorization"};
  constexpr std::array<std::string_view, 4> flags = {"--extended-lambda", "--expt-extended-lambda",
                                                     "--expt-relaxed-constexpr", "-extended-lambda"};
  const auto begins = [&](std::string_view beginning) { return option.starts_with(beginning); };
  const std::string_view name = std::string_view(option).substr(0, option.find('='));
  return std::ranges::any_of(beginnings, begins) || std::ranges::find(names, name) != names.end() ||
         std::ranges::find(flags, option) != flags.end();
}

std::vector<std::string> launch_options(const std::string& document, const std::filesystem::path& folder) {
  std::vector<std::string> options;
  const Json launch = Json::parse(document, nullptr, false);
  if (!launch.is_object() || !launch.contains(member)) return options;
  const Json& list = launch.at(member);
  const bool is_list =
      list.is_array() && std::ranges::all_of(list, [](const Json& one) { return one.is_string(); });
  if (!is_list) throw LaunchFileError("options: must be a list of texts, such as [\"-DTILE=32\"]");
  for (const Json& one : list) {
    options.push_back(one.get<std::string>());
    if (!may_be_in_launch(options.back()))
      throw LaunchFileError(
          fmt::format("options: '{}' is for the command line alone (--option). A launch may have -I, -D, -U, "
                      "--use_fast_math, -maxrregcount=N, -std and others that change the code alone",
                      options.back()));
  }
  return joined_options(options, folder);
}

std::vector<std::string> with_launch_options(const std::optional<SentFile>& launch,
                                             std::vector<std::string> given) {
  if (!launch) return given;
  std::vector<std::string> options =
      launch_options(contents_of(*launch), std::filesystem::path(launch->path).parent_path());
  std::erase_if(options, [&](const std::string& option) {
    return std::ranges::any_of(given, [&](const std::string& other) { return replaces(other, option); });
  });
  options.insert(options.end(), std::make_move_iterator(given.begin()), std::make_move_iterator(given.end()));
  return options;
}

}  // namespace tilescope
