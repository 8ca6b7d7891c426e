#include "app/explorer/latency_meter.hpp"

#include <algorithm>
#include <cmath>

#include "sessions/enum_names.hpp"

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
    return times_ms[static_cast<std::size_t>(std::lround(q * static_cast<double>(times_ms.size() - 1)))];
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
  shown_by_frame_.clear();
  if (moves_.empty()) return;
  const Move& move = moves_.back();
  for (std::size_t i = 0; i < answer_stages; ++i) {
    if (move.received[i] && !move.drawn[i])
      shown_by_frame_.emplace_back(move.number, static_cast<AnswerStage>(i));
  }
}

void LatencyMeter::frame_drawn() {
  const Clock::time_point now = now_();
  for (const auto& [number, stage] : shown_by_frame_) {
    const auto is_this = [number = number](const Move& move) { return move.number == number; };
    const auto move = std::find_if(moves_.begin(), moves_.end(), is_this);
    if (move == moves_.end()) continue;
    move->drawn[index_of(stage)] = ms_between(move->start, now);
    ++stages_drawn_[index_of(stage)];
  }
  shown_by_frame_.clear();
  input_.reset();
}

void LatencyMeter::held(double ms) {
  const Clock::time_point now = now_();
  while (!held_.empty() && held_.back().ms <= ms) held_.pop_back();
  held_.push_back({now, ms});
  while (now - held_.front().end > stall_window) held_.pop_front();
}

double LatencyMeter::longest_stall_ms() const {
  const Clock::time_point now = now_();
  const auto recent = std::find_if(held_.begin(), held_.end(),
                                   [&](const Held& part) { return now - part.end <= stall_window; });
  return recent == held_.end() ? 0 : recent->ms;
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
  for (std::size_t i = 0; i < answer_sources; ++i) rows.push_back(row_of(static_cast<AnswerSource>(i)));
  rows.push_back(row_of(std::nullopt));
  return rows;
}

}  // namespace tilescope
