#include "profiler/measure/files/launch_expected.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <stdexcept>
#include <utility>

#include "base/json.hpp"

namespace tilescope {
namespace {

constexpr const char* forms =
    "must be a number, a list, or an object with one of \"values\", \"npy\", \"buffer\" and \"formula\"";

bool is_value(const Json& given) {
  return given.is_number() || given.is_string();
}

// The name of a .npy file alone is {"npy": NAME}.
Json with_array_name(const Json& given) {
  if (is_array_name(given)) return {{"npy", given}};
  Json named = given;
  named["npy"] = named["values"];
  named.erase("values");
  return named;
}

std::uint64_t count_of(const LaunchBuffer& buffer) {
  return buffer.bytes.size() / buffer.element.bytes;
}

// "4 elements of 'out'", or of a part of it.
std::string compared_words(const ExpectedValues& expected, const LaunchBuffer& buffer) {
  const bool is_whole = expected.count == count_of(buffer);
  return fmt::format("{} elements of '{}'{}", expected.count, buffer.name,
                     is_whole ? "" : " that \"elements\" names");
}

}  // namespace

Tolerance default_tolerance(const Element& element) {
  if (element.kind != Element::Kind::floating) return {};
  if (element.name == "f16") return {1e-5, 1e-3};
  if (element.name == "bf16") return {1e-5, 1.6e-2};
  return element.bytes == 4 ? Tolerance{1e-5, 1.3e-6} : Tolerance{1e-7, 1e-7};
}

void LaunchExpected::add(std::size_t number, const Json& given, const std::string& place) {
  given_.push_back({number, &given, place + ".expected"});
}

void LaunchExpected::read(LaunchFile& launch) {
  for (const Given& one : given_) {
    LaunchBuffer& buffer = launch.buffers[one.number];
    if (buffer.bytes.size() == 0) continue;  // the error has been reported
    buffer.expected = expected(launch, buffer, (*one.buffer)["expected"], one.place);
    if (buffer.expected) buffer.expected->marks_output = !one.buffer->contains("output");
    if (!buffer.expected || one.buffer->contains("output") || buffer.expected->formula) continue;
    const bool is_whole = buffer.expected->count == count_of(buffer) && buffer.expected->any.empty();
    buffer.is_output = buffer.is_output || is_whole;
  }
}

std::optional<ExpectedValues> LaunchExpected::expected(const LaunchFile& launch, const LaunchBuffer& buffer,
                                                       const Json& given, const std::string& place) {
  const bool has_array_name = given.is_object() && given.contains("values") && !given.contains("npy") &&
                              is_array_name(given["values"]);
  if (has_array_name || is_array_name(given))
    return this->expected(launch, buffer, with_array_name(given), place);
  ExpectedValues expected;
  expected.count = count_of(buffer);
  expected.tolerance = default_tolerance(buffer.element);
  bool is_right = false;
  if (is_value(given) || given.is_array()) {
    is_right = read_values(given, buffer, place, expected);
  } else if (!given.is_object() || given.contains("values") + given.contains("npy") +
                                           given.contains("buffer") + given.contains("formula") !=
                                       1) {
    problems_.add(place, forms);
  } else if (given.contains("formula")) {
    problems_.check_keys(given, place, {"formula", "tolerance"});
    is_right = read_tolerance(given, buffer, place, expected.tolerance) &&
               read_formula(launch, given, buffer, place + ".formula", expected);
  } else {
    problems_.check_keys(given, place, {"values", "npy", "buffer", "tolerance", "elements"});
    is_right = read_elements(given, buffer, place, expected) &&
               read_tolerance(given, buffer, place, expected.tolerance);
    if (is_right && given.contains("values")) {
      is_right = read_values(given["values"], buffer, place + ".values", expected);
    } else if (is_right) {
      is_right = given.contains("npy") ? read_array(given, buffer, place, expected)
                                       : read_buffer(launch, given, buffer, place, expected);
    }
  }
  return is_right ? std::optional(std::move(expected)) : std::nullopt;
}

bool LaunchExpected::read_formula(const LaunchFile& launch, const Json& given, const LaunchBuffer& buffer,
                                  const std::string& place, ExpectedValues& expected) {
  const auto fail = [&](const std::string& what) {
    problems_.add(place, what);
    return false;
  };
  if (!given["formula"].is_string()) return fail("must be a text, such as \"y = 2 * x\"");
  try {
    expected.formula = std::make_shared<const Formula>(given["formula"].get<std::string>());
  } catch (const FormulaError& error) {
    return fail(error.what());
  }
  const std::string& target = expected.formula->target();
  if (!target.empty() && target != formula_name(buffer.name))
    return fail(fmt::format("it says what '{}' is, and stands at '{}'", target, buffer.name));
  std::vector<std::string> known;
  known.reserve(launch.buffers.size() + launch.numbers.size());
  for (const LaunchBuffer& one : launch.buffers) known.push_back(formula_name(one.name));
  for (const auto& [name, number] : launch.numbers) known.push_back(name);
  for (const std::string& name : expected.formula->names()) {
    if (std::ranges::find(known, name) == known.end())
      return fail(fmt::format("no buffer or number of the launch is named '{}'; there are {}", name,
                              fmt::join(known, ", ")));
  }
  return true;
}

bool LaunchExpected::read_elements(const Json& given, const LaunchBuffer& buffer, const std::string& place,
                                   ExpectedValues& expected) {
  if (!given.contains("elements")) return true;
  const Json& range = given["elements"];
  const bool is_range = range.is_array() && range.size() == 2 && range[0].is_number_unsigned() &&
                        range[1].is_number_unsigned() && range[0] < range[1] && range[1] <= expected.count;
  if (!is_range) {
    problems_.add(place, fmt::format("\"elements\" is {:.100}; it must be [first, end] with first < end <= "
                                     "{}, the number of elements of '{}'",
                                     to_line(range), expected.count, buffer.name));
    return false;
  }
  expected.first = range[0].get<std::uint64_t>();
  expected.count = range[1].get<std::uint64_t>() - expected.first;
  return true;
}

std::optional<double> LaunchExpected::bound(const Json& value, const std::string& place) {
  if (value.is_number() && value >= 0) return value.get<double>();
  problems_.add(place, fmt::format("{:.100} is not a tolerance: a number that is 0 or more is expected",
                                   to_line(value)));
  return std::nullopt;
}

bool LaunchExpected::read_tolerance(const Json& given, const LaunchBuffer& buffer, const std::string& place,
                                    Tolerance& tolerance) {
  if (!given.contains("tolerance")) return true;
  const std::string at = place + ".tolerance";
  const Json& bounds = given["tolerance"];
  const bool is_object = bounds.is_object();
  if (is_object) problems_.check_keys(bounds, at, {"absolute", "relative"});
  const auto part = [&](const char* key) -> std::optional<double> {
    if (!is_object) return bound(bounds, at);
    return bounds.contains(key) ? bound(bounds[key], at + "." + key) : 0.0;
  };
  const std::optional<double> absolute = part("absolute");
  const std::optional<double> relative = is_object ? part("relative") : absolute;
  if (!absolute || !relative) return false;
  tolerance = {*absolute, *relative};
  if (buffer.element.kind != Element::Kind::bits || (*absolute == 0 && *relative == 0)) return true;
  problems_.add(at,
                fmt::format("the elements of '{}' are {}, bits that are compared exactly: give the buffer "
                            "a type of numbers, such as u32 or f32, or leave the tolerance out",
                            buffer.name, buffer.element.name));
  return false;
}

bool LaunchExpected::read_values(const Json& values, const LaunchBuffer& buffer, const std::string& place,
                                 ExpectedValues& expected) {
  const bool is_list = values.is_array();
  if (!is_list && !is_value(values)) {
    problems_.add(place, "must be a number for all elements, or a list");
    return false;
  }
  if (is_list && values.size() != expected.count) {
    problems_.add(
        place, fmt::format("{} values for the {}: give {} values (null for one that may be any), one number "
                           "for all, or \"elements\": [first, end] beside the values of a part",
                           values.size(), compared_words(expected, buffer), expected.count));
    return false;
  }
  const std::size_t bytes = buffer.element.bytes;
  expected.values.resize((is_list ? values.size() : 1) * bytes);
  bool is_right = true;
  for (std::size_t i = 0; i < (is_list ? values.size() : 1); ++i) {
    const Json& value = is_list ? values[i] : values;
    if (value.is_null()) {
      expected.any.push_back(i);
      continue;
    }
    try {
      const std::uint64_t bits = bits_of(value, buffer.element);
      std::memcpy(expected.values.data() + i * bytes, &bits, bytes);
    } catch (const std::invalid_argument& error) {
      problems_.add(is_list ? fmt::format("{}[{}]", place, i) : place, error.what());
      is_right = false;
    }
  }
  return is_right;
}

bool LaunchExpected::read_array(const Json& given, const LaunchBuffer& buffer, const std::string& place,
                                ExpectedValues& expected) {
  auto array = arrays_.read(given, buffer.element, place);
  if (!array) return false;
  const std::uint64_t items = array->bytes.size() / buffer.element.bytes;
  const bool is_whole = expected.count == count_of(buffer);
  const bool has_shapes = is_whole && array->shape.size() > 1 && buffer.shape.size() > 1;
  if (items != expected.count || (has_shapes && array->shape != buffer.shape)) {
    problems_.add(
        place,
        fmt::format("'{}' is {}, for the {}{}: save an array of that size, or name a part with "
                    "\"elements\": [first, end]",
                    given["npy"].get<std::string>(), array->description, compared_words(expected, buffer),
                    items == expected.count ? ", which has another shape" : ""));
    return false;
  }
  expected.values = std::move(array->bytes);
  return true;
}

bool LaunchExpected::read_buffer(const LaunchFile& launch, const Json& given, const LaunchBuffer& buffer,
                                 const std::string& place, ExpectedValues& expected) {
  const auto name = problems_.text(given, place, "buffer");
  if (!name) return false;
  const auto has_name = [&](const LaunchBuffer& one) { return one.name == *name; };
  const auto found = std::ranges::find_if(launch.buffers, has_name);
  const auto refuse = [&](const std::string& why) {
    problems_.add(place, why);
    return false;
  };
  if (found == launch.buffers.end())
    return refuse(fmt::format("there is no buffer with the name \"{}\"", *name));
  if (std::ranges::count_if(launch.buffers, has_name) > 1)
    return refuse(fmt::format("several buffers have the name \"{}\"", *name));
  if (&*found == &buffer) return refuse(fmt::format("'{}' is the buffer itself: name another one", *name));
  if (found->bytes.size() == 0) return false;  // the error has been reported
  if (found->element.kind != buffer.element.kind ||
      (buffer.element.kind == Element::Kind::bits && found->element.bytes != buffer.element.bytes)) {
    return refuse(fmt::format("'{}' has elements of {}, and '{}' of {}: give both the same type", *name,
                              found->element.name, buffer.name, buffer.element.name));
  }
  if (count_of(*found) != expected.count) {
    return refuse(
        fmt::format("'{}' has {} elements for the {}: make them equally long, or name a part with "
                    "\"elements\": [first, end]",
                    *name, count_of(*found), compared_words(expected, buffer)));
  }
  expected.buffer = static_cast<std::size_t>(found - launch.buffers.begin());
  return true;
}

}  // namespace tilescope
