#include "profiler/devices/device_model.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <set>
#include <stdexcept>
#include <type_traits>
#include <variant>

#include "base/json_reader.hpp"
#include "base/output_file.hpp"
#include "base/regular_file.hpp"
#include "profiler/devices/fitted_parameters.hpp"

namespace tilescope {
namespace {

/// One number of a table: its name in the file, its unit, and the member that holds it.
struct Field {
  const char* name;
  const char* unit;
  std::variant<int DeviceModel::*, std::int64_t DeviceModel::*, double DeviceModel::*> member;
};

constexpr const char* plain_count = "1";

const std::array fields{
    Field{"compute_major", plain_count, &DeviceModel::compute_major},
    Field{"compute_minor", plain_count, &DeviceModel::compute_minor},
    Field{"sm_count", plain_count, &DeviceModel::sm_count},
    Field{"max_threads_per_block", plain_count, &DeviceModel::max_threads_per_block},
    Field{"max_threads_per_sm", plain_count, &DeviceModel::max_threads_per_sm},
    Field{"max_warps_per_sm", plain_count, &DeviceModel::max_warps_per_sm},
    Field{"max_blocks_per_sm", plain_count, &DeviceModel::max_blocks_per_sm},
    Field{"registers_per_sm", plain_count, &DeviceModel::registers_per_sm},
    Field{"registers_per_block", plain_count, &DeviceModel::registers_per_block},
    Field{"shared_bytes_per_sm", "B", &DeviceModel::shared_bytes_per_sm},
    Field{"shared_bytes_per_block", "B", &DeviceModel::shared_bytes_per_block},
    Field{"shared_bytes_per_block_optin", "B", &DeviceModel::shared_bytes_per_block_optin},
    Field{"reserved_shared_bytes_per_block", "B", &DeviceModel::reserved_shared_bytes_per_block},
    Field{"l2_bytes", "B", &DeviceModel::l2_bytes},
    Field{"boost_clock_mhz", "MHz", &DeviceModel::boost_clock_mhz},
    Field{"dram_gb_per_s", "GB/s", &DeviceModel::dram_gb_per_s},
    Field{"fp16_tflops", "TFLOP/s", &DeviceModel::fp16_tflops},
    Field{"fp32_lanes_per_sm", plain_count, &DeviceModel::fp32_lanes_per_sm},
    Field{"l2_bytes_per_clk_sm", "B/clk/SM", &DeviceModel::l2_bytes_per_clk_sm},
    Field{"power_capped_clock_mhz", "MHz", &DeviceModel::power_capped_clock_mhz},
    Field{"power_capped_clock_min_mhz", "MHz", &DeviceModel::power_capped_clock_min_mhz},
    Field{"power_limit_w", "W", &DeviceModel::power_limit_w},
    Field{"idle_w", "W", &DeviceModel::idle_w},
};

/// Whether 0 is allowed: only for the minor number of a compute capability.
bool is_plausible(const Field& field, double value) {
  return std::isfinite(value) && (value > 0 || (value == 0 && field.name == std::string("compute_minor")));
}

void read_field(const Json& json, const Field& field, DeviceModel& device) {
  const ObjectReader object(json);
  std::string unit;
  object.required("unit", unit);
  if (unit != field.unit) {
    throw DocumentError("/unit", "expected '" + std::string(field.unit) + "', found '" + unit + "'");
  }
  std::string& source = device.sources[field.name];
  object.required("source", source);
  if (source.empty()) throw DocumentError("/source", "is empty: every number needs a source");
  std::visit(
      [&](auto member) {
        using Value = std::remove_reference_t<decltype(device.*member)>;
        std::conditional_t<std::is_floating_point_v<Value>, double, std::int64_t> value{};
        object.required("value", value);
        if (!is_plausible(field, static_cast<double>(value))) {
          throw DocumentError("/value", "must be more than 0");
        }
        device.*member = static_cast<Value>(value);
      },
      field.member);
}

/// The origin of a table. A calibration only knows what the driver and the shipped table of the device know.
enum class Author { program, calibration };

bool may_lack(Author author, const Field& field) {
  const std::string name = field.name;
  if (name == "l2_bytes_per_clk_sm" || name == "idle_w" || name.starts_with("power_")) return true;
  return author == Author::calibration &&
         (name == "fp16_tflops" || name == "dram_gb_per_s" || name == "fp32_lanes_per_sm");
}

void refuse_unknown(const Json& json, const std::set<std::string>& known, const std::string& what) {
  for (const auto& [key, value] : json.items()) {
    if (!known.contains(key)) throw DocumentError("/" + key, "is not a field of " + what);
  }
}

void refuse_unknown_fields(const Json& json) {
  std::set<std::string> known{"name", "aliases", "arch", "measured", "fitted"};
  for (const Field& field : fields) known.insert(field.name);
  refuse_unknown(json, known, "a device table");
}

MeasuredFigure read_figure(const Json& json, const std::string& what) {
  MeasuredFigure figure;
  const ObjectReader object(json);
  refuse_unknown(json, {"value", "unit", "spread", "source"}, what);
  object.required("value", figure.value);
  object.required("unit", figure.unit);
  object.required("spread", figure.spread);
  object.required("source", figure.source);
  if (!(figure.spread >= 0) || !std::isfinite(figure.spread)) {
    throw DocumentError("/spread", "must be 0 or more");
  }
  if (figure.unit.empty()) throw DocumentError("/unit", "is empty");
  if (figure.source.empty()) throw DocumentError("/source", "is empty: every number needs a source");
  return figure;
}

MeasuredFigure read_measured_figure(const Json& json) {
  MeasuredFigure figure = read_figure(json, "a measured figure");
  if (!(figure.value > 0) || !std::isfinite(figure.value))
    throw DocumentError("/value", "must be more than 0");
  return figure;
}

MeasuredFigures read_measured_figures(const Json& json) {
  MeasuredFigures figures;
  const ObjectReader is_object(json);
  for (const auto& [name, figure] : json.items())
    figures[name] = at_place(name, [&entry = figure] { return read_measured_figure(entry); });
  return figures;
}

MeasuredFigure read_fitted_figure(const Json& json, const FittedFigure& known) {
  MeasuredFigure figure = read_figure(json, "a fitted figure");
  if (figure.unit != known.unit)
    throw DocumentError("/unit", "expected '" + std::string(known.unit) + "', found '" + figure.unit + "'");
  if (!(figure.value >= known.least && figure.value <= known.most)) {
    throw DocumentError("/value", "must be from " + to_line(known.least) + " to " + to_line(known.most) +
                                      ", found " + to_line(figure.value));
  }
  return figure;
}

// One fit finds all figures together: a table has all of them or none.
MeasuredFigures read_fitted_figures(const Json& json) {
  MeasuredFigures figures;
  const ObjectReader object(json);
  if (json.empty()) return figures;
  const std::vector<FittedFigure> all = fitted_figures();
  std::set<std::string> known;
  for (const FittedFigure& figure : all) known.insert(figure.name);
  refuse_unknown(json, known, "what is fitted");
  for (const FittedFigure& figure : all) {
    const Json& member = object.find_required(figure.name);
    figures[figure.name] = at_place(figure.name, [&] { return read_fitted_figure(member, figure); });
  }
  const MeasuredFigure& least = figures[fitted_least_us];
  if (least.value > figures[fitted_most_us].value)
    throw DocumentError("/" + std::string(fitted_most_us) + "/value",
                        "must be at least the value of least_us, " + to_line(least.value));
  return figures;
}

void read_all_figures(const ObjectReader& object, DeviceModel& device) {
  if (const Json* measured = object.find("measured"))
    device.measured = at_place("measured", [&] { return read_measured_figures(*measured); });
  if (const Json* fitted = object.find("fitted"))
    device.fitted = at_place("fitted", [&] { return read_fitted_figures(*fitted); });
}

Json figures_document(const MeasuredFigures& figures) {
  Json json = Json::object();
  for (const auto& [name, figure] : figures) {
    json[name] = {
        {"value", figure.value}, {"unit", figure.unit}, {"spread", figure.spread}, {"source", figure.source}};
  }
  return json;
}

DeviceModel read_table(const Json& json, Author author) {
  DeviceModel device;
  const ObjectReader object(json);
  refuse_unknown_fields(json);
  object.required("name", device.name);
  object.required("aliases", device.aliases);
  object.required("arch", device.arch);
  for (const Field& field : fields) {
    if (may_lack(author, field) && object.find(field.name) == nullptr) continue;
    const Json& member = object.find_required(field.name);
    at_place(field.name, [&] { read_field(member, field, device); });
  }
  read_all_figures(object, device);
  const std::string major = std::to_string(device.compute_major);
  const std::string minor = std::to_string(device.compute_minor);
  const std::string arch = "sm_" + major + minor;
  if (device.arch != arch && device.arch != arch + "a") {
    throw DocumentError("/arch",
                        "'" + device.arch + "' does not fit compute capability " + major + "." + minor);
  }
  return device;
}

DeviceModel load_table(const std::filesystem::path& file, Author author) {
  try {
    return read_table(read_json_file(file), author);
  } catch (const std::exception& error) {
    const char* repair = author == Author::calibration ? "; correct this device table or remove it" : "";
    throw UnreadableFile(file, reason_without_file(error) + repair);
  }
}

std::string lower(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(),
                 [](unsigned char letter) { return static_cast<char>(std::tolower(letter)); });
  return text;
}

std::vector<DeviceModel> load_folder(const std::filesystem::path& folder, Author author) {
  std::error_code error;
  std::vector<DeviceModel> tables;
  for (const auto& entry : std::filesystem::directory_iterator(folder, error)) {
    if (entry.path().extension() == ".json") tables.push_back(load_table(entry.path(), author));
  }
  if (error) throw std::runtime_error("device tables in " + folder.string() + ": " + error.message());
  std::sort(tables.begin(), tables.end(), [](const auto& a, const auto& b) { return a.name < b.name; });
  const auto twice = std::adjacent_find(tables.begin(), tables.end(),
                                        [](const auto& a, const auto& b) { return a.name == b.name; });
  if (twice != tables.end()) {
    throw std::runtime_error("device tables in " + folder.string() + ": two tables are named '" +
                             twice->name + "'");
  }
  return tables;
}

}  // namespace

