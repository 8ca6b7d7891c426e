#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <optional>

#include "app/commands/asking.hpp"
#include "app/commands/command.hpp"
#include "app/commands/output.hpp"
#include "app/commands/session_file.hpp"
#include "app/commands/sibling.hpp"
#include "app/commands/sweep_run.hpp"
#include "profiler/measure/prepare/device_choice.hpp"
#include "profiler/service/client/worker_options.hpp"

namespace tilescope {
namespace {

constexpr const char* default_kernel = "flash_scalar";
constexpr std::chrono::seconds point_limit{120};
constexpr double short_budget_s = 0.2;
constexpr std::size_t all_rows = 100;

/// Two parameters that occupancy and speed depend on, few enough values for seconds on two cores.
const SweptParameters short_grid{{"BLOCK_M", {}}, {"NUM_WARPS", {4, 8, 16}}};

bool has_display() {
  for (const char* name : {"WAYLAND_DISPLAY", "DISPLAY"}) {
    const char* value = std::getenv(name);
    if (value != nullptr && *value != '\0') return true;
  }
  return false;
}

std::vector<std::string> window_arguments() {
  const char* worker = std::getenv("TILESCOPE_WORKER");
  if (worker == nullptr || *worker == '\0') return {};
  return {"--worker", worker};
}

/// A new name in the user's data folder: the sessions of earlier runs are kept.
std::filesystem::path new_session_file(const Installation& installation) {
  std::error_code error;
  std::filesystem::create_directories(installation.data, error);
  if (error) {
    throw CannotRun(fmt::format(
        "the folder of sessions, {}, cannot be created: {}; set XDG_DATA_HOME to a writable folder",
        installation.data.string(), error.message()));
  }
  std::filesystem::path file = installation.data / "short-sweep.json";
  for (int number = 2; std::filesystem::exists(file); ++number) {
    file = installation.data / fmt::format("short-sweep-{}.json", number);
  }
  return file;
}

SweepGrid short_sweep(const Installation& installation, Client& client) {
  const KernelDeclaration kernel = Catalogue(installation.kernels).find(default_kernel);
  const DeviceModel device =
      choose_device("", ask_for_devices(client).present, load_device_tables(installation));
  Experiment base;
  base.kernel = kernel.name;
  base.parameters = kernel.complete({});
  base.timing_budget_s = short_budget_s;
  return {kernel, device, base, short_grid};
}

/// A session that ships and holds latencies of this kernel and shape: drawn behind points that have none.
std::optional<std::filesystem::path> recorded_example(const Installation& installation,
                                                      const Measurement& like) {
  std::vector<std::filesystem::path> files;
  std::error_code ignored;  // Without the folder there is no example.
  for (const auto& entry : std::filesystem::directory_iterator(installation.examples, ignored)) {
    if (entry.path().extension() == ".json") files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());
  for (const std::filesystem::path& file : files) {
    const Session session = load_session(file);
    const bool fits = std::any_of(session.points.begin(), session.points.end(), [&](const auto& point) {
      return point->kernel == like.kernel && point->shape == like.shape && point->latency;
    });
    if (fits) return file;
  }
  return std::nullopt;
}

std::vector<std::string> arguments_of_picture(const Installation& installation,
                                              const SharedMeasurement& first,
                                              const std::filesystem::path& session,
                                              const std::filesystem::path& picture) {
  std::vector<std::string> arguments = picture_arguments("window", session, picture);
  if (first->device.present) return arguments;
  if (const auto example = recorded_example(installation, *first)) {
    arguments.insert(arguments.end(), {"--recorded", example->string()});
  }
  return arguments;
}

/// The sweep is what was asked for, and it is saved: a server without any OpenGL has done all it can when
/// this says why there is no picture.
void draw_picture(const Installation& installation, const SharedMeasurement& first,
                  const std::filesystem::path& session, const std::filesystem::path& picture) {
  try {
    const std::filesystem::path program = window_program(installation);
    const int code = run_program(program, arguments_of_picture(installation, first, session, picture));
    if (code == 0 && std::filesystem::exists(picture)) {
      print(fmt::format("picture  {}\n", picture.string()));
    } else {
      say(
          fmt::format("tilescope: no picture was drawn: the window's program ended with exit code {}, its "
                      "reason is above",
                      code));
    }
  } catch (const std::exception& error) {
    say(std::string("tilescope: no picture was drawn: ") + error.what());
  }
}

ExitCode run_short_sweep(const Installation& installation) {
  say("There is no display (neither DISPLAY nor WAYLAND_DISPLAY is set), so the window cannot open.\n"
      "A short sweep instead; `tilescope --help` lists what else works without a display.");
  const std::filesystem::path file = new_session_file(installation);
  std::filesystem::path picture = file;
  picture.replace_extension(".png");

  say_problems(installation);
  Client client(worker_options(installation));
  const SweepGrid grid = short_sweep(installation, client);
  const SweepPlan plan = plan_sweep(grid);
  SessionFile session(file, installation);
  listen_for_interrupts();
  const SweepResult result = run_sweep(grid, plan, client, session, {point_limit});
  const std::vector<SharedMeasurement>& points = result.campaign.points();
  print(sweep_text(grid, plan, result, all_rows));
  const ExitCode code = conclude_sweep(result, session);
  if (points.empty() || !session.problem().empty()) return code;

  print(fmt::format("\nsession  {}\n", file.string()));
  draw_picture(installation, points.front(), file, picture);
  return code;
}

}  // namespace

bool can_open_window() {
  return has_display();
}

void open_window(const std::filesystem::path& file) {
  std::vector<std::string> arguments = window_arguments();
  if (!file.empty()) arguments.push_back(std::filesystem::absolute(file).string());
  become_program(window_program(find_installation()), arguments);
}

ExitCode run_without_command() {
  if (can_open_window()) open_window({});
  return run_short_sweep(find_installation());
}

}  // namespace tilescope
