#include "app/window/window.hpp"

#include <GLFW/glfw3.h>
#include <fmt/format.h>
#include <imgui.h>
#include <imgui_internal.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdio>

#include "app/gui/graphics.hpp"
#include "app/gui/gui.hpp"
#include "app/gui/landmarks.hpp"
#include "app/window/frame_cost.hpp"
#include "app/window/restore.hpp"
#include "app/window/run_record.hpp"
#include "app/window/state_file.hpp"
#include "app/window/workspace.hpp"
#include "base/text/visible_text.hpp"
#include "profiler/measure/files/kernel_file_names.hpp"
#include "profiler/service/client/worker_options.hpp"

namespace tilescope {

namespace {

using Clock = std::chrono::steady_clock;

// ImGui lays out a window over several frames: one to measure its content, one to place it, one to fade hovered items.
constexpr int frames_after_a_change = 3;
// Tooltips appear after the mouse has rested for a while; until then frames continue slowly.
constexpr std::chrono::milliseconds hover_time{900};
constexpr double hover_interval_s = 0.05;
constexpr double animation_interval_s = 0.5;

/// GLFW's events may end with the window while the worker's last answers still come in.
std::atomic<bool> events_alive{false};

void wake() {
  if (events_alive) glfwPostEmptyEvent();
}

WindowPlace place_of(const Graphics& graphics) {
  const DesktopArea area = graphics.place();
  const bool maximized = glfwGetWindowAttrib(graphics.window(), GLFW_MAXIMIZED) == GLFW_TRUE;
  return {area.x, area.y, area.width, area.height, maximized, static_cast<double>(ui_scale())};
}

class Window {
 public:
  Window(const Installation& installation, const WindowOptions& options)
      : options_(options),
        settings_folder_(installation.config),
        settings_(load_settings(installation.config, settings_problem_)),
        graphics_(open(options, settings_)),
        gui_(graphics_.window()),
        explorer_(start_explorer(installation)),
        run_record_(installation.data / "running"),
        workspace_(*explorer_, settings_) {
    if (!options_.theme.empty()) settings_.light = options_.theme == "light";
    if (!settings_.layout.empty())
      ImGui::LoadIniSettingsFromMemory(settings_.layout.c_str(), settings_.layout.size());
    theme();
    explorer_->kernels().watch();
    open_sessions();
    if (!settings_problem_.empty()) explorer_->notices().say(settings_problem_);
    for (const std::string& problem : installation.problems) explorer_->notices().say(problem);
    for (const std::string& problem : gui_.problems()) explorer_->notices().say(problem);
    glfwSetWindowUserPointer(graphics_.window(), this);
    glfwSetWindowRefreshCallback(graphics_.window(), [](GLFWwindow* window) {
      static_cast<Window*>(glfwGetWindowUserPointer(window))->frames_left_ = frames_after_a_change;
    });
    glfwSetFramebufferSizeCallback(graphics_.window(), [](GLFWwindow* window, int, int) {
      static_cast<Window*>(glfwGetWindowUserPointer(window))->frames_left_ = frames_after_a_change;
    });
    glfwSetDropCallback(graphics_.window(), [](GLFWwindow* window, int count, const char** files) {
      static_cast<Window*>(glfwGetWindowUserPointer(window))->take_dropped(files, count);
    });
    if (!options_.landmarks.empty()) enable_landmarks();
    cost_.keeps_slow_parts = !options_.landmarks.empty();
  }

  ~Window() {
    // The window closes at once; ending the worker may take a moment.
    glfwHideWindow(graphics_.window());
    events_alive = false;
    explorer_.reset();
  }

  int run() {
    while (!workspace_.wants_to_quit()) {
      wait();
      const Clock::time_point start = Clock::now();
      turn();
      explorer_->meter().turned(std::chrono::duration<double, std::milli>(Clock::now() - start).count());
      if (!options_.exit_after_first_frame || ImGui::GetFrameCount() == 0) continue;
      fmt::print("{{\"first_frame\": true, \"renderer\": \"{}\"}}\n", graphics_.renderer());
      return 0;
    }
    keep_settings();
    return 0;
  }

 private:
  static Graphics open(const WindowOptions& options, const Settings& settings) {
    WindowWish wish;
    wish.width = options.width;
    wish.height = options.height;
    if (settings.place) {
      wish.place = {settings.place->x, settings.place->y, settings.place->width, settings.place->height};
      wish.place_scale = settings.place->scale;
      wish.maximized = settings.place->maximized;
    }
    wish.scale = static_cast<double>(options.scale > 0 ? options.scale : settings.scale);
    Graphics graphics = Graphics::on_display(wish, "Tilescope");
    events_alive = true;
    return graphics;
  }

  std::unique_ptr<Explorer> start_explorer(const Installation& installation) const {
    return std::make_unique<Explorer>(installation, worker_options(installation, options_.worker_command),
                                      wake);
  }

  /// The file of the command line, or what was open when the window was last closed.
  void open_sessions() {
    const bool is_session = !options_.file.empty() && !holds_kernels(options_.file);
    if (run_record_.left_behind()) offer_left_behind(*explorer_, *run_record_.left_behind());
    if (is_session) {
      workspace_.open(options_.file);
    } else if (settings_.restores && !run_record_.left_behind()) {
      LastState last = settings_.last;
      if (run_record_.is_open_elsewhere({last.session, last.autosave})) {
        last.session.clear();
        last.autosave.clear();
      }
      restore(*explorer_, last);
    }
    if (!options_.file.empty() && !is_session) workspace_.open_kernel(options_.file);
  }

