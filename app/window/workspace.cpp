#include "app/window/workspace.hpp"

#include <fmt/format.h>
#include <imgui.h>
#include <imgui_internal.h>

#include <algorithm>
#include <optional>
#include <system_error>

#include "app/gui/landmarks.hpp"
#include "app/gui/theme.hpp"
#include "app/window/banner.hpp"
#include "base/text/format.hpp"
#include "sessions/views/tune/sweep_summary.hpp"

namespace tilescope {

namespace fs = std::filesystem;

namespace {

/// The files of assets/workspaces; what is wrong with them becomes messages.
std::vector<WorkspaceLayout> install_workspaces(Explorer& explorer,
                                                const std::vector<std::unique_ptr<Panel>>& panels) {
  const fs::path folder = explorer.installation().root / "assets" / "workspaces";
  LeastSizes least;
  for (const auto& panel : panels) least[panel->id()] = panel->least_size();
  const std::vector<fs::path> files = list_json_files(folder);
  InstalledWorkspaces installed = read_workspaces(files, least);
  if (files.empty())
    installed.problems.push_back(
        fmt::format("There are no workspaces in {}: all panels are tabs.", folder.string()));
  for (const std::string& problem : installed.problems) explorer.notices().say(problem);
  return std::move(installed.layouts);
}

/// "3 points, 57 recorded"
std::string count_text(const Points& points) {
  const std::size_t recorded = points.recorded().size();
  std::string text = format_points(points.list().size());
  if (recorded > 0) text += ", " + format_count(static_cast<std::int64_t>(recorded)) + " recorded";
  return text;
}

/// [px] Where the notices are: the lower left or the lower right corner of them.
struct NoticePlace {
  ImVec2 corner;
  ImVec2 pivot;
  float width = 0;
};

/// At the foot of `area`, as wide as it, or in the corner of the window.
NoticePlace place_notices(const std::optional<ImVec4>& area) {
  const ImGuiViewport& viewport = *ImGui::GetMainViewport();
  const float margin = 14 * ui_scale(), widest = 520 * ui_scale();
  if (area)
    return {{area->x + margin, area->w - margin}, {0, 1}, std::min(widest, area->z - area->x - 2 * margin)};
  const ImVec2 end{viewport.WorkPos.x + viewport.WorkSize.x, viewport.WorkPos.y + viewport.WorkSize.y};
  return {{end.x - margin, end.y - margin}, {1, 1}, std::min(widest, viewport.WorkSize.x - 2 * margin)};
}

/// The user's response to a notice in this frame, by index.
struct NoticeAction {
  std::optional<std::size_t> pressed;
  std::optional<std::size_t> dismissed;
};

/// A sentence with its buttons, the last one to dismiss it. `width` is the window's.
void draw_notice(const Notice& notice, std::size_t index, float width, NoticeAction& action) {
  const float cross = ImGui::GetFrameHeight();
  const ImGuiStyle& style = ImGui::GetStyle();
  const float button =
      notice.button.empty() ? 0 : ImGui::CalcTextSize(notice.button.c_str()).x + 2 * style.FramePadding.x;
  const float right = width - cross - style.WindowPadding.x;
  ImGui::PushID(static_cast<int>(index));
  ImGui::PushTextWrapPos(right - style.ItemSpacing.x - (button > 0 ? button + style.ItemSpacing.x : 0));
  ImGui::AlignTextToFramePadding();
  ImGui::TextUnformatted(notice.text.c_str());
  ImGui::PopTextWrapPos();
  if (!notice.button.empty()) {
    ImGui::SameLine(right - button - style.ItemSpacing.x);
    if (ImGui::Button(notice.button.c_str(), {button, 0})) action.pressed = index;
    landmark(fmt::format("notice.button.{}", index));
  }
  ImGui::SameLine(right);
  if (ImGui::Button("x", {cross, cross})) action.dismissed = index;
  landmark(fmt::format("message.dismiss.{}", index));
  ImGui::PopID();
}

}  // namespace

Workspace::Workspace(Explorer& explorer, Settings& settings)
    : explorer_(explorer),
      settings_(settings),
      panels_(make_registered_panels()),
      tabs_(install_workspaces(explorer, panels_), panels_, settings),
      examples_(list_json_files(explorer.installation().examples)),
      help_texts_(read_help_texts(explorer.installation().root / "assets" / "help")),
      help_(help_texts_),
      first_task_(help_texts_.first_task, settings.first_task_done) {
  for (const std::string& problem : help_texts_.problems) explorer.notices().say(problem);
  explorer_.neighbours().enable(settings_.prepares_neighbours);
  add_file_actions();
  add_edit_actions();
  add_view_actions();
  add_help_actions();
  for (const PanelHelp& help : help_texts_.panels) {
    if (Panel* panel = find_panel(help.panel)) panel->set_help(help);
  }
  explorer_.several_kernels_opened = [this] { show_several_kernels(); };
  explorer_.points_of_files_opened = [this] { tabs_.activate_for(PanelRole::several_kernels); };
  explorer_.line_shown = [this] { show_line(); };
  explorer_.comparison_wanted = [this] { show_comparison(); };
  explorer_.comparison_is_shown = [this] { return shows_comparison(); };
  explorer_.kernel_file_wanted = [this] { ask_for_kernel({}); };
  explorer_.panel_wanted = [this](const std::string& panel) { tabs_.show_panel(panel); };
  explorer_.panel_wanted_anywhere = [this](const std::string& panel) { show_anywhere(panel); };
}

Panel* Workspace::find_panel(const std::string& id) const {
  const auto found =
      std::find_if(panels_.begin(), panels_.end(), [&](const auto& p) { return p->id() == id; });
  return found == panels_.end() ? nullptr : found->get();
}

bool Workspace::take_theme_change() {
  return std::exchange(theme_changed_, false);
}

bool Workspace::is_animated() const {
  return explorer_.jobs().sweep() != nullptr || explorer_.notices().has_news();
}

std::string Workspace::window_title() const {
  const SessionDocument& document = explorer_.points().document();
  return fmt::format("{}{} - Tilescope", document.is_dirty() ? "• " : "", document.title());
}

void Workspace::draw() {
  close_on_escape();
  actions_.take_shortcuts();
  draw_menu_bar();
  if (!tabs_.active().hides_first_task) first_task_.draw(actions_);
  draw_banners();
  draw_status_line();
  choose_front();
  choose_list_or_ladder();
  tabs_.draw_panels(explorer_);
  export_.draw(panels_, explorer_);
  draw_notices();
  draw_quit();
  help_.draw(explorer_, actions_);
  palette_.draw();
  first_task_.update(explorer_, panels_);
  if (const auto file = dialog_.draw()) take_chosen(*file);
}

void Workspace::take_chosen(const fs::path& file) {
  switch (asked_) {
    case Asked::session:
      return open(file);
    case Asked::kernel:
      return open_kernel(file);
    case Asked::place_to_save:
      explorer_.points().begin_saving(file, [this, file] { settings_.add_recent(file); });
  }
}

void Workspace::draw_quit() {
  if (!quit_ || may_quit_) return;
  const SessionDocument& document = explorer_.points().document();
  if (saves_to_quit_) {
    // It failed: a notice says why, and the window stays.
    if (!document.is_writing() && document.needs_saving()) quit_ = saves_to_quit_ = false;
    return;
  }
  if (!document.needs_saving()) {
    may_quit_ = true;
    return;
  }
  const auto answer = unsaved_.draw(document.title(), document.autosave_file().stem().string());
  if (answer == UnsavedDialog::Answer::cancel) quit_ = false;
  if (answer == UnsavedDialog::Answer::do_not_save) may_quit_ = declined_to_save_ = true;
  if (answer != UnsavedDialog::Answer::save) return;
  saves_to_quit_ = true;
  explorer_.points().begin_saving({}, [this] { may_quit_ = true; });
}

void Workspace::draw_banners() {
  std::vector<BannerLine> lines;
  for (const RecordedSession& session : explorer_.points().recorded_sessions()) {
    const std::string name = session.file.stem().string();
    lines.push_back({name, fmt::format("{}: {}, read-only", name, session.summary),
                     session.file.string() + "\nDrawn as recorded. New points go to your own session.", "",
                     "Close"});
  }
  // The first task's strip comes first: two would fill a small window.
  const bool without_gpu =
      explorer_.lacks_latency() && !settings_.no_gpu_dismissed && settings_.first_task_done;
  const std::string device = explorer_.selection().device().name;
  if (without_gpu) {
    lines.push_back({"no_gpu",
                     fmt::format("{} is not installed: kernels are compiled for it, checked and counted; "
                                 "latency is predicted, not timed.",
                                 device),
                     "Measured latencies come from a GPU in this machine, from one across ssh (--worker), or "
                     "from a recorded "
                     "session.",
                     examples_.empty() ? "" : "Open recorded latencies", "Dismiss"});
  }
  const BannerAction action = draw_banner(lines);
  if (action.pressed == "no_gpu") explorer_.points().begin_opening_recorded(recorded_example());
  if (action.closed == "no_gpu") settings_.no_gpu_dismissed = true;
  for (const RecordedSession& session : explorer_.points().recorded_sessions()) {
    if (session.file.stem() != action.closed) continue;
    return explorer_.points().close_recorded(fs::path(session.file));
  }
}

/// The recorded example of the chosen kernel, else of the ladder.
fs::path Workspace::recorded_example() const {
  return example_for(examples_, explorer_.selection().kernel());
}

/// A session of several kernels opens where they stand beside each other.
void Workspace::show_several_kernels() {
  tabs_.activate_for(PanelRole::several_kernels);
  tabs_.show(PanelRole::several_kernels);
}

/// In the first workspace that has it, if it is not shown here.
void Workspace::show_anywhere(const std::string& id) {
  const Panel* panel = find_panel(id);
  const auto has_it = [&](const WorkspaceLayout& layout) { return has_panel(layout.area, id); };
  const auto found = std::ranges::find_if(tabs_.layouts(), has_it);
  if (panel != nullptr && !panel->open && found != tabs_.layouts().end())
    tabs_.activate(static_cast<std::size_t>(found - tabs_.layouts().begin()));
  tabs_.show_panel(id);
}

/// A line's accesses and its code: where they stand beside each other, if they do not stand here. Beside a stepped
/// block the code alone is enough.
void Workspace::show_line() {
  const bool has_code = tabs_.is_open(PanelRole::code_line);
  if (has_code && tabs_.is_open(PanelRole::stepped_block)) return tabs_.show(PanelRole::code_line);
  if (!has_code || !tabs_.is_open(PanelRole::line_accesses)) tabs_.activate_for(PanelRole::line_accesses);
  tabs_.show(PanelRole::line_accesses);
  tabs_.show(PanelRole::code_line);
}

bool Workspace::shows_comparison() const {
  return tabs_.is_open(PanelRole::comparison) && tabs_.is_open(PanelRole::compared_sides);
}

/// Opens the workspace with the panels of the comparison side by side, unless this one shows them.
void Workspace::show_comparison() {
  if (!shows_comparison()) tabs_.activate_for(PanelRole::comparison);
  tabs_.show(PanelRole::comparison);
}

/// Without latencies and predictions the plot of them is empty: what is known without them is in front until there are
/// some.
void Workspace::choose_front() {
  if (explorer_.jobs().waits_for_devices() || !tabs_.is_open(PanelRole::latencies)) return;
  const bool lacks_latency = explorer_.lacks_latency() && !explorer_.points().has_prediction();
  if (lacked_latency_ == lacks_latency) return;
  // At a later start the tabs are as they were left.
  const bool is_first_look = !lacked_latency_ && settings_.layout.empty();
  if (is_first_look || lacked_latency_)
    tabs_.bring_to_front(lacks_latency ? PanelRole::resident_blocks : PanelRole::latencies);
  lacked_latency_ = lacks_latency;
}

/// The ladder has no place for a point of a file: where one is shown, the list comes before it, once in a workspace.
void Workspace::choose_list_or_ladder() {
  const SharedMeasurement shown = explorer_.shown().point();
  if (!shown || !shown->arguments) return listed_in_.clear();
  const WorkspaceLayout& layout = tabs_.active();
  const bool has_ladder = std::ranges::find(layout.shows, PanelRole::several_kernels) != layout.shows.end();
  if (has_ladder && listed_in_.insert(layout.id).second) tabs_.bring_to_front(PanelRole::all_points);
}

void Workspace::draw_status_line() {
  const float height = ImGui::GetFrameHeight() + 2 * ui_scale();
  ImGui::PushStyleColor(ImGuiCol_WindowBg, palette().background);
  ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, {12 * ui_scale(), 1 * ui_scale()});
  ImGui::PushStyleVar(ImGuiStyleVar_WindowBorderSize, 0.0F);
  const ImGuiWindowFlags flags =
      ImGuiWindowFlags_NoScrollbar | ImGuiWindowFlags_NoSavedSettings | ImGuiWindowFlags_NoDocking;
  if (ImGui::BeginViewportSideBar("##status", ImGui::GetMainViewport(), ImGuiDir_Down, height, flags)) {
    const bool present = explorer_.selection().device().present;
    const ImVec2 at = ImGui::GetCursorScreenPos();
    const float radius = 4 * ui_scale();
    const ImVec2 centre(at.x + radius, at.y + ImGui::GetFrameHeight() / 2);
    ImDrawList& list = *ImGui::GetWindowDrawList();
    // A ring for a device that is not here: distinguishable without colour.
    if (present) {
      list.AddCircleFilled(centre, radius, ImGui::GetColorU32(palette().ok));
    } else {
      list.AddCircle(centre, radius, ImGui::GetColorU32(palette().muted), 0, 1.5F * ui_scale());
    }
    ImGui::SetCursorPosX(ImGui::GetCursorPosX() + 3.5F * radius);
    ImGui::AlignTextToFramePadding();
    ImGui::TextUnformatted(explorer_.status_text().c_str());
    landmark("status.text");
    draw_progress();
  }
  ImGui::End();
  ImGui::PopStyleVar(2);
  ImGui::PopStyleColor();
}

