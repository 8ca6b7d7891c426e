#include "profiler/measure/files/launch_file.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <utility>

#include "base/json.hpp"
#include "profiler/measure/files/launch_arrays.hpp"
#include "profiler/measure/files/launch_expected.hpp"
#include "profiler/measure/files/launch_problems.hpp"
#include "profiler/measure/files/launch_structure.hpp"
#include "profiler/measure/files/launch_values.hpp"

namespace tilescope {
namespace {

constexpr std::uint32_t most_dynamic_shared = 227 * 1024;  // sm_90, which has the most
constexpr std::array<std::uint32_t, 3> most_grid = {0x7fffffff, 65535, 65535};
constexpr std::array<std::uint32_t, 3> most_block = {1024, 1024, 64};
// Triton 3 passes its kernels up to two pointers that their functions do not name.
constexpr std::size_t most_hidden_parameters = 2;
constexpr std::uint64_t address_bytes = 8;

// A variable is small, and has bytes.
void materialise(LaunchBytes& bytes) {
  if (!bytes.pattern) return;
  bytes.contents.resize(bytes.size());
  bytes.pattern->write(bytes.contents.data(), 0, bytes.contents.size());
  bytes.pattern.reset();
}

class LaunchReader {
 public:
  // `parameters`: null where the kernel is not known.
  LaunchReader(const Json& document, const std::vector<simt::KernelParameter>* parameters,
               const std::vector<SentArray>& arrays)
      : document_(document), parameters_(parameters), arrays_(arrays, problems_) {}

  LaunchFile read() {
    if (!document_.is_object()) throw LaunchFileError("the launch must be an object with \"arguments\"");
    problems_.check_keys(document_, "",
                         {"grid", "block", "dynamic_shared_bytes", "arguments", "buffers", "variables",
                          "numbers", "reference", "before", "options"});
    launch_.grid = dimensions("grid", most_grid);
    launch_.block = dimensions("block", most_block);
    if (launch_.block.count() > 1024)
      problems_.add("block", fmt::format("{} threads; a GPU takes at most 1024", launch_.block.count()));
    launch_.dynamic_shared_bytes = static_cast<std::uint32_t>(
        problems_.natural(document_, "", "dynamic_shared_bytes", 0, most_dynamic_shared).value_or(0));
    read_numbers();
    read_arguments();
    read_buffers();
    read_variables();
    values_.find_buffers(launch_);
    expected_.read(launch_);
    problems_.throw_if_any();
    return std::move(launch_);
  }

 private:
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
      problems_.add(key, fmt::format("{:.100} must be up to three whole numbers [x, y, z], at most [{}]",
                                     to_line(given), fmt::join(most, ", ")));
      return {};
    }
    return {sizes[0], sizes[1], sizes[2]};
  }

  void read_numbers() {
    const std::array<std::pair<const char*, const simt::Dimensions*>, 2> sizes = {
        {{"gridDim", &launch_.grid}, {"blockDim", &launch_.block}}};
    for (const auto& [name, size] : sizes) {
      launch_.numbers[std::string(name) + ".x"] = size->x;
      launch_.numbers[std::string(name) + ".y"] = size->y;
      launch_.numbers[std::string(name) + ".z"] = size->z;
    }
    if (!document_.contains("numbers")) return;
    const Json& given = document_["numbers"];
    if (!given.is_object()) return problems_.add("numbers", "must be an object: numbers by name");
    for (const auto& [name, number] : given.items()) {
      if (number.is_number()) {
        launch_.numbers[name] = number.get<double>();
      } else {
        problems_.add("numbers." + name, fmt::format("{:.100} is not a number", to_line(number)));
      }
    }
  }

