#include "sessions/views/points/point_rows.hpp"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <map>
#include <sstream>
#include <string_view>
#include <tuple>
#include <utility>

#include "sessions/prediction_error.hpp"
#include "sessions/verdict/verdict_on_points.hpp"
#include "sessions/views/points/point_text.hpp"

namespace tilescope {

namespace {

std::string lower(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(),
                 [](unsigned char letter) { return static_cast<char>(std::tolower(letter)); });
  return text;
}

std::string searchable_text(const Measurement& point, bool recorded) {
  return lower(point.kernel + ' ' + to_string(point.parameters) + ' ' + problem_words(point) + ' ' +
               point.device.name + ' ' + to_string(point.status) + ' ' + status_label(point.status) + ' ' +
               to_string(point.provenance.compiler) + (recorded ? " recorded" : ""));
}

std::vector<std::string> words_of(const std::string& text) {
  std::istringstream stream(lower(text));
  std::vector<std::string> words;
  for (std::string word; stream >> word;) words.push_back(word);
  return words;
}

/// "num_warps=1" is the whole of a parameter, not the start of "num_warps=16"; "num_warps=" has any value.
bool has_parameter(const std::string& searchable, const std::string& word) {
  for (std::size_t at = searchable.find(word); at != std::string::npos; at = searchable.find(word, at + 1)) {
    const std::size_t end = at + word.size();
    const bool begins = at == 0 || searchable[at - 1] == ' ';
    const bool ends = word.back() == '=' || end == searchable.size() || searchable[end] == ' ';
    if (begins && ends) return true;
  }
  return false;
}

bool has_word(const std::string& searchable, const std::string& word) {
  return word.find('=') == std::string::npos ? searchable.find(word) != std::string::npos
                                             : has_parameter(searchable, word);
}

bool passes(const PointRow& row, const PointFilter& filter, const std::vector<std::string>& words) {
  if (row.recorded && !filter.recorded) return false;
  if (filter.status && row.point->status != *filter.status) return false;
  return std::all_of(words.begin(), words.end(),
                     [&](const std::string& word) { return has_word(row.searchable, word); });
}

/// Rows of different origins are not ranked among each other.
enum class RankOrigin { measured, recorded, predicted, predicted_and_recorded };

RankOrigin origin_of(const PointRow& row) {
  if (!row.point->latency) return row.recorded ? RankOrigin::predicted_and_recorded : RankOrigin::predicted;
  const bool recorded = row.recorded || row.point->latency->kind == LatencyKind::recorded;
  return recorded ? RankOrigin::recorded : RankOrigin::measured;
}

/// [us] Time that a row is ranked by: the latency, or the predicted one of a point that was not timed.
std::optional<double> ranking_time(const Measurement& point) {
  if (point.status != Status::ok || has_wrong_values(point)) return std::nullopt;
  if (!point.latency) return has_prediction(point) ? std::optional(point.prediction->p50_us) : std::nullopt;
  return std::isfinite(point.latency->p50_us) ? std::optional(point.latency->p50_us) : std::nullopt;
}

/// Points that are ranked among each other, and the first of them.
struct Ranking {
  std::uint32_t count = 0;
  const Measurement* first = nullptr;
};

/// Whether a comparison of two ranked points of one origin leaves their order open.
bool is_open(const Measurement& a, const Measurement& b) {
  return !is_decided(a.latency ? verdict_on(*a.latency, *b.latency) : verdict_on_predictions(a, b));
}

/// Numbers sort before names and by their size: "8" comes before "16".
using TextKey = std::tuple<bool, bool, std::int64_t, std::string>;  // Missing, is a name, number, text.

TextKey text_key(const PointRow& row, const PointColumn& column) {
  if (!column.parameter.empty()) {
    const auto value = row.point->parameters.find(column.parameter);
    if (value == row.point->parameters.end()) return {true, false, 0, ""};
    if (const auto* number = std::get_if<std::int64_t>(&value->second)) return {false, false, *number, ""};
  }
  std::string text = cell_text(row, column);
  return {text.empty(), true, 0, std::move(text)};
}

/// Newest first, then in the order of the keys; rows without a figure stay last whatever the direction.
template <typename Key, typename Missing>
void sort_rows(std::vector<std::uint32_t>& order, const std::vector<Key>& keys, Missing missing,
               bool descending) {
  std::reverse(order.begin(), order.end());
  std::stable_sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
    const bool a_missing = missing(keys[a]);
    const bool b_missing = missing(keys[b]);
    if (a_missing || b_missing) return !a_missing && b_missing;
    return descending ? keys[b] < keys[a] : keys[a] < keys[b];
  });
}

}  // namespace

