#include "sessions/import/import.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <map>
#include <memory>
#include <set>
#include <tuple>

#include "app/commands/command.hpp"
#include "app/commands/cut_list.hpp"
#include "app/commands/output.hpp"
#include "app/commands/session_file.hpp"
#include "app/commands/shape_argument.hpp"
#include "app/commands/shown_text.hpp"
#include "base/json.hpp"
#include "base/text/format.hpp"
#include "profiler/devices/device_model.hpp"
#include "profiler/kernels/catalogue/nearest_names.hpp"
#include "sessions/views/points/point_text.hpp"

namespace tilescope {
namespace {

/// One file and what became of it.
struct FileReport {
  std::filesystem::path file;
  ImportedFile imported;
  /// The session has its points already.
  bool is_known = false;
};

/// The first note of an imported point names the file and its hash.
std::string origin_of(const Measurement& point) {
  return point.notes.empty() ? "" : point.notes.front();
}

bool has_points_of(const Session& session, const ImportedFile& imported) {
  if (imported.points.empty()) return false;
  const std::string origin = origin_of(imported.points.front());
  return std::any_of(session.points.begin(), session.points.end(),
                     [&](const auto& point) { return origin_of(*point) == origin; });
}

/// "flash on H200, B1 H8 S512 D64 fp16: 2 points, p50 41.00 µs to 42.50 µs": one for each kernel, device and shape.
std::vector<std::string> group_lines(const std::vector<Measurement>& points) {
  std::map<std::tuple<std::string, std::string, Shape>, std::vector<const Measurement*>> groups;
  for (const Measurement& point : points)
    groups[{point.kernel, point.device.name, point.shape}].push_back(&point);
  std::vector<std::string> lines;
  lines.reserve(groups.size());
  for (const auto& [key, members] : groups) {
    const auto& [kernel, device, shape] = key;
    std::vector<double> times;
    for (const Measurement* point : members) {
      if (point->latency) times.push_back(point->latency->p50_us);
    }
    std::string line =
        fmt::format("{} on {}, {}: {}", shown_line(kernel), shown_line(device_words(members.front()->device)),
                    to_string(shape), format_points(members.size()));
    if (!times.empty()) {
      const auto [least, most] = std::minmax_element(times.begin(), times.end());
      line += ", p50 " + format_latency(*least);
      if (*most > *least) line += " to " + format_latency(*most);
    }
    if (times.size() < members.size())
      line += fmt::format(", {} without a latency", members.size() - times.size());
    lines.push_back(std::move(line));
  }
  return lines;
}

/// Each sentence once.
std::vector<std::string> notes_of(const std::vector<Measurement>& points) {
  std::set<std::string> seen;
  std::vector<std::string> notes;
  for (const Measurement& point : points) {
    for (const std::string& note : point.notes) {
      if (seen.insert(note).second) notes.push_back(note);
    }
  }
  return notes;
}

std::string file_text(const FileReport& report) {
  const ImportedFile& imported = report.imported;
  std::string text = fmt::format("{}: {}, {}\n", shown_line(report.file.filename().string()),
                                 shown_line(imported.tool), format_points(imported.points.size()));
  if (report.is_known) return text + "  The session has them already: nothing was added.\n";
  text += cut_list(group_lines(imported.points), "kernels and shapes: --json has all points");
  text += cut_list(notes_of(imported.points), "notes");
  std::vector<std::string> left_out;
  left_out.reserve(imported.left_out.size());
  for (const std::string& sentence : imported.left_out) left_out.push_back("Left out: " + sentence);
  return text + cut_list(left_out, "that were left out: --json has all");
}

class ImportCommand : public Command {
 public:
  std::string name() const override { return "import"; }
  std::string summary() const override {
    return "Points of other programs, as recorded: Nsight Compute CSV, nvbench JSON, Kernel Tuner caches";
  }
  void declare_options(CLI::App& app) override {
    app.add_option("FILE", files_, "What ncu --csv, nvbench --json or Kernel Tuner wrote")
        ->required()
        ->type_name("");
    app.add_option("--format", format_, "ncu, nvbench or kernel-tuner; found from the file without it")
        ->type_name("NAME");
    app.add_option("--kernel", kernel_, "The kernel's name, instead of the file's")->type_name("NAME");
    app.add_option("--shape", shape_,
                   "Sizes of the problem where the file does not have them: 1,8,512,64, 1,32/8,512/4096,128")
        ->type_name("B,H,S,D");
    app.add_flag("--causal", causal_, "Query i sees keys up to i + (Sk - Sq)");
    app.add_option("--dtype", dtype_, "fp16 (default) or bf16, where the file does not say it")
        ->type_name("TYPE");
    app.add_option("--device", device_, "The device of `tilescope devices` on which the file was recorded")
        ->type_name("NAME");
    output_.declare_json(app);
    output_.declare_session(app);
  }

