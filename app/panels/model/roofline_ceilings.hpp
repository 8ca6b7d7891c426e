#pragma once

#include <imgui.h>
#include <implot.h>

#include <cstddef>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "app/widgets/plot_labels.hpp"
#include "profiler/views/model/roofline.hpp"

namespace tilescope {

/// The peaks of arithmetic and the bandwidth of the chosen level, as lines with their names. Between BeginPlot and EndPlot;
/// all that it is made with must outlive it.
class RooflineCeilings {
 public:
  RooflineCeilings(const RooflineView& view, ImDrawList& draw, PlotLabels& labels)
      : view_(view), draw_(draw), labels_(labels), limits_(ImPlot::GetPlotLimits()) {}

  void draw_lines();
  /// After all lines and marks keep their places clear.
  void draw_labels();
  /// Into view.ceilings.known.
  std::optional<std::size_t> under_mouse() const;
  /// Landmarks, for tests.
  void mark_places() const;

 private:
  /// A ceiling on the screen.
  struct Line {
    std::size_t index = 0;
    ImVec2 from, to;
  };
  /// A label of a line that ends there.
  struct Name {
    CeilingId id = CeilingId::tensor;
    const CeilingFigure* figure = nullptr;
    /// [px] Ends of the line.
    float from = 0;
    ImVec2 to;
    bool chosen = false;
  };

  /// The bandwidths of other levels are left out: points have another intensity there.
  bool is_drawn(CeilingId id) const { return !is_bandwidth(id) || id == ceiling_of(view_.level); }
  double top() const;
  std::pair<ImVec2, ImVec2> ends(CeilingId id, double value) const;
  void draw_line(std::size_t index);
  void draw_label(const Name& name);
  std::vector<ImVec2> places_of(const Name& name, ImVec2 size) const;
  bool add_label(const Name& name, const std::string& label, bool clear);

  const RooflineView& view_;
  ImDrawList& draw_;
  PlotLabels& labels_;
  ImPlotRect limits_;
  std::vector<Line> lines_;
  std::vector<Name> names_;
};

}  // namespace tilescope
