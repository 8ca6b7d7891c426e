#include "app/widgets/tests/headless_gui.hpp"

#include <imgui.h>
#include <imgui_internal.h>
#include <implot.h>

#include <stdexcept>

#include "app/gui/gui.hpp"
#include "app/gui/key_chords.hpp"
#include "app/gui/landmarks.hpp"
#include "base/json.hpp"

namespace tilescope::test_support {

namespace {

void keep_error(ImGuiContext*, void* user_data, const char* message) {
  static_cast<std::vector<std::string>*>(user_data)->emplace_back(message);
}

}  // namespace

HeadlessGui::HeadlessGui(float width, float height, float scale, ThemeKind theme) {
  ImGui::CreateContext();
  ImPlot::CreateContext();
  ImGuiIO& io = ImGui::GetIO();
  io.IniFilename = nullptr;
  io.LogFilename = nullptr;
  io.DisplaySize = {width, height};
  io.BackendFlags |= ImGuiBackendFlags_RendererHasTextures | ImGuiBackendFlags_RendererHasVtxOffset;
  io.ConfigFlags |= ImGuiConfigFlags_NavEnableKeyboard;
  io.ConfigErrorRecoveryEnableAssert = false;
  ImGui::GetCurrentContext()->ErrorCallback = keep_error;
  ImGui::GetCurrentContext()->ErrorCallbackUserData = &errors_;
  load_fonts();
  apply_theme(theme, scale);
  enable_landmarks();
  // Landmarks of a test before would be taken for this one's until its first frame.
  begin_landmarks();
}

HeadlessGui::~HeadlessGui() {
  for (ImTextureData* texture : ImGui::GetPlatformIO().Textures)
    texture->SetStatus(ImTextureStatus_Destroyed);
  ImPlot::DestroyContext();
  ImGui::DestroyContext();
}

void HeadlessGui::frames(int count) {
  for (int i = 0; i < count; ++i) {
    ImGui::GetIO().DeltaTime = 0.1F;
    begin_landmarks();
    begin_frame_with_whole_chords();
    content_();
    ImGui::Render();
    accept_textures();
    vertices_ = ImGui::GetDrawData()->TotalVtxCount;
  }
}

std::vector<float> HeadlessGui::rectangle(const std::string& mark) const {
  const Json marks = Json::parse(landmarks_json());
  if (!marks.contains(mark)) throw std::out_of_range("the last frame drew no " + mark);
  return marks.at(mark).get<std::vector<float>>();
}

bool HeadlessGui::has(const std::string& mark) const {
  return Json::parse(landmarks_json()).contains(mark);
}

void HeadlessGui::move_to(const std::string& mark) {
  const std::vector<float> at = rectangle(mark);
  ImGui::GetIO().AddMousePosEvent((at[0] + at[2]) / 2, (at[1] + at[3]) / 2);
  frames();
}

void HeadlessGui::press() {
  ImGui::GetIO().AddMouseButtonEvent(ImGuiMouseButton_Left, true);
  frames();
}

void HeadlessGui::release() {
  ImGui::GetIO().AddMouseButtonEvent(ImGuiMouseButton_Left, false);
  frames();
}

void HeadlessGui::click(const std::string& mark) {
  move_to(mark);
  press();
  release();
}

void HeadlessGui::right_click(const std::string& mark) {
  move_to(mark);
  ImGui::GetIO().AddMouseButtonEvent(ImGuiMouseButton_Right, true);
  frames();
  ImGui::GetIO().AddMouseButtonEvent(ImGuiMouseButton_Right, false);
  frames();
}

void HeadlessGui::wheel(const std::string& mark, float x, float y) {
  move_to(mark);
  ImGui::GetIO().AddMouseWheelEvent(x, y);
  frames();
}

void HeadlessGui::double_click(const std::string& mark) {
  move_to(mark);
  const float former = ImGui::GetIO().MouseDoubleClickTime;
  ImGui::GetIO().MouseDoubleClickTime = 10;
  for (int i = 0; i < 2; ++i) {
    press();
    release();
  }
  ImGui::GetIO().MouseDoubleClickTime = former;
}

void HeadlessGui::key(ImGuiKey key) {
  ImGui::GetIO().AddKeyEvent(key, true);
  frames(1);
  ImGui::GetIO().AddKeyEvent(key, false);
  frames();
}

void HeadlessGui::type(const std::string& text) {
  ImGui::GetIO().AddInputCharactersUTF8(text.c_str());
  frames();
}

}  // namespace tilescope::test_support
