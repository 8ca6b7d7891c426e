#include <imgui.h>

#include <algorithm>

#include "app/explorer/tune/sweep_choice.hpp"
#include "app/gui/landmarks.hpp"
#include "app/gui/panel.hpp"
#include "app/panels/tune/device_picker.hpp"
#include "app/panels/tune/parameter_views.hpp"
#include "app/panels/tune/sweep_control.hpp"
#include "app/widgets/colors.hpp"
#include "app/widgets/parameter_slider.hpp"
#include "app/widgets/shape_picker.hpp"
#include "app/widgets/text.hpp"
#include "profiler/kernels/catalogue/constraints.hpp"

namespace tilescope {

namespace {

/// Kernel, shape, device and a slider for each declared parameter, which scroll; below, always in sight, whether the
/// configuration is valid, and the sweep.
class ConfigurationPanel : public Panel {
 public:
  ConfigurationPanel() : Panel("configuration", "Configuration", {240, 200}) {}

 protected:
  void draw(Explorer& explorer) override;

 private:
  void pick_kernel(Explorer& explorer) const;
  void draw_compiler(Explorer& explorer) const;
  void draw_shape(Explorer& explorer);
  void derive(const Explorer& explorer);
  void draw_sliders(Explorer& explorer);
  void draw_foot(Explorer& explorer);
  void draw_validity(Explorer& explorer) const;
  void draw_defaults(Explorer& explorer, bool on_one_line) const;