  ExitCode run() override {
    if (output_.session.empty() && !output_.json)
      throw WrongUsage("import needs --session FILE, the session that gets the points");
    const Installation installation = find_installation();
    const std::vector<DeviceModel> tables = load_device_tables(installation);
    const ImportOptions options = import_options(tables);
    SessionFile session(output_.session, installation);
    if (!session.problem().empty()) throw CannotRun(session.problem());

    std::vector<FileReport> reports = import_files(options, tables);
    std::vector<Measurement> added;
    if (session.is_open()) {
      session.append([&](const Session& now) { return added = new_points(reports, now); });
    } else {
      added = new_points(reports, {});
    }
    if (!session.problem().empty()) throw CannotRun(session.problem());
    print_result(reports, added);
    return ExitCode::done;
  }

 private:
  ImportOptions import_options(const std::vector<DeviceModel>& tables) const {
    ImportOptions options;
    options.kernel = kernel_;
    try {
      if (!format_.empty()) options.format = import_format_from(format_);
      if (!dtype_.empty()) options.dtype = data_type_from(dtype_);
    } catch (const std::invalid_argument& error) {
      throw WrongUsage(error.what());
    }
    if (!shape_.empty()) read_shape_argument(shape_, options.sizes.emplace());
    if (causal_) options.causal = true;
    if (!device_.empty()) {
      const DeviceModel* device = match_device(tables, device_);
      if (device == nullptr) throw WrongUsage(unknown_device(tables));
      options.device = DeviceIdentity{device->name, device->arch, true};
    }
    return options;
  }

  std::string unknown_device(const std::vector<DeviceModel>& tables) const {
    std::vector<std::string> names;
    names.reserve(tables.size());
    for (const DeviceModel& table : tables) names.push_back(table.name);
    return suggest_names(fmt::format("--device: there is no device '{}'", device_), device_, names);
  }

  /// The points of the files that the session does not have, and no file before them.
  static std::vector<Measurement> new_points(std::vector<FileReport>& reports, const Session& session) {
    std::vector<Measurement> added;
    std::set<std::string> origins;
    for (FileReport& report : reports) {
      const std::vector<Measurement>& points = report.imported.points;
      if (points.empty()) continue;
      const bool is_new = origins.insert(origin_of(points.front())).second;
      report.is_known = !is_new || has_points_of(session, report.imported);
      if (!report.is_known) added.insert(added.end(), points.begin(), points.end());
    }
    return added;
  }

  /// All of them before any is kept: an invalid file then leaves the session as it was.
  std::vector<FileReport> import_files(const ImportOptions& options,
                                       const std::vector<DeviceModel>& tables) const {
    std::vector<FileReport> reports;
    reports.reserve(files_.size());
    for (const std::filesystem::path& file : files_) {
      FileReport& report = reports.emplace_back(FileReport{file, import_file(file, options), false});
      for (Measurement& point : report.imported.points) {
        // A device that the driver names like one in the table counts as the device of points measured here.
        if (const DeviceModel* device = match_device(tables, point.device.name))
          point.device = {device->name, device->arch, true};
      }
    }
    return reports;
  }

  void print_result(const std::vector<FileReport>& reports, const std::vector<Measurement>& added) const {
    if (!output_.json) {
      for (const FileReport& report : reports) print(file_text(report));
      return;
    }
    Json files = Json::array();
    for (const FileReport& report : reports) {
      files.push_back({{"file", report.file.filename().string()},
                       {"format", to_string(report.imported.format)},
                       {"tool", report.imported.tool},
                       {"points", report.imported.points.size()},
                       {"already_imported", report.is_known},
                       {"left_out", report.imported.left_out}});
    }
    print_json({{"files", std::move(files)}, {"points", added}});
  }

  std::vector<std::filesystem::path> files_;
  std::string format_;
  std::string kernel_;
  std::string shape_;
  bool causal_ = false;
  std::string dtype_;
  std::string device_;
  OutputOptions output_;
};

const RegisterCommand register_import{[] { return std::make_unique<ImportCommand>(); }};

}  // namespace
}  // namespace tilescope
