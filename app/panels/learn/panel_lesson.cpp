#include <fmt/format.h>
#include <imgui.h>
#include <imgui_stdlib.h>

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "app/explorer/explorer.hpp"
#include "app/explorer/learn/lesson_reading.hpp"
#include "app/gui/landmarks.hpp"
#include "app/gui/panel.hpp"
#include "app/gui/theme.hpp"
#include "app/panels/learn/lesson_museum.hpp"
#include "app/panels/learn/lesson_text.hpp"
#include "app/widgets/text.hpp"
#include "app/widgets/tinted_box.hpp"

namespace tilescope {

namespace {

class LessonPanel : public Panel {
 public:
  LessonPanel() : Panel("lesson", "Lesson", {300, 220}) {}

  std::vector<std::string> options() const override { return reading_ ? reading_->kept() : kept_; }
  void take_option(const std::string& line) override {
    if (reading_ != nullptr) {
      reading_->take_kept(line);
    } else {
      kept_.push_back(line);
    }
  }

 protected:
  void draw(Explorer& explorer) override;

 private:
  std::string progress_words(const Lesson& lesson) const;
  void draw_picker(const Lesson& lesson);
  void draw_neighbours(const Lesson& lesson);
  void draw_element(Explorer& explorer, const Lesson& lesson, const LessonElement& element);
  void draw_question(const Lesson& lesson, const LessonQuestion& question);
  void draw_answer(const LessonQuestion& question);
  static void draw_verdict(const LessonReading::Answer& answer, const LessonQuestion& question);

