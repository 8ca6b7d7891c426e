#include "app/explorer/kernel_file/tried_values.hpp"

#include <algorithm>
#include <utility>
#include <variant>
#include <vector>

#include "app/explorer/jobs.hpp"
#include "app/explorer/kernel_file/opened_file.hpp"
#include "app/explorer/kernel_file/opened_subject.hpp"
#include "app/explorer/kernel_file/session_points.hpp"
#include "app/explorer/selection.hpp"
#include "profiler/measure/files/launch_file.hpp"
#include "profiler/measure/files/launch_options.hpp"
#include "profiler/views/kernel_file/varied_rows.hpp"

namespace tilescope {
namespace {

constexpr const char* tag = "kernel file values";

ChosenValues guessed_values(const std::vector<LaunchRow>& rows) {
  ChosenValues guessed;
  for (const VariedRow& row : varied_rows(rows)) {
    const auto of_launch = std::ranges::find(rows, row.what, &LaunchRow::what);
    if (!of_launch->is_chosen) guessed.emplace(row.what, row.current);
  }
  return guessed;
}

}  // namespace

TriedValues::TriedValues(Board& board) : board_(board), task_(board.parts.background) {
  board_.get<OpenedFile>();  // made first, so that it goes last
}

TriedValues::Base TriedValues::base() const {
  const auto& opened = board_.get<OpenedFile>();
  Base now{opened.file(),    opened.shown_entry(), board_.parts.selection.device().name,
           opened.version(), opened.chosen(),      opened.options()};
  for (const std::string& what : varied_) now.chosen.erase(what);
  return now;
}

const std::vector<std::string>& TriedValues::varied() {
  const auto& opened = board_.get<OpenedFile>();
  if (!varied_.empty() && (base_.file != opened.file() || base_.entry != opened.shown_entry())) {
    cancel();
    varied_.clear();
    forget_points();
  }
  return varied_;
}

bool TriedValues::is_outdated() const {
  return !varied_.empty() && base() != base_;
}

void TriedValues::forget_points() {
  combinations_.clear();
  points_.clear();
  rows_.clear();
  names_.clear();
  summary_.clear();
  fastest_.clear();
  problem_.clear();
}

void TriedValues::start(const std::vector<VariedValues>& varied) {
  cancel();
  forget_points();
  varied_.clear();
  for (const VariedValues& one : varied) varied_.push_back(one.what);
  combinations_ = value_combinations(varied);
  base_ = base();
  guessed_ = guessed_values(board_.get<OpenedFile>().launch());
  if (combinations_.empty()) return;
  state_ = State::runs;
  task_.start([this, file = base_.file] {
    auto read = std::make_shared<std::variant<OpenedSubject, std::string>>(read_opened_subject(file, true));
    return [this, read] {
      if (auto* sentence = std::get_if<std::string>(read.get())) {
        problem_ = std::move(*sentence);
        state_ = State::idle;
        return;
      }
      auto& opened = std::get<OpenedSubject>(*read);
      subject_ = std::move(opened.subject);
      take_options(opened.left_aside);
      ask_next();
    };
  });
}

// The points take a declared launch's options of the compiler, too.
void TriedValues::take_options(const std::optional<SentFile>& left_aside) {
  try {
    options_ = with_launch_options(left_aside, base_.options);
  } catch (const LaunchFileError&) {
    options_ = base_.options;
  }
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
    points.push_back({*tried.point, chosen.emplace_back(chosen_with(tried.values))});
  }
  add_to_session(board_, points);
}

ChosenValues TriedValues::chosen_with(const ValueCombination& values) const {
  ChosenValues chosen = base_.chosen;
  for (const auto& [what, value] : values) chosen[what] = value;
  return chosen;
}

// A value that equals the guess makes the point that is there with the guess.
std::shared_ptr<const OpenedPoint> TriedValues::find_answer(const ValueCombination& values) const {
  if (is_outdated()) return nullptr;
  ChosenValues chosen = chosen_with(values);
  const auto& opened = board_.get<OpenedFile>();
  if (auto answer = opened.find_answer(chosen)) return answer;
  for (const auto& [what, value] : values) {
    const auto guessed = guessed_.find(what);
    if (guessed != guessed_.end() && guessed->second == value) chosen.erase(what);
  }
  return opened.find_answer(chosen);
}

void TriedValues::ask_next() {
  while (points_.size() < combinations_.size()) {
    const ValueCombination& values = combinations_[points_.size()];
    if (auto answer = find_answer(values)) {
      take(std::move(answer));
      continue;
    }
    OpenFile::Params params;
    params.subject = subject_;
    params.subject.entry = base_.entry;
    params.chosen = chosen_with(values);
    params.device = base_.device;
    params.options = options_;
    board_.get<OpenedFile>().add_tensors(params);
    const auto done = [this](OpenedPoint point) {
      take(std::make_shared<const OpenedPoint>(std::move(point)));
      ask_next();
    };
    request_ = board_.parts.jobs.request<OpenFile>(tag, std::move(params), {done});
    return;
  }
  state_ = State::idle;
}

void TriedValues::take(std::shared_ptr<const OpenedPoint> point) {
  const ValueCombination& values = combinations_[points_.size()];
  if (!is_outdated()) board_.get<OpenedFile>().keep(chosen_with(values), point);
  points_.push_back({values, std::move(point)});
  derive_rows();
}

void TriedValues::derive_rows() {
  std::vector<TriedPoint> points = points_;
  add_entry_values(points);
  rows_.clear();
  for (const TriedPoint& tried : points) rows_.push_back(tried_row(tried));
  names_.clear();
  for (const auto& [name, value] : points.front().values) names_.push_back(name);
  summary_ = fastest_words(points);
  fastest_ = fastest_places(points);
}

}  // namespace tilescope
