#include "sessions/compare/side_names.hpp"

#include <algorithm>
#include <array>
#include <string_view>

namespace tilescope {
namespace {

bool are_known_and_differ(const std::string& a, const std::string& b) {
  return !a.empty() && !b.empty() && a != b;
}

bool is_of_other_compiler(const Measurement& a, const Measurement& b) {
  return a.provenance.compiler != b.provenance.compiler ||
         are_known_and_differ(compiler_words(a.provenance), compiler_words(b.provenance));
}

bool is_of_other_library(const Measurement& a, const Measurement& b) {
  return are_known_and_differ(a.provenance.library_version, b.provenance.library_version);
}

// "NVRTC 13.0"
std::string compiler_of(const Measurement& point) {
  const std::string words = compiler_words(point.provenance);
  return words.empty() ? proper_name(point.provenance.compiler) : words;
}

std::string build_words(const Measurement& side, std::span<const Measurement* const> peers) {
  const auto any = [&](bool (*differs)(const Measurement&, const Measurement&)) {
    return std::ranges::any_of(peers, [&](const Measurement* peer) { return differs(side, *peer); });
  };
  if (any(is_of_other_compiler)) return " (" + compiler_of(side) + ")";
  if (any(is_of_other_library)) return " (" + side.provenance.library_version + ")";
  return "";
}

bool has_setting(const Measurement& point, const std::string& name, const ParameterValue& value) {
  const auto found = point.parameters.find(name);
  return found != point.parameters.end() && found->second == value;
}

// Options besides those that follow from the settings, the shape, the device and the place of headers.
std::vector<std::string> free_options(const Measurement& point) {
  constexpr std::array<std::string_view, 4> derived{"-D", "-I", "--gpu-architecture", "--include-path"};
  std::vector<std::string> options;
  for (const std::string& option : point.provenance.compile_options) {
    const auto begins = [&](std::string_view start) { return option.starts_with(start); };
    if (std::ranges::none_of(derived, begins)) options.push_back(option);
  }
  return options;
}

// "-use_fast_math", "none": options that the other side does not have.
std::string options_beside(const std::vector<std::string>& options, const std::vector<std::string>& others) {
  std::string text;
  for (const std::string& option : options) {
    if (std::ranges::find(others, option) == others.end()) text += (text.empty() ? "" : " ") + option;
  }
  return text.empty() ? "none" : text;
}

std::string differ_sentence(const std::string& what, const std::string& a, const std::string& b) {
  return "The " + what + " differ: A " + a + ", B " + b + ".";
}

}  // namespace

std::string side_name(const Measurement& side, std::span<const Measurement* const> others) {
  std::vector<const Measurement*> peers;
  for (const Measurement* other : others) {
    if (other != &side && other->kernel == side.kernel) peers.push_back(other);
  }
  std::string text = side.kernel;
  // A kernel of a file has all constants of its source as parameters.
  if (peers.empty() && side.arguments) return text;
  for (const auto& [name, value] : side.parameters) {
    const auto is_equal = [&, &name = name, &value = value](const Measurement* peer) {
      return has_setting(*peer, name, value);
    };
    if (peers.empty() || !std::ranges::all_of(peers, is_equal)) text += " " + name + "=" + to_string(value);
  }
  return text + build_words(side, peers);
}

std::string side_name(const Measurement& side, const Measurement& other) {
  const std::array<const Measurement*, 1> others{&other};
  return side_name(side, others);
}

std::string other_kernel_warning(const std::string& letter, const std::string& session,
                                 const Measurement& chosen, const Measurement& other, bool has_other) {
  if (chosen.kernel == other.kernel) return "";
  return letter + ", the best point of " + session + ", is of " + chosen.kernel + ", the other side of " +
         other.kernel + ": " +
         (has_other ? "add kernel=" + other.kernel + " to compare points of one kernel."
                    : "the session has no such point of " + other.kernel + ".");
}

std::vector<std::string> unlike_builds(const Measurement& a, const Measurement& b) {
  std::vector<std::string> sentences;
  if (a.kernel != b.kernel) return sentences;
  const std::vector<std::string> options_a = free_options(a), options_b = free_options(b);
  if (is_of_other_compiler(a, b)) {
    sentences.push_back(differ_sentence("compilers", compiler_of(a), compiler_of(b)));
  } else if (!options_a.empty() && !options_b.empty()) {
    const std::string only_a = options_beside(options_a, options_b),
                      only_b = options_beside(options_b, options_a);
    if (only_a != only_b) sentences.push_back(differ_sentence("compile options", only_a, only_b));
  }
  if (is_of_other_library(a, b))
    sentences.push_back(
        differ_sentence("library versions", a.provenance.library_version, b.provenance.library_version));
  if (a.latency && b.latency &&
      are_known_and_differ(a.provenance.driver_version, b.provenance.driver_version))
    sentences.push_back(differ_sentence("drivers", a.provenance.driver_version, b.provenance.driver_version));
  return sentences;
}

}  // namespace tilescope
