#include "profiler/explanation/lessons/facts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "base/json.hpp"
#include "profiler/kernels/catalogue/expression.hpp"

namespace tilescope {
namespace {

std::string as_name(std::string text) {
  for (char& letter : text) {
    if (std::isalnum(static_cast<unsigned char>(letter)) == 0) letter = '_';
  }
  return text;
}

/// Lists are left out: what they hold has no name. A point's own names are kept apart from the shape's.
void add_numbers(const Json& json, const std::string& name, Facts& facts) {
  if (json.is_number()) {
    facts.values[as_name(name)] = json.get<double>();
  } else if (json.is_null()) {
    facts.absent.insert(as_name(name));
  } else if (json.is_object()) {
    for (const auto& [key, value] : json.items())
      add_numbers(value, name.empty() ? key : name + "_" + key, facts);
  }
}

void add_sites(const MemoryCounts& memory, Facts& facts) {
  for (const MemorySite& site : memory.sites) {
    const std::string name = as_name(site.operation + (site.tile.empty() ? "" : "_" + site.tile));
    const std::pair<const char*, std::int64_t> sums[] = {{"executions", site.executions},
                                                         {"lanes", site.lanes},
                                                         {"wavefronts", site.wavefronts},
                                                         {"minimum", site.minimum},
                                                         {"conflicts", site.conflicts}};
    for (const auto& [field, value] : sums) facts.values[name + "_" + field] += static_cast<double>(value);
    double& worst = facts.values[name + "_worst_degree"];
    worst = std::max(worst, static_cast<double>(site.worst_degree));
  }
}

}  // namespace

Facts facts_of(const Measurement& point) {
  Facts facts;
  add_numbers(Json(point), "", facts);
  const Shape& shape = point.shape;
  const std::pair<const char*, std::int64_t> sizes[] = {
      {"B", shape.B},           {"Hq", shape.Hq},
      {"Hkv", shape.Hkv},       {"Sq", shape.Sq},
      {"Sk", shape.Sk},         {"D", shape.D},
      {"CAUSAL", shape.causal}, {"ELEMENT_BYTES", element_bytes(shape.dtype)}};
  for (const auto& [name, size] : sizes) facts.values[name] = static_cast<double>(size);
  for (const auto& [name, value] : point.parameters) {
    if (const auto* number = std::get_if<std::int64_t>(&value))
      facts.values[name] = static_cast<double>(*number);
  }
  if (point.memory) add_sites(*point.memory, facts);
  facts.values["findings"] = static_cast<double>(point.findings.size());
  facts.values["faults"] = static_cast<double>(std::ranges::count_if(point.findings, is_fault));
  return facts;
}

void add_facts(Facts& facts, const std::string& prefix, const Facts& of_point) {
  const std::string before = prefix.empty() ? "" : prefix + "_";
  for (const auto& [name, value] : of_point.values) facts.values[before + name] = value;
  for (const std::string& name : of_point.absent) facts.absent.insert(before + name);
}

double evaluate(const std::string& expression, const Facts& facts) {
  try {
    return evaluate_expression(expression, facts.values);
  } catch (const ExpressionError&) {
    for (const std::string& name : facts.absent) {
      for (std::size_t at = expression.find(name); at != std::string::npos;
           at = expression.find(name, at + 1)) {
        const bool begins = at == 0 || (std::isalnum(static_cast<unsigned char>(expression[at - 1])) == 0 &&
                                        expression[at - 1] != '_');
        const std::size_t end = at + name.size();
        const bool ends = end == expression.size() || expression[end] == '_' ||
                          std::isalnum(static_cast<unsigned char>(expression[end])) == 0;
        if (begins && ends) throw NotKnownHere(fmt::format("the point has no '{}'", name));
      }
    }
    throw;
  }
}

}  // namespace tilescope
