#include "app/panels/tune/device_picker.hpp"

#include <imgui.h>

#include <string>
#include <utility>

#include "app/gui/landmarks.hpp"
#include "app/widgets/text.hpp"

namespace tilescope {
namespace {

std::string words_of(const DeviceModel& device) {
  return device.name + " (" + device.arch + (device.present ? "), installed" : "), not installed");
}

}  // namespace

void draw_device_picker(Explorer& explorer, float width) {
  const DeviceModel& chosen = explorer.selection().device();
  ImGui::SetNextItemWidth(width);
  const bool is_open = ImGui::BeginCombo("##device", words_of(chosen).c_str(), ImGuiComboFlags_HeightLarge);
  landmark("picker.device");
  if (!is_open) {
    help_tooltip(
        chosen.present
            ? "Points are compiled, checked and timed on this GPU."
            : "Points are compiled for this device, checked and counted by the interpreter; without the GPU "
              "nothing is timed.");
    return;
  }
  std::string picked;
  for (const DeviceModel& device : explorer.selection().devices()) {
    if (ImGui::Selectable(words_of(device).c_str(), &device == &chosen)) picked = device.name;
    landmark("device." + device.name);
  }
  ImGui::EndCombo();
  if (picked.empty() || picked == chosen.name) return;
  Experiment experiment = explorer.selection().experiment();
  experiment.device = picked;
  explorer.selection().set_experiment(std::move(experiment));
}

}  // namespace tilescope
