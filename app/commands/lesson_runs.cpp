#include "app/commands/lesson_runs.hpp"

#include <fmt/format.h>

#include <fstream>
#include <sstream>
#include <utility>
#include <vector>

#include "app/commands/asking.hpp"
#include "app/commands/command.hpp"
#include "app/commands/experiment_options.hpp"
#include "app/commands/session_file.hpp"
#include "app/commands/sibling.hpp"
#include "base/json.hpp"
#include "base/output_file.hpp"
#include "profiler/process/temporary_folder.hpp"
#include "profiler/service/client/worker_options.hpp"
#include "profiler/service/requests/count_kernel.hpp"
#include "profiler/service/requests/measure.hpp"
#include "profiler/service/requests/step.hpp"

namespace tilescope {
namespace {

std::string text_of(const std::filesystem::path& file) {
  std::ostringstream text;
  text << std::ifstream(file).rdbuf();
  return text.str();
}

constexpr const char* picture_size = "860x520";

}  // namespace

LessonRunner::LessonRunner(const Installation& installation, std::string device)
    : installation_(installation),
      device_(std::move(device)),
      catalogue_(installation.kernels),
      client_(worker_options(installation)) {}

Experiment LessonRunner::complete_experiment(const LessonConfiguration& configuration) const {
  Experiment experiment = experiment_of(configuration, device_);
  complete_parameters(find_kernel(catalogue_, configuration.kernel), experiment);
  return experiment;
}

LessonRuns LessonRunner::runs() {
  check_device_name(device_, installation_, client_);
  return {[this](const LessonConfiguration& configuration, bool runs_checkers, bool is_measured) {
            return point(configuration, runs_checkers, is_measured);
          },
          [this](const std::string& source, const LessonConfiguration& configuration) {
            return specimen(source, configuration);
          },
          [this](const std::string& kernel) { return text_of(find_kernel(catalogue_, kernel).source_path); },
          [this](const LessonConfiguration& configuration, const LessonStep& block) {
            return step(configuration, block);
          }};
}

const Measurement& LessonRunner::point(const LessonConfiguration& configuration, bool runs_checkers,
                                       bool is_measured) {
  Experiment experiment = experiment_of(configuration, device_);
  std::string problem;
  try {
    experiment = complete_experiment(configuration);
  } catch (const std::exception& error) {
    problem = error.what();
  }
  const std::string key = fmt::format("{} {} {}", Json(experiment).dump(), runs_checkers, is_measured);
  const auto found = points_.find(key);
  if (found != points_.end()) return found->second;
  Measurement point;
  if (!problem.empty()) {
    point = failed_measurement(experiment, Status::invalid_configuration, problem);
  } else if (is_measured && !runs_checkers) {
    point = ask<Measure>(client_, {experiment});
  } else {
    CountKernel::Params params{experiment, {}, false};
    params.options.check = runs_checkers;
    point = ask<CountKernel>(client_, params);
  }
  return points_[key] = std::move(point);
}

Measurement LessonRunner::specimen(const std::string& source, const LessonConfiguration& configuration) {
  const TemporaryFolder folder;
  const std::filesystem::path file = folder.path() / "specimen.cu";
  write_output_file(file, source);
  LessonConfiguration of_file = configuration;
  of_file.kernel = file.string();
  return point(of_file, true, false);
}

std::string LessonRunner::step(const LessonConfiguration& configuration, const LessonStep& block) {
  try {
    SteppedBlockChoice choice;
    choice.experiment = complete_experiment(configuration);
    choice.inputs = block.inputs.value_or(StepInputs::random);
    const StepStop stop = ask<Step>(client_, {choice, block.target, {}});
    return stop.status == Status::ok ? stop.not_found : stop.reason;
  } catch (const WrongUsage& error) {
    return error.what();
  }
}

std::string LessonRunner::draw(const HandoutPicture& picture) {
  const TemporaryFolder folder;
  const std::filesystem::path session = folder.path() / "lesson.json", file = folder.path() / "panel.svg";
  const KernelDeclaration kernel = find_kernel(catalogue_, picture.configuration.kernel);
  SessionFile writer(session, installation_);
  writer.append(point(picture.configuration, false, false), &kernel);
  std::vector<std::string> arguments = picture_arguments(picture.panel, session, file);
  arguments.insert(arguments.end(), {"--size", picture_size, "--theme", "light"});
  if (picture.step) {
    arguments.insert(arguments.end(), {"--step", to_string(picture.step->target)});
    if (picture.step->inputs)
      arguments.insert(arguments.end(), {"--inputs", to_string(*picture.step->inputs)});
  }
  if (picture.line) arguments.insert(arguments.end(), {"--line", std::to_string(*picture.line)});
  const int code = run_program(window_program(installation_), arguments);
  std::string svg = text_of(file);
  if (code != 0 || svg.empty())
    throw CannotRun(fmt::format("the window's program ended with exit code {}", code));
  return svg;
}

}  // namespace tilescope
