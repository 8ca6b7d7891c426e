#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <utility>

#include "base/text/format.hpp"
#include "sessions/views/points/metric_text.hpp"
#include "sessions/views/points/point_details.hpp"

namespace tilescope {
namespace {

const char* const missing = "-";

std::string with_sign(double value, const std::string& text) {
  return (value > 0 ? "+" : "") + text;
}

std::string short_number(double amount, Unit unit) {
  if (!std::isfinite(amount)) return missing;
  if (unit == Unit::count) return format_short(std::llround(amount));
  if (unit == Unit::bytes) return format_short_bytes(std::llround(amount));
  return unit == Unit::tflops ? format_value(amount, unit) : format_with_unit(amount, unit);
}

// Three columns beside the labels leave no room for nine digits.
std::string short_value(const DetailRow& row) {
  return row.amount && std::isfinite(*row.amount) ? short_number(*row.amount, row.unit) : row.value;
}

// Its unit is in the label where it is long, and what a line does where a line has several rows.
std::string compared_label(const DetailRow& row) {
  if (row.unit == Unit::tflops && row.label.find("TFLOP/s") == std::string::npos)
    return row.label + " [TFLOP/s]";
  return row.access.empty() ? row.label : row.label + ", " + row.access;
}

DetailSection prepared(DetailSection section) {
  std::map<std::string, int> seen;
  for (DetailRow& row : section.rows) {
    row.label = compared_label(row);
    // Two accesses of one operand in one line, of different widths.
    if (const int count = ++seen[row.label]; count > 1) row.label += " (" + std::to_string(count) + ")";
    row.value = short_value(row);
    row.has_number = row.amount.has_value();
  }
  return section;
}

void compare(DetailRow& row, const DetailRow& other) {
  row.other = other.value;
  row.has_number = row.has_number || other.has_number;
  if (row.amount && other.amount) {
    row.difference = difference_words(*row.amount, *other.amount, row.unit);
    if (row.smaller_is_better && *row.amount != *other.amount) {
      const bool is_smaller = *row.amount < *other.amount;
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
    DetailRow only_there = row;
    only_there.value = missing;
    only_there.amount.reset();
    only_there.tone = Tone::plain;
    only_there.other = row.value;
    section.rows.push_back(std::move(only_there));
  }
}

}  // namespace

std::string difference_words(double shown, double other, Unit unit) {
  if (shown == other) return "same";
  const double difference = shown - other;
  if (!std::isfinite(difference)) return missing;
  if (unit == Unit::percent) return with_sign(difference, format_number(difference, 1)) + " pp";
  if (other == 0) return with_sign(difference, short_number(difference, unit));
  const double relative = difference / std::abs(other);
  // "+179,200 %" says less than "1,793x".
  if (relative >= 9) return format_number(shown / other, 0) + "x";
  return with_sign(relative, format_number(100 * relative, std::abs(relative) < 1 ? 1 : 0) + " %");
}

std::vector<DetailSection> compared_details(std::vector<DetailSection> shown,
                                            const std::vector<DetailSection>& other) {
  for (DetailSection& section : shown) {
    section = prepared(std::move(section));
    for (DetailRow& row : section.rows) row.other = missing;
  }
  for (const DetailSection& theirs : other) {
    const DetailSection section = prepared(theirs);
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
  const auto add = [&](const std::string& ours, const std::string& theirs) {
    if (ours != theirs) lines.push_back(theirs + " instead of " + ours);
  };
  add(shown.kernel, other.kernel);
  std::set<std::string> names;
  for (const Measurement* point : {&shown, &other}) {
    for (const auto& [name, value] : point->parameters) names.insert(name);
  }
  for (const std::string& name : names) {
    const auto ours = shown.parameters.find(name), theirs = other.parameters.find(name);
    if (theirs == other.parameters.end()) {
      lines.push_back("no " + name);
    } else if (ours == shown.parameters.end()) {
      lines.push_back(name + "=" + to_string(theirs->second));
    } else if (ours->second != theirs->second) {
      lines.push_back(name + "=" + to_string(theirs->second) + " instead of " + to_string(ours->second));
    }
  }
  add(problem_words(shown), problem_words(other));
  add(shown.device.name, other.device.name);
  add(proper_name(shown.provenance.compiler), proper_name(other.provenance.compiler));
  return lines;
}

bool is_same_result(const Measurement& shown, const Measurement& other) {
  if (&shown == &other) return true;
  return !shown.latency && !other.latency && shown.status == other.status &&
         shown.provenance.source_sha256 == other.provenance.source_sha256 &&
         differing_settings(shown, other).empty();
}

}  // namespace tilescope