  LessonReading* reading_ = nullptr;
  /// Options that came before the first frame.
  std::vector<std::string> kept_;
  /// The lesson that was drawn last: another one begins at its top.
  std::string drawn_;
};

void LessonPanel::draw(Explorer& explorer) {
  if (reading_ == nullptr) {
    reading_ = &explorer.board().get<LessonReading>();
    for (const std::string& line : kept_) reading_->take_kept(line);
  }
  const Lesson* lesson = reading_->current();
  if (lesson == nullptr) {
    empty_state("No lessons",
                "The folder assets/lessons of this installation has no Markdown file. "
                "TILESCOPE_LESSONS names a folder of your own.");
    return;
  }
  draw_picker(*lesson);
  if (ImGui::BeginChild("text", {0, 0}, ImGuiChildFlags_NavFlattened)) {
    if (drawn_ != lesson->id) ImGui::SetScrollY(0);
    drawn_ = lesson->id;
    for (const LessonElement& element : lesson->elements) {
      ImGui::PushID(&element);
      draw_element(explorer, *lesson, element);
      ImGui::PopID();
    }
    draw_neighbours(*lesson);
  }
  ImGui::EndChild();
}

std::string LessonPanel::progress_words(const Lesson& lesson) const {
  const std::size_t all = lesson.questions().size();
  if (all > 0) return fmt::format("  ({} of {} answered)", reading_->done(lesson), all);
  return reading_->is_repaired(lesson) ? "  (repaired)" : "";
}

void LessonPanel::draw_picker(const Lesson& lesson) {
  ImGui::SetNextItemWidth(-1);
  if (ImGui::BeginCombo("##lesson", lesson.title.c_str(), ImGuiComboFlags_HeightLarge)) {
    for (const Lesson& one : reading_->lessons()) {
      const std::string label = fmt::format("{}{}##{}", one.title, progress_words(one), one.id);
      if (ImGui::Selectable(label.c_str(), one.id == lesson.id)) reading_->choose(one.id);
      landmark("lesson.entry." + one.id);
    }
    ImGui::EndCombo();
  }
  landmark("lesson.picker");
  const std::size_t all = lesson.questions().size();
  if (all > 0) text_muted(fmt::format("{} of {} questions answered", reading_->done(lesson), all));
  landmark("lesson.progress");
}

void LessonPanel::draw_neighbours(const Lesson& lesson) {
  const std::vector<Lesson>& all = reading_->lessons();
  const auto at = static_cast<std::size_t>(&lesson - all.data());
  ImGui::Spacing();
  ImGui::Separator();
  if (at + 1 < all.size()) {
    if (ImGui::Button(("Next: " + all[at + 1].title).c_str())) reading_->choose(all[at + 1].id);
    landmark("lesson.next");
  }
}

void LessonPanel::draw_element(Explorer& explorer, const Lesson& lesson, const LessonElement& element) {
  const auto button = [&element](const std::string& label, const char* kind) {
    const bool pressed = ImGui::Button(label.c_str());
    landmark(fmt::format("lesson.{}.{}", kind, element.line));
    ImGui::Spacing();
    return pressed;
  };
  if (const auto* block = std::get_if<LessonConfigure>(&element.content)) {
    if (button(block->label, "configure")) reading_->configure(*block);
  } else if (const auto* open = std::get_if<LessonOpen>(&element.content)) {
    if (button(open->label, "open")) reading_->open(*open);
  } else if (const auto* step = std::get_if<LessonStep>(&element.content)) {
    if (button(step->label, "step")) reading_->step(*step);
  } else if (const auto* question = std::get_if<LessonQuestion>(&element.content)) {
    draw_question(lesson, *question);
  } else if (const auto* museum = std::get_if<LessonMuseum>(&element.content)) {
    draw_museum(explorer, *museum);
  } else if (const auto* problem = std::get_if<LessonProblem>(&element.content)) {
    text_wrapped(palette().error, fmt::format("{}, line {}: {}", lesson.file.filename().string(),
                                              element.line, problem->reason));
    landmark("lesson.problem");
  } else if (const auto target = draw_lesson_text(element)) {
    // A link to another lesson opens it here.
    const std::string id = std::filesystem::path(*target).stem().string();
    reading_->choose(id);
  }
}

void LessonPanel::draw_question(const Lesson& lesson, const LessonQuestion& question) {
  const bool is_done = reading_->is_done(lesson, question);
  {
    const TintedBox box(question.id.c_str(), is_done ? palette().ok : palette().accent);
    ImGui::PushFont(fonts().bold, 0);
    text_wrapped(is_done ? palette().ok : palette().accent, is_done ? "Question, answered" : "Question");
    ImGui::PopFont();
    text_wrapped(palette().text, question.ask);
    draw_answer(question);
    draw_verdict(reading_->answer(question), question);
  }
  ImGui::Spacing();
}

void LessonPanel::draw_answer(const LessonQuestion& question) {
  LessonReading::Answer& answer = reading_->answer(question);
  bool wants_check = false;
  for (std::size_t i = 0; i < question.choices.size(); ++i) {
    ImGui::PushID(static_cast<int>(i));
    const auto choose = [&] {
      if (std::exchange(answer.choice, i) != i) answer.verdict.reset();
    };
    if (ImGui::RadioButton("##choice", answer.choice == i)) choose();
    landmark(fmt::format("lesson.choice.{}.{}", question.id, i));
    ImGui::SameLine();
    text_wrapped(palette().text, question.choices[i]);
    if (ImGui::IsItemClicked()) choose();
    ImGui::PopID();
  }
  if (question.choices.empty()) {
    ImGui::SetNextItemWidth(em() * 8);
    const std::string before = answer.text;
    wants_check = ImGui::InputText("##answer", &answer.text,
                                   ImGuiInputTextFlags_EnterReturnsTrue | ImGuiInputTextFlags_AutoSelectAll);
    if (answer.text != before) answer.verdict.reset();
    landmark("lesson.answer." + question.id);
    if (!question.unit.empty()) {
      ImGui::SameLine();
      text_muted(question.unit);
    }
    same_line_if_fits("Check");
  }
  const bool is_checking = reading_->is_checking(question);
  ImGui::BeginDisabled(is_checking);
  wants_check |= ImGui::Button(is_checking ? "Counting..." : "Check");
  ImGui::EndDisabled();
  landmark("lesson.check." + question.id);
  if (!question.hint.empty()) {
    same_line_if_fits("Hint");
    if (ImGui::Button("Hint")) answer.shows_hint = !answer.shows_hint;
    landmark("lesson.hint." + question.id);
  }
  if (wants_check) reading_->check(question);
}

void LessonPanel::draw_verdict(const LessonReading::Answer& answer, const LessonQuestion& question) {
  if (answer.shows_hint) text_wrapped(palette().muted, question.hint);
  if (!answer.verdict) return;
  const LessonVerdict& verdict = *answer.verdict;
  const bool is_right = verdict.kind == LessonVerdict::Kind::right;
  text_wrapped(is_right ? palette().ok : palette().warning, verdict.text);
  landmark((is_right ? "lesson.right." : "lesson.verdict.") + question.id);
}

const RegisterPanel register_lesson_panel{[] { return std::make_unique<LessonPanel>(); }};

}  // namespace

}  // namespace tilescope