/// The bar of a sweep is in the configuration panel, with its rate, which is left out here where there is no room.
void Workspace::draw_progress() {
  const Campaign* sweep = explorer_.jobs().sweep();
  std::string text = explorer_.activity();
  std::string rate;
  if (sweep != nullptr) {
    text = "Sweep: " + sweep_progress_text(sweep->done(), sweep->total(), sweep->remaining_s());
    rate = sweep_rate_text(sweep->points_per_second());
  } else {
    text = text.empty() ? count_text(explorer_.points()) : "working: " + text;
  }
  const float right = ImGui::GetWindowPos().x + ImGui::GetWindowWidth() - ImGui::GetStyle().WindowPadding.x;
  const float room = right - ImGui::GetItemRectMax().x - 2 * ImGui::GetStyle().ItemSpacing.x;
  const std::string with_rate = text + ", " + rate;
  if (!rate.empty() && ImGui::CalcTextSize(with_rate.c_str()).x <= room) text = with_rate;
  ImGui::SameLine(right - ImGui::GetWindowPos().x - ImGui::CalcTextSize(text.c_str()).x);
  ImGui::TextDisabled("%s", text.c_str());
  landmark("status.activity");
}

/// Newest below. Errors stay until they are dismissed, so that they are not missed; news goes by itself.
void Workspace::show_first_task() {
  first_task_.show_again();
  if (tabs_.active().hides_first_task) tabs_.activate(0);
}

