#include "app/gui/gui.hpp"

#include <GLFW/glfw3.h>
#include <glad/gl.h>
#include <imgui.h>
#include <imgui_impl_glfw.h>
#include <imgui_impl_opengl3.h>
#include <implot.h>

#include "app/gui/graphics.hpp"
#include "app/gui/key_chords.hpp"

namespace tilescope {

namespace {

void clear(int width, int height, const ImVec4& background) {
  glViewport(0, 0, width, height);
  glClearColor(background.x, background.y, background.z, 1);
  glClear(GL_COLOR_BUFFER_BIT);
}

}  // namespace

Gui::Gui(GLFWwindow* window) : window_(window) {
  set_up();
  if (window_ != nullptr) ImGui_ImplGlfw_InitForOpenGL(window_, true);
  ImGui_ImplOpenGL3_Init("#version 330 core");
  problems_ = load_fonts();
}

Gui::Gui(WithoutGraphics) : has_graphics_(false) {
  set_up();
  ImGui::GetIO().BackendFlags |=
      ImGuiBackendFlags_RendererHasTextures | ImGuiBackendFlags_RendererHasVtxOffset;
  problems_ = load_fonts();
}

void Gui::set_up() {
  IMGUI_CHECKVERSION();
  ImGui::CreateContext();
  ImPlot::CreateContext();
  ImGuiIO& io = ImGui::GetIO();
  io.IniFilename = nullptr;  // Settings stores the layout, and reports errors.
  io.LogFilename = nullptr;
  io.ConfigFlags |= ImGuiConfigFlags_DockingEnable | ImGuiConfigFlags_NavEnableKeyboard;
  io.ConfigWindowsMoveFromTitleBarOnly = true;  // A drag inside a plot pans the plot.
  io.ConfigInputTextCursorBlink = false;        // A blinking cursor would redraw an idle window.
}

Gui::~Gui() {
  if (has_graphics_) ImGui_ImplOpenGL3_Shutdown();
  if (!has_graphics_) {
    for (ImTextureData* texture : ImGui::GetPlatformIO().Textures)
      texture->SetStatus(ImTextureStatus_Destroyed);
  }
  if (window_ != nullptr) ImGui_ImplGlfw_Shutdown();
  ImPlot::DestroyContext();
  ImGui::DestroyContext();
}

void Gui::begin_frame(int width, int height) {
  if (has_graphics_) ImGui_ImplOpenGL3_NewFrame();
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
  if (!has_graphics_) accept_textures();
}

void Gui::paint(int width, int height) const {
  clear(width, height, palette().background);
  ImGui_ImplOpenGL3_RenderDrawData(ImGui::GetDrawData());
}

void accept_textures() {
  for (ImTextureData* texture : ImGui::GetPlatformIO().Textures) {
    if (texture->Status == ImTextureStatus_WantDestroy) {
      texture->SetTexID(ImTextureID_Invalid);
      texture->SetStatus(ImTextureStatus_Destroyed);
    } else if (texture->Status != ImTextureStatus_Destroyed) {
      texture->SetTexID(1);
      texture->SetStatus(ImTextureStatus_OK);
    }
  }
}

void write_png(const std::filesystem::path& file, ImDrawData& data) {
  const int width = static_cast<int>(data.DisplaySize.x);
  const int height = static_cast<int>(data.DisplaySize.y);
  {
    const Canvas canvas(width, height);
    canvas.bind();
    clear(width, height, ImGui::GetStyleColorVec4(ImGuiCol_WindowBg));
    ImGui_ImplOpenGL3_RenderDrawData(&data);
    write_png(file, width, height);
  }
  glBindFramebuffer(GL_FRAMEBUFFER, 0);
}

}  // namespace tilescope
