#include "profiler/devices/device_model.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <fstream>
#include <set>
#include <stdexcept>
#include <type_traits>
#include <variant>

#include "sessions/json_reader.hpp"

namespace tilescope {
namespace {

/// One number of a table: its name in the file, the unit that it must be given in, and where it goes.
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
};

/// Only a compute capability's minor number may be 0.
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
  if (source.empty()) throw DocumentError("/source", "is empty: a number says where it is from");
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

void refuse_unknown_fields(const Json& json) {
  std::set<std::string> known{"name", "aliases", "arch"};
  for (const Field& field : fields) known.insert(field.name);
  for (const auto& [key, value] : json.items()) {
    if (!known.contains(key)) throw DocumentError("/" + key, "is not a field of a device table");
  }
}

DeviceModel read_table(const Json& json) {
  DeviceModel device;
  const ObjectReader object(json);
  refuse_unknown_fields(json);
  object.required("name", device.name);
  object.required("aliases", device.aliases);
  object.required("arch", device.arch);
  for (const Field& field : fields) {
    const Json& member = object.find_required(field.name);
    at_place(field.name, [&] { read_field(member, field, device); });
  }
  const std::string major = std::to_string(device.compute_major);
  const std::string minor = std::to_string(device.compute_minor);
  const std::string arch = "sm_" + major + minor;
  if (device.arch != arch && device.arch != arch + "a") {
    throw DocumentError("/arch",
                        "'" + device.arch + "' does not fit compute capability " + major + "." + minor);
  }
  return device;
}

DeviceModel load_table(const std::filesystem::path& file) {
  try {
    std::ifstream input(file);
    if (!input) throw std::runtime_error("cannot be opened");
    return read_table(Json::parse(input));
  } catch (const std::exception& error) {
    throw std::runtime_error("device table " + file.string() + ": " + error.what());
  }
}

std::string lower(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(),
                 [](unsigned char letter) { return static_cast<char>(std::tolower(letter)); });
  return text;
}

}  // namespace

std::vector<DeviceModel> load_device_tables(const std::filesystem::path& folder) {
  std::error_code error;
  std::vector<DeviceModel> tables;
  for (const auto& entry : std::filesystem::directory_iterator(folder, error)) {
    if (entry.path().extension() == ".json") tables.push_back(load_table(entry.path()));
  }
  if (error) throw std::runtime_error("device tables in " + folder.string() + ": " + error.message());
  if (tables.empty())
    throw std::runtime_error("device tables in " + folder.string() + ": there is no .json file");

  std::sort(tables.begin(), tables.end(), [](const auto& a, const auto& b) { return a.name < b.name; });
  const auto twice = std::adjacent_find(tables.begin(), tables.end(),
                                        [](const auto& a, const auto& b) { return a.name == b.name; });
  if (twice != tables.end()) {
    throw std::runtime_error("device tables in " + folder.string() + ": two tables are named '" +
                             twice->name + "'");
  }
  return tables;
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