void Workspace::draw_notices() {
  Notices& notices = explorer_.notices();
  if (notices.list().empty()) return;
  const NoticePlace place = place_notices(tabs_.notice_area());
  ImGui::SetNextWindowPos(place.corner, ImGuiCond_Always, place.pivot);
  ImGui::SetNextWindowSizeConstraints({place.width, 0},
                                      {place.width, ImGui::GetMainViewport()->WorkSize.y * 0.6F});
  const bool any_error = !notices.errors().empty();
  ImGui::PushStyleColor(ImGuiCol_WindowBg, palette().raised);
  ImGui::PushStyleColor(ImGuiCol_Border, any_error ? palette().error : palette().border);
  const ImGuiWindowFlags flags = ImGuiWindowFlags_NoDecoration | ImGuiWindowFlags_AlwaysAutoResize |
                                 ImGuiWindowFlags_NoSavedSettings | ImGuiWindowFlags_NoDocking |
                                 ImGuiWindowFlags_NoFocusOnAppearing | ImGuiWindowFlags_NoMove;
  NoticeAction action;
  bool all_dismissed = false;
  if (ImGui::Begin("##messages", nullptr, flags)) {
    // Over the panels, under a dialog or a menu.
    if (!ImGui::IsPopupOpen("", ImGuiPopupFlags_AnyPopup)) {
      ImGui::BringWindowToDisplayFront(ImGui::GetCurrentWindow());
    }
    for (std::size_t i = 0; i < notices.list().size(); ++i) {
      if (i > 0) ImGui::Separator();
      draw_notice(notices.list()[i], i, place.width, action);
    }
    landmark("notices", ImGui::GetWindowPos(),
             {ImGui::GetWindowPos().x + ImGui::GetWindowWidth(),
              ImGui::GetWindowPos().y + ImGui::GetWindowHeight()});
    if (notices.list().size() > 1) all_dismissed = ImGui::Button("Dismiss all");
  }
  ImGui::End();
  ImGui::PopStyleColor(2);
  if (action.pressed) notices.press(*action.pressed);
  if (action.dismissed) notices.dismiss(*action.dismissed);
  if (all_dismissed) notices.dismiss_all();
}

}  // namespace tilescope
