#include "app/commands/opening.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cstddef>
#include <system_error>

#include "app/commands/asking.hpp"
#include "app/commands/output.hpp"
#include "profiler/kernels/formula/formula.hpp"
#include "profiler/measure/open/launch_sidecar.hpp"
#include "profiler/service/requests/earlier_kernels.hpp"

namespace tilescope {
namespace {

namespace fs = std::filesystem;

void choose_formula(const std::string& text, OpenFile::Params& params) {
  std::string target;
  try {
    target = Formula(text).target();
  } catch (const FormulaError& error) {
    throw WrongUsage(fmt::format("--expect: {}", error.what()));
  }
  if (target.empty()) throw WrongUsage(fmt::format("--expect must say which output it is: \"y = {}\"", text));
  if (!params.chosen.emplace(target + ": expected", text).second)
    throw WrongUsage(fmt::format("'{}' has two formulas: give one", target));
}

}  // namespace

void OpeningOptions::declare(CLI::App& app) {
  app.add_option(
         "--expect", formulas,
         "What an output should hold, which makes the point a checked one: \"y[M][N] = softmax(x[M][N])\", "
         "\"C += matmul(A[M][K], B[K][N])\" (functions: the README in profiler/kernels/formula)")
      ->type_name("FORMULA")
      ->allow_extra_args(false);
  app.add_option(
         "--reference", reference,
         "Another kernel of the file, which leaves what the outputs should hold: it is run on the same "
         "buffers, and the point is a checked one. Values of its launch: --set \"reference grid=8,8\"")
      ->type_name("NAME");
  app.add_option(
         "--before", earlier,
         "A kernel of the file that is launched before, on shared buffers: the launch begins with what "
         "it leaves. Several are launched in their order. Values of its launch: --set \"before 1 "
         "grid=8,8\"")
      ->type_name("NAME")
      ->allow_extra_args(false);
  declare_compiling(app);
}

void OpeningOptions::declare_compiling(CLI::App& app) {
  app.add_option("-I", include_folders, "A folder with headers of CUDA C++")
      ->type_name("FOLDER")
      ->allow_extra_args(false);
  app.add_option("-D", definitions, "A macro of CUDA C++")->type_name("NAME=VALUE")->allow_extra_args(false);
  app.add_option("--option", options, "Another option of the compiler, such as --use_fast_math")
      ->type_name("OPTION")
      ->allow_extra_args(false);
}

void OpeningOptions::add_to(OpenFile::Params& params) const {
  for (const std::string& formula : formulas) choose_formula(formula, params);
  if (!reference.empty()) params.chosen[reference_kernel_choice] = reference;
  for (std::size_t i = 0; i < earlier.size(); ++i) params.chosen[earlier_kernel_choice(i)] = earlier[i];
  for (const std::string& folder : include_folders)
    params.options.push_back("-I" + fs::absolute(folder).string());
  for (const std::string& definition : definitions) params.options.push_back("-D" + definition);
  params.options.insert(params.options.end(), options.begin(), options.end());
}

fs::path declared_launch(const fs::path& file, bool has_values) {
  std::error_code ignored;
  fs::path declared = launch_sidecar(file);
  if (!fs::exists(declared, ignored)) return {};
  if (!has_values) return declared;
  say(fmt::format("The launch in {} is left aside: the command line gives values of its own.",
                  declared.string()));
  return {};
}

OpenedPoint ask_to_open(Client& client, const OpenFile::Params& params) {
  ProgressLine line;
  OpenedPoint point =
      ask<OpenFile>(client, params, shown_on(line), LaunchArguments::patience(params.subject));
  line.clear();
  return point;
}

ChosenFile launched_file(Client& client, OpenFile::Params params, const LaunchArguments& launch) {
  ChosenFile file{params.subject, params.chosen, params.options, params.device};
  if (file.subject.launch) return file;
  // One block suffices to find the launch out.
  params.blocks = 1;
  params.check = false;
  const OpenedPoint point = ask_to_open(client, params);
  refuse_unopened(point, params.subject.code.path, launch);
  if (point.launch.empty()) throw CannotRun("there is no launch: " + point.reason);
  file.subject.entry = point.entry;
  file.subject.launch = SentFile{"the guessed launch", point.launch};
  return file;
}

void refuse_unopened(const OpenedPoint& point, const fs::path& file, const LaunchArguments& launch) {
  if (point.problem == FileProblem::code)
    throw UnreadableInput(fmt::format("'{}' cannot be opened: {}", file.string(), point.reason));
  if (point.problem == FileProblem::entry) throw WrongUsage(point.reason);
  if (point.problem == FileProblem::launch) throw launch.failure_of_launch(point.reason);
  if (point.status == Status::worker_lost) throw CannotRun(point.reason);
}

}  // namespace tilescope