std::vector<DeviceModel> load_device_tables(const std::filesystem::path& folder) {
  std::vector<DeviceModel> tables = load_folder(folder, Author::program);
  if (tables.empty())
    throw std::runtime_error("device tables in " + folder.string() + ": there is no .json file");
  return tables;
}

std::vector<DeviceModel> load_device_tables(const Installation& installation) {
  std::vector<DeviceModel> tables = load_device_tables(installation.devices);
  const std::filesystem::path own = installation.data / "devices";
  std::error_code ignored;
  if (installation.data.empty() || !std::filesystem::is_directory(own, ignored)) return tables;
  for (DeviceModel& calibrated : load_folder(own, Author::calibration)) {
    const auto shipped = std::find_if(tables.begin(), tables.end(), [&](const DeviceModel& table) {
      return lower(table.name) == lower(calibrated.name);
    });
    if (shipped == tables.end()) {
      tables.push_back(std::move(calibrated));
    } else {
      *shipped = std::move(calibrated);
    }
  }
  std::sort(tables.begin(), tables.end(), [](const auto& a, const auto& b) { return a.name < b.name; });
  return tables;
}

std::filesystem::path device_table_path(const Installation& installation, const std::string& name) {
  std::string file = lower(name);
  for (char& letter : file) {
    const auto byte = static_cast<unsigned char>(letter);
    if (std::isalnum(byte) == 0 && letter != '.') letter = '_';
  }
  return installation.data / "devices" / (file + ".json");
}

