#include "sessions/views/points/point_details.hpp"

#include <imgui.h>

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "app/explorer/memory/check_run.hpp"
#include "app/explorer/points/point_sources.hpp"
#include "app/explorer/tune/advice.hpp"
#include "app/gui/landmarks.hpp"
#include "app/gui/panel.hpp"
#include "app/gui/theme.hpp"
#include "app/panels/learn/exhibit_card.hpp"
#include "app/panels/points/detail_table.hpp"
#include "app/panels/points/kept_heights.hpp"
#include "app/panels/points/point_advice.hpp"
#include "app/panels/points/point_findings.hpp"
#include "app/panels/points/point_header.hpp"
#include "app/widgets/split_panel.hpp"
#include "app/widgets/text.hpp"
#include "profiler/views/points/partial_point.hpp"
#include "sessions/views/code/compiler_log.hpp"
#include "sessions/views/points/panel_csv.hpp"
#include "sessions/views/points/timed_point.hpp"

namespace tilescope {

namespace {

// Around a line in a tooltip.
constexpr std::int64_t context_lines = 2;

class PointDetailsPanel : public Panel {
 public:
  PointDetailsPanel() : Panel("details", "Point", {240, 160}) {}

  bool has_table() const override { return true; }
  std::string csv() const override { return details_csv(sections_); }

 protected:
  void draw(Explorer& explorer) override;

 private:
  void derive(Explorer& explorer, const SharedMeasurement& point);
  void take_findings(const SharedMeasurement& checked, const std::vector<Finding>& of_the_point);
  void compare(const Measurement& point, const SharedMeasurement& with);
  SourceLinks links_of(Explorer& explorer, const Measurement& point);
  void draw_partial(Explorer& explorer);
  void draw_point(Explorer& explorer, const Measurement& point);
  void draw_remarks(Explorer& explorer, const SourceLinks& links);
  void draw_sections(const std::vector<DetailSection>& sections, const SourceLinks& links);
  void draw_notes(const Measurement& point) const;
  void draw_log(const SourceLinks& links, const Measurement& point) const;

