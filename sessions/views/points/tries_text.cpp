#include "sessions/views/points/tries_text.hpp"

#include <algorithm>
#include <cctype>

#include "base/text/format.hpp"
#include "sessions/prediction_error.hpp"
#include "sessions/views/points/point_text.hpp"

namespace tilescope {
namespace {

// The model does not tell smaller differences apart.
constexpr double least_gain = 0.02;

std::string name_of(const TriedChange& tried) {
  return tried.parameter + "=" + to_string(tried.value);
}

std::string gain_text(const Measurement& point, const TriedChange& tried) {
  const bool is_measured = point.latency.has_value();
  return name_of(tried) + ": " + format_latency(*tried.p50_us) + " instead of " +
         format_latency(*compared_p50(point, point)) + (is_measured ? ", measured" : ", predicted");
}

std::string outcome_without_gain(const TriedChange& tried) {
  if (*tried.status != Status::ok) {
    std::string label = status_label(*tried.status);
    label[0] = static_cast<char>(std::tolower(static_cast<unsigned char>(label[0])));
    return label;
  }
  if (tried.same_code) return "same program";
  return tried.p50_us ? format_latency(*tried.p50_us) : "no latency";
}

std::string words_without_gain(std::size_t count, bool others_gain) {
  if (count == 0) return "";
  const std::string number = std::to_string(count);
  if (others_gain) return number + (count == 1 ? " other" : " others") + " without gain";
  return count == 1 ? "The tried change does not gain" : "None of " + number + " changes gains";
}

std::string words_not_tried(const std::vector<std::string>& names, std::size_t tried) {
  if (names.empty()) return "";
  std::string text =
      tried < max_tries ? "Not tried yet: " : "Left out after " + std::to_string(tried) + " tries: ";
  for (const std::string& name : names) text += (&name == &names.front() ? "" : ", ") + name;
  return text;
}

}  // namespace

std::optional<double> compared_p50(const Measurement& point, const Measurement& result) {
  if (point.latency) return result.latency ? std::optional(result.latency->p50_us) : std::nullopt;
  const bool are_predicted = has_prediction(point) && has_prediction(result);
  return are_predicted ? std::optional(result.prediction->p50_us) : std::nullopt;
}

bool gains(const Measurement& point, const TriedChange& tried) {
  const std::optional<double> here = compared_p50(point, point);
  return tried.status == Status::ok && !tried.same_code && tried.p50_us && here &&
         *tried.p50_us < (1 - least_gain) * *here;
}

TriesText tries_text(const Measurement& point, const std::vector<TriedChange>& tries) {
  TriesText text;
  std::vector<const TriedChange*> gaining;
  std::vector<std::string> not_tried;
  for (const TriedChange& tried : tries) {
    if (!tried.status) {
      not_tried.push_back(name_of(tried));
    } else if (gains(point, tried)) {
      gaining.push_back(&tried);
    } else {
      text.without_gain.push_back(name_of(tried) + " (" + outcome_without_gain(tried) + ")");
    }
  }
  std::ranges::stable_sort(gaining, {}, [](const TriedChange* tried) { return *tried->p50_us; });
  for (const TriedChange* tried : gaining)
    text.gains.push_back({tried->parameter, tried->value, gain_text(point, *tried)});
  text.without_gain_words = words_without_gain(text.without_gain.size(), !text.gains.empty());
  text.not_tried_words = words_not_tried(not_tried, tries.size() - not_tried.size());
  return text;
}

}  // namespace tilescope