std::vector<TableNumber> table_numbers(const DeviceModel& device) {
  std::vector<TableNumber> numbers;
  for (const Field& field : fields) {
    const double value =
        std::visit([&](auto member) { return static_cast<double>(device.*member); }, field.member);
    if (!is_plausible(field, value)) continue;
    const auto source = device.sources.find(field.name);
    numbers.push_back(
        {field.name, value, field.unit, source == device.sources.end() ? "unknown" : source->second});
  }
  return numbers;
}

Json to_table_document(const DeviceModel& device) {
  Json json{{"name", device.name}, {"aliases", device.aliases}, {"arch", device.arch}};
  for (const Field& field : fields) {
    std::visit(
        [&](auto member) {
          if (!is_plausible(field, static_cast<double>(device.*member))) return;
          const auto source = device.sources.find(field.name);
          json[field.name] = {{"value", device.*member},
                              {"unit", field.unit},
                              {"source", source == device.sources.end() ? "unknown" : source->second}};
        },
        field.member);
  }
  json["measured"] = figures_document(device.measured);
  json["fitted"] = figures_document(device.fitted);
  return json;
}

void write_device_table(const std::filesystem::path& file, const DeviceModel& device) {
  const std::filesystem::path folder = std::filesystem::absolute(file).parent_path();
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (error) throw UnwritableFile(file, "its folder cannot be made: " + error.message());
  write_output_file(file, to_indented_text(to_table_document(device)) + "\n");
}

Json to_json_document(const DeviceModel& device) {
  Json json{
      {"name", device.name}, {"aliases", device.aliases}, {"arch", device.arch}, {"present", device.present}};
  json["ordinal"] = device.present ? Json(device.ordinal) : Json();
  for (const Field& field : fields) {
    std::visit(
        [&](auto member) {
          const double value = static_cast<double>(device.*member);
          json[field.name] = is_plausible(field, value) ? Json(device.*member) : Json();
        },
        field.member);
  }
  json["sources"] = device.sources;
  json["measured"] = figures_document(device.measured);
  json["fitted"] = figures_document(device.fitted);
  return json;
}

DeviceModel device_model_from(const Json& document) {
  DeviceModel device;
  const ObjectReader object(document);
  object.required("name", device.name);
  object.required("aliases", device.aliases);
  object.required("arch", device.arch);
  object.required("present", device.present);
  std::int64_t ordinal = device.ordinal;
  object.optional("ordinal", ordinal);
  device.ordinal = static_cast<int>(ordinal);
  for (const Field& field : fields) {
    std::visit(
        [&](auto member) {
          using Value = std::remove_reference_t<decltype(device.*member)>;
          std::conditional_t<std::is_floating_point_v<Value>, double, std::int64_t> value{};
          object.optional(field.name, value);
          device.*member = static_cast<Value>(value);
        },
        field.member);
  }
  object.optional("sources", device.sources);
  read_all_figures(object, device);
  return device;
}

const DeviceModel* match_device(const std::vector<DeviceModel>& tables, const std::string& name) {
  const std::string wanted = lower(name);
  for (const DeviceModel& table : tables) {
    if (lower(table.name) == wanted) return &table;
    for (const std::string& alias : table.aliases) {
      if (lower(alias) == wanted) return &table;
    }
  }
  return nullptr;
}

}  // namespace tilescope