  SplitPanel parts_;
  KeptHeights heights_;
  SharedMeasurement point_;
  SharedMeasurement compared_;
  SharedMeasurement checked_;
  /// Revision of the points in which a timed one was looked for.
  std::uint64_t points_revision_ = 0;
  bool recorded_ = false;
  /// Points are timed here, and have a provisional latency first.
  bool times_points_ = false;
  /// In the last frame: a timed point, or one that is to be timed.
  bool showed_timed_ = false;
  std::vector<DetailSection> sections_;
  std::vector<Complaint> complaints_;
  std::vector<LogLine> log_;
  /// "SMEM_LAYOUT=row_major instead of padded", of the compared point.
  std::vector<std::string> differences_;
  /// By file and line.
  std::map<std::pair<std::string, std::int64_t>, SourceExcerpt> excerpts_;
};

/// The checkers' result for the configuration under the sliders; nullptr if another point is shown.
SharedMeasurement find_checked(const Explorer& explorer) {
  return explorer.shown().is_another() ? nullptr : explorer.board().get<CheckRun>().result();
}

void PointDetailsPanel::draw(Explorer& explorer) {
  const SharedMeasurement point = explorer.shown().point();
  if (point) {
    derive(explorer, point);
  } else {
    // A point that is not shown is not exported either.
    point_ = nullptr;
    sections_.clear();
    excerpts_.clear();
  }
  explorer.board().get<Advice>().update(point);
  times_points_ = explorer.jobs().has_worker() && explorer.selection().device().present;
  // A predicted point has fewer figures than a timed one shown before it, such as a recorded one.
  const bool is_timed = times_points_ || (point && point->latency);
  if (std::exchange(showed_timed_, is_timed) != is_timed) heights_.forget();
  if (point) return draw_point(explorer, *point);
  if (explorer.jobs().measuring()) return draw_partial(explorer);
  draw_exhibit_card(explorer);
  draw_applied(explorer);
  empty_state("No point", "Move a slider, or click a point in a plot or in the table.");
}

/// The rows of the point that follows, at their places.
void PointDetailsPanel::draw_partial(Explorer& explorer) {
  const Selection& selection = explorer.selection();
  const DeviceModel& device = selection.device();
  const PartialPoint* partial = explorer.jobs().partial_point().get();
  const PartialPoint known = partial != nullptr ? *partial
                                                : nothing_known(selection.complete(selection.experiment()),
                                                                {device.name, device.arch, device.present});
  take_findings(find_checked(explorer), {});
  std::vector<DetailSection> sections = partial_details(known, selection.kernel().is_launched_by_library());
  compare(known.so_far, explorer.shown().compared());
  if (compared_)
    sections =
        compared_partial_details(std::move(sections), *compared_, explorer.points().is_recorded(compared_));
  const SourceLinks links = links_of(explorer, checked_ ? *checked_ : known.so_far);
  parts_.draw(
      [&] {
        heights_.begin();
        draw_exhibit_card(explorer);
        draw_measuring(explorer, known.so_far, measuring_heading(partial));
        draw_diagnoses_line(explorer.board().get<Advice>());
        draw_compared(explorer, differences_, compared_ != nullptr);
        draw_sections(sections, links);
      },
      [&] { draw_remarks(explorer, links); });
}

void PointDetailsPanel::derive(Explorer& explorer, const SharedMeasurement& point) {
  SharedMeasurement compared = explorer.shown().compared();
  if (compared && is_same_result(*point, *compared)) compared = nullptr;
  const SharedMeasurement checked = find_checked(explorer);
  const std::uint64_t revision = explorer.points().revision();
  if (point == point_ && compared == compared_ && checked == checked_ && revision == points_revision_) return;
  point_ = point;
  points_revision_ = revision;
  recorded_ = explorer.points().is_recorded(point);
  sections_ = point_details(*point, recorded_);
  if (const SharedMeasurement timed =
          find_timed(*point, explorer.points().list(), explorer.points().recorded()))
    add_timed(sections_, *point, *timed, explorer.points().is_recorded(timed));
  compare(*point, compared);
  if (compared) {
    sections_ = compared_details(std::move(sections_),
                                 point_details(*compared, explorer.points().is_recorded(compared)));
  }
  take_findings(checked, point->findings);
  log_ = parse_compiler_log(point->compiler_log);
  excerpts_.clear();
}

/// The checkers may have run before the point is there.
void PointDetailsPanel::take_findings(const SharedMeasurement& checked,
                                      const std::vector<Finding>& of_the_point) {
  checked_ = checked;
  complaints_ = complaints_of(checked ? checked->findings : of_the_point);
}

void PointDetailsPanel::compare(const Measurement& point, const SharedMeasurement& with) {
  compared_ = with;
  differences_ = with ? differing_settings(point, *with) : std::vector<std::string>{};
}

SourceLinks PointDetailsPanel::links_of(Explorer& explorer, const Measurement& point) {
  SourceLinks links;
  links.find_excerpt = [&](const std::string& file, std::int64_t line) -> const SourceExcerpt& {
    const auto [found, is_new] = excerpts_.try_emplace({file, line});
    const SourceFile* source =
        is_new && line > 0 ? explorer.board().get<PointSources>().find(point) : nullptr;
    if (source != nullptr) found->second = excerpt_of(*source, file, line, context_lines);
    return found->second;
  };
  links.show_panel = [&explorer](const std::string& panel) { explorer.panel_wanted(panel); };
  const KernelDeclaration& kernel = explorer.selection().kernel();
  // Line numbers of an older source are other lines of the file as it is now.
  if (point.kernel != kernel.name || is_of_older_source(point, explorer.kernels().sources())) return links;
  links.kernel_file = kernel.source_path.filename().string();
  links.show_line = [&explorer](const NamedLine& named) {
    explorer.show_line(static_cast<std::uint32_t>(named.line), named.inlined_place);
  };
  return links;
}

void PointDetailsPanel::draw_point(Explorer& explorer, const Measurement& point) {
  const SourceLinks links = links_of(explorer, point);
  parts_.draw(
      [&] {
        heights_.begin();
        draw_exhibit_card(explorer);
        if (explorer.shown().is_another()) draw_elsewhere(explorer, point, recorded_);
        draw_status(explorer, point);
        draw_diagnoses_line(explorer.board().get<Advice>());
        draw_source_age(explorer, point);
        draw_compared(explorer, differences_, compared_ != nullptr);
        draw_sections(sections_, links);
        draw_notes(point);
        draw_log(links, point);
      },
      [&] { draw_remarks(explorer, links); });
}

/// Draws the remarks on the figures. They come with the final point and must not move the figures.
void PointDetailsPanel::draw_remarks(Explorer& explorer, const SourceLinks& links) {
  draw_applied(explorer);
  draw_findings(explorer.board().get<CheckRun>(), complaints_, checked_.get(), links);
  draw_advice(explorer, links);
  draw_tries(explorer);
}

void PointDetailsPanel::draw_sections(const std::vector<DetailSection>& sections, const SourceLinks& links) {
  // A stage's remark on its latency is longer than the formula under the final one.
  if (times_points_) keep_room_for_text("Latency", 2, heights_);
  const float labels = width_of_labels(sections);
  const ComparedColumns columns = compared_ ? compared_columns(sections) : ComparedColumns{};
  for (const DetailSection& section : sections) {
    if (compared_) {
      draw_compared_section(section, columns, links, heights_);
    } else {
      draw_section(section, labels, links, heights_);
    }
  }
}

void PointDetailsPanel::draw_notes(const Measurement& point) const {
  if (point.notes.empty()) return;
  section_heading("Notes", "");
  for (const std::string& note : point.notes) {
    ImGui::Bullet();
    text_wrapped(palette().text, note);
  }
}

/// The log with its errors in red; above it the line of the kernel's source that the first one names.
void PointDetailsPanel::draw_log(const SourceLinks& links, const Measurement& point) const {
  if (log_.empty()) return;
  section_heading("Compiler log", proper_name(point.provenance.compiler) + " output");
  if (ImGui::Button("Copy log")) ImGui::SetClipboardText(point.compiler_log.c_str());
  landmark("details.copy_log");
  const MonoText mono;
  if (const LogLine* error = first_error(log_)) {
    const std::string file = error->file.substr(error->file.find_last_of('/') + 1);
    const SourceExcerpt& excerpt = links.find_excerpt(file, error->line);
    for (const SourceExcerpt::Line& line : excerpt.lines) {
      if (!line.is_named) continue;
      text_colored(palette().muted, error->file + ", line " + std::to_string(error->line));
      text_wrapped(palette().text, line.text);
      landmark("details.log.source");
    }
  }
  for (const LogLine& line : log_) {
    const bool is_error = line.severity == LogLine::Severity::error;
    const bool is_warning = line.severity == LogLine::Severity::warning;
    text_wrapped(is_error ? palette().error : is_warning ? palette().warning : palette().muted, line.text);
  }
}

const RegisterPanel register_point_details_panel{[] { return std::make_unique<PointDetailsPanel>(); }};

}  // namespace

}  // namespace tilescope
