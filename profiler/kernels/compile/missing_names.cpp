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

struct Shuffle {
  std::string_view name, parameter, argument;
};
struct Vote {
  std::string_view name, result;
};
// Functions of the lanes that run, which CUDA has for GPUs before sm_70 alone: today's take a mask.
constexpr std::array<Shuffle, 4> shuffles = {{{"__shfl", "int lane", "lane"},
                                              {"__shfl_up", "unsigned distance", "distance"},
                                              {"__shfl_down", "unsigned distance", "distance"},
                                              {"__shfl_xor", "int lanes", "lanes"}}};
constexpr std::array<Vote, 3> votes = {{{"__ballot", "unsigned"}, {"__all", "int"}, {"__any", "int"}}};

// "" for another name.
std::string function_of_warps(std::string_view name) {
  for (const Shuffle& shuffle : shuffles) {
    if (shuffle.name == name)
      return fmt::format(
          "template <class T> __device__ inline T {0}(T value, {1}, int width = 32) {{ return "
          "{0}_sync(__activemask(), value, {2}, width); }}\n",
          shuffle.name, shuffle.parameter, shuffle.argument);
  }
  for (const Vote& vote : votes) {
    if (vote.name == name)
      return fmt::format(
          "__device__ inline {1} {0}(int predicate) {{ return {0}_sync(__activemask(), predicate); }}\n",
          vote.name, vote.result);
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
    const std::string name = name_in(line, undefined);
    if (const std::string function = function_of_warps(name); !function.empty()) {
      declarations.insert(function);
    } else if (is_of_host(name)) {
      declarations.insert(fmt::format("typedef struct {0}_ *{0};\n", name));
    } else if (!name.empty() && !line.starts_with(main_file + "(")) {
      declarations.insert(fmt::format("class {} {{}};\n", name));
    }
    declarations.insert(operation_of_cub(name_in(line, member_of_cub)));
    if (const std::string space = name_in(line, alias); !space.empty())
      declarations.insert(fmt::format("namespace {} {{}}\n", space));
    if (const std::string space = name_in(line, use); !space.empty())
      declarations.insert(fmt::format("namespace {} {{ {}; }}\n", space, smart_pointer(name_in(line, used))));
  }
  std::string all;
  for (const std::string& declaration : declarations) all += declaration;
  return all;
}

}  // namespace tilescope
