#include "profiler/kernels/compile/missing_names.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <regex>
#include <set>
#include <sstream>
#include <string_view>

namespace tilescope {
namespace {

// Libraries that the host calls. curandState is of the device: its header is there.
constexpr std::array<std::string_view, 12> host_libraries = {
    "cublas", "cusparse", "curandStatus", "curandGenerator", "curandRng", "cufft", "cusolver", "cudnn",
    "nccl",   "nvml",     "MPI_",         "nvshmem"};

bool is_of_host(std::string_view name) {
  for (const std::string_view library : host_libraries)
    if (name.starts_with(library)) return true;
  return false;
}

struct Operation {
  std::string_view name, result;
};
constexpr std::array<Operation, 5> operations_of_cub = {{{"Sum", "a + b"},
                                                         {"Max", "b > a ? b : a"},
                                                         {"Min", "b < a ? b : a"},
                                                         {"Equality", "a == b"},
                                                         {"Inequality", "a != b"}}};

// "" for a name that CUB never had.
std::string operation_of_cub(std::string_view name) {
  for (const Operation& operation : operations_of_cub) {
    if (operation.name == name)
      return fmt::format(
          "namespace cub {{ struct {} {{ template <class T> __host__ __device__ auto operator()(const T& a, "
          "const T& b) "
          "const {{ return {}; }} }}; }}\n",
          operation.name, operation.result);
  }
  return "";
}

// A template that can be used as a smart pointer, as most are that a file takes out of a library of the host.
std::string smart_pointer(std::string_view name) {
  return fmt::format(
      "template <class T = int, class...> class {0} {{ public: template <class... A> {0}(A&&...) {{}} "
      "template <class... A> void reset(A&&...) {{}} T* get() const {{ return nullptr; }} T& operator*() "
      "const {{ return *get(); }} "
      "T* operator->() const {{ return get(); }} bool operator!() const {{ return true; }} }}",
      name);
}

// The name of the first group in a line; "" for another line.
std::string name_in(const std::string& line, const std::regex& form) {
  std::smatch match;
  return std::regex_search(line, match, form) ? match[1].str() : "";
}

}  // namespace

std::string declarations_of_missing(const std::string& log, const std::string& main_file) {
  static const std::regex undefined(R"re(identifier "(\w+)" is undefined)re");
  static const std::regex member_of_cub(R"re(namespace "cub" has no member "(\w+)")re");
  static const std::regex alias(R"re(^\s*namespace\s+\w+\s*=\s*([\w:]+)\s*;)re");
  static const std::regex use(R"re(^\s*using\s+(?:::)?(\w+(?:::\w+)*)::\w+\s*;)re");
  static const std::regex used(R"re(::(\w+)\s*;)re");
  // std::regex takes stack for each letter of a line.
  constexpr std::size_t max_line = 500;
  std::set<std::string> declarations;
  std::istringstream lines(log);
  for (std::string line; std::getline(lines, line);) {
    line.resize(std::min(line.size(), max_line));
    if (const std::string name = name_in(line, undefined); is_of_host(name)) {
      declarations.insert(fmt::format("typedef struct {0}_ *{0};\n", name));
    } else if (!name.empty() && !line.starts_with(main_file + "(")) {
      declarations.insert(fmt::format("class {} {{}};\n", name));
    }
    declarations.insert(operation_of_cub(name_in(line, member_of_cub)));
    if (const std::string name = name_in(line, alias); !name.empty())
      declarations.insert(fmt::format("namespace {} {{}}\n", name));
    if (const std::string name = name_in(line, use); !name.empty())
      declarations.insert(fmt::format("namespace {} {{ {}; }}\n", name, smart_pointer(name_in(line, used))));
  }
  std::string all;
  for (const std::string& declaration : declarations) all += declaration;
  return all;
}

}  // namespace tilescope
