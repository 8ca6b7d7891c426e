#include <imgui.h>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "app/explorer/explorer.hpp"
#include "app/gui/help_texts.hpp"
#include "app/gui/landmarks.hpp"
#include "app/gui/panel.hpp"
#include "app/gui/theme.hpp"
#include "app/panels/model/model_bars.hpp"
#include "app/panels/model/model_scatter.hpp"
#include "app/panels/model/model_tables.hpp"
#include "app/panels/points/kernel_points.hpp"
#include "app/panels/points/point_scope.hpp"
#include "app/widgets/text.hpp"
#include "base/text/format.hpp"
#include "profiler/views/model/roofline.hpp"
#include "profiler/views/points/partial_point.hpp"
#include "sessions/views/model/prediction_text.hpp"
#include "sessions/views/points/timed_point.hpp"

namespace tilescope {

namespace {

struct ModelOptions {
  PointScope scope;
  /// Nothing: that under the pickers if it has points to compare, else the one with the most.
  std::optional<std::string> device;
};

/// Where the predicted time of the shown point goes, and how far predictions are from what was measured.
class ModelPanel : public Panel {
 public:
  ModelPanel() : Panel("model", "Model", {400, 240}) {}

  bool has_table() const override { return true; }
  std::string csv() const override { return model_csv(parts_, errors_); }
  std::vector<std::string> options() const override;
  void take_option(const std::string& line) override;

 protected:
  void draw(Explorer& explorer) override;

 private:
  /// Inputs of the comparison.
  struct Key {
    ErrorsChoice choice;
    std::uint64_t points_revision = 0;

    bool operator==(const Key&) const = default;
  };

  void derive(const Explorer& explorer);
  void read_glossary(const Explorer& explorer);
  std::string roofline_help(const Explorer& explorer) const;
  std::string device_of(const Explorer& explorer) const;
  void draw_in_columns(Explorer& explorer);
  void draw_in_one_column(Explorer& explorer);
  void draw_point(const Explorer& explorer) const;
  void draw_device();
  void draw_comparison(Explorer& explorer, float scatter_height);
  void draw_errors() const;
  void draw_misses(Explorer& explorer) const;
  float errors_height() const;