bool PointRows::update(const PointList& session, const PointList& recorded, const CurrentSources& sources) {
  const bool same = session_.continues(session) && recorded_.continues(recorded);
  if (!same) {
    const std::uint64_t former = generation_;
    *this = PointRows();
    generation_ = former + 1;
  }
  const bool grows = session.size() != session_.count() || recorded.size() != recorded_.count();
  if (same && !grows && sources == sources_) return false;
  sources_ = sources;
  const std::size_t recorded_end = std::min(recorded.size(), recorded_.count() + points_at_a_time);
  const std::size_t left = points_at_a_time - (recorded_end - recorded_.count());
  const std::size_t session_end = std::min(session.size(), session_.count() + left);
  take(recorded, recorded_end, recorded_, true);
  take(session, session_end, session_, false);
  complete_ = recorded_end == recorded.size() && session_end == session.size();
  if (complete_) {  // Both go through all rows: once, not with every piece.
    judge_sources();
    rank();
  }
  return true;
}

void PointRows::judge_sources() {
  older_rows_ = 0;
  for (PointRow& row : rows_) {
    row.older_source = !row.recorded && is_of_older_source(*row.point, sources_);
    if (row.older_source) ++older_rows_;
  }
}

void PointRows::take(const PointList& list, std::size_t end, TakenPoints& taken, bool recorded) {
  for (std::size_t i = taken.count(); i < end; ++i) {
    rows_.push_back({list[i], recorded, 0, searchable_text(*list[i], recorded)});
    for (const auto& [name, value] : list[i]->parameters) parameters_.try_emplace(name, value);
  }
  taken.advance(list, end);
}

void PointRows::rank() {
  std::vector<std::pair<double, PointRow*>>
      timed;  // With its key beside it: ten thousand points are all over the memory.
  for (PointRow& row : rows_) {
    row.rank = 0;
    row.ranked_us = 0;
    row.is_part = false;
    row.is_predicted = false;
    row.ties_with_first = false;
    if (const std::optional<double> us = ranking_time(*row.point)) timed.emplace_back(*us, &row);
  }
  std::stable_sort(timed.begin(), timed.end(),
                   [](const auto& a, const auto& b) { return a.first < b.first; });
  // Points that count other operations are ranked apart: the scores alone are not a faster attention.
  std::map<std::tuple<Shape, std::string, std::string_view, RankOrigin, std::string_view, bool>, Ranking>
      ranked;
  for (const auto& [p50_us, row] : timed) {
    const Measurement& point = *row->point;
    row->is_predicted = !point.latency;
    const std::string_view formula =
        row->is_predicted ? std::string_view() : std::string_view(point.latency->tflops_formula);
    Ranking& ranking = ranked[{point.shape, file_problem(point), point.device.name, origin_of(*row), formula,
                               row->older_source}];
    row->rank = ++ranking.count;
    if (ranking.first == nullptr) ranking.first = &point;
    row->ties_with_first = &point != ranking.first && is_open(*ranking.first, point);
    row->ranked_us = p50_us;
    row->is_part = times_part_of_attention(point);
  }
}

std::vector<std::uint32_t> PointRows::newest_first(const PointFilter& filter) const {
  const std::vector<std::string> words = words_of(filter.text);
  std::vector<std::uint32_t> order;
  for (std::size_t i = rows_.size(); i-- > 0;) {
    if (!rows_[i].recorded && passes(rows_[i], filter, words)) order.push_back(static_cast<std::uint32_t>(i));
  }
  for (std::size_t i = rows_.size(); i-- > 0;) {
    if (rows_[i].recorded && passes(rows_[i], filter, words)) order.push_back(static_cast<std::uint32_t>(i));
  }
  return order;
}

std::vector<std::uint32_t> PointRows::best_first(const PointFilter& filter) const {
  std::vector<std::uint32_t> order = newest_first(filter);
  // Without a rank no latency is compared: such rows come behind.
  const auto key = [this](std::uint32_t i) {
    const PointRow& row = rows_[i];
    return std::tuple(row.recorded, row.rank == 0, row.is_part, row.is_predicted, row.rank, row.ranked_us);
  };
  std::stable_sort(order.begin(), order.end(),
                   [&](std::uint32_t a, std::uint32_t b) { return key(a) < key(b); });
  return order;
}

std::vector<std::uint32_t> PointRows::ordered(const PointFilter& filter, const PointColumn& column,
                                              bool descending) const {
  const std::vector<std::string> words = words_of(filter.text);
  std::vector<std::uint32_t> order;
  for (std::uint32_t i = 0; i < rows_.size(); ++i) {
    if (passes(rows_[i], filter, words)) order.push_back(i);
  }
  if (sorts_by_number(column)) {
    std::vector<std::optional<double>> keys(rows_.size());
    for (const std::uint32_t i : order) keys[i] = sort_number(rows_[i], column);
    sort_rows(
        order, keys, [](const std::optional<double>& key) { return !key; }, descending);
  } else {
    std::vector<TextKey> keys(rows_.size());
    for (const std::uint32_t i : order) keys[i] = text_key(rows_[i], column);
    sort_rows(
        order, keys, [](const TextKey& key) { return std::get<0>(key); }, descending);
  }
  return order;
}

}  // namespace tilescope
