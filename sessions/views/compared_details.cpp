#include <algorithm>
#include <cmath>
#include <set>
#include <utility>

#include "sessions/views/format.hpp"
#include "sessions/views/metric_text.hpp"
#include "sessions/views/point_details.hpp"

namespace tilescope {
namespace {

const char* const missing = "-";

std::string with_sign(double value, const std::string& text) {
  return (value > 0 ? "+" : "") + text;
}

// Three columns beside the labels leave no room for nine digits.
std::string short_value(const DetailRow& row) {
  if (!row.amount || !std::isfinite(*row.amount)) return row.value;
  if (row.unit == Unit::count) return format_short(std::llround(*row.amount));
  if (row.unit == Unit::bytes) return format_short_bytes(std::llround(*row.amount));
  return format_with_unit(*row.amount, row.unit);
}

void compare(DetailRow& row, const DetailRow& other) {
  row.other = short_value(other);
  if (row.amount && other.amount) {
    row.difference = difference_words(*row.amount, *other.amount, row.unit);
    if (row.smaller_is_better && *row.amount != *other.amount) {
      const bool is_smaller = *other.amount < *row.amount;
      row.difference_tone = is_smaller == *row.smaller_is_better ? Tone::good : Tone::bad;
    }
  } else if (row.value == other.value) {
    row.difference = "same";
  }
}

// The rows of `other`, each beside the row of the same label; the rest at the end.
void compare_rows(DetailSection& section, const DetailSection& other) {
  for (const DetailRow& row : other.rows) {
    // Two sites of one line have one label: each is compared once.
    const auto same = std::find_if(section.rows.begin(), section.rows.end(), [&](const DetailRow& mine) {
      return mine.label == row.label && mine.other == missing;
    });
    if (same != section.rows.end()) {
      compare(*same, row);
      continue;
    }
    DetailRow only_there{row.label, missing, row.help};
    only_there.other = short_value(row);
    only_there.line = row.line;
    only_there.file = row.file;
    section.rows.push_back(std::move(only_there));
  }
}

}  // namespace

std::string difference_words(double shown, double other, Unit unit) {
  if (shown == other) return "same";
  const double difference = other - shown;
  if (!std::isfinite(difference)) return missing;
  if (unit == Unit::percent) return with_sign(difference, format_number(difference, 1)) + " pp";
  if (shown == 0) return with_sign(difference, format_with_unit(difference, unit));
  const double relative = difference / std::abs(shown);
  // Nobody reads "+179,200 %".
  if (relative >= 9) return format_number(other / shown, 0) + "x";
  return with_sign(relative, format_number(100 * relative, std::abs(relative) < 1 ? 1 : 0) + " %");
}

std::vector<DetailSection> compared_details(std::vector<DetailSection> shown,
                                            const std::vector<DetailSection>& other) {
  for (DetailSection& section : shown) {
    for (DetailRow& row : section.rows) {
      row.value = short_value(row);
      row.other = missing;
    }
  }
  for (const DetailSection& section : other) {
    auto same = std::find_if(shown.begin(), shown.end(),
                             [&](const DetailSection& mine) { return mine.title == section.title; });
    if (same == shown.end()) {
      // Provenance stays last.
      same = shown.insert(shown.empty() ? shown.end() : shown.end() - 1,
                          {section.title, section.origin, {}, ""});
    }
    compare_rows(*same, section);
  }
  return shown;
}

std::vector<std::string> differing_settings(const Measurement& shown, const Measurement& other) {
  std::vector<std::string> lines;
  const auto add = [&](const std::string& name, const std::string& a, const std::string& b) {
    if (a != b) lines.push_back(name + ": " + a + " / " + b);
  };
  add("Kernel", shown.kernel, other.kernel);
  std::set<std::string> names;
  for (const Measurement* point : {&shown, &other}) {
    for (const auto& [name, value] : point->parameters) names.insert(name);
  }
  const auto value_of = [](const Measurement& point, const std::string& name) {
    const auto found = point.parameters.find(name);
    return found == point.parameters.end() ? missing : to_string(found->second);
  };
  for (const std::string& name : names) add(name, value_of(shown, name), value_of(other, name));
  add("Shape", to_string(shown.shape), to_string(other.shape));
  add("Device", shown.device.name, other.device.name);
  return lines;
}

}  // namespace tilescope
