#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>

#include "base/json.hpp"
#include "profiler/kernels/compile/hash.hpp"
#include "profiler/service/requests/open_file.hpp"

namespace tilescope {

/// An answer about a file with the kernels "copy" and "scale", without compiling anything: "N" and "block" are guessed
/// where they are not chosen. "// output" in the file makes "out" an output, which equals 2 * in and what "scale" leaves. "// race" makes
/// its line a fault. "#error" in the file does not compile, and a chosen N that is not a number has no launch.
inline OpenedPoint sample_opened_point(const OpenFile::Params& params) {
  OpenedPoint point;
  const std::string text = contents_of(params.subject.code);
  point.kernel = params.subject.code.path;
  point.arguments.emplace();
  point.provenance.source_sha256 = sha256(text);
  if (text.find("#error") != std::string::npos) {
    point.problem = FileProblem::code;
    point.status = Status::compile_failed;
    point.reason = "the compiler stops at #error";
    return point;
  }
  point.kind = "CUDA C++";
  for (const char* name : {"copy", "scale"}) {
    OpenedKernel kernel;
    kernel.name = kernel.demangled = name;
    kernel.target = "sm_89";
    kernel.resources = Resources{32, 4096, 0, name == std::string("scale") ? 16 : 0, 0, ""};
    kernel.occupancy = Occupancy{2, 16, 1.0 / 3, Limiter::shared_memory, 1.1, 0.1, 128};
    point.kernels.push_back(kernel);
  }
  point.entry = params.subject.entry.empty() ? "copy" : params.subject.entry;
  point.guesses = {{"kernel", "copy", "the first of 2 kernels"}};
  const auto n = params.chosen.find("N");
  if (n != params.chosen.end() && n->second.find_first_not_of("0123456789") != std::string::npos) {
    point.problem = FileProblem::launch;
    point.status = Status::launch_failed;
    point.reason = "'" + n->second + "' for N is not a number";
    return point;
  }
  for (LaunchGuess guess : {LaunchGuess{"N", "4096", "a size in the file's main"},
                            LaunchGuess{"block", "[256, 1, 1]", "no launch is in the file"}}) {
    if (!params.chosen.contains(guess.what)) point.guesses.push_back(std::move(guess));
  }
  const auto formula = params.chosen.find("out: expected");
  if (text.find("// output") != std::string::npos) {
    point.outputs = {"out"};
    if (formula == params.chosen.end())
      point.guesses.push_back({"out: expected", "2 * in", "the values equal it"});
    if (!params.chosen.contains(reference_kernel_choice))
      point.guesses.push_back({reference_kernel_choice, "scale", "takes the same arguments"});
    if (!params.chosen.contains("before 1 kernel")) {
      for (const char* offered : {"before 1 kernel", "before 2 kernel"})
        point.guesses.push_back({offered, "scale", "main launches it first"});
    }
  }
  point.constants = {{"TILE", 32, 1, {16, 32, 64}}};
  point.parameters = {{"TILE", std::int64_t{32}}};
  for (const auto& [what, value] : params.chosen)
    if (what == "TILE" || what == "N") point.parameters[what] = parameter_value_from(value);
  point.arguments->emplace("N", parameter_value_from(n == params.chosen.end() ? "4096" : n->second));
  point.launch = "{}";
  point.status = Status::unchecked;
  point.reason = "Nothing says what the result should be.";
  const auto reference = params.chosen.find(reference_kernel_choice);
  if (formula != params.chosen.end() || reference != params.chosen.end()) {
    point.status = Status::ok;
    point.reason = "";
    ComparedBuffer compared;
    compared.name = "out";
    compared.elements = 4096;
    if (formula != params.chosen.end()) {
      compared.wrong = formula->second == "2 * in" ? 0 : 4000;
      compared.formula = formula->second;
    } else {
      compared.reference = reference->second;
      point.guesses.push_back({"reference grid", "[4, 1, 1]", "from the launch in line 9"});
    }
    point.compared = {compared};
  }
  point.device = {"L4", "sm_89", false};
  point.checked = true;
  // Larger tiles are faster.
  const auto tile = params.chosen.find("TILE");
  const double us = tile == params.chosen.end() ? 60 : 60 * 32 / std::stod(tile->second);
  point.prediction = Prediction{us, us * 2 / 3, us * 1.5, 30, "model", "", {{"tensor", us}}};
  point.prediction->lines = {{2, "", us / 3, us / 3, 640}, {3, "", us / 3, 0, 32}};
  point.memory.emplace();
  MemorySite site;
  site.line = 2;
  site.file = "sample.cu";
  site.operation = "ld.shared";
  site.tile = "tile";
  site.width_bytes = 4;
  site.executions = 8;
  site.wavefronts = 256;
  site.minimum = 8;
  site.conflicts = 248;
  site.worst_degree = 32;
  point.memory->sites = {site};
  if (const std::size_t race = text.find("// race"); race != std::string::npos) {
    Finding& finding = point.findings.emplace_back();
    finding.kind = "race";
    finding.text = "two warps write it";
    finding.lines = {1 + std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(race), '\n')};
  }
  return point;
}

}  // namespace tilescope
