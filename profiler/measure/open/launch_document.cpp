#include <fmt/format.h>

#include <cmath>
#include <string>

#include "base/json.hpp"
#include "profiler/measure/open/launch_guess.hpp"

namespace tilescope {
namespace {

Json number_value(double value, const Element& element) {
  if (element.kind == Element::Kind::floating) return value;
  if (value < 0) return static_cast<std::int64_t>(value);
  return static_cast<std::uint64_t>(value);
}

Json fill_value(const std::string& fill) {
  if (fill == "random" || fill == "iota" || fill == "nan" || fill == "inf" || fill == "-inf") return fill;
  return std::stod(fill);
}

Json buffer_entry(const KnownParameter& parameter, const GuessedBuffer& buffer) {
  Json argument = {{"name", parameter.name}, {"element", buffer.element.name}};
  if (buffer.contents.empty()) {
    Json fill = fill_value(buffer.fill);
    if (buffer.element.kind != Element::Kind::floating && fill.is_number())
      fill = number_value(fill.get<double>(), buffer.element);
    argument["count"] = buffer.count;
    argument["fill"] = fill;
  } else {
    argument["values"] = {{"npy", buffer.contents}};
  }
  const GuessedBuffer::ExpectedArray& array = buffer.expected_array;
  if (!buffer.expected.empty()) {
    argument["expected"] = {{"formula", buffer.expected}};
  } else if (!array.name.empty()) {
    argument["expected"] = {{"npy", array.name},
                            {"tolerance", {{"absolute", array.absolute}, {"relative", array.relative}}}};
  }
  return argument;
}

Json argument_of(const GuessedLaunch& launch, std::size_t i) {
  const KnownParameter& parameter = launch.parameters[i];
  if (const auto& buffer = launch.buffers[i]; buffer && buffer->before != 0)
    return {
        {"type", "address"}, {"of", parameter.name}, {"plus_bytes", buffer->before * buffer->element.bytes}};
  if (launch.buffers[i]) {
    Json argument = {{"type", "buffer"}};
    argument.update(buffer_entry(parameter, *launch.buffers[i]));
    return argument;
  }
  if (launch.numbers[i])
    return {{"type", parameter.element->name},
            {"value", number_value(*launch.numbers[i], *parameter.element)},
            {"name", parameter.name}};
  return {{"type", "bytes"}, {"values", std::vector<int>(parameter.bytes, 0)}};
}

// Members of one parameter make one structure.
void add_argument(const GuessedLaunch& launch, std::size_t i, Json& arguments) {
  const KnownParameter& parameter = launch.parameters[i];
  Json argument = argument_of(launch, i);
  if (!parameter.is_member) return arguments.push_back(std::move(argument));
  if (arguments.size() == parameter.parameter)
    arguments.push_back({{"type", "struct"}, {"members", Json::array()}});
  argument["offset"] = parameter.offset;
  arguments.back()["members"].push_back(std::move(argument));
}

}  // namespace

std::string launch_document(const GuessedLaunch& launch) {
  Json arguments = Json::array();
  for (std::size_t i = 0; i < launch.parameters.size(); ++i) add_argument(launch, i, arguments);
  Json buffers = Json::array();
  for (std::size_t i = 0; i < launch.parameters.size(); ++i)
    if (launch.buffers[i] && launch.buffers[i]->before != 0)
      buffers.push_back(buffer_entry(launch.parameters[i], *launch.buffers[i]));
  Json document = {{"grid", {launch.grid.x, launch.grid.y, launch.grid.z}},
                   {"block", {launch.block.x, launch.block.y, launch.block.z}},
                   {"dynamic_shared_bytes", launch.dynamic_shared_bytes},
                   {"arguments", arguments}};
  if (!buffers.empty()) document["buffers"] = buffers;
  if (!launch.formula_numbers.empty()) document["numbers"] = launch.formula_numbers;
  return document.dump(2) + "\n";
}

}  // namespace tilescope
