#include "app/window/first_task.hpp"

#include <imgui_internal.h>

#include <algorithm>

#include "app/gui/landmarks.hpp"
#include "app/gui/theme.hpp"

namespace tilescope {

namespace {

// As long as it takes to read a figure, longer than the mouse rests on its way.
constexpr float reading_time_s = 0.6F;
constexpr float space_between_steps = 24;
constexpr float width_of_button = 64;

float mark_size() {
  return ImGui::GetTextLineHeight();
}

float height_of_title() {
  return ImGui::GetTextLineHeight() + 5 * ui_scale();
}

// A figure that explains itself: without one the mouse rests beside it.
bool shows_tooltip() {
  return std::ranges::any_of(ImGui::GetCurrentContext()->Windows, [](const ImGuiWindow* window) {
    return window->Active && (window->Flags & ImGuiWindowFlags_Tooltip) != 0;
  });
}

/// A number in a ring; a check mark in a disc once the step is done.
void draw_mark(std::size_t number, bool is_done) {
  ImDrawList& list = *ImGui::GetWindowDrawList();
  const ImVec2 corner = ImGui::GetCursorScreenPos();
  const float size = mark_size();
  const ImVec2 centre(corner.x + size / 2, corner.y + size / 2);
  if (is_done) {
    list.AddCircleFilled(centre, size / 2, ImGui::GetColorU32(palette().ok));
    const float check = size * 0.6F;
    ImGui::RenderCheckMark(&list, {centre.x - check / 2, centre.y - check / 2},
                           ImGui::GetColorU32(palette().surface), check);
  } else {
    list.AddCircle(centre, size / 2, ImGui::GetColorU32(palette().accent), 0, 1.5F * ui_scale());
    const std::string text = std::to_string(number);
    const float font_size = size * 0.7F;
    const ImVec2 extent = fonts().bold->CalcTextSizeA(font_size, FLT_MAX, 0, text.c_str());
    list.AddText(fonts().bold, font_size, {centre.x - extent.x / 2, centre.y - extent.y / 2},
                 ImGui::GetColorU32(palette().text), text.c_str());
  }
  ImGui::Dummy({size, size});
}

}  // namespace

FirstTask::FirstTask(const std::vector<TaskStep>& steps, bool& finished)
    : steps_(steps), finished_(finished), shown_(!finished), done_(steps.size(), false) {}

void FirstTask::show_again() {
  shown_ = true;
  moves_before_.reset();
  std::fill(done_.begin(), done_.end(), false);
}

bool FirstTask::all_done() const {
  return std::all_of(done_.begin(), done_.end(), [](bool done) { return done; });
}

void FirstTask::update(const Explorer& explorer, const std::vector<std::unique_ptr<Panel>>& panels) {
  if (!is_shown()) return;
  if (!moves_before_) moves_before_ = explorer.selection().slider_moves();
  for (std::size_t i = 0; i < steps_.size(); ++i)
    done_[i] = done_[i] || is_fulfilled(steps_[i], explorer, panels);
  if (all_done()) finished_ = true;
}

bool FirstTask::is_fulfilled(const TaskStep& step, const Explorer& explorer,
                             const std::vector<std::unique_ptr<Panel>>& panels) const {
  switch (step.done_when) {
    case TaskStep::Condition::point_after_change:
      return was_slider_moved(explorer) && explorer.jobs().current_point() != nullptr &&
             !explorer.jobs().measuring();
    case TaskStep::Condition::panel_read:
      return ImGui::GetCurrentContext()->MouseStationaryTimer >= reading_time_s && shows_tooltip() &&
             std::any_of(panels.begin(), panels.end(), [&](const auto& panel) {
               return panel->is_hovered() &&
                      std::find(step.panels.begin(), step.panels.end(), panel->id()) != step.panels.end();
             });
    case TaskStep::Condition::recorded_shown:
      return std::ranges::any_of(explorer.points().recorded_sessions(), [&](const RecordedSession& session) {
        return step.action.ends_with("." + session.file.stem().string());
      });
  }
  return false;
}

bool FirstTask::was_slider_moved(const Explorer& explorer) const {
  return explorer.selection().slider_moves() > moves_before_.value_or(0);
}

float FirstTask::height_of_steps(float width) const {
  float height = 0;
  for (const TaskStep& step : steps_)
    height = std::max(height, ImGui::CalcTextSize(step.text.c_str(), nullptr, false, width).y);
  return height + height_of_title();
}

void FirstTask::draw(const ActionList& actions) {
  if (!is_shown()) return;
  const ImVec2 padding(12 * ui_scale(), 8 * ui_scale());
  const float space = space_between_steps * ui_scale();
  const float button = width_of_button * ui_scale();
  const float room = ImGui::GetMainViewport()->Size.x - 2 * padding.x - button;
  const float width = std::min(room / static_cast<float>(steps_.size()) - space, 420 * ui_scale());
  const float text_width = width - mark_size() - ImGui::GetStyle().ItemSpacing.x;
  ImGui::PushStyleColor(ImGuiCol_WindowBg, palette().raised);
  ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, padding);
  ImGui::PushStyleVar(ImGuiStyleVar_WindowBorderSize, 0.0F);
  const ImGuiWindowFlags flags =
      ImGuiWindowFlags_NoScrollbar | ImGuiWindowFlags_NoSavedSettings | ImGuiWindowFlags_NoDocking;
  if (ImGui::BeginViewportSideBar("##first_task", ImGui::GetMainViewport(), ImGuiDir_Up,
                                  height_of_steps(text_width) + 2 * padding.y, flags)) {
    const ImVec2 corner = ImGui::GetWindowPos();
    const ImVec2 extent = ImGui::GetWindowSize();
    landmark("first_task", corner, {corner.x + extent.x, corner.y + extent.y});
    for (std::size_t i = 0; i < steps_.size(); ++i) {
      ImGui::SetCursorPos({padding.x + static_cast<float>(i) * (width + space), padding.y});
      draw_step(i, text_width, actions);
    }
    ImGui::SetCursorPos({ImGui::GetWindowWidth() - padding.x - button, padding.y});
    if (ImGui::Button(all_done() ? "Close" : "Skip", {button, 0})) {
      shown_ = false;
      finished_ = true;
    }
    ImGui::SetItemTooltip("Help > First task shows these steps again.");
    landmark("first_task.skip");
  }
  ImGui::End();
  ImGui::PopStyleVar(2);
  ImGui::PopStyleColor();
}

void FirstTask::draw_step(std::size_t index, float width, const ActionList& actions) const {
  const TaskStep& step = steps_[index];
  const ImVec2 corner = ImGui::GetCursorPos();
  draw_mark(index + 1, done_[index]);
  landmark((done_[index] ? "first_task.done." : "first_task.open.") + step.id);
  ImGui::SameLine();
  const float left = ImGui::GetCursorPosX();
  ImGui::PushFont(fonts().bold, 0);
  ImGui::TextUnformatted(step.title.c_str());
  ImGui::PopFont();
  if (!step.button.empty() && !done_[index]) {
    ImGui::SameLine();
    ImGui::PushID(step.id.c_str());
    if (ImGui::SmallButton(step.button.c_str())) actions.run(step.action);
    landmark("first_task.button." + step.id);
    ImGui::PopID();
  }
  ImGui::SetCursorPos({left, corner.y + height_of_title()});
  ImGui::PushTextWrapPos(left + width);
  ImGui::PushStyleColor(ImGuiCol_Text, palette().muted);
  ImGui::TextUnformatted(step.text.c_str());
  ImGui::PopStyleColor();
  ImGui::PopTextWrapPos();
}

}  // namespace tilescope