  ShapeDraft shape_;
  /// As it was in the last frame: what is above takes the rest of the panel.
  float foot_height_ = 0;
  /// Checking every value of every parameter takes a millisecond, so the result is kept until the experiment or the
  /// device changes.
  Experiment derived_from_;
  std::string derived_device_;
  std::uint64_t derived_revision_ = 0;
  std::vector<ParameterDeclaration> derived_parameters_;
  std::vector<SliderView> sliders_;
  std::string why_invalid_;
};

std::string role_words(KernelRole role) {
  switch (role) {
    case KernelRole::rung:
      return "a rung of the ladder";
    case KernelRole::exhibit:
      return "an exhibit";
    case KernelRole::baseline:
      return "a baseline";
    case KernelRole::micro:
      return "a microbenchmark";
  }
  return {};
}

const char* role_heading(KernelRole role) {
  switch (role) {
    case KernelRole::rung:
      return "The ladder";
    case KernelRole::exhibit:
      return "Exhibits: deliberate bugs";
    case KernelRole::baseline:
      return "Library baselines";
    case KernelRole::micro:
      return "Microbenchmarks: what calibrates a device";
  }
  return "";
}

/// Kernels that cannot be chosen; the tooltip of each has the errors of its declaration.
void list_broken_kernels(const Explorer& explorer) {
  if (explorer.kernels().broken().empty()) return;
  ImGui::SeparatorText("Declarations with errors");
  for (const BrokenKernel& kernel : explorer.kernels().broken()) {
    const std::string file = kernel.source_path.filename().string();
    ImGui::BeginDisabled();
    ImGui::Selectable(file.c_str());
    ImGui::EndDisabled();
    landmark("broken." + file);
    help_tooltip(kernel.error);
    ImGui::SameLine();
    text_colored(palette().error, "cannot be used");
  }
}

void apply(SweepChoice& choice, const std::string& kernel, const ParameterDeclaration& parameter,
           const SweepAction& action) {
  if (action.toggled) choice.toggle(kernel, parameter.name);
  if (action.all_values) choice.choose_all(kernel, parameter.name);
  if (action.no_value) choice.choose_none(kernel, parameter);
  if (action.toggled_value)
    choice.toggle_value(kernel, parameter.name, parameter.values[*action.toggled_value]);
}

void ConfigurationPanel::draw(Explorer& explorer) {
  if (explorer.kernels().all().empty()) {
    std::string text = "None could be read from " + explorer.installation().kernels.string() + ".";
    for (const BrokenKernel& kernel : explorer.kernels().broken()) text += "\n\n" + kernel.error;
    empty_state("No kernels", text);
    return;
  }
  if (foot_height_ == 0) foot_height_ = em() * 4;
  const float foot = foot_height_ + ImGui::GetStyle().ItemSpacing.y;
  const float height = std::max(em() * 6, ImGui::GetContentRegionAvail().y - foot);
  ImGui::BeginChild("choices", {0, height}, ImGuiChildFlags_NavFlattened);
  pick_kernel(explorer);
  draw_device_picker(explorer, -FLT_MIN);
  draw_compiler(explorer);
  draw_shape(explorer);
  derive(explorer);
  draw_sliders(explorer);
  ImGui::EndChild();
  draw_foot(explorer);
}

void ConfigurationPanel::draw_foot(Explorer& explorer) {
  // In a window of its own, so that one that grows is cut off for a frame and the panel does not scroll.
  ImGui::BeginChild("foot", {0, foot_height_}, ImGuiChildFlags_NavFlattened, ImGuiWindowFlags_NoScrollbar);
  ImGui::Separator();
  draw_validity(explorer);
  const bool sweeping = explorer.jobs().sweep() != nullptr;
  if (!sliders_.empty() || sweeping) draw_sweep_control(explorer);
  const float height = ImGui::GetCursorPosY() - ImGui::GetStyle().ItemSpacing.y;
  ImGui::EndChild();
  if (height != foot_height_) explorer.notices().draw_again();
  foot_height_ = height;
}

void ConfigurationPanel::pick_kernel(Explorer& explorer) const {
  ImGui::SetNextItemWidth(-FLT_MIN);
  const bool is_open =
      ImGui::BeginCombo("##kernel", explorer.selection().kernel().name.c_str(), ImGuiComboFlags_HeightLarge);
  landmark("picker.kernel");
  if (!is_open) {
    help_tooltip(explorer.selection().kernel().title + ": " + role_words(explorer.selection().kernel().role));
    return;
  }
  list_broken_kernels(explorer);  // First, so that their authors find them.
  std::string picked;
  // Without microbenchmarks: they calibrate a device and have no sliders.
  for (const KernelRole role : {KernelRole::rung, KernelRole::baseline, KernelRole::exhibit}) {
    ImGui::SeparatorText(role_heading(role));
    for (const KernelDeclaration& kernel : explorer.kernels().all()) {
      if (kernel.role != role) continue;
      if (ImGui::Selectable(kernel.name.c_str(), kernel.name == explorer.selection().kernel().name))
        picked = kernel.name;
      landmark("kernel." + kernel.name);
      ImGui::SameLine();
      text_muted(kernel.title);
    }
  }
  ImGui::EndCombo();
  if (picked.empty() || picked == explorer.selection().experiment().kernel) return;
  Experiment experiment = explorer.selection().experiment();
  experiment.kernel = picked;
  experiment.parameters.clear();
  explorer.selection().set_experiment(std::move(experiment));
}

/// Names nvcc beside sliders that were moved to a point of nvcc; others are compiled by NVRTC.
void ConfigurationPanel::draw_compiler(Explorer& explorer) const {
  Experiment experiment = explorer.selection().experiment();
  if (experiment.compiler == KernelCompiler::nvrtc) return;
  ImGui::AlignTextToFramePadding();
  text_muted("Compiler: " + proper_name(experiment.compiler));
  ImGui::SameLine();
  const bool goes_back = ImGui::Button("Use NVRTC");
  landmark("compiler.nvrtc");
  help_tooltip("The sliders were moved to a point of this compiler. NVRTC compiles while a slider moves.");
  if (!goes_back) return;
  experiment.compiler = KernelCompiler::nvrtc;
  explorer.selection().set_experiment(std::move(experiment));
}

void ConfigurationPanel::draw_shape(Explorer& explorer) {
  const Selection& selection = explorer.selection();
  const auto why_shape_invalid = [&](const Shape& shape) {
    return why_invalid(selection.kernel(), selection.experiment().parameters, shape, selection.device());
  };
  const auto shape =
      shape_picker(shape_, selection.experiment().shape, selection.kernel().dtypes, why_shape_invalid);
  if (!shape) return;
  Experiment experiment = explorer.selection().experiment();
  experiment.shape = *shape;
  explorer.selection().set_experiment(std::move(experiment));
}

void ConfigurationPanel::derive(const Explorer& explorer) {
  const KernelDeclaration& kernel = explorer.selection().kernel();
  const bool same = explorer.selection().experiment() == derived_from_ &&
                    explorer.selection().device().name == derived_device_ &&
                    explorer.kernels().revision() == derived_revision_;
  if (same) return;
  derived_revision_ = explorer.kernels().revision();
  derived_from_ = explorer.selection().experiment();
  derived_device_ = explorer.selection().device().name;
  derived_parameters_ = kernel.parameters;
  why_invalid_ = explorer.selection().why_invalid();
  sliders_ = parameter_views(explorer);
}

void ConfigurationPanel::draw_sliders(Explorer& explorer) {
  ImGui::Separator();
  if (sliders_.empty()) {
    const bool of_library = explorer.selection().kernel().library != KernelLibrary::none;
    text_wrapped(palette().muted, explorer.selection().kernel().name + " has no parameters" +
                                      (of_library ? ": its library decides." : "."));
  }
  // A slider changes the experiment, but nothing over which this loop iterates: that is computed once a frame.
  for (std::size_t i = 0; i < sliders_.size(); ++i) {
    const ParameterDeclaration& parameter = derived_parameters_[i];
    mark_swept(sliders_[i], parameter, derived_from_.kernel, explorer.board().get<SweepChoice>());
    const SliderAction action = parameter_slider(sliders_[i]);
    apply(explorer.board().get<SweepChoice>(), derived_from_.kernel, parameter, action.sweep);
    if (action.moved_to)
      explorer.selection().drag_parameter(parameter.name, parameter.values[*action.moved_to]);
    if (action.released) explorer.selection().end_drag();
  }
}

void ConfigurationPanel::draw_validity(Explorer& explorer) const {
  ImGui::PushStyleVar(ImGuiStyleVar_FramePadding, {ImGui::GetStyle().FramePadding.x, em() * 0.15F});
  ImGui::AlignTextToFramePadding();
  const bool on_one_line = why_invalid_.empty() && shape_.why_invalid.empty();
  if (!shape_.why_invalid.empty()) {  // the reason is beside it
    text_wrapped(palette().error, "Invalid shape: all panels are still of " +
                                      to_string(explorer.selection().experiment().shape) + ".");
  } else if (why_invalid_.empty()) {
    text_colored(palette().ok, "Valid configuration");
  } else {
    text_wrapped(palette().error, why_invalid_);
  }
  landmark("configuration.validity");
  if (!sliders_.empty()) draw_defaults(explorer, on_one_line);
  ImGui::PopStyleVar();
}

void ConfigurationPanel::draw_defaults(Explorer& explorer, bool on_one_line) const {
  const Configuration defaults = explorer.selection().kernel().complete({});
  ImGui::BeginDisabled(explorer.selection().kernel().complete(explorer.selection().experiment().parameters) ==
                       defaults);
  if (on_one_line) ImGui::SameLine();
  const float width = ImGui::CalcTextSize("Defaults").x + ImGui::GetStyle().FramePadding.x * 2;
  ImGui::SetCursorPosX(ImGui::GetCursorPosX() + std::max(0.0F, ImGui::GetContentRegionAvail().x - width));
  if (ImGui::Button("Defaults")) {
    Experiment experiment = explorer.selection().experiment();
    experiment.parameters = defaults;
    explorer.selection().set_experiment(std::move(experiment));
  }
  landmark("button.defaults");
  ImGui::EndDisabled();  // before the tooltip, which would be dimmed
  help_tooltip("Sets every parameter of " + explorer.selection().kernel().name + " to its default.");
}

const RegisterPanel register_configuration_panel{[] { return std::make_unique<ConfigurationPanel>(); }};

}  // namespace

}  // namespace tilescope