  ModelOptions options_;
  SharedMeasurement point_;
  /// A timed point of the same experiment, where that is another point.
  SharedMeasurement timed_;
  std::optional<PartsView> parts_;
  /// Revision of the points in which it was looked for.
  std::uint64_t points_revision_ = 0;
  ModelHelp help_;
  std::vector<GlossaryEntry> glossary_;
  std::optional<Key> key_;
  std::vector<ErrorsDevice> devices_;
  ErrorsView errors_;
  bool refit_ = true;
};

std::vector<std::string> ModelPanel::options() const {
  return scope_options(options_.scope);
}

void ModelPanel::take_option(const std::string& line) {
  take_scope_option(options_.scope, line);
}

std::string ModelPanel::device_of(const Explorer& explorer) const {
  const std::string& picked = options_.device.value_or(explorer.selection().device().name);
  const ErrorsDevice* most = nullptr;
  for (const ErrorsDevice& device : devices_) {
    if (device.name == picked) return picked;
    if (most == nullptr || device.points > most->points) most = &device;
  }
  return most == nullptr ? explorer.selection().device().name : most->name;
}

void ModelPanel::derive(const Explorer& explorer) {
  const std::uint64_t revision = explorer.points().revision();
  if (const SharedMeasurement point = explorer.shown().point();
      point != point_ || !point || revision != points_revision_) {
    point_ = point;
    timed_ = point ? find_timed(*point, explorer.points().list(), explorer.points().recorded()) : nullptr;
    parts_ = point ? prediction_parts(*point, timed_.get()) : std::nullopt;
    points_revision_ = revision;
    help_.of_roofline = roofline_help(explorer);
  }
  if (!key_ || key_->points_revision != revision)
    devices_ = prediction_error_devices(explorer.points().list(), explorer.points().recorded());
  Key key{{device_of(explorer), {}, {}}, revision};
  if (!options_.scope.all_kernels) key.choice.kernel = explorer.selection().kernel().name;
  if (!options_.scope.all_shapes) key.choice.shape = explorer.selection().experiment().shape;
  if (key_ == key) return;
  const double low_us = errors_.low_us, high_us = errors_.high_us;
  errors_ = prediction_errors(explorer.points().list(), explorer.points().recorded(), key.choice);
  refit_ = refit_ || low_us != errors_.low_us || high_us != errors_.high_us;
  key_ = std::move(key);
}

/// Parts are explained there, once for the panel and for Help > Glossary.
void ModelPanel::read_glossary(const Explorer& explorer) {
  if (help_.of_part) return;
  glossary_ = read_help_texts(explorer.installation().root / "assets" / "help").glossary;
  help_.of_part = [this](const std::string& part) { return glossary_text(glossary_, part); };
}

std::string ModelPanel::roofline_help(const Explorer& explorer) const {
  if (!parts_ || !parts_->roofline_us) return "";
  const std::string& of = point_->prediction->roofline_of;
  if (!of.empty())
    return "The shortest time that the device's " + of +
           " allows: arithmetic at the peak rate, loads at L2's bandwidth, and in DRAM what L2 does not keep "
           "from the "
           "launch before. " +
           parts_exclude_each_other;
  const DeviceModel* device = explorer.selection().find_device(point_->device.name);
  const KernelDeclaration* kernel = explorer.kernels().find(point_->kernel);
  if (device == nullptr || kernel == nullptr) return parts_exclude_each_other;
  const Work work = work_of(point_->shape, kernel->result == KernelResult::scores);
  return roofline_time_words(work, *device) + " " + parts_exclude_each_other;
}

void ModelPanel::draw(Explorer& explorer) {
  read_glossary(explorer);
  derive(explorer);
  if (!point_ && errors_.points.empty() && errors_.not_chosen == 0) {
    if (explorer.jobs().measuring()) {
      empty_state(measuring_heading(explorer.jobs().partial_point().get()),
                  "The prediction follows once the kernel is counted.");
    } else {
      empty_state("No point",
                  "Move a slider, or click a point in a plot or in the table, to see where its "
                  "predicted time goes.");
    }
    return;
  }
  // Three tables in one panel: rows stand closer than elsewhere.
  ImGui::PushStyleVar(ImGuiStyleVar_CellPadding, {ImGui::GetStyle().CellPadding.x, em() * 0.1F});
  const ImVec2 space = ImGui::GetContentRegionAvail();
  const bool compares = !errors_.points.empty() || errors_.not_chosen > 0;
  if (compares && space.x > em() * 68 && space.y > em() * 26) {
    draw_in_columns(explorer);
  } else {
    draw_in_one_column(explorer);
  }
  ImGui::PopStyleVar();
}

/// The shown point and the largest misses on the left, the comparison on the right.
void ModelPanel::draw_in_columns(Explorer& explorer) {
  const float gap = em() * 1.5F;
  const float left = (ImGui::GetContentRegionAvail().x - gap) * 0.5F;
  if (ImGui::BeginChild("left", {left, 0})) {
    draw_point(explorer);
    draw_misses(explorer);
  }
  ImGui::EndChild();
  ImGui::SameLine(0, gap);
  if (ImGui::BeginChild("right")) {
    const float room = ImGui::GetContentRegionAvail().y - errors_height();
    draw_comparison(explorer, std::max(em() * 22, room));
    draw_errors();
  }
  ImGui::EndChild();
}

void ModelPanel::draw_in_one_column(Explorer& explorer) {
  if (ImGui::BeginChild("all")) {
    draw_point(explorer);
    draw_comparison(explorer, std::min(em() * 22, ImGui::GetContentRegionAvail().x * 0.75F));
    draw_errors();
    draw_misses(explorer);
  }
  ImGui::EndChild();
}

void ModelPanel::draw_point(const Explorer& explorer) const {
  section_heading("Where the time goes", parts_ ? "predicted for " + point_->device.name : "");
  if (!point_) {
    text_wrapped(palette().muted, explorer.jobs().measuring()
                                      ? measuring_heading(explorer.jobs().partial_point().get())
                                      : "No point. Move a slider, or click a point.");
    return;
  }
  {
    const MonoText mono;
    text_wrapped(palette().muted, point_->kernel + "  " + to_string(point_->parameters));
    text_wrapped(palette().muted, problem_words(*point_));
  }
  ImGui::PushFont(fonts().bold, 0);
  text_wrapped(palette().text, parts_ ? parts_->heading : "No prediction");
  ImGui::PopFont();
  landmark(parts_ ? "model.heading" : "model.no_prediction");
  if (!parts_) return text_wrapped(palette().text, no_prediction_words(*point_));
  const bool is_recorded = explorer.points().is_recorded(timed_ ? timed_ : point_);
  if (!parts_->timed.empty()) {
    text_wrapped(palette().text,
                 with_unbroken_units((is_recorded ? "Recorded: " : "Measured: ") + parts_->timed));
    landmark("model.timed");
  }
  ImGui::Spacing();
  draw_model_bars(*parts_, is_recorded, help_);
  if (!parts_->summary.empty()) text_wrapped(palette().text, with_unbroken_units(parts_->summary));
  landmark("model.summary");
  ImGui::Spacing();
  draw_parts_table(*parts_, help_);
}

void ModelPanel::draw_device() {
  if (devices_.size() < 2) return;
  same_line_if_fits(em() * 12);
  ImGui::SetNextItemWidth(em() * 12);
  if (ImGui::BeginCombo("##device", errors_.choice.device.c_str())) {
    for (const ErrorsDevice& device : devices_) {
      const std::string words = device.name + ", " + format_points(device.points);
      if (ImGui::Selectable(words.c_str(), device.name == errors_.choice.device))
        options_.device = device.name;
      landmark("model.device." + device.name);
    }
    ImGui::EndCombo();
  }
  landmark("model.device");
}

void ModelPanel::draw_comparison(Explorer& explorer, float scatter_height) {
  section_heading("Predicted against measured",
                  errors_.points.empty()
                      ? errors_.choice.device
                      : format_points(errors_.points.size()) + " of " + errors_.choice.device);
  if (errors_.points.empty()) {
    text_wrapped(palette().muted, why_no_errors(errors_));
    landmark("model.no_errors");
    if (errors_.not_chosen == 0) return;
  }
  draw_point_scope(options_.scope, "model", explorer.selection().kernel().name);
  draw_device();
  if (errors_.points.empty()) return;
  const float top = ImGui::GetCursorPosY();
  draw_scatter_legend(errors_);
  const float legend = ImGui::GetCursorPosY() - top;
  const float height = std::max(em() * 12, scatter_height - legend);
  const ScatterAction action = draw_scatter(errors_, point_.get(), height, refit_);
  refit_ = action.wants_all_points;
  if (refit_) explorer.notices().draw_again();
  if (!action.hovered) return;
  const SharedMeasurement& point = errors_.points[*action.hovered];
  ImGui::SetMouseCursor(ImGuiMouseCursor_Hand);
  if (ImGui::BeginTooltip()) {
    tooltip_body(point->kernel + ": " + to_string(point->parameters), error_tooltip(*point),
                 "Click to show this point.");
    ImGui::EndTooltip();
  }
  if (clicked_in_place()) explorer.shown().show(point);
}

/// [px] Height of what stands around the scatter in its column.
float ModelPanel::errors_height() const {
  // Headers have two lines.
  const std::size_t rows = errors_.by_kernel.size() + errors_.by_limiter.size() + 4;
  const float row = ImGui::GetTextLineHeight() + 2 * ImGui::GetStyle().CellPadding.y;
  return static_cast<float>(rows) * row + 2 * ImGui::GetFrameHeightWithSpacing() + em() * 4;
}

void ModelPanel::draw_errors() const {
  if (errors_.points.empty()) return;
  ImGui::Spacing();
  draw_error_rows("Kernel", errors_.by_kernel);
  ImGui::Spacing();
  draw_error_rows("Limited by", errors_.by_limiter);
}

void ModelPanel::draw_misses(Explorer& explorer) const {
  if (errors_.worst.empty()) return;
  section_heading("Largest errors", errors_.choice.device);
  if (const auto clicked = draw_worst(errors_, point_.get())) explorer.shown().show(errors_.points[*clicked]);
}

const RegisterPanel register_model_panel{[] { return std::make_unique<ModelPanel>(); }};

}  // namespace

}  // namespace tilescope
