#include "profiler/measure/files/launch_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <initializer_list>
#include <utility>

#include "base/json.hpp"

namespace tilescope {
namespace {

using Bytes = std::vector<std::byte>;
constexpr std::uint64_t address_bytes = 8;
constexpr std::size_t most_problems = 20;
constexpr std::uint64_t most_buffer_bytes = std::uint64_t{1} << 32;
constexpr std::uint32_t most_dynamic_shared = 227 * 1024;  // sm_90, which has the most
constexpr std::array<std::uint32_t, 3> most_grid = {0x7fffffff, 65535, 65535};
constexpr std::array<std::uint32_t, 3> most_block = {1024, 1024, 64};

void append(Bytes& bytes, std::uint64_t bits, std::size_t count) {
  const std::size_t at = bytes.size();
  bytes.resize(at + count);
  std::memcpy(bytes.data() + at, &bits, count);
}

class LaunchReader {
 public:
  LaunchReader(const Json& document, const std::vector<simt::KernelParameter>& parameters)
      : document_(document), parameters_(parameters) {}

  LaunchFile read() {
    if (!document_.is_object()) throw LaunchFileError("the launch must be an object with \"arguments\"");
    check_keys(document_, "", {"grid", "block", "dynamic_shared_bytes", "arguments"});
    launch_.grid = dimensions("grid", most_grid);
    launch_.block = dimensions("block", most_block);
    if (launch_.block.count() > 1024)
      problem("block", fmt::format("{} threads; a GPU takes at most 1024", launch_.block.count()));
    launch_.dynamic_shared_bytes = static_cast<std::uint32_t>(
        natural(document_, "", "dynamic_shared_bytes", 0, most_dynamic_shared).value_or(0));
    read_arguments();
    if (problem_count_ > most_problems)
      problems_ += fmt::format("\n... and {} more errors", problem_count_ - most_problems);
    if (!problems_.empty()) throw LaunchFileError(problems_);
    return std::move(launch_);
  }

 private:
  void problem(const std::string& place, const std::string& what) {
    if (++problem_count_ > most_problems) return;
    problems_ += (problems_.empty() ? "" : "\n") + (place.empty() ? "" : place + ": ") + what;
  }

  void check_keys(const Json& object, const std::string& place,
                  std::initializer_list<std::string_view> known) {
    for (const auto& [key, value] : object.items()) {
      if (std::ranges::find(known, std::string_view(key)) != known.end()) continue;
      problem(place, fmt::format("\"{}\" is not known; known are {}", key, fmt::join(known, ", ")));
    }
  }

  // A whole number from 0 or 1 on; nothing when the key is missing or wrong.
  std::optional<std::uint64_t> natural(const Json& object, const std::string& place, const char* key,
                                       std::uint64_t least, std::uint64_t most) {
    if (!object.contains(key)) return std::nullopt;
    const Json& value = object[key];
    if (value.is_number_unsigned() && value.get<std::uint64_t>() >= least &&
        value.get<std::uint64_t>() <= most) {
      return value.get<std::uint64_t>();
    }
    problem(place, fmt::format("\"{}\" is {:.100}; it must be a whole number from {} to {}", key,
                               to_line(value), least, most));
    return std::nullopt;
  }

  simt::Dimensions dimensions(const char* key, const std::array<std::uint32_t, 3>& most) {
    std::array<std::uint32_t, 3> sizes = {1, 1, 1};
    const Json none = Json::array();
    const Json& given = document_.contains(key) ? document_[key] : none;
    bool is_right = given.is_array() && given.size() <= 3;
    for (std::size_t i = 0; is_right && i < given.size(); ++i) {
      is_right = given[i].is_number_unsigned() && given[i] >= 1 && given[i] <= most[i];
      if (is_right) sizes[i] = given[i].get<std::uint32_t>();
    }
    if (!is_right) {
      problem(key, fmt::format("{:.100} must be up to three whole numbers [x, y, z], at most [{}]",
                               to_line(given), fmt::join(most, ", ")));
      return {};
    }
    return {sizes[0], sizes[1], sizes[2]};
  }

  void read_arguments() {
    const Json none = Json::array();
    const Json& given = document_.contains("arguments") ? document_["arguments"] : none;
    if (!given.is_array()) return problem("arguments", "must be a list");
    if (given.size() != parameters_.size()) {
      problem("arguments", fmt::format("{} given; the kernel takes {}", given.size(), parameters_.size()));
    }
    for (std::size_t i = 0; i < given.size(); ++i) {
      place_ = fmt::format("arguments[{}]", i);
      read_argument(given[i], i);
    }
  }

