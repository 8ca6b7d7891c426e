#include "profiler/explanation/lessons/lesson_check.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <exception>
#include <map>
#include <optional>

#include "profiler/explanation/lessons/question.hpp"
#include "profiler/explanation/lessons/specimen.hpp"
#include "profiler/kernels/catalogue/nearest_names.hpp"

namespace tilescope {
namespace {

class Checking {
 public:
  Checking(const std::set<std::string>& panels, const LessonRuns& runs) : panels_(panels), runs_(runs) {}

  void check(const LessonElement& element) {
    line_ = element.line;
    if (const auto* problem = std::get_if<LessonProblem>(&element.content)) return fault(problem->reason);
    if (const auto* configure = std::get_if<LessonConfigure>(&element.content)) return check(*configure);
    if (const auto* open = std::get_if<LessonOpen>(&element.content)) return check(*open);
    if (const auto* step = std::get_if<LessonStep>(&element.content)) return check(*step);
    if (const auto* question = std::get_if<LessonQuestion>(&element.content)) return check(*question);
    if (const auto* museum = std::get_if<LessonMuseum>(&element.content)) return check(*museum);
  }

  void fault(std::size_t line, std::string text) { result_.faults.push_back({line, std::move(text)}); }
  LessonCheck result() && { return std::move(result_); }

 private:
  void fault(std::string text) { fault(line_, std::move(text)); }

  void check(const LessonConfigure& block) {
    ++result_.blocks;
    in_force_ = block.configuration;
    const Measurement point = runs_.point(block.configuration, false, false);
    if (!point.memory)
      fault(fmt::format("block configure: {} cannot be run: {}", point.kernel, point.reason));
  }

  void check(const LessonOpen& block) {
    ++result_.blocks;
    if (panels_.contains(block.panel)) return;
    fault(suggest_names(fmt::format("block open: there is no panel '{}'", block.panel), block.panel,
                        {panels_.begin(), panels_.end()}));
  }

  void check(const LessonStep& block) {
    ++result_.blocks;
    if (!in_force_) return fault("block step: no block configure stands above");
    const std::string reason = runs_.step(*in_force_, block);
    if (!reason.empty()) fault("block step: " + reason);
  }

  void check(const LessonQuestion& question) {
    ++result_.blocks;
    ++result_.questions;
    std::map<std::string, Measurement> points;
    for (const auto& [name, configuration] : question.of) {
      Measurement point = runs_.point(configuration, question.runs_checkers, question.is_measured);
      const std::string reason = why_no_facts(question, point);
      if (!reason.empty() && question.is_measured && point.memory) {
        result_.not_checked.push_back({line_, fmt::format("question '{}': {}", question.id, reason)});
        return;
      }
      if (!reason.empty()) return fault(fmt::format("question '{}': {}", question.id, reason));
      points.emplace(name, std::move(point));
    }
    try {
      judge_both(question, facts_of(question, points));
    } catch (const std::exception& error) {
      fault(fmt::format("question '{}': {}", question.id, error.what()));
    }
  }

  // A specimen is as the exhibit with the same FAULT, and only the one without it counts as repaired.
  void check(const LessonMuseum& museum) {
    ++result_.blocks;
    const std::string of = fmt::format("museum '{}': ", museum.id);
    try {
      const Measurement sound = runs_.point(exhibit_of(museum, false), true, false);
      for (const bool is_faulty : {true, false}) {
        const std::string source =
            specimen_source(runs_.source(museum.configuration.kernel), museum, is_faulty);
        const Measurement specimen = runs_.specimen(source, museum.configuration);
        const Measurement exhibit = runs_.point(exhibit_of(museum, is_faulty), true, false);
        const char* const which = is_faulty ? "with" : "without";
        if (!is_same_kernel(specimen, exhibit))
          fault(fmt::format("{}the specimen {} the fault is another kernel than the exhibit: {}", of, which,
                            specimen.reason));
        const std::string reason = why_not_repaired(specimen, sound, museum.is_exact);
        if (is_faulty && reason.empty()) fault(of + "the specimen with the fault counts as repaired");
        if (!is_faulty && !reason.empty())
          fault(fmt::format("{}the specimen without the fault does not count as repaired: {}", of, reason));
      }
    } catch (const std::exception& error) {
      fault(of + error.what());
    }
  }

  void judge_both(const LessonQuestion& question, Facts facts) {
    using Kind = LessonVerdict::Kind;
    const double right = right_answer(question, facts), wrong = wrong_answer(question, facts);
    result_.answers.emplace_back(question.id, right);
    const auto choices = static_cast<double>(question.choices.size());
    if (choices > 0 &&
        (right < 1 || right > choices || right != static_cast<double>(static_cast<int>(right))))
      fault(
          fmt::format("question '{}': the answer {} is none of its {} choices", question.id, right, choices));
    if (judge(question, facts, right).kind != Kind::right)
      fault(fmt::format("question '{}': its own answer, {}, is not judged right", question.id, right));
    if (judge(question, facts, wrong).kind != Kind::wrong)
      fault(fmt::format("question '{}': sample_wrong, {}, is not judged wrong; the answer is {}", question.id,
                        wrong, right));
    facts.values["given"] = wrong;
    for (const LessonMistake& mistake : question.wrong) evaluate(mistake.when, facts);
    facts.values["given"] = right;
    for (const LessonMistake& mistake : question.wrong) {
      if (evaluate(mistake.when, facts) != 0)
        fault(fmt::format("question '{}': the right answer, {}, is also the mistake '{}'", question.id, right,
                          mistake.when));
    }
  }

  const std::set<std::string>& panels_;
  const LessonRuns& runs_;
  std::optional<LessonConfiguration> in_force_;
  std::size_t line_ = 0;
  LessonCheck result_;
};

}  // namespace

LessonCheck check_lesson(const Lesson& lesson, const std::set<std::string>& panels, const LessonRuns& runs) {
  Checking checking(panels, runs);
  for (const LessonElement& element : lesson.elements) checking.check(element);
  for (const BrokenLink& link : broken_links(lesson))
    checking.fault(link.line, fmt::format("the link to '{}': there is no such file", link.target));
  LessonCheck result = std::move(checking).result();
  std::ranges::stable_sort(result.faults, {}, &LessonRemark::line);
  return result;
}

}  // namespace tilescope
