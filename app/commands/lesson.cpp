#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <filesystem>
#include <fstream>
#include <memory>
#include <set>
#include <sstream>
#include <utility>
#include <vector>

#include "app/commands/asking.hpp"
#include "app/commands/command.hpp"
#include "app/commands/lesson_runs.hpp"
#include "app/commands/output.hpp"
#include "app/commands/report_file.hpp"
#include "base/json.hpp"
#include "base/output_file.hpp"
#include "base/regular_file.hpp"
#include "base/text/format.hpp"
#include "profiler/explanation/lessons/lesson_check.hpp"
#include "profiler/explanation/lessons/lesson_html.hpp"

namespace tilescope {
namespace {

/// The panels that the help texts describe: all that there are.
std::set<std::string> panel_ids(const Installation& installation) {
  const std::filesystem::path file = installation.root / "assets/help/panels.json";
  std::set<std::string> ids;
  try {
    for (const Json& panel : read_json_file(file)) ids.insert(panel.at("panel").get<std::string>());
  } catch (const std::exception& error) {
    throw CannotRun(fmt::format("{} cannot be read: {}", file.string(), reason_without_file(error)));
  }
  return ids;
}

Json to_json_list(const std::vector<LessonRemark>& remarks) {
  Json list = Json::array();
  for (const LessonRemark& remark : remarks) list.push_back({{"line", remark.line}, {"text", remark.text}});
  return list;
}

class LessonCommand : public Command {
 public:
  std::string name() const override { return "lesson"; }
  std::string summary() const override {
    return "Check that all blocks of a lesson run and its questions can be answered, or make a handout of it";
  }
  void declare_options(CLI::App& app) override {
    app.add_option("ACTION", action_, "check or export")->required()->type_name("");
    app.add_option("FILE", path_, "A lesson, or for check also a folder of lessons")
        ->required()
        ->type_name("");
    app.add_option("--to", to_, "The page that export writes, an .html file")->type_name("FILE");
    app.add_option(
           "--device", device_,
           "The GPU of `tilescope devices` that check counts for: answers such as resident blocks depend "
           "on it (default: this machine's, or the L4 without one)")
        ->type_name("NAME");
    output_.declare_json(app);
  }

  ExitCode run() override {
    if (action_ != "check" && action_ != "export")
      throw WrongUsage(fmt::format("lesson: '{}' is neither check nor export", action_));
    if ((action_ == "export") != !to_.empty())
      throw WrongUsage("--to FILE goes with lesson export: it names the page to write");
    const std::vector<std::filesystem::path> files = lessons_at(path_);
    const Installation installation = find_installation();
    LessonRunner runner(installation, device_);
    listen_for_interrupts();
    return action_ == "check" ? check(files, installation, runner) : write_handout(files, runner);
  }

 private:
  static std::vector<std::filesystem::path> lessons_at(const std::filesystem::path& path) {
    if (!std::filesystem::exists(path))
      throw UnreadableInput(fmt::format("there is no file or folder {}", path.string()));
    if (!std::filesystem::is_directory(path)) return {path};
    std::vector<std::filesystem::path> files = lesson_files(path);
    if (files.empty()) throw UnreadableInput(fmt::format("{} has no lesson: no .md file", path.string()));
    return files;
  }

  ExitCode check(const std::vector<std::filesystem::path>& files, const Installation& installation,
                 LessonRunner& runner) const {
    const std::set<std::string> panels = panel_ids(installation);
    Json document = {{"lessons", Json::array()}};
    bool is_sound = true;
    for (const std::filesystem::path& file : files) {
      const LessonCheck result = check_lesson(load_lesson(file), panels, runner.runs());
      if (interrupted()) throw Stopped();
      is_sound = is_sound && result.faults.empty();
      document["lessons"].push_back({{"file", file.string()},
                                     {"blocks", result.blocks},
                                     {"questions", result.questions},
                                     {"answers", Json(result.answers)},
                                     {"faults", to_json_list(result.faults)},
                                     {"not_checked", to_json_list(result.not_checked)}});
      if (!output_.json) print(text_of(file, result));
    }
    if (output_.json) print_json(document);
    return is_sound ? ExitCode::done : ExitCode::check_failed;
  }

  static std::string text_of(const std::filesystem::path& file, const LessonCheck& result) {
    const std::string verdict =
        result.faults.empty() ? "all run" : fmt::format("{} at fault", result.faults.size());
    std::string text = fmt::format("{}: {} blocks, {} of them questions: {}\n", file.string(), result.blocks,
                                   result.questions, verdict);
    for (const LessonRemark& fault : result.faults)
      text += fmt::format("  line {}: {}\n", fault.line, fault.text);
    for (const LessonRemark& remark : result.not_checked)
      text += fmt::format("  line {}, not checked: {}\n", remark.line, remark.text);
    return text;
  }

  ExitCode write_handout(const std::vector<std::filesystem::path>& files, LessonRunner& runner) const {
    if (to_.extension() != ".html" && !is_pipe_or_device(to_))
      throw WrongUsage("--to: a handout is an .html file");
    refuse_second_document(output_, "--to", to_);
    if (files.size() > 1) throw WrongUsage("lesson export takes one lesson, not a folder of several");
    std::vector<std::string> missing;
    const Lesson lesson = load_lesson(files.front());
    const std::string page = lesson_html(lesson, [&](const HandoutPicture& picture) {
      try {
        return runner.draw(picture);
      } catch (const std::exception& error) {
        missing.push_back(fmt::format("the panel {}: {}", picture.panel, error.what()));
        return std::string();
      }
    });
    if (interrupted()) throw Stopped();
    write_output_file(to_, page);
    if (output_.json) {
      const Json document{{"file", to_.string()}, {"bytes", page.size()}, {"missing", missing}};
      print_json(missing.empty() ? document
                                 : with_failure(document, "cannot_run", "not drawn: " + missing.front()));
    } else {
      print_beside(to_, fmt::format("{}: {}\n", to_.string(),
                                    format_short_bytes(static_cast<std::int64_t>(page.size()))));
    }
    for (const std::string& one : missing) say("tilescope: not drawn: " + one);
    return missing.empty() ? ExitCode::done : ExitCode::cannot_run;
  }

  std::string action_, device_;
  std::filesystem::path path_, to_;
  OutputOptions output_;
};

const RegisterCommand register_lesson{[] { return std::make_unique<LessonCommand>(); }};

}  // namespace
}  // namespace tilescope
