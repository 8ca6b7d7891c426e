#include "app/explorer/kernel_file/tried_values.hpp"

#include <utility>
#include <variant>
#include <vector>

#include "app/explorer/jobs.hpp"
#include "app/explorer/kernel_file/opened_file.hpp"
#include "app/explorer/kernel_file/opened_subject.hpp"
#include "app/explorer/kernel_file/session_points.hpp"
#include "app/explorer/selection.hpp"

namespace tilescope {
namespace {

constexpr const char* tag = "kernel file values";

}  // namespace

TriedValues::TriedValues(Board& board) : board_(board), task_(board.parts.background) {
  board_.get<OpenedFile>();  // made first, so that it goes last
}

TriedValues::Base TriedValues::base() const {
  const auto& opened = board_.get<OpenedFile>();
  Base now{opened.file(),    opened.shown_entry(), board_.parts.selection.device().name,
           opened.version(), opened.chosen(),      opened.options()};
  now.chosen.erase(what_);
  return now;
}

const std::string& TriedValues::what() {
  const auto& opened = board_.get<OpenedFile>();
  if (!what_.empty() && (base_.file != opened.file() || base_.entry != opened.shown_entry())) {
    cancel();
    what_.clear();
    values_.clear();
    points_.clear();
    rows_.clear();
    summary_.clear();
    problem_.clear();
  }
  return what_;
}

bool TriedValues::is_outdated() const {
  return !what_.empty() && base() != base_;
}

void TriedValues::start(const std::string& what, const std::vector<std::string>& values) {
  cancel();
  what_ = what;
  values_ = values;
  base_ = base();
  points_.clear();
  rows_.clear();
  summary_.clear();
  problem_.clear();
  if (values.empty()) return;
  state_ = State::runs;
  task_.start([this, file = base_.file] {
    auto read = std::make_shared<std::variant<FileSubject, std::string>>(read_opened_subject(file, true));
    return [this, read] {
      if (auto* sentence = std::get_if<std::string>(read.get())) {
        problem_ = std::move(*sentence);
        state_ = State::idle;
        return;
      }
      subject_ = std::move(std::get<FileSubject>(*read));
      ask_next();
    };
  });
}

void TriedValues::cancel() {
  task_.drop();
  request_.cancel();
  state_ = State::idle;
}

void TriedValues::keep_in_session() {
  std::vector<ChosenValues> chosen;
  std::vector<KeptPoint> points;
  chosen.reserve(points_.size());
  points.reserve(points_.size());
  for (const TriedPoint& tried : points_) {
    if (!has_run(tried.point->status)) continue;
    ChosenValues& values = chosen.emplace_back(base_.chosen);
    for (const auto& [what, value] : tried.values) values[what] = value;
    points.push_back({*tried.point, values});
  }
  add_to_session(board_, points);
}

void TriedValues::ask_next() {
  OpenFile::Params params;
  params.subject = subject_;
  params.subject.entry = base_.entry;
  params.chosen = base_.chosen;
  params.chosen[what_] = values_[points_.size()];
  params.device = base_.device;
  params.options = base_.options;
  request_ = board_.parts.jobs.request<OpenFile>(tag, std::move(params),
                                                 {[this](OpenedPoint point) { take(std::move(point)); }});
}

void TriedValues::take(OpenedPoint point) {
  const std::string& value = values_[points_.size()];
  const auto kept = std::make_shared<const OpenedPoint>(std::move(point));
  points_.push_back({{{what_, value}}, kept});
  rows_.push_back(tried_row(points_.back()));
  summary_ = fastest_words(points_);
  ChosenValues chosen = base_.chosen;
  chosen[what_] = value;
  if (!is_outdated()) board_.get<OpenedFile>().keep(chosen, kept);
  if (points_.size() < values_.size()) {
    ask_next();
  } else {
    state_ = State::idle;
  }
}

}  // namespace tilescope
