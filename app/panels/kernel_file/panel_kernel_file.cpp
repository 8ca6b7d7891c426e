#include <imgui.h>

#include <algorithm>
#include <array>
#include <cfloat>
#include <cmath>
#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "app/explorer/explorer.hpp"
#include "app/explorer/kernel_file/opened_file.hpp"
#include "app/explorer/kernel_file/task_of_file.hpp"
#include "app/explorer/kernel_file/tried_values.hpp"
#include "app/explorer/memory/memory_focus.hpp"
#include "app/explorer/memory/recorded_block.hpp"
#include "app/explorer/step/block_stepping.hpp"
#include "app/gui/help_texts.hpp"
#include "app/gui/landmarks.hpp"
#include "app/gui/outdated_veil.hpp"
#include "app/gui/panel.hpp"
#include "app/gui/theme.hpp"
#include "app/panels/kernel_file/compare_buttons.hpp"
#include "app/panels/kernel_file/file_point.hpp"
#include "app/panels/kernel_file/keep_button.hpp"
#include "app/panels/kernel_file/kernel_table.hpp"
#include "app/panels/kernel_file/launch_form.hpp"
#include "app/panels/kernel_file/problem_pane.hpp"
#include "app/panels/kernel_file/source_pane.hpp"
#include "app/panels/kernel_file/task_section.hpp"
#include "app/panels/kernel_file/values_pane.hpp"
#include "app/panels/step/execution_pane.hpp"
#include "app/panels/tune/device_picker.hpp"
#include "app/widgets/segmented_choice.hpp"
#include "app/widgets/text.hpp"

namespace tilescope {
namespace {

// [em] From this width on the point stands beside the file.
constexpr float width_of_two_columns = 76;
// [em] In one column.
constexpr float height_of_source = 30;

// The part of the height that the stepped block has above its source.
constexpr float share_of_execution = 0.52F;

/// Contents beside the file and its launch.
enum class FileView { result, source, step, values };
constexpr std::array<const char*, 4> view_names = {"Result", "Source", "Step", "Values"};
constexpr std::array<const char*, 4> view_titles = {"Result", "Source", "Step", "Try values"};

/// A kernel of the user's own: the kernels of its file, the guessed launch, and what its execution showed.
class KernelFilePanel : public Panel {
 public:
  KernelFilePanel() : Panel("kernel-file", "Kernel file", {400, 240}, PanelRole::opened_file) {}

  bool asks_worker() const override { return true; }

 protected:
  void draw(Explorer& explorer) override;

 private:
  void read_glossary(const Explorer& explorer);
  void draw_file(Explorer& explorer, OpenedFile& opened);
  void draw_expected(OpenedFile& opened);
  void draw_earlier(OpenedFile& opened);
  void draw_launch(OpenedFile& opened);
  void draw_launch_buttons(OpenedFile& opened) const;
  void draw_view_choice();
  void draw_result(Explorer& explorer, OpenedFile& opened, TriedValues& tried, bool scrolls);
  void draw_answer(Explorer& explorer, OpenedFile& opened, TriedValues& tried);
  void draw_stepped_block(Explorer& explorer);

