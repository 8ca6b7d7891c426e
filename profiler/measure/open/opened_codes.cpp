#include "profiler/measure/open/opened_codes.hpp"

#include <utility>

#include "profiler/measure/prepare/file_code.hpp"

namespace tilescope {

std::vector<std::string> OpenedCodes::launched_kernels() const {
  return {};
}

WrittenKernel OpenedCodes::written_kernel(const std::string& entry,
                                          const std::map<std::string, std::string>& chosen) const {
  (void)entry, (void)chosen;
  return {};
}

OpenedCodes opened_codes(Workbench& bench, const SentFile& file, const CompileChoice& compile,
                         const MeasureControl& control) {
  OpenedCodes opened;
  const InputFile form = input_file_of(contents_of(file));
  opened.kind = form == InputFile::cuda ? "CUDA C++" : form == InputFile::ptx ? "PTX" : "a cubin";
  FileCode code = code_of_file(bench, file, compile.architecture, control);
  if (!code.note.empty()) opened.notes.push_back(code.note);
  opened.codes.push_back({code.form, std::move(code.contents), ""});
  return opened;
}

}  // namespace tilescope
