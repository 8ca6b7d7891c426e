#include "app/commands/vary_arguments.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <sstream>
#include <utility>

#include "app/commands/command.hpp"

namespace tilescope {
namespace {

std::vector<ParameterValue> read_values(const std::string& name, const std::string& list) {
  std::vector<ParameterValue> values;
  std::istringstream parts(list);
  for (std::string part; std::getline(parts, part, ',');) {
    if (part.empty())
      throw WrongUsage(fmt::format("--vary {}={}: there is an empty value between the commas", name, list));
    const ParameterValue value = parameter_value_from(part);
    if (std::find(values.begin(), values.end(), value) != values.end()) {
      throw WrongUsage(fmt::format("--vary {}={}: {} is there twice", name, list, part));
    }
    values.push_back(value);
  }
  if (values.empty())
    throw WrongUsage(fmt::format("--vary {}=: give values, or the name alone for all of them", name));
  return values;
}

void check(const KernelDeclaration& kernel, const std::string& name, const ParameterValue& value) {
  try {
    check_values(kernel, {{name, value}});
  } catch (const UnknownName& error) {
    throw WrongUsage(std::string("--vary: ") + error.what());
  }
}

}  // namespace

TypedValues split_vary_arguments(const std::vector<std::string>& arguments) {
  TypedValues typed;
  for (const std::string& argument : arguments) {
    const std::size_t equals = argument.find('=');
    const std::string name = argument.substr(0, equals);
    if (std::ranges::find(typed, name, &TypedValues::value_type::first) != typed.end())
      throw WrongUsage(fmt::format("--vary names '{}' twice: name it once", name));
    std::vector<ParameterValue> values;
    if (equals != std::string::npos) values = read_values(name, argument.substr(equals + 1));
    typed.emplace_back(name, std::move(values));
  }
  return typed;
}

SweptParameters read_vary_arguments(const std::vector<std::string>& arguments,
                                    const KernelDeclaration& kernel) {
  SweptParameters vary;
  for (auto& [name, values] : split_vary_arguments(arguments)) {
    const ParameterDeclaration* declared = kernel.find_parameter(name);
    if (values.empty())
      check(kernel, name, declared == nullptr ? ParameterValue(0) : declared->default_value);
    for (const ParameterValue& value : values) check(kernel, name, value);
    vary.emplace_back(name, values);
  }
  return vary;
}

}  // namespace tilescope