  /// One is opened: the window shows one session and one kernel file.
  void take_dropped(const char** files, int count) {
    if (count < 1) return;
    workspace_.open(files[0]);
    frames_left_ = frames_after_a_change;
  }

  void theme() {
    float scale = options_.scale;
    if (scale == 0 || scale_chosen_) scale = settings_.scale;
    if (scale == 0) scale = static_cast<float>(guess_scale(graphics_.monitor()));
    apply_theme(settings_.light ? ThemeKind::light : ThemeKind::dark, scale);
  }

  void wait() {
    if (frames_left_ > 0) {
      glfwPollEvents();
    } else if (Clock::now() < hover_until_) {
      glfwWaitEventsTimeout(hover_interval_s);
      frames_left_ = 1;
    } else if (workspace_.is_animated()) {
      glfwWaitEventsTimeout(animation_interval_s);
      frames_left_ = 1;
    } else {
      glfwWaitEvents();
    }
  }

  /// All that the loop does between two waits for events.
  void turn() {
    if (glfwWindowShouldClose(graphics_.window()) == GLFW_TRUE) {
      glfwSetWindowShouldClose(graphics_.window(), GLFW_FALSE);
      workspace_.quit();
      frames_left_ = frames_after_a_change;
    }
    look_for_changes();
    if (frames_left_ == 0 || glfwGetWindowAttrib(graphics_.window(), GLFW_ICONIFIED) == GLFW_TRUE) return;
    --frames_left_;
    draw();
  }

  bool update() {
    bool changed = false;
    watch("update", [&] { changed = explorer_->update(); });
    return changed;
  }

  template <class Part>
  void watch(const char* name, Part part) {
    explorer_->meter().held(cost_.watch(name, ImGui::GetFrameCount(), part));
  }

  void look_for_changes() {
    const bool has_input = ImGui::GetCurrentContext()->InputEventsQueue.Size > 0;
    if (has_input) explorer_->meter().input_arrived();
    bool changed = update();
    const SessionDocument& document = explorer_->points().document();
    run_record_.note({document.file(), document.autosave_file()});
    const std::string title = workspace_.window_title();
    if (title != title_) {
      title_ = title;
      glfwSetWindowTitle(graphics_.window(), title.c_str());
      changed = true;
    }
    if (const std::string& workspace = workspace_.tabs().active().id; workspace != workspace_shown_) {
      workspace_shown_ = workspace;
      changed = true;
    }
    const std::string activity = explorer_->activity();
    if (activity != activity_) {
      activity_ = activity;
      changed = true;
    }
    if (has_input) {
      changed = true;
      hover_until_ = Clock::now() + hover_time;
    }
    if (changed) frames_left_ = frames_after_a_change;
  }

  void draw() {
    int width = 0;
    int height = 0;
    glfwGetFramebufferSize(graphics_.window(), &width, &height);
    if (width == 0 || height == 0) return;
    const std::string stage_shown = shown_stage(*explorer_);
    explorer_->meter().frame_begins();
    cost_.begin();
    do {
      begin_landmarks();
      gui_.begin_frame(width, height);  // Asks the window system, whose answer is not ours to hasten.
      watch("frame", [&] {
        workspace_.draw();
        gui_.end_frame();
      });
    } while (workspace_.tabs().has_new_docks());
    cost_.end();
    gui_.paint(width, height);
    if (!options_.landmarks.empty()) write_requested_picture(options_.landmarks, stage_shown, width, height);
    glfwSwapBuffers(graphics_.window());
    explorer_->meter().frame_drawn();
    if (workspace_.take_theme_change()) {
      scale_chosen_ = true;
      theme();
      frames_left_ = frames_after_a_change;
    }
    // A drag continues between two events: changes of this frame take effect in the next.
    if (update()) frames_left_ = frames_after_a_change;
    if (!options_.landmarks.empty()) {
      write_state_file(options_.landmarks, *explorer_, workspace_.tabs().active().id,
                       cost_.report(explorer_->points().list().size()));
    }
  }

  void keep_settings() {
    workspace_.tabs().remember();
    std::size_t size = 0;
    const char* layout = ImGui::SaveIniSettingsToMemory(&size);
    settings_.layout.assign(layout, size);
    settings_.last = last_state_of(*explorer_);
    if (workspace_.declined_to_save()) settings_.last.autosave.clear();
    settings_.place = place_of(graphics_);
    const std::string problem = save_settings(settings_folder_, settings_);
    if (!problem.empty()) std::fputs((visible_text(problem) + "\n").c_str(), stderr);
  }

  const WindowOptions& options_;
  std::filesystem::path settings_folder_;
  std::string settings_problem_;
  Settings settings_;
  Graphics graphics_;
  Gui gui_;
  std::unique_ptr<Explorer> explorer_;
  RunRecord run_record_;
  Workspace workspace_;
  FrameCost cost_;
  int frames_left_ = frames_after_a_change;
  Clock::time_point hover_until_{};
  bool scale_chosen_ = false;
  std::string title_;
  std::string activity_;
  std::string workspace_shown_;
};

}  // namespace

int run_window(const Installation& installation, const WindowOptions& options) {
  return Window(installation, options).run();
}

}  // namespace tilescope
