#include "profiler/kernels/compile/host_code.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "profiler/kernels/compile/include_names.hpp"
#include "profiler/kernels/compile/torch_stand_in.hpp"

namespace tilescope {
namespace {

constexpr const char* torch_header = "tilescope/torch_stand_in.h";
constexpr const char* integers =
    "#pragma once\n#include <cuda/std/cstdint>\nusing namespace cuda::std;\n"
    "namespace std { using namespace cuda::std; }\n";

constexpr std::array<std::string_view, 4> torch_folders = {"torch/", "ATen/", "c10/", "pybind11/"};
constexpr std::array<std::string_view, 2> integer_headers = {"cstdint", "stdint.h"};
constexpr std::array<std::string_view, 25> host_headers = {
    "cuda.h",       "cuda_runtime.h", "cuda_runtime_api.h",
    "vector",       "string",         "iostream",
    "sstream",      "fstream",        "map",
    "memory",       "optional",       "tuple",
    "cstdio",       "stdio.h",        "cstdlib",
    "cassert",      "stdlib.h",       "string.h",
    "chrono",       "random",         "iomanip",
    "stdexcept",    "cstring",        "mutex",
    "unordered_map"};

bool is_torchs(std::string_view name) {
  return std::any_of(torch_folders.begin(), torch_folders.end(),
                     [&](std::string_view folder) { return name.starts_with(folder); });
}

}  // namespace

std::string without_lines(std::string_view text, const std::vector<LineRange>& ranges) {
  std::string kept;
  std::size_t number = 1;
  for (std::size_t at = 0; at < text.size(); ++number) {
    const std::size_t end = std::min(text.find('\n', at), text.size() - 1) + 1;
    const std::string_view line = text.substr(at, end - at);
    const bool is_left_out = std::any_of(ranges.begin(), ranges.end(), [&](const LineRange& range) {
      return range.first <= number && number <= range.last;
    });
    if (!is_left_out) {
      kept += line;
    } else if (line.ends_with('\n')) {
      kept += '\n';
    }
    at = end;
  }
  return kept;
}

std::string with_instantiations(std::string text, const std::vector<std::string>& kernels) {
  if (!kernels.empty() && !text.ends_with('\n')) text += '\n';
  for (std::size_t i = 0; i < kernels.size(); ++i)
    text += fmt::format("__device__ void* tilescope_kernel_{}() {{ return (void*)&{}; }}\n", i, kernels[i]);
  return text;
}

HeaderTexts torch_stand_ins(std::string_view text) {
  HeaderTexts headers;
  const IncludeNames names = find_include_names(text);
  for (const std::vector<std::string>* list : {&names.own, &names.of_toolkits}) {
    for (const std::string& name : *list)
      if (is_torchs(name)) headers.emplace_back(name, std::string("#include <") + torch_header + ">\n");
  }
  if (!headers.empty()) headers.emplace_back(torch_header, torch_stand_in);
  return headers;
}

HeaderTexts library_stand_ins() {
  HeaderTexts headers;
  for (const std::string_view name : host_headers) headers.emplace_back(name, "");
  for (const std::string_view name : integer_headers) headers.emplace_back(name, integers);
  return headers;
}

}  // namespace tilescope
