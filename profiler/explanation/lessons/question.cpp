#include "profiler/explanation/lessons/question.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

#include "base/text/format.hpp"
#include "profiler/kernels/catalogue/expression.hpp"

namespace tilescope {
namespace {

/// Tolerance of answers: the rounding of arithmetic in double precision.
constexpr double rounding = 1e-9;

double number_of(const std::string& expression, const Facts& facts) {
  const double value = evaluate(expression, facts);
  if (!std::isfinite(value)) throw ExpressionError("'" + expression + "' gives no finite number here");
  return value;
}

bool is_close(double given, double answer, double tolerance) {
  return std::abs(given - answer) <= std::max(tolerance, rounding) * std::abs(answer);
}

std::string mistake_text(const LessonQuestion& question, Facts facts, double given) {
  facts.values["given"] = given;
  for (const LessonMistake& mistake : question.wrong) {
    if (evaluate(mistake.when, facts) != 0) return mistake.text;
  }
  return "";
}

}  // namespace

std::string why_no_facts(const LessonQuestion& question, const Measurement& point) {
  std::string of_point = point.kernel + ": " + point.reason;
  if (question.is_measured) {
    if (point.status != Status::ok) return of_point;
    return point.latency ? "" : "No latency is measured without the GPU " + point.device.name + ".";
  }
  return point.memory ? "" : of_point;
}

Facts facts_of(const LessonQuestion& question, const std::map<std::string, Measurement>& points) {
  Facts facts;
  for (const auto& [prefix, configuration] : question.of) {
    const auto point = points.find(prefix);
    if (point != points.end()) add_facts(facts, prefix, facts_of(point->second));
  }
  return facts;
}

double right_answer(const LessonQuestion& question, const Facts& facts) {
  return number_of(question.answer, facts);
}

double wrong_answer(const LessonQuestion& question, const Facts& facts) {
  return number_of(question.sample_wrong, facts);
}

LessonVerdict judge(const LessonQuestion& question, const Facts& facts, double given) {
  using Kind = LessonVerdict::Kind;
  try {
    const double answer = right_answer(question, facts);
    if (is_close(given, answer, question.tolerance)) {
      const char* const how = question.is_measured ? "measured" : "counted";
      if (!question.choices.empty())
        return {Kind::right, fmt::format("Right: the program {} the same.", how)};
      return {Kind::right,
              fmt::format("Right: {}. The program {} the same.", answer_words(question, answer), how)};
    }
    const std::string mistake = mistake_text(question, facts, given);
    if (!mistake.empty()) return {Kind::wrong, "Not yet. " + mistake};
    if (!question.choices.empty()) return {Kind::wrong, "Not yet: it is another one."};
    return {Kind::wrong, given < answer ? "Not yet: that is too low." : "Not yet: that is too high."};
  } catch (const std::exception& error) {
    return {Kind::unknown, fmt::format("This cannot be known here: {}.", error.what())};
  }
}

std::string answer_words(const LessonQuestion& question, double answer) {
  if (!question.choices.empty()) {
    for (std::size_t i = 0; i < question.choices.size(); ++i) {
      if (static_cast<double>(i + 1) == answer) return question.choices[i];
    }
  }
  constexpr double largest_exact = 9007199254740992.0;  // 2^53
  const bool is_whole = answer == std::floor(answer) && std::abs(answer) < largest_exact;
  const std::string number =
      is_whole ? format_count(static_cast<std::int64_t>(answer)) : fmt::format("{:.4g}", answer);
  return question.unit.empty() ? number : number + " " + question.unit;
}

namespace {

// The factor by what stands behind a number: nothing, the question's own unit, or a multiple of bytes where it asks for
// bytes.
std::optional<double> factor_of(const std::string& suffix, const std::string& unit) {
  if (suffix.empty() || suffix == unit) return 1;
  if (unit != "bytes") return std::nullopt;
  constexpr std::array<std::pair<const char*, double>, 4> multiples{
      {{"B", 1}, {"KiB", 1024}, {"MiB", 1024 * 1024}, {"GiB", 1024.0 * 1024 * 1024}}};
  for (const auto& [name, factor] : multiples) {
    if (suffix == name) return factor;
  }
  return std::nullopt;
}

}  // namespace

std::optional<double> number_from(const std::string& text, const std::string& unit) {
  std::string digits;
  for (const char letter : text) {
    if (letter != ' ' && letter != ',' && letter != '_') digits += letter;
  }
  double number = 0;
  const char* const end = digits.data() + digits.size();
  const auto read = std::from_chars(digits.data(), end, number);
  if (read.ec != std::errc{} || !std::isfinite(number)) return std::nullopt;
  const std::optional<double> factor = factor_of({read.ptr, end}, unit);
  return factor ? std::optional(number * *factor) : std::nullopt;
}

}  // namespace tilescope
