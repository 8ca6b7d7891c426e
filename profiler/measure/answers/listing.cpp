#include "profiler/service/requests/listing.hpp"

#include <optional>

#include "profiler/kernels/compile/hash.hpp"
#include "profiler/measure/open/chosen_program.hpp"
#include "profiler/measure/prepare/failure.hpp"
#include "profiler/measure/prepare/prepare.hpp"
#include "profiler/measure/register_answer.hpp"

namespace tilescope {
namespace {

std::string without_folder(const std::string& path) {
  return path.substr(path.find_last_of('/') + 1);
}

/// Appends a function, its labels before the instructions that they stand for.
void append(const sass::Function& function, std::vector<SassLine>& lines) {
  const auto label = [&](const std::string& name, std::size_t before) {
    const std::vector<sass::Instruction>& all = function.instructions;
    const std::uint64_t address =
        before < all.size() ? all[before].address : (all.empty() ? 0 : all.back().address);
    lines.push_back({address, name + ":", SassLine::no_places, 0});
  };
  std::size_t next = 0;
  for (std::size_t i = 0; i <= function.instructions.size(); ++i) {
    for (; next < function.labels.size() && function.labels[next].before == i; ++next)
      label(function.labels[next].name, i);
    if (i == function.instructions.size()) break;
    const sass::Instruction& instruction = function.instructions[i];
    static_assert(sass::no_index == SassLine::no_places);
    lines.push_back(
        {instruction.address, sass::text_of(instruction), instruction.chain, instruction.ptx_line});
  }
}

void list_lines(const sass::Disassembly& code, const std::string& entry, MachineCode& listed) {
  for (const std::vector<sass::Place>& chain : code.chains) {
    std::vector<CodePlace>& places = listed.places.emplace_back();
    for (const sass::Place& place : chain) places.push_back({without_folder(place.file), place.line});
  }
  if (const sass::Function* kernel = code.find(entry)) append(*kernel, listed.lines);
  for (const sass::Function& function : code.functions) {
    if (function.is_kernel || function.name == entry) continue;  // another kernel of the file
    listed.lines.push_back({0, function.name + ":", SassLine::no_places, 0});
    append(function, listed.lines);
  }
}

MachineCode list_machine_code(DisassemblyCache& cache, const std::vector<char>& cubin,
                              const std::string& entry) {
  MachineCode listed;
  try {
    listed.sha256 = sass_sha256(cubin, entry);
    list_lines(*cache.get(cubin), entry, listed);
    listed.program = cache.program();
  } catch (const std::runtime_error& error) {  // no nvdisasm, or one that writes what is not understood
    listed.why_none = error.what();
  }
  return listed;
}

void list_file(Workbench& bench, const ChosenFile& file, const MeasureControl& control,
               Listing::Answer& answer) {
  const ChosenKernel kernel = chosen_kernel(bench, file, CodeForm::nearest, control);
  answer.status = kernel.program.status;
  answer.reason = kernel.program.reason;
  const OpenedCode& code = kernel.opened.codes[kernel.code];
  if (code.form == InputFile::ptx) {
    answer.ptx = code.contents;
    answer.machine_code.why_none = "The file is PTX, which the driver compiles: there is no machine code.";
    return;
  }
  control.report({"disassemble", 0.6});
  answer.machine_code = list_machine_code(bench.disassemblies(), {code.contents.begin(), code.contents.end()},
                                          kernel.program.entry);
}

Listing::Answer answer_for_file(Workbench& bench, const ChosenFile& file, const MeasureControl& control) {
  Listing::Answer answer;
  if (const std::optional<Failure> failure = failure_of([&] { list_file(bench, file, control, answer); })) {
    answer.status = failure->status;
    answer.reason = failure->reason;
  }
  return answer;
}

Listing::Answer answer_listing(Workbench& bench, const Listing::Params& params,
                               const MeasureControl& control) {
  if (params.file) return answer_for_file(bench, *params.file, control);
  const Preparation made = prepare(bench, params.experiment, Purpose::look, control);
  Listing::Answer answer;
  answer.status = made.point.status;
  answer.reason = made.point.reason;
  answer.compiler_log = made.point.compiler_log;
  answer.source_sha256 = made.point.provenance.source_sha256;
  if (!answer.source_sha256.empty()) answer.source = bench.compiler().find_source(answer.source_sha256);
  if (!made.kernel) return answer;
  answer.ptx = made.kernel->compiled.ptx;
  if (answer.ptx.empty()) {
    answer.status = Status::unsupported;
    answer.reason = no_ptx(made.kernel->kernel);
    return answer;
  }
  control.report({"disassemble", 0.6});
  answer.machine_code =
      list_machine_code(bench.disassemblies(), made.kernel->compiled.cubin, made.kernel->kernel.entry);
  answer.machine_code.sha256 = made.kernel->compiled.resources.sass_sha256;
  return answer;
}

const RegisterAnswer<Listing> register_listing{answer_listing};

}  // namespace
}  // namespace tilescope
