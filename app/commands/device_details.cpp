#include "app/commands/device_details.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <sstream>
#include <utility>
#include <vector>

#include "app/commands/text_table.hpp"
#include "base/json.hpp"
#include "base/text/format.hpp"
#include "profiler/devices/fitted_parameters.hpp"
#include "profiler/explanation/model/model_parameters.hpp"

namespace tilescope {
namespace {

using Row = model::ParameterRow;

struct Group {
  std::string heading;
  std::vector<Row> rows;
};

// Fields of a table that do not limit the architecture.
const std::set<std::string> rates{"boost_clock_mhz",
                                  "dram_gb_per_s",
                                  "fp16_tflops",
                                  "fp32_lanes_per_sm",
                                  "l2_bytes_per_clk_sm",
                                  "power_capped_clock_mhz",
                                  "power_capped_clock_min_mhz",
                                  "power_limit_w",
                                  "idle_w"};

void add_table(const DeviceModel& device, std::vector<Group>& groups) {
  Group limits{"Limits", {}}, clocks{"Clocks and peak rates", {}};
  for (const TableNumber& number : table_numbers(device)) {
    Group& group = rates.contains(number.name) ? clocks : limits;
    group.rows.push_back({number.name, number.value, number.unit, number.source});
  }
  groups.push_back(std::move(limits));
  groups.push_back(std::move(clocks));
}

std::string origin_of(const Row& row) {
  return row.source.substr(0, std::min(row.source.find(':'), row.source.size()));
}

// Adds the parameters of the model, and the other figures of its fit.
void add_model(const std::vector<Row>& parameters, const DeviceModel& device, std::vector<Group>& groups) {
  Group measured{"Model of latency: measured on this device", {}};
  Group fitted{"Model of latency: fitted to measured points", {}};
  Group published{"Model of latency: published for the architecture", {}};
  Group assumed{"Model of latency: assumed", {}};
  Group datasheet{"Model of latency: from the datasheet", {}};
  for (const Row& row : parameters) {
    const std::string origin = origin_of(row);
    Group& group = origin == "measured"    ? measured
                   : origin == "fitted"    ? fitted
                   : origin == "published" ? published
                   : origin == "assumed"   ? assumed
                                           : datasheet;
    group.rows.push_back(row);
  }
  for (const char* name : {fitted_error, fitted_least_us, fitted_most_us}) {
    const auto figure = device.fitted.find(name);
    if (figure != device.fitted.end())
      fitted.rows.push_back({name, figure->second.value, figure->second.unit, figure->second.source});
  }
  for (Group* group : {&measured, &fitted, &published, &assumed, &datasheet})
    groups.push_back(std::move(*group));
}

void add_other_figures(const std::vector<Row>& parameters, const DeviceModel& device,
                       std::vector<Group>& groups) {
  Group others{"Measured, not used by the model", {}};
  for (const auto& [name, figure] : device.measured) {
    const auto is_it = [&name = name](const Row& row) { return row.name == name; };
    if (std::ranges::none_of(parameters, is_it))
      others.rows.push_back({name, figure.value, figure.unit, figure.source});
  }
  groups.push_back(std::move(others));
}

// Widths of all groups, so that their columns are in line.
struct Widths {
  std::size_t name = 0, value = 0, unit = 0;
};

constexpr std::size_t indent = 2, gap = 2, least_source_width = 30;

Widths widths_of(const std::vector<Group>& groups) {
  Widths widths;
  for (const Group& group : groups) {
    for (const Row& row : group.rows) {
      widths.name = std::max(widths.name, row.name.size());
      widths.value = std::max(widths.value, figure_number(row.value).size());
      widths.unit = std::max(widths.unit, row.unit.size());
    }
  }
  return widths;
}

// "1" is the unit of a count or a ratio.
std::string unit_text(const std::string& unit) {
  return unit == "1" ? "" : unit;
}

std::string group_text(const Group& group, const Widths& widths, std::size_t width) {
  TextTable table;
  table.add_column(fmt::format("{:<{}}", "name", widths.name), TextTable::Align::left);
  table.add_column(fmt::format("{:>{}}", "value", widths.value), TextTable::Align::right);
  table.add_column(fmt::format("{:<{}}", "unit", widths.unit), TextTable::Align::left);
  table.add_column("source", TextTable::Align::left);
  const std::size_t before = indent + widths.name + widths.value + widths.unit + 3 * gap;
  const std::size_t source_width = std::max(least_source_width, width - std::min(width, before));
  std::string last;
  for (const Row& row : group.rows) {
    std::istringstream lines(wrapped(row.source == last ? "as above" : row.source, source_width, 0));
    last = row.source;
    std::string line;
    std::getline(lines, line);
    table.add_row({row.name, figure_number(row.value), unit_text(row.unit), line});
    while (std::getline(lines, line)) table.add_row({"", "", "", line});
  }
  return fmt::format("\n{}\n{}", group.heading, table.text(indent));
}

}  // namespace

std::string figure_number(double value) {
  const bool is_whole = std::abs(value) < 1e15 && std::floor(value) == value;
  return is_whole || std::abs(value) >= 1e5 ? format_number(value, 0) : fmt::format("{:.5g}", value);
}

std::string device_text(const DeviceModel& device, std::size_t width) {
  const std::vector<Row> parameters = model::parameter_rows(device);
  std::vector<Group> groups;
  add_table(device, groups);
  add_model(parameters, device, groups);
  add_other_figures(parameters, device, groups);
  std::erase_if(groups, [](const Group& group) { return group.rows.empty(); });
  std::string text =
      fmt::format("{} ({}), {}\n", device.name, device.arch,
                  device.present ? fmt::format("installed: gpu:{}", device.ordinal) : "not installed");
  if (!device.aliases.empty())
    text += wrapped(fmt::format("Also {}", fmt::join(device.aliases, ", ")), width, 0) + "\n";
  const Widths widths = widths_of(groups);
  for (const Group& group : groups) text += group_text(group, widths, width);
  return text;
}

Json device_document(const DeviceModel& device) {
  Json parameters = Json::array();
  for (const Row& row : model::parameter_rows(device)) {
    parameters.push_back(
        {{"name", row.name}, {"value", row.value}, {"unit", row.unit}, {"source", row.source}});
  }
  return {{"device", to_json_document(device)}, {"parameters", std::move(parameters)}};
}

}  // namespace tilescope
