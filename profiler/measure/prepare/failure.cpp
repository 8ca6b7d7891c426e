#include "profiler/measure/prepare/failure.hpp"

#include <new>
#include <stdexcept>

#include "profiler/execution/ptx/syntax.hpp"
#include "profiler/execution/simt/block_runner.hpp"
#include "profiler/gpu/baselines/library_attention.hpp"
#include "profiler/gpu/cuda/cuda_error.hpp"
#include "profiler/kernels/catalogue/catalogue.hpp"
#include "profiler/kernels/compile/compilation.hpp"
#include "profiler/kernels/compile/cutlass.hpp"
#include "profiler/kernels/compile/nvcc.hpp"
#include "profiler/kernels/compile/nvrtc.hpp"
#include "profiler/measure/files/file_program.hpp"
#include "profiler/measure/files/launch_file.hpp"
#include "profiler/measure/interpret/interpreted_launch.hpp"
#include "profiler/measure/interpret/other_kernel.hpp"

namespace tilescope {
namespace {

Failure of_compiler(Status status, const char* reason) {
  return {status, reason, true, "", ""};
}

Failure of_gpu(const cuda::CudaError& error) {
  Failure failure;
  const bool is_out_of_memory = error.result() == CUDA_ERROR_OUT_OF_MEMORY;
  failure.status = is_out_of_memory ? Status::unsupported : Status::launch_failed;
  failure.launch_end = cuda::launch_end(error.result());
  // A place in our source belongs to an error of our own use of the driver.
  const bool is_of_launch = failure.launch_end != cuda::LaunchEnd::unrelated;
  const std::string what = is_of_launch ? cuda::driver_words(error.result()) : error.what();
  const bool is_refused = failure.launch_end == cuda::LaunchEnd::refused;
  failure.reason =
      is_of_launch ? (is_refused ? "The GPU refused the launch: " : "The GPU ended the launch: ") + what + "."
                   : what;
  if (error.is_sticky()) failure.why_unusable = "a kernel poisoned the CUDA context: " + what;
  return failure;
}

// Calls `run`, which compiles.
std::optional<Failure> failure_of_compiling(const std::function<void()>& run) {
  try {
    run();
    return std::nullopt;
  } catch (const EntryNotFound& error) {
    return Failure{Status::invalid_configuration, error.what(), true, error.log, error.source_sha256};
  } catch (const CompileFailed& error) {
    return Failure{Status::compile_failed, error.what(), true, error.log, error.source_sha256};
  } catch (const CompileCancelled&) {
    return of_compiler(Status::cancelled, "cancelled while compiling");
  } catch (const NvrtcUnavailable& error) {
    return of_compiler(Status::unsupported, error.what());
  } catch (const NvccUnavailable& error) {
    return of_compiler(Status::unsupported, error.what());
  } catch (const CutlassUnavailable& error) {
    return of_compiler(Status::unsupported, error.what());
  }
}

// Calls `run`, which launches on a GPU.
std::optional<Failure> failure_of_gpu(const std::function<void()>& run) {
  try {
    return failure_of_compiling(run);
  } catch (const cuda::CudaError& error) {
    return of_gpu(error);
  } catch (const LibraryRefused& error) {
    return Failure{Status::invalid_configuration, error.what()};
  } catch (const LibraryError& error) {
    return Failure{Status::launch_failed, error.what()};
  }
}

Failure of_file(FileProblem problem, const char* reason) {
  Failure failure{Status::unsupported, reason};
  failure.problem = problem;
  return failure;
}

// Calls `run`, which may read a kernel of a file.
std::optional<Failure> failure_of_file(const std::function<void()>& run) {
  try {
    return failure_of_gpu(run);
  } catch (const UnusableFile& error) {
    return of_file(FileProblem::code, error.what());
  } catch (const UnknownEntry& error) {
    return of_file(FileProblem::entry, error.what());
  } catch (const LaunchFileError& error) {
    return of_file(FileProblem::launch, error.what());
  }
}

}  // namespace

std::optional<Failure> failure_of(const std::function<void()>& run) {
  try {
    return failure_of_file(run);
  } catch (const ptx::Unsupported& error) {
    return Failure{Status::unsupported, error.what()};
  } catch (const ptx::PtxError& error) {
    return Failure{Status::unsupported, std::string("the compiler's PTX cannot be read: ") + error.what()};
  } catch (const OtherKernelFailed& error) {
    return Failure{error.status(), error.what()};
  } catch (const simt::RunCancelled&) {
    return Failure{Status::cancelled, "cancelled while the block was recorded"};
  } catch (const UnknownName& error) {
    return Failure{Status::invalid_configuration, error.what()};
  } catch (const DeclarationError& error) {
    return Failure{Status::invalid_configuration, error.what()};
  } catch (const ArgumentMismatch& error) {
    return Failure{Status::launch_failed, error.what()};
  } catch (const std::invalid_argument& error) {
    return Failure{Status::launch_failed, error.what()};
  } catch (const std::bad_alloc&) {
    return Failure{Status::unsupported,
                   "the tensors of this shape do not fit in this machine's memory: choose a smaller shape"};
  } catch (const std::exception& error) {
    return Failure{Status::unsupported, error.what()};
  }
}

}  // namespace tilescope
