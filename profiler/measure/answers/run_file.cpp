#include "profiler/service/requests/run_file.hpp"

#include <chrono>
#include <utility>

#include "profiler/measure/files/file_program.hpp"
#include "profiler/measure/files/launch_options.hpp"
#include "profiler/measure/interpret/file_interpretation.hpp"
#include "profiler/measure/prepare/file_code.hpp"
#include "profiler/measure/register_answer.hpp"

namespace tilescope {
namespace {

constexpr const char* ptx_has_no_machine_code =
    "it is PTX, which has no machine code to print (--sass): compile it to a cubin (`ptxas -arch=sm_89 FILE "
    "-o kernel.cubin`) and run that";
// nvdisasm is not given more time than the run: a shorter limit than its own needs an nvdisasm of its own.
FileProgram decode_within(Workbench& bench, const FileSubject& subject, const FileCode& code) {
  const std::chrono::duration<double, std::milli> limit(1000 * subject.time_limit_s);
  sass::NvdisasmLimits limits;
  if (limit >= limits.server && limit >= limits.run)
    return decode_file(code.contents, code.form, subject.entry, bench.disassemblies());
  DisassemblyCache disassemblies(bench.installation());
  for (std::chrono::milliseconds* of : {&limits.server, &limits.run})
    if (limit < *of) *of = std::chrono::duration_cast<std::chrono::milliseconds>(limit);
  disassemblies.set_limits(limits);
  return decode_file(code.contents, code.form, subject.entry, disassemblies);
}

FileProgram decode(Workbench& bench, const RunFile::Params& params, const FileCode& code,
                   const MeasureControl& control) {
  if (params.machine_code && code.form == InputFile::ptx) throw UnusableFile(ptx_has_no_machine_code);
  if (code.form == InputFile::cubin) control.report({"disassemble", 0.2});
  return decode_within(bench, params.subject, code);
}

// One launch of a kernel of a file. Throws what failure_of() takes.
void run(Workbench& bench, const RunFile::Params& params, const MeasureControl& control,
         LaunchedPoint& point) {
  const RunLimit limit(params.subject.time_limit_s, control);
  FileInterpretation how{params.check, params.machine_code, params.schedule_seed};
  if (!params.device.empty()) {
    const DeviceModel* const table = match_device(bench.tables(), params.device);
    if (table == nullptr) {
      point.status = Status::unsupported;
      point.reason = "the worker has no table of the device '" + params.device + "'";
      return;
    }
    how.device = *table;
  }
  control.report({"read", 0.1});
  // CUDA C++ is compiled for the device; without one its PTX is executed.
  const std::string architecture = how.device ? how.device->arch : params.machine_code ? "sm_89" : "";
  const FileCode code = code_of_file(bench, params.subject.code, architecture, control,
                                     with_launch_options(params.subject.launch, {}));
  if (!code.note.empty()) point.notes.push_back(code.note);
  FileProgram decoded = decode(bench, params, code, control);
  point.entry = decoded.entry;
  point.target = decoded.target;
  how.decode_other = [&](const std::string& entry) {
    FileSubject other = params.subject;
    other.entry = entry;
    return decode_within(bench, other, code);
  };
  if (decoded.program) return interpret_file(std::move(decoded), params.subject, how, limit, control, point);
  point.status = decoded.status;
  point.reason = std::move(decoded.reason);
}

LaunchedPoint answer_run_file(Workbench& bench, const RunFile::Params& params,
                              const MeasureControl& control) {
  LaunchedPoint point;
  const std::optional<Failure> failure = failure_of([&] { run(bench, params, control, point); });
  if (!failure) return point;
  point.status = failure->status;
  point.reason = failure->reason;
  point.problem = failure->problem;
  return point;
}

const RegisterAnswer<RunFile> register_run_file{answer_run_file};

}  // namespace
}  // namespace tilescope
