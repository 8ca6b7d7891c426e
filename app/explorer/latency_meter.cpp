#include "app/explorer/latency_meter.hpp"

#include <algorithm>
#include <cmath>

#include "base/enum_names.hpp"

namespace tilescope {
namespace {

constexpr EnumNames<AnswerStage, answer_stages> stage_names{{{AnswerStage::judged, "judged"},
                                                             {AnswerStage::compiled, "compiled"},
                                                             {AnswerStage::checked, "checked"},
                                                             {AnswerStage::timed, "timed"},
                                                             {AnswerStage::final, "final"}}};
constexpr EnumNames<AnswerSource, answer_sources> source_names{{{AnswerSource::session, "session"},
                                                                {AnswerSource::prepared, "prepared"},
                                                                {AnswerSource::cached, "cached"},
                                                                {AnswerSource::compiled, "compiled"}}};

std::size_t index_of(AnswerStage stage) {
  return static_cast<std::size_t>(stage);
}

AnswerStage answer_stage(PointStage stage) {
  switch (stage) {
    case PointStage::judged:
      return AnswerStage::judged;
    case PointStage::compiled:
      return AnswerStage::compiled;
    case PointStage::checked:
      return AnswerStage::checked;
    case PointStage::timed:
      break;
  }
  return AnswerStage::timed;
}

double ms_between(LatencyMeter::Clock::time_point from, LatencyMeter::Clock::time_point to) {
  return std::chrono::duration<double, std::milli>(to - from).count();
}

// Nearest rank.
std::optional<LatencyMeter::Figure> figure_of(std::vector<double> times_ms) {
  if (times_ms.empty()) return std::nullopt;
  std::sort(times_ms.begin(), times_ms.end());
  const auto quantile = [&](double q) {
    return times_ms[static_cast<std::size_t>(std::ceil(q * static_cast<double>(times_ms.size()))) - 1];
  };
  return LatencyMeter::Figure{times_ms.size(), quantile(0.5), quantile(0.9)};
}

}  // namespace

std::string to_string(AnswerStage stage) {
  return name_of(stage, stage_names);
}

std::string to_string(AnswerSource source) {
  return name_of(source, source_names);
}

void LatencyMeter::frame_begins() {
  shown_by_frame_.reset();
  if (moves_.empty()) return;
  const Move& move = moves_.back();
  if (move.shown && !move.drawn[index_of(*move.shown)]) shown_by_frame_ = {move.number, *move.shown};
}

void LatencyMeter::frame_drawn() {
  input_.reset();
  if (!shown_by_frame_) return;
  const auto [number, stage] = *std::exchange(shown_by_frame_, std::nullopt);
  const auto is_this = [number = number](const Move& move) { return move.number == number; };
  const auto move = std::find_if(moves_.begin(), moves_.end(), is_this);
  if (move == moves_.end()) return;
  move->drawn[index_of(stage)] = ms_between(move->start, now_());
  ++stages_drawn_[index_of(stage)];
}

void LatencyMeter::Longest::note(Clock::time_point end, double ms) {
  while (!times_.empty() && times_.back().ms <= ms) times_.pop_back();
  times_.push_back({end, ms});
  while (end - times_.front().end > stall_window) times_.pop_front();
}

double LatencyMeter::Longest::longest(Clock::time_point now) const {
  const auto recent = std::find_if(times_.begin(), times_.end(),
                                   [&](const Time& time) { return now - time.end <= stall_window; });
  return recent == times_.end() ? 0 : recent->ms;
}

void LatencyMeter::moved() {
  if (moves_.size() == moves_kept) moves_.pop_front();
  Move move;
  move.number = moves_so_far_++;
  move.start = input_.value_or(now_());
  moves_.push_back(move);
  state_ = State::moved;
}

void LatencyMeter::asked() {
  state_ = state_ == State::moved ? State::open : State::closed;
}

void LatencyMeter::note_received(AnswerStage stage) {
  std::optional<double>& time = moves_.back().received[index_of(stage)];
  if (!time) time = ms_between(moves_.back().start, now_());
  moves_.back().shown = stage;
}

void LatencyMeter::received(PointStage stage) {
  if (state_ == State::open) note_received(answer_stage(stage));
}

void LatencyMeter::received_final(AnswerSource source) {
  if (state_ != State::open) return;
  note_received(AnswerStage::final);
  moves_.back().source = source;
  state_ = State::closed;
}

void LatencyMeter::received_none() {
  state_ = State::closed;
}

LatencyMeter::Row LatencyMeter::row_of(std::optional<AnswerSource> source) const {
  Row row;
  row.source = source;
  std::array<std::vector<double>, answer_stages> received;
  std::array<std::vector<double>, answer_stages> drawn;
  for (const Move& move : moves_) {
    const bool is_open = state_ != State::closed && &move == &moves_.back();
    if (move.source != source || is_open) continue;
    ++row.moves;
    for (std::size_t i = 0; i < answer_stages; ++i) {
      if (move.received[i]) received[i].push_back(*move.received[i]);
      if (move.drawn[i]) drawn[i].push_back(*move.drawn[i]);
    }
  }
  for (std::size_t i = 0; i < answer_stages; ++i) {
    row.received[i] = figure_of(std::move(received[i]));
    row.drawn[i] = figure_of(std::move(drawn[i]));
  }
  return row;
}

std::vector<LatencyMeter::Row> LatencyMeter::rows() const {
  std::vector<Row> rows;
  rows.reserve(answer_sources);
  for (std::size_t i = 0; i < answer_sources; ++i) rows.push_back(row_of(static_cast<AnswerSource>(i)));
  rows.push_back(row_of(std::nullopt));
  return rows;
}

}  // namespace tilescope
