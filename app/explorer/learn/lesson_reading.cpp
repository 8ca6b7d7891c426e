#include "app/explorer/learn/lesson_reading.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <exception>

#include "app/explorer/board.hpp"
#include "app/explorer/jobs.hpp"
#include "app/explorer/memory/memory_focus.hpp"
#include "app/explorer/navigation.hpp"
#include "app/explorer/points/shown_point.hpp"
#include "app/explorer/selection.hpp"
#include "app/explorer/step/block_stepping.hpp"
#include "profiler/service/requests/count_kernel.hpp"
#include "profiler/service/requests/measure.hpp"

namespace tilescope {
namespace {

const char* const tag = "lesson";

LessonVerdict unknown(std::string text) {
  return {LessonVerdict::Kind::unknown, std::move(text)};
}

}  // namespace

LessonReading::LessonReading(Board& board)
    : board_(board),
      stepping_(board.get<BlockStepping>()),
      focus_(board.get<MemoryFocus>()),
      shown_(board.get<ShownPoint>()) {}

const std::vector<Lesson>& LessonReading::lessons() {
  if (is_read_) return lessons_;
  is_read_ = true;
  for (const auto& file : all_lesson_files(board_.parts.installation.root)) {
    try {
      lessons_.push_back(load_lesson(file));
    } catch (const std::exception& error) {
      Lesson broken{file.stem().string(), file.stem().string(), file, {}};
      broken.elements.push_back({1, LessonProblem{error.what()}});
      lessons_.push_back(std::move(broken));
    }
  }
  return lessons_;
}

const Lesson* LessonReading::current() {
  const std::vector<Lesson>& all = lessons();
  if (all.empty()) return nullptr;
  const auto found = std::ranges::find(all, chosen_, &Lesson::id);
  const Lesson& lesson = found == all.end() ? all.front() : *found;
  chosen_ = lesson.id;
  return &lesson;
}

std::size_t LessonReading::done(const Lesson& lesson) const {
  std::size_t count = 0;
  for (const LessonQuestion* question : lesson.questions()) count += is_done(lesson, *question) ? 1 : 0;
  return count;
}

bool LessonReading::is_repaired(const Lesson& lesson) const {
  return std::ranges::any_of(lesson.elements, [&](const LessonElement& element) {
    const auto* museum = std::get_if<LessonMuseum>(&element.content);
    return museum != nullptr && done_.contains({lesson.id, museum->id});
  });
}

void LessonReading::check(const LessonQuestion& question) {
  Answer& answer = this->answer(question);
  std::optional<double> given;
  if (question.choices.empty()) {
    given = number_from(answer.text, question.unit);
  } else if (answer.choice) {
    given = static_cast<double>(*answer.choice + 1);
  }
  if (!given) {
    const std::string unit = question.unit.empty() ? "" : fmt::format(", in {}", question.unit);
    answer.verdict =
        unknown(question.choices.empty() ? fmt::format("Type a number{}.", unit) : "Choose an answer first.");
    return;
  }
  auto checking = std::make_shared<Checking>();
  checking->question = question;
  checking->lesson = chosen_;
  checking->given = *given;
  const std::string device = board_.parts.selection.device().name;
  for (const auto& [name, configuration] : question.of) {
    const bool is_of_sliders = question.is_of_sliders && name.empty();
    checking->wanted.emplace_back(
        name, is_of_sliders ? board_.parts.selection.experiment() : experiment_of(configuration, device));
  }
  answer.verdict.reset();
  checking_ = question.id;
  ask_next(checking);
}

void LessonReading::ask_next(const std::shared_ptr<Checking>& checking) {
  const Experiment experiment = board_.parts.selection.complete(checking->wanted.back().second);
  const auto done = [this, checking](Measurement point) { take(checking, std::move(point)); };
  if (checking->question.runs_checkers || !checking->question.is_measured) {
    // Counts need no GPU, whichever device is chosen.
    CountKernel::Params params{experiment, {}, false};
    params.options.check = checking->question.runs_checkers;
    request_ = board_.parts.jobs.request<CountKernel>(tag, params, {done});
  } else {
    request_ = board_.parts.jobs.request<Measure>(tag, {experiment}, {done});
  }
}

void LessonReading::take(const std::shared_ptr<Checking>& checking, Measurement point) {
  const std::string reason = why_no_facts(checking->question, point);
  if (!reason.empty()) return end(*checking, unknown(fmt::format("This cannot be known here: {}", reason)));
  checking->points[checking->wanted.back().first] = std::move(point);
  checking->wanted.pop_back();
  if (!checking->wanted.empty()) return ask_next(checking);
  end(*checking, judge(checking->question, facts_of(checking->question, checking->points), checking->given));
}

void LessonReading::end(const Checking& checking, LessonVerdict verdict) {
  if (checking_ == checking.question.id) checking_.clear();
  if (verdict.kind == LessonVerdict::Kind::right) done_.insert({checking.lesson, checking.question.id});
  answers_[{checking.lesson, checking.question.id}].verdict = std::move(verdict);
}

void LessonReading::configure(const LessonConfigure& block) {
  Experiment experiment = board_.parts.selection.experiment();
  const bool is_same_kernel = experiment.kernel == block.configuration.kernel;
  experiment.kernel = block.configuration.kernel;
  experiment.parameters = block.configuration.parameters;
  experiment.shape = block.configuration.shape;
  board_.parts.selection.set_experiment(std::move(experiment));
  shown_.stop();
  if (!is_same_kernel) stepping_.choose_block(0);
}

void LessonReading::open(const LessonOpen& block) {
  if (block.line) focus_.choose_line(*block.line);
  board_.parts.navigation.panel_wanted_anywhere(block.panel);
}

void LessonReading::step(const LessonStep& block) {
  if (block.inputs) stepping_.choose_inputs(*block.inputs);
  stepping_.go_from_start(block.target);
  board_.parts.navigation.panel_wanted("execution");
}

std::vector<std::string> LessonReading::kept() const {
  std::vector<std::string> lines;
  lines.reserve(done_.size() + 1);
  if (!chosen_.empty()) lines.push_back("lesson " + chosen_);
  for (const auto& [lesson, question] : done_) lines.push_back("done " + lesson + " " + question);
  return lines;
}

void LessonReading::take_kept(const std::string& line) {
  if (line.starts_with("lesson ")) chosen_ = line.substr(7);
  if (!line.starts_with("done ")) return;
  const std::string rest = line.substr(5);
  const std::size_t space = rest.find(' ');
  if (space != std::string::npos) done_.insert({rest.substr(0, space), rest.substr(space + 1)});
}

}  // namespace tilescope