  LaunchForm form_;
  FileView view_ = FileView::result;
  FilePoint point_;
  SourcePane source_;
  /// Shown by both panes with lines; nothing before the user chose one.
  std::optional<HeatMetric> metric_;
  ExecutionPane execution_;
  SourcePane stepped_source_;
  ValuesPane values_;
  std::shared_ptr<const OpenedFileView> shown_;
  ProblemPane problem_;
  // An answer that was not drawn yet: it begins with its status and faults.
  bool is_new_ = false;
  ModelHelp help_;
  std::vector<GlossaryEntry> glossary_;
};

std::string progress_words(const OpenedFile& opened) {
  const std::string stage = opened.stage();
  return "Executing" + (stage.empty() ? "..." : ": " + stage + "...");
}

float width_of_button(const char* label) {
  return ImGui::CalcTextSize(label).x + 2 * ImGui::GetStyle().FramePadding.x;
}

void draw_open_button(Explorer& explorer) {
  if (ImGui::Button("Open...")) explorer.kernel_file_wanted();
  landmark("kernel_file.open");
  help_tooltip("Opens another kernel file (Ctrl+Shift+O).");
}

/// One button at a time: what stands below keeps its place while the file is executed.
void draw_reload_or_cancel(OpenedFile& opened, float width) {
  if (opened.waits()) {
    if (ImGui::Button("Cancel", {width, 0})) opened.cancel();
    landmark("kernel_file.cancel");
    return;
  }
  if (ImGui::Button("Reload", {width, 0})) opened.reload();
  landmark("kernel_file.reload");
  help_tooltip("Reads the file and executes it again. A file that changes on disk is read again by itself.");
}

/// The path, the device that it is executed for, and a button.
void draw_path(Explorer& explorer, OpenedFile& opened) {
  const float gap = ImGui::GetStyle().ItemSpacing.x, device = em() * 13;
  const float button = width_of_button("Reload"), open = width_of_button("Open...");
  const float right =
      ImGui::GetCursorPosX() + ImGui::GetContentRegionAvail().x - button - open - device - 2 * gap;
  ImGui::AlignTextToFramePadding();
  ImGui::PushFont(fonts().bold, 0);
  text_colored(palette().text, opened.file().filename().string());
  ImGui::PopFont();
  landmark("kernel_file.path");
  help_tooltip(opened.file().string());
  ImGui::SameLine();
  ImGui::BeginChild("folder", {right - ImGui::GetCursorPosX() - gap, ImGui::GetFrameHeight()});
  ImGui::SetCursorPosY(ImGui::GetStyle().FramePadding.y);
  text_in_one_line(palette().muted, opened.file().parent_path().string());
  ImGui::EndChild();
  ImGui::SameLine(right);
  draw_device_picker(explorer, device);
  ImGui::SameLine();
  draw_open_button(explorer);
  ImGui::SameLine();
  draw_reload_or_cancel(opened, button);
}

// A constant that is a template's argument changes the name: then the answer's kernel is the one.
std::string chosen_kernel(const OpenedFileView& view, const std::string& wanted) {
  const bool is_there = std::ranges::find(view.kernels, wanted, &KernelRow::entry) != view.kernels.end();
  return is_there ? wanted : view.point.entry;
}

void KernelFilePanel::read_glossary(const Explorer& explorer) {
  if (help_.of_part) return;
  glossary_ = read_help_texts(explorer.installation().root / "assets" / "help").glossary;
  help_.of_part = [this](const std::string& part) { return glossary_text(glossary_, part); };
}

void KernelFilePanel::draw(Explorer& explorer) {
  read_glossary(explorer);
  auto& opened = explorer.board().get<OpenedFile>();
  if (opened.file().empty()) {
    if (empty_state(
            "No kernel file",
            "Open CUDA C++, PTX, a cubin, a library or executable that holds them, a folder of Triton's "
            "cache, or a PyTorch task: File > Open kernel..., or drop it on the window.",
            "Open kernel..."))
      explorer.kernel_file_wanted();
    return;
  }
  opened.want();
  if (shown_ != opened.shown()) {
    point_.forget();
    is_new_ = true;
    if (!shown_ || !opened.shown() || shown_->point.entry != opened.shown()->point.entry) {
      source_.forget();
      stepped_source_.forget();
    }
  }
  shown_ = opened.shown();
  auto& tried = explorer.board().get<TriedValues>();
  const ImVec2 space = ImGui::GetContentRegionAvail();
  if (space.x < em() * width_of_two_columns) {
    if (ImGui::BeginChild("all", {0, 0}, ImGuiChildFlags_NavFlattened)) {
      draw_file(explorer, opened);
      ImGui::Spacing();
      draw_result(explorer, opened, tried, false);
    }
    return ImGui::EndChild();
  }
  const float gap = em() * 1.5F;
  if (ImGui::BeginChild("file", {(space.x - gap) * 0.46F, 0}, ImGuiChildFlags_NavFlattened))
    draw_file(explorer, opened);
  ImGui::EndChild();
  ImGui::SameLine(0, gap);
  ImGui::BeginGroup();
  draw_result(explorer, opened, tried, true);
  ImGui::EndGroup();
}

void KernelFilePanel::draw_file(Explorer& explorer, OpenedFile& opened) {
  draw_path(explorer, opened);
  auto& task = explorer.board().get<TaskOfFile>();
  task.want();
  draw_task(task);
  if (!shown_) return;
  if (!shown_->kernels.empty()) {
    section_heading("Kernels", shown_->point.kind);
    const std::string chosen = chosen_kernel(*shown_, opened.kernel());
    const std::string& device = explorer.selection().device().name;
    if (const auto clicked = draw_kernel_table(shown_->kernels, device, chosen);
        clicked && *clicked != chosen)
      opened.choose_kernel(*clicked);
  }
  draw_launch(opened);
}

void KernelFilePanel::draw_launch(OpenedFile& opened) {
  if (shown_->kernels.empty()) return;
  const std::vector<LaunchRow>& rows = opened.launch();
  const auto has_rows = [&](LaunchRow::Kind kind) {
    return std::ranges::find(rows, kind, &LaunchRow::kind) != rows.end();
  };
  const auto draw_rows = [&](LaunchRow::Kind kind) {
    if (const auto change = form_.draw(rows, kind)) opened.choose(change->what, change->value);
  };
  // Above the constants of the source, which may be many.
  draw_expected(opened);
  if (has_rows(LaunchRow::Kind::constant)) {
    section_heading("Constants", "compiled in; the file stays as it is");
    draw_rows(LaunchRow::Kind::constant);
  }
  if (has_rows(LaunchRow::Kind::entry)) {
    section_heading("Entry of the cache", "in what the entries of this kernel differ");
    draw_rows(LaunchRow::Kind::entry);
  }
  draw_earlier(opened);
  section_heading("Launch", rows.empty() ? "" : "type a value, Enter executes");
  if (has_rows(LaunchRow::Kind::guess)) {
    draw_rows(LaunchRow::Kind::guess);
  } else {
    text_wrapped(palette().muted, opened.waits() ? "Guessing..." : "Nothing had to be guessed.");
  }
  draw_launch_buttons(opened);
}

void KernelFilePanel::draw_launch_buttons(OpenedFile& opened) const {
  if (opened.has_choices()) {
    if (ImGui::Button("Reset all")) opened.forget_choices();
    landmark("kernel_file.reset_all");
    help_tooltip("Goes back to the guesses.");
    same_line_if_fits("Copy launch");
  }
  if (shown_->point.launch.empty()) return;
  if (ImGui::Button("Copy launch")) ImGui::SetClipboardText(shown_->point.launch.c_str());
  landmark("kernel_file.copy_launch");
  help_tooltip("A document for `tilescope run --args`.");
}

/// A formula of each output, or another kernel, which make the result a checked one.
void KernelFilePanel::draw_expected(OpenedFile& opened) {
  const std::vector<LaunchRow>& rows = opened.launch();
  if (std::ranges::find(rows, LaunchRow::Kind::formula, &LaunchRow::kind) == rows.end()) return;
  section_heading("Expected result", "a formula or another kernel");
  if (const auto change = form_.draw_formulas(rows)) opened.choose(change->what, change->value);
}

void KernelFilePanel::draw_earlier(OpenedFile& opened) {
  const std::vector<LaunchRow>& rows = opened.launch();
  if (std::ranges::find(rows, LaunchRow::Kind::earlier, &LaunchRow::kind) == rows.end()) return;
  section_heading("Launched before", "kernels of the file on the same buffers");
  for (const LaunchForm::Change& change : LaunchForm::draw_earlier(rows))
    opened.choose(change.what, change.value);
}

void KernelFilePanel::draw_view_choice() {
  SegmentedChoice choice{"view", {}};
  choice.fills_width = false;
  choice.current = static_cast<std::size_t>(view_);
  for (std::size_t i = 0; i < view_names.size(); ++i)
    choice.segments.push_back({view_titles[i], std::string("kernel_file.view.") + view_names[i], ""});
  const auto chosen = segmented_choice(choice).chosen;
  if (!chosen) return;
  view_ = static_cast<FileView>(*chosen);
  if (view_ == FileView::step) stepped_source_.show_play_head();
}

/// `scrolls`: the answer has the rest of the panel; else it is as high as its content.
void KernelFilePanel::draw_result(Explorer& explorer, OpenedFile& opened, TriedValues& tried, bool scrolls) {
  draw_view_choice();
  if (shown_ && !opened.waits()) {
    draw_compare_buttons(explorer, *shown_);
    draw_keep_button(explorer, *shown_);
  }
  if (opened.waits() && !shown_) {
    text_muted(progress_words(opened));
    landmark("kernel_file.running");
  }
  if (opened.is_cancelled()) {
    text_wrapped(palette().muted, "Cancelled. Press Reload to execute it.");
    landmark("kernel_file.cancelled");
  }
  const bool is_high = !scrolls && (view_ == FileView::source || view_ == FileView::step);
  const ImGuiChildFlags height = scrolls || is_high ? ImGuiChildFlags_None : ImGuiChildFlags_AutoResizeY;
  if (ImGui::BeginChild("answer", {0, is_high ? em() * height_of_source : 0},
                        height | ImGuiChildFlags_NavFlattened)) {
    if (std::exchange(is_new_, false) && view_ == FileView::result) ImGui::SetScrollY(0);
    draw_answer(explorer, opened, tried);
    if (opened.waits() && shown_ && view_ != FileView::values) draw_outdated_veil(progress_words(opened));
  }
  ImGui::EndChild();
}

void KernelFilePanel::draw_answer(Explorer& explorer, OpenedFile& opened, TriedValues& tried) {
  if (!opened.problem().empty()) return problem_.draw_unread(opened.problem());
  if (!shown_) return;
  if (view_ == FileView::values && !shown_->kernels.empty()) return values_.draw(opened, tried);
  if (!shown_->problem.empty()) return problem_.draw(*shown_, opened);
  if (view_ == FileView::source) return source_.draw(*shown_, metric_);
  if (view_ == FileView::step) return draw_stepped_block(explorer);
  const FilePointAction action = point_.draw(*shown_, help_);
  auto& focus = explorer.board().get<MemoryFocus>(block_of_file);
  if (action.site) {
    focus.choose_site(*action.site);
    explorer.panel_wanted_anywhere("file-microscope");
  } else if (action.layouts_of_line) {
    focus.choose_line(static_cast<std::uint32_t>(*action.layouts_of_line));
    explorer.panel_wanted_anywhere("file-swizzle-solver");
  }
}

/// A block at its play head, and below it the source with the lines at which its warps are.
void KernelFilePanel::draw_stepped_block(Explorer& explorer) {
  auto& stepping = explorer.board().get<BlockStepping>(block_of_file);
  const bool has_source = !shown_->files.empty() && stepping.stop();
  const float room = ImGui::GetContentRegionAvail().y;
  const ImGuiChildFlags flags = ImGuiChildFlags_NavFlattened;
  bool is_drawn = false;
  if (has_source) {
    // The border between them can be dragged.
    ImGui::SetNextWindowSizeConstraints({0, em() * 8}, {FLT_MAX, std::max(em() * 8, room - em() * 8)});
    is_drawn = ImGui::BeginChild("execution above the source", {0, std::floor(room * share_of_execution)},
                                 flags | ImGuiChildFlags_ResizeY);
  } else {
    is_drawn = ImGui::BeginChild("execution", {0, 0}, flags);
  }
  if (is_drawn) {
    execution_.draw(stepping, [&](const WarpStop& warp) {
      stepped_source_.show_line(stepping.stop()->main_file, warp.line);
    });
  }
  ImGui::EndChild();
  if (has_source) stepped_source_.draw(*shown_, metric_, &stepping);
}

const RegisterPanel register_kernel_file_panel{[] { return std::make_unique<KernelFilePanel>(); }};

}  // namespace
}  // namespace tilescope
