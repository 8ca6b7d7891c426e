#include "profiler/measure/open/chosen_program.hpp"

#include <string>
#include <utility>
#include <vector>

#include "profiler/kernels/containers/file_kind.hpp"
#include "profiler/measure/files/earlier_launches.hpp"
#include "profiler/measure/files/launch_options.hpp"
#include "profiler/measure/gpu/gpu_host.hpp"
#include "profiler/measure/interpret/earlier_kernels.hpp"
#include "profiler/measure/open/file_kernels.hpp"
#include "profiler/measure/prepare/device_choice.hpp"

namespace tilescope {
namespace {

// PTX runs on any device: a table that cannot be read is not in its way.
bool is_ptx(const SentFile& file) {
  return file.contents && kind_of(*file.contents) == FileKind::ptx;
}

FileProgram machine_code_alone() {
  FileProgram none;
  none.status = Status::unsupported;
  none.reason = "it is a cubin, and stepping executes PTX: give the PTX that it was made from";
  return none;
}

}  // namespace

FileProgram program_of(Workbench& bench, const ChosenFile& file, CodeForm form,
                       const MeasureControl& control) {
  return chosen_kernel(bench, file, form, control).program;
}

ChosenKernel chosen_kernel(Workbench& bench, const ChosenFile& file, CodeForm form,
                           const MeasureControl& control) {
  const DeviceModel device = is_ptx(file.subject.code)
                                 ? DeviceModel()
                                 : choose_device(file.device, bench.gpus().devices(), bench.tables());
  control.report({"compile", 0.1});
  OpenedCodes opened = opened_codes(
      bench, file.subject.code,
      {device.arch, with_launch_options(file.subject.launch, file.options), file.chosen, form}, control);
  std::string ignored;
  std::vector<std::string> ignored_notes;
  const FileKernels kernels = kernels_of(opened.codes, device, bench.disassemblies(), ignored_notes);
  const std::size_t kernel =
      choose_kernel(kernels.kernels, file.subject.entry, true, opened.launched_kernels(), ignored);
  const OpenedCode& code = opened.codes[kernels.code[kernel]];
  if (form == CodeForm::ptx && code.form == InputFile::cubin)
    return {machine_code_alone(), std::move(opened), kernels.code[kernel]};
  FileProgram program =
      decode_file(code.contents, code.form, kernels.kernels[kernel].name, bench.disassemblies());
  return {std::move(program), std::move(opened), kernels.code[kernel]};
}

void run_earlier_kernels(Workbench& bench, const ChosenFile& file, CodeForm form, const RunLimit& limit,
                         const MeasureControl& control, FileLaunch& launch) {
  if (!file.subject.launch) return;
  const DecodeOther decode = [&](const std::string& entry) {
    ChosenFile other = file;
    other.subject.entry = entry;
    return program_of(bench, other, form, control);
  };
  launch.begin_with(contents_after(earlier_launches(contents_of(*file.subject.launch)), decode,
                                   file.subject.arrays, limit));
}

}  // namespace tilescope
