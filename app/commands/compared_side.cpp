#include "app/commands/compared_side.hpp"

#include <algorithm>
#include <regex>

#include "app/commands/command.hpp"
#include "app/commands/experiment_options.hpp"
#include "sessions/compare/side_names.hpp"
#include "sessions/prediction_error.hpp"

namespace tilescope {
namespace {

constexpr const char* session_ending = ".json";

// Whether a piece between commas goes on with the value before it: the 2 of "grid=64,2".
bool is_whole_number(const std::string& piece) {
  return !piece.empty() && std::ranges::all_of(piece, [](char c) { return c >= '0' && c <= '9'; });
}

std::size_t end_of_piece(const std::string& text, std::size_t begin) {
  return std::min(text.find(',', begin), text.size());
}

// "A=1,B=2"
Configuration read_settings(const std::string& text) {
  Configuration settings;
  for (std::size_t begin = 0; begin <= text.size();) {
    std::size_t end = end_of_piece(text, begin);
    while (end < text.size() && is_whole_number(text.substr(end + 1, end_of_piece(text, end + 1) - end - 1)))
      end = end_of_piece(text, end + 1);
    const std::string setting = text.substr(begin, end - begin);
    const std::size_t equals = setting.find('=');
    if (equals == 0 || equals == std::string::npos || equals + 1 == setting.size())
      throw WrongUsage("'" + setting + "' in '" + text + "': give NAME=VALUE, separated by commas");
    const bool is_new =
        settings.emplace(setting.substr(0, equals), parameter_value_from(setting.substr(equals + 1))).second;
    if (!is_new)
      throw WrongUsage("'" + text + "' gives '" + setting.substr(0, equals) + "' twice: give it once");
    begin = end + 1;
  }
  return settings;
}

bool fits(const ComparedSide& side, const Measurement& point) {
  // Nothing may say what a kernel of a file should compute.
  if (point.status != Status::ok && !(point.arguments && has_run(point.status))) return false;
  if (!side.kernel.empty() && point.kernel != side.kernel) return false;
  if (side.shape && (point.arguments || point.shape != *side.shape)) return false;
  return std::ranges::all_of(side.parameters, [&](const auto& setting) {
    const auto found = point.parameters.find(setting.first);
    return found != point.parameters.end() && found->second == setting.second;
  });
}

// Measured ones before predicted ones, the shortest first.
bool is_better(const Measurement& a, const Measurement& b) {
  if (a.latency.has_value() != b.latency.has_value()) return a.latency.has_value();
  if (a.latency) return a.latency->p50_us < b.latency->p50_us;
  if (has_prediction(a) != has_prediction(b)) return has_prediction(a);
  return has_prediction(a) && a.prediction->p50_us < b.prediction->p50_us;
}

}  // namespace

ComparedSide read_compared_side(const std::string& text) {
  ComparedSide side;
  side.text = text;
  static const std::regex with_settings("^(.+?):([A-Za-z_][A-Za-z0-9_]*=.*)$");
  std::smatch parts;
  if (std::regex_match(text, parts, with_settings)) {
    side.name = parts[1];
    side.parameters = read_settings(parts[2]);
  } else {
    side.name = text;
  }
  side.is_session = side.name.ends_with(session_ending);
  const auto kernel = side.parameters.find("kernel");
  if (side.is_session && kernel != side.parameters.end()) {
    side.kernel = to_string(kernel->second);
    side.parameters.erase(kernel);
  }
  return side;
}

SharedMeasurement chosen_point(const ComparedSide& side, const Session& session) {
  SharedMeasurement best;
  for (const auto& point : session.points) {
    if (!fits(side, *point)) continue;
    if (!best || is_better(*point, *best)) best = point;
  }
  if (!best) {
    const std::string shape = side.shape ? " at " + to_string(*side.shape) : "";
    throw NoFittingPoint("'" + side.text + "': no correct point of the session fits" + shape);
  }
  return best;
}

std::string other_kernel_warning(const std::string& letter, const ComparedSide& side, const Session& session,
                                 const Measurement& chosen, const Measurement& other) {
  if (!side.kernel.empty()) return "";
  ComparedSide of_other = side;
  of_other.kernel = other.kernel;
  const bool has_other = std::ranges::any_of(
      session.points, [&](const SharedMeasurement& point) { return fits(of_other, *point); });
  return other_kernel_warning(letter, side.name, chosen, other, has_other);
}

Experiment experiment_of(const ComparedSide& side, const Catalogue& catalogue, Experiment conditions) {
  const KernelDeclaration kernel = find_kernel(catalogue, side.name);
  conditions.kernel = side.name;
  conditions.parameters = side.parameters;
  complete_parameters(kernel, conditions);
  return conditions;
}

}  // namespace tilescope
