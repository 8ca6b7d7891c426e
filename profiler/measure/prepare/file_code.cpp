#include "profiler/measure/prepare/file_code.hpp"

#include <filesystem>
#include <utility>
#include <vector>

#include "profiler/kernels/compile/cuda_file.hpp"
#include "profiler/measure/workbench.hpp"

namespace tilescope {

FileCode code_of_file(Workbench& bench, const SentFile& file, const std::string& architecture,
                      const MeasureControl& control, const std::vector<std::string>& options) {
  std::string contents = contents_of(file);
  const InputFile form = input_file_of(contents);
  if (form != InputFile::cuda) return {std::move(contents), form, ""};
  control.report({"compile", 0.1});
  // The code is interpreted: any version of nvcc will do, whatever the driver loads.
  const CudaFileCompilers compilers{
      [&]() -> const Nvrtc& { return bench.compiler().nvrtc(); },
      {environment("TILESCOPE_CUDA"), environment("PATH"), std::nullopt, bench.installation().dependencies}};
  try {
    CudaFileCode code = compile_cuda_file({file.path, std::move(contents), architecture, options}, compilers,
                                          control.cancelled);
    if (architecture.empty()) return {std::move(code.output.ptx), InputFile::ptx, std::move(code.note)};
    return {std::string(code.output.cubin.begin(), code.output.cubin.end()), InputFile::cubin,
            std::move(code.note)};
  } catch (const CompileFailed& failed) {
    throw UnusableFile(std::string("it is CUDA C++ that does not compile. ") + failed.what());
  } catch (const OptionRefused& refused) {
    throw UnusableFile(refused.what());
  }
}

}  // namespace tilescope
