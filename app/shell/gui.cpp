#include "app/shell/gui.hpp"

#include <GLFW/glfw3.h>
#include <glad/gl.h>
#include <imgui.h>
#include <imgui_impl_glfw.h>
#include <imgui_impl_opengl3.h>
#include <implot.h>

#include "app/shell/key_chords.hpp"

namespace tilescope {

Gui::Gui(GLFWwindow* window) : window_(window) {
  IMGUI_CHECKVERSION();
  ImGui::CreateContext();
  ImPlot::CreateContext();
  ImGuiIO& io = ImGui::GetIO();
  io.IniFilename = nullptr;  // Settings stores the layout, and reports errors.
  io.LogFilename = nullptr;
  io.ConfigFlags |= ImGuiConfigFlags_DockingEnable | ImGuiConfigFlags_NavEnableKeyboard;
  io.ConfigWindowsMoveFromTitleBarOnly = true;  // A drag inside a plot pans the plot.
  io.ConfigInputTextCursorBlink = false;        // A blinking cursor would redraw an idle window.
  if (window_ != nullptr) ImGui_ImplGlfw_InitForOpenGL(window_, true);
  ImGui_ImplOpenGL3_Init("#version 330 core");
  problems_ = load_fonts();
}

Gui::~Gui() {
  ImGui_ImplOpenGL3_Shutdown();
  if (window_ != nullptr) ImGui_ImplGlfw_Shutdown();
  ImPlot::DestroyContext();
  ImGui::DestroyContext();
}

void Gui::begin_frame(int width, int height) {
  ImGui_ImplOpenGL3_NewFrame();
  if (window_ != nullptr) {
    ImGui_ImplGlfw_NewFrame();
  } else {
    ImGuiIO& io = ImGui::GetIO();
    io.DisplaySize = {static_cast<float>(width), static_cast<float>(height)};
    io.DeltaTime = 1.0F / 60;
  }
  begin_frame_with_whole_chords();
}

void Gui::end_frame() {
  ImGui::Render();
}

void Gui::paint(int width, int height) const {
  const ImVec4& background = palette().background;
  glViewport(0, 0, width, height);
  glClearColor(background.x, background.y, background.z, 1);
  glClear(GL_COLOR_BUFFER_BIT);
  ImGui_ImplOpenGL3_RenderDrawData(ImGui::GetDrawData());
}

}  // namespace tilescope
