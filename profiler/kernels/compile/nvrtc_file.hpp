#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "profiler/kernels/compile/cuda_file.hpp"

namespace tilescope {

/// "sm_89", or the virtual architecture of a file that is compiled for none.
std::string target_of(const CudaSourceFile& file);

/// Options that both compilers take: the architecture, line information and the standard.
std::vector<std::string> common_options(const CudaSourceFile& file);

/// The folders of joined options, and the folders of NVRTC's headers.
std::vector<std::filesystem::path> header_folders(const Nvrtc& nvrtc,
                                                  const std::vector<std::string>& options);

/// " Small headers stood in for PyTorch's (torch/extension.h)."
std::string torch_note(const HeaderTexts& stand_ins);

/// A template that no code names with arguments makes none.
bool has_kernel(const CudaFileCode& code);

/// NVRTC's code, or none with the reason in `why`. The file is compiled as it stands where nothing in it is for the host
/// (`sign`, of sign_of_host_code(), is ""); else, or where it does not compile so, without the host's code. `options`:
/// joined. Throws CompileCancelled.
std::optional<CudaFileCode> try_nvrtc(const CudaSourceFile& file, const Nvrtc& nvrtc, const std::string& sign,
                                      const std::vector<std::string>& options,
                                      const std::function<bool()>& cancelled,
                                      std::optional<CompileFailed>& why);

}  // namespace tilescope