  void read_arguments() {
    const Json none = Json::array();
    const Json& given = document_.contains("arguments") ? document_["arguments"] : none;
    if (!given.is_array()) return problems_.add("arguments", "must be a list");
    if (parameters_ != nullptr && given.size() != parameters_->size()) {
      problems_.add("arguments", fmt::format("{} given; the kernel takes {}{}", given.size(),
                                             parameters_->size(), hidden_parameters(given.size())));
    }
    LaunchStructure structure(values_, expected_, problems_, launch_);
    for (std::size_t i = 0; i < given.size(); ++i) {
      const std::string place = fmt::format("arguments[{}]", i);
      const bool is_known = parameters_ != nullptr && i < parameters_->size();
      const std::uint64_t size = is_known ? (*parameters_)[i].bytes : 0;
      LaunchBytes bytes = structure.argument(given[i], place, i, size);
      if (!bytes.contents.empty() && is_known && bytes.contents.size() != size) {
        const std::string type = given[i].value("type", "");
        problems_.add(
            place, fmt::format("a {} has {} B; the kernel's parameter {} has {} B",
                               type == "buffer" ? "buffer's address" : type, bytes.contents.size(), i, size));
      }
      launch_.arguments.push_back(std::move(bytes));
    }
  }

  // Says what the last parameters may be where fewer arguments are given.
  std::string hidden_parameters(std::size_t given) const {
    const std::size_t missing = parameters_->size() - std::min(given, parameters_->size());
    if (missing == 0 || missing > most_hidden_parameters) return "";
    for (std::size_t i = given; i < parameters_->size(); ++i) {
      if ((*parameters_)[i].bytes != address_bytes) return "";
    }
    return fmt::format(
        ". Behind a kernel's own parameters Triton adds pointers to scratch memory, which most kernels do "
        "not "
        "use: if it made this one, add {{\"type\": \"u64\", \"value\": 0}} {}",
        missing == 1 ? "once" : "twice");
  }

  void read_buffers() {
    if (!document_.contains("buffers")) return;
    const Json& given = document_["buffers"];
    if (!given.is_array()) return problems_.add("buffers", "must be a list");
    LaunchStructure structure(values_, expected_, problems_, launch_);
    for (std::size_t i = 0; i < given.size(); ++i) {
      const std::string place = fmt::format("buffers[{}]", i);
      if (!given[i].is_object() || !given[i].contains("name")) {
        problems_.add(place, "must be an object with a \"name\"");
        continue;
      }
      structure.add_buffer(given[i], place, std::nullopt);
    }
  }

  void read_variables() {
    if (!document_.contains("variables")) return;
    const Json& given = document_["variables"];
    if (!given.is_object()) return problems_.add("variables", "must be an object: values by name");
    for (const auto& [name, variable] : given.items()) {
      const std::string place = fmt::format("variables.{}", name);
      if (!variable.is_object()) {
        problems_.add(place, "must be an object with \"element\" and \"values\"");
        continue;
      }
      problems_.check_keys(variable, place, {"element", "values", "count", "fill"});
      const auto element = element_of(variable, place, problems_);
      std::vector<std::uint64_t> unused_shape;
      if (!element) continue;
      LaunchBytes bytes = values_.elements(variable, *element, place, unused_shape);
      materialise(bytes);
      launch_.variables.push_back({name, std::move(bytes)});
    }
  }

  const Json& document_;
  const std::vector<simt::KernelParameter>* parameters_;
  LaunchFile launch_;
  LaunchProblems problems_;
  const LaunchArrays arrays_;
  LaunchValues values_{problems_, arrays_};
  LaunchExpected expected_{problems_, arrays_};
};

}  // namespace

LaunchFile read_launch_file(const Json& document, const std::vector<simt::KernelParameter>& parameters,
                            const std::vector<SentArray>& arrays) {
  return LaunchReader(document, &parameters, arrays).read();
}

LaunchFile read_launch_alone(const Json& document, const std::vector<SentArray>& arrays) {
  return LaunchReader(document, nullptr, arrays).read();
}

}  // namespace tilescope
