#include "app/explorer/lesson_reading.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <exception>

#include "app/explorer/explorer.hpp"
#include "profiler/requests/measure.hpp"
#include "profiler/requests/trace.hpp"

namespace tilescope {
namespace {

const std::string tag = "lesson";

LessonVerdict unknown(std::string text) {
  return {LessonVerdict::Kind::unknown, std::move(text)};
}

}  // namespace

const std::vector<Lesson>& LessonReading::lessons(const Explorer& explorer) {
  if (is_read_) return lessons_;
  is_read_ = true;
  for (const auto& file : all_lesson_files(explorer.installation().root)) {
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

const Lesson* LessonReading::current(const Explorer& explorer) {
  const std::vector<Lesson>& all = lessons(explorer);
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

void LessonReading::check(Explorer& explorer, const LessonQuestion& question) {
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
  const std::string device = explorer.selection().device().name;
  for (const auto& [name, configuration] : question.of) {
    const bool is_of_sliders = question.is_of_sliders && name.empty();
    checking->wanted.emplace_back(
        name, is_of_sliders ? explorer.selection().experiment() : experiment_of(configuration, device));
  }
  answer.verdict.reset();
  checking_ = question.id;
  ask_next(explorer, checking);
}

void LessonReading::ask_next(Explorer& explorer, std::shared_ptr<Checking> checking) {
  const Experiment experiment = explorer.selection().complete(checking->wanted.back().second);
  const auto done = [this, alive = std::weak_ptr<bool>(alive_), checking, &explorer](Measurement point) {
    if (!alive.expired()) take(explorer, checking, std::move(point));
  };
  if (checking->question.runs_checkers || !checking->question.is_measured) {
    // Counts need no GPU, whichever device is chosen.
    Trace::Params params{experiment, {}, false};
    params.options.check = checking->question.runs_checkers;
    explorer.jobs().request<Trace>(tag, params, [done](TracedPoint point) { done(std::move(point)); });
  } else {
    explorer.jobs().request<Measure>(tag, {experiment}, done);
  }
}

void LessonReading::take(Explorer& explorer, const std::shared_ptr<Checking>& checking, Measurement point) {
  explorer.draw_again();
  const std::string reason = why_no_facts(checking->question, point);
  if (!reason.empty()) return end(*checking, unknown(fmt::format("This cannot be known here: {}", reason)));
  checking->points[checking->wanted.back().first] = std::move(point);
  checking->wanted.pop_back();
  if (!checking->wanted.empty()) return ask_next(explorer, checking);
  end(*checking, judge(checking->question, facts_of(checking->question, checking->points), checking->given));
}

void LessonReading::end(const Checking& checking, LessonVerdict verdict) {
  if (checking_ == checking.question.id) checking_.clear();
  if (verdict.kind == LessonVerdict::Kind::right) done_.insert({checking.lesson, checking.question.id});
  answers_[{checking.lesson, checking.question.id}].verdict = std::move(verdict);
}

void LessonReading::configure(Explorer& explorer, const LessonConfigure& block) {
  Experiment experiment = explorer.selection().experiment();
  const bool is_same_kernel = experiment.kernel == block.configuration.kernel;
  experiment.kernel = block.configuration.kernel;
  experiment.parameters = block.configuration.parameters;
  experiment.shape = block.configuration.shape;
  explorer.selection().set_experiment(std::move(experiment));
  explorer.stop_showing();
  if (!is_same_kernel) explorer.block_stepping().choose_block(0);
}

void LessonReading::open(Explorer& explorer, const LessonOpen& block) {
  if (block.line) explorer.memory_focus().choose_line(*block.line);
  explorer.panel_wanted_anywhere(block.panel);
}

void LessonReading::step(Explorer& explorer, const LessonStep& block) {
  BlockStepping& stepping = explorer.block_stepping();
  if (block.inputs) stepping.choose_inputs(*block.inputs);
  stepping.go_from_start(explorer, block.target);
  explorer.panel_wanted("execution");
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
