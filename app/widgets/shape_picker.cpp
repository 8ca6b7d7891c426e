#include "app/widgets/shape_picker.hpp"

#include <imgui.h>

#include <algorithm>

#include "app/gui/landmarks.hpp"
#include "app/widgets/colors.hpp"
#include "app/widgets/segmented_choice.hpp"
#include "app/widgets/text.hpp"

namespace tilescope {

namespace {

/// Shapes at which attention kernels are usually compared: the usual benchmarks, and longer sequences.
struct CommonShape {
  std::int64_t B, H, S, D;
};
constexpr CommonShape common_shapes[] = {
    {1, 8, 512, 64},   {4, 16, 512, 64},   {8, 16, 512, 64},
    {1, 16, 2048, 64}, {8, 16, 2048, 128}, {1, 16, 16384, 128},
};

struct Column {
  float label = 0;
  float field = 0;
};

/// A size with its label. Returns true when the user has left the field with another value.
bool size_field(const char* name, const char* help, std::int64_t& size, Column column) {
  ImGui::AlignTextToFramePadding();
  const float left = ImGui::GetCursorPosX();
  text_muted(name);
  help_tooltip(help);
  ImGui::SameLine(left + column.label);
  ImGui::SetNextItemWidth(column.field);
  ImGui::PushID(name);
  const MonoText mono;
  // So that a draft is judged while it is typed.
  ImGui::PushItemFlag(ImGuiItemFlags_LiveEditOnInputScalar, true);
  ImGui::InputScalar("##size", ImGuiDataType_S64, &size, nullptr, nullptr, "%lld",
                     ImGuiInputTextFlags_AutoSelectAll);
  ImGui::PopItemFlag();
  const bool left_changed = ImGui::IsItemDeactivatedAfterEdit();
  landmark(std::string("shape.") + name);
  ImGui::PopID();
  return left_changed;
}

/// Sizes that were equal stay equal: most users change Hq and Hkv, Sq and Sk together.
bool draw_sizes(Shape& shape, const Shape& current) {
  const float gap = em() * 0.7F;
  Column column;
  column.label = ImGui::CalcTextSize("Hkv").x + em() * 0.35F;
  column.field = (ImGui::GetContentRegionAvail().x - 2 * gap) / 3 - column.label;
  const float left = ImGui::GetCursorPosX();
  const float stride = column.label + column.field + gap;
  const auto next = [&](int i) { ImGui::SameLine(left + stride * static_cast<float>(i)); };

  bool changed = size_field("B", "Batch", shape.B, column);
  next(1);
  if (size_field("Hq", "Query heads", shape.Hq, column)) {
    changed = true;
    if (current.Hkv == current.Hq) shape.Hkv = shape.Hq;
  }
  next(2);
  changed |= size_field("Hkv", "Key and value heads: Hq must be a multiple", shape.Hkv, column);
  if (size_field("Sq", "Queries", shape.Sq, column)) {
    changed = true;
    if (current.Sk == current.Sq) shape.Sk = shape.Sq;
  }
  next(1);
  changed |= size_field("Sk", "Keys", shape.Sk, column);
  next(2);
  changed |= size_field("D", "Head dimension", shape.D, column);
  return changed;
}

bool draw_type_and_mask(Shape& shape, const std::vector<DataType>& dtypes) {
  SegmentedChoice choice{"dtype", {}, dtypes.size()};
  choice.fills_width = false;
  for (const DataType type : dtypes) {
    if (type == shape.dtype) choice.current = choice.segments.size();
    choice.segments.push_back({to_string(type), "shape.dtype." + to_string(type), ""});
  }
  choice.height = ImGui::GetFrameHeight();  // as the buttons beside it
  const SegmentedAction action = segmented_choice(choice);
  help_tooltip("Type of the elements of Q, K, V and O.");
  if (action.chosen) shape.dtype = dtypes[*action.chosen];
  bool changed = action.chosen.has_value();
  ImGui::SameLine(0, em() * 0.6F);  // so that the row fits beside a scrollbar
  changed |= ImGui::Checkbox("Causal", &shape.causal);
  landmark("shape.causal");
  help_tooltip("Query i sees keys j <= i + (Sk - Sq): the last query sees all keys.");
  return changed;
}

bool draw_common_shapes(Shape& shape) {
  bool chosen = false;
  const float width = ImGui::CalcTextSize("Shapes").x + ImGui::GetStyle().FramePadding.x * 2;
  ImGui::SetCursorPosX(ImGui::GetCursorPosX() + std::max(0.0F, ImGui::GetContentRegionAvail().x - width));
  if (ImGui::Button("Shapes", {width, 0})) ImGui::OpenPopup("common shapes");
  landmark("shape.common");
  help_tooltip("Shapes that attention kernels are usually compared at.");
  if (!ImGui::BeginPopup("common shapes")) return false;
  for (const CommonShape& common : common_shapes) {
    Shape candidate{common.B, common.H, common.H, common.S, common.S, common.D, shape.dtype, shape.causal};
    if (!ImGui::Selectable(to_string(candidate).c_str(), candidate == shape)) continue;
    shape = candidate;
    chosen = true;
  }
  ImGui::EndPopup();
  return chosen;
}

}  // namespace

std::optional<Shape> shape_picker(ShapeDraft& draft, const Shape& current,
                                  const std::vector<DataType>& dtypes,
                                  const std::function<std::string(const Shape&)>& why_invalid) {
  if (draft.taken_from != current) draft = {current, current, current, ""};
  ImGui::PushID("shape");
  bool changed = draw_sizes(draft.shape, current);
  changed |= draw_type_and_mask(draft.shape, dtypes);
  ImGui::SameLine();
  changed |= draw_common_shapes(draft.shape);
  ImGui::PopID();
  const bool malformed = !why_malformed(draft.shape).empty();
  if (draft.judged != draft.shape) {
    draft.judged = draft.shape;
    draft.why_invalid = malformed                ? why_malformed(draft.shape)
                        : draft.shape == current ? ""
                                                 : why_invalid(draft.shape);
  }
  if (!draft.why_invalid.empty()) text_wrapped(palette().error, draft.why_invalid);
  if (!changed || malformed || draft.shape == current) return std::nullopt;
  return draft.shape;
}

}  // namespace tilescope