  void read_argument(const Json& given, std::size_t index) {
    if (!given.is_object() || !given.contains("type") || !given["type"].is_string())
      return problem(place_,
                     "must be an object with a \"type\": buffer, bytes, or one of " + element_names());
    const auto& type = given["type"].get_ref<const std::string&>();
    std::uint64_t bytes = address_bytes;
    if (type == "buffer") {
      launch_.arguments.emplace_back(read_buffer(given, index));
    } else {
      Bytes value = type == "bytes" ? read_bytes(given) : read_number(given, type);
      if (value.empty()) return;  // the error has been reported
      bytes = value.size();
      launch_.arguments.emplace_back(std::move(value));
    }
    if (index < parameters_.size() && parameters_[index].bytes != bytes) {
      problem(place_, fmt::format("a {} has {} B; the kernel's parameter {} has {} B",
                                  type == "buffer" ? "buffer's address" : type, bytes, index,
                                  parameters_[index].bytes));
    }
  }

  Bytes read_number(const Json& given, const std::string& type) {
    const auto element = element_named(type);
    if (!element) {
      problem(place_, fmt::format("the type \"{}\" is not known; known are buffer, bytes, {}", type,
                                  element_names()));
      return {};
    }
    check_keys(given, place_, {"type", "value"});
    Bytes bytes;
    if (!given.contains("value")) {
      problem(place_, "\"value\" is missing");
    } else {
      add_value(bytes, given["value"], *element, place_);
    }
    return bytes;
  }

  Bytes read_bytes(const Json& given) {
    check_keys(given, place_, {"type", "values"});
    return read_values(given, *element_named("u8"));
  }

  BufferArgument read_buffer(const Json& given, std::size_t index) {
    check_keys(given, place_, {"type", "name", "element", "values", "count", "fill", "output"});
    BufferArgument buffer{fmt::format("argument {}", index), *element_named("b32"), {}, is_output(given)};
    if (given.contains("name")) {
      if (given["name"].is_string()) {
        buffer.name = given["name"].get<std::string>();
      } else {
        problem(place_, "\"name\" must be a string");
      }
    }
    const auto element = given.contains("element") && given["element"].is_string()
                             ? element_named(given["element"].get_ref<const std::string&>())
                             : std::nullopt;
    if (!element) {
      problem(place_, "\"element\" must be one of " + element_names());
      return buffer;
    }
    buffer.element = *element;
    if (given.contains("values") == given.contains("count")) {
      problem(place_, "a buffer has either \"values\", or a \"count\" with the \"fill\" of all its elements");
    } else if (given.contains("values")) {
      buffer.contents = read_values(given, *element);
    } else {
      buffer.contents = read_fill(given, *element);
    }
    return buffer;
  }

  // Whether each element has to be written by the kernel. A fill of "nan" says so, unless "output" is false.
  bool is_output(const Json& given) {
    const auto is_nan = [](const Json& value) { return value == "nan"; };
    if (!given.contains("output")) {
      if (given.contains("fill")) return is_nan(given["fill"]);
      return given.contains("values") && given["values"].is_array() &&
             std::ranges::all_of(given["values"], is_nan);
    }
    if (given["output"].is_boolean()) return given["output"].get<bool>();
    problem(place_, "\"output\" must be true or false");
    return false;
  }

  Bytes read_values(const Json& given, const Element& element) {
    Bytes bytes;
    if (!given.contains("values") || !given["values"].is_array() || given["values"].empty()) {
      problem(place_, "\"values\" must be a list that is not empty");
      return bytes;
    }
    std::size_t index = 0;
    for (const Json& value : given["values"])
      add_value(bytes, value, element, fmt::format("{}.values[{}]", place_, index++));
    return bytes;
  }

  Bytes read_fill(const Json& given, const Element& element) {
    Bytes fill, bytes;
    add_value(fill, given.contains("fill") ? given["fill"] : Json(0), element, place_);
    const auto count = natural(given, place_, "count", 1, most_buffer_bytes / element.bytes);
    if (!count || fill.empty()) return bytes;
    filled_bytes_ += *count * element.bytes;
    if (filled_bytes_ > most_buffer_bytes) {
      problem(place_, fmt::format("with this one the buffers have {} B; together they may have at most {} B",
                                  filled_bytes_, most_buffer_bytes));
      return bytes;
    }
    bytes.reserve(*count * element.bytes);
    for (std::uint64_t i = 0; i < *count; ++i) bytes.insert(bytes.end(), fill.begin(), fill.end());
    return bytes;
  }

  void add_value(Bytes& bytes, const Json& value, const Element& element, const std::string& place) {
    try {
      append(bytes, bits_of(value, element), element.bytes);
    } catch (const std::invalid_argument& error) {
      problem(place, error.what());
    }
  }

  const Json& document_;
  const std::vector<simt::KernelParameter>& parameters_;
  LaunchFile launch_;
  std::string place_;
  std::string problems_;
  std::uint64_t filled_bytes_ = 0;
  std::size_t problem_count_ = 0;
};

}  // namespace

LaunchFile read_launch_file(const Json& document, const std::vector<simt::KernelParameter>& parameters) {
  return LaunchReader(document, parameters).read();
}

}  // namespace tilescope
