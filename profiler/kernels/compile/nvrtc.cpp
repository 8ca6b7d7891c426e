#include "profiler/kernels/compile/nvrtc.hpp"

#include <dlfcn.h>
#include <nvrtc.h>

#include <algorithm>
#include <atomic>
#include <functional>
#include <shared_mutex>
#include <utility>

#include "base/trusted_path.hpp"
#include "profiler/kernels/compile/forked_compilation.hpp"
#include "profiler/kernels/compile/ptxas_log.hpp"

namespace tilescope {

// The functions, with the types of nvrtc.h, so that a changed signature does not compile.
struct Nvrtc::Calls {
  std::unique_ptr<void, int (*)(void*)> handle{nullptr, dlclose};
  decltype(&nvrtcVersion) version = nullptr;
  decltype(&nvrtcGetErrorString) error_string = nullptr;
  decltype(&nvrtcCreateProgram) create = nullptr;
  decltype(&nvrtcAddNameExpression) add_name_expression = nullptr;
  decltype(&nvrtcDestroyProgram) destroy = nullptr;
  decltype(&nvrtcCompileProgram) compile = nullptr;
  decltype(&nvrtcGetProgramLogSize) log_size = nullptr;
  decltype(&nvrtcGetProgramLog) log = nullptr;
  decltype(&nvrtcGetCUBINSize) cubin_size = nullptr;
  decltype(&nvrtcGetCUBIN) cubin = nullptr;
  decltype(&nvrtcGetPTXSize) ptx_size = nullptr;
  decltype(&nvrtcGetPTX) ptx = nullptr;
  /// nullptr in an older NVRTC, whose header does not declare it either.
  nvrtcResult (*set_flow_callback)(nvrtcProgram, int (*)(void*, void*), void*) = nullptr;
};

namespace {

// Keeps the answer "cancelled" for NVRTC, which expects it ever after on any thread.
struct CancelLatch {
  const std::function<bool()>& cancelled;
  std::atomic<bool> is_set = false;

  static int asked(void* latch, void*) {
    auto& self = *static_cast<CancelLatch*>(latch);
    if (!self.is_set && self.cancelled()) self.is_set = true;
    return self.is_set ? 1 : 0;
  }
};

constexpr int oldest_cuda_major = 12;  // Older drivers lack calls that Tilescope makes.

template <class Function>
bool resolve(void* handle, const char* name, Function& function) {
  function = reinterpret_cast<Function>(dlsym(handle, name));
  return function != nullptr;
}

std::vector<std::string> libraries_in(const std::filesystem::path& folder) {
  std::vector<std::string> found;
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator(folder, error)) {
    const std::string name = entry.path().filename().string();
    // libnvrtc.so.13 and later versions, without libnvrtc-builtins and libnvrtc.alt.
    if (name.starts_with("libnvrtc.so.")) found.push_back(entry.path().string());
  }
  std::sort(found.rbegin(), found.rend());
  return found;
}

/// NVRTC opens its libnvrtc-builtins by name when it compiles. The packaged NVRTC names no folder to search, so it
/// finds the library beside it only if that is already loaded. It stays loaded for as long as the program runs.
void load_builtins_beside(const std::filesystem::path& library) {
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator(library.parent_path(), error)) {
    const bool is_builtins = entry.path().filename().string().starts_with("libnvrtc-builtins.so.");
    if (is_builtins) dlopen(entry.path().c_str(), RTLD_NOW | RTLD_LOCAL);
  }
}

void append_all(std::vector<std::string>& list, const std::vector<std::string>& more) {
  list.insert(list.end(), more.begin(), more.end());
}

std::vector<std::string> toolkit_libraries(const std::filesystem::path& toolkit) {
  std::vector<std::string> list;
  for (const char* folder : {"lib64", "lib", "targets/x86_64-linux/lib"}) {
    append_all(list, libraries_in(toolkit / folder));
  }
  return list;
}

std::vector<std::string> candidates(const NvrtcSearch& search) {
  if (!search.toolkit.empty()) return toolkit_libraries(search.toolkit);
  std::vector<std::string> list;
  append_all(list, libraries_in(search.dependencies / "cuda13/lib"));
  append_all(list, libraries_in(search.dependencies / "cuda12/lib"));
  append_all(list, {"libnvrtc.so.13", "libnvrtc.so.12"});  // the system's search path
  append_all(list, toolkit_libraries("/usr/local/cuda"));
  return list;
}

std::filesystem::path headers_of(const std::filesystem::path& library,
                                 const std::filesystem::path& dependencies) {
  std::error_code error;
  const std::filesystem::path folder = std::filesystem::canonical(library, error).parent_path();
  if (error) return {};
  std::vector<std::filesystem::path> places;
  for (const char* relative : {"../include", "../targets/x86_64-linux/include", "../../../include"}) {
    places.push_back(folder / relative);
  }
  // The downloaded NVRTC 13 has the build's headers, in a separate folder.
  const std::filesystem::path newest = std::filesystem::canonical(dependencies / "cuda13/lib", error);
  if (!error && folder == newest) places.push_back(dependencies / "cuda/include");
  for (const std::filesystem::path& include : places) {
    error.clear();
    if (std::filesystem::exists(include / "cuda_fp16.h", error))
      return std::filesystem::canonical(include, error);
  }
  return {};
}

std::filesystem::path path_of_loaded(void* symbol, const std::string& otherwise) {
  Dl_info info{};
  return dladdr(symbol, &info) != 0 && info.dli_fname != nullptr ? info.dli_fname : otherwise;
}

std::string cuda_text(std::pair<int, int> version) {
  return "CUDA " + std::to_string(version.first) + "." + std::to_string(version.second);
}

/// The commands that fetch the NVRTC for this driver, on this machine or on another one from which the downloads are
/// copied.
std::string set_up_command(const NvrtcSearch& search) {
  if (!search.driver_cuda) return "`./tilescope setup`";
  const auto [major, minor] = *search.driver_cuda;
  return "`./tilescope setup --for-driver " + std::to_string(major) + "." + std::to_string(minor) + "`";
}

std::string nothing_found(const NvrtcSearch& search, const std::string& reasons) {
  if (!search.toolkit.empty()) {
    return "no NVRTC in the toolkit that TILESCOPE_CUDA names, " + search.toolkit.string() + reasons +
           ". Point TILESCOPE_CUDA at a CUDA Toolkit 12 or 13, or unset it to use the downloaded NVRTC";
  }
  return "no NVRTC, the compiler of kernels, was found in " + (search.dependencies / "cuda13/lib").string() +
         " or cuda12/lib beside it, on the system's library path, or in /usr/local/cuda" + reasons +
         ". Run " + set_up_command(search) +
         " with a network to download it, or set TILESCOPE_CUDA to a CUDA Toolkit 12 or 13";
}

std::string driver_too_old(const NvrtcSearch& search, const Nvrtc& nvrtc, int major) {
  const bool is_toolkit = !search.toolkit.empty();
  std::string text =
      "this machine's NVIDIA driver supports " + cuda_text(*search.driver_cuda) + ", but " +
      (is_toolkit ? "the toolkit that TILESCOPE_CUDA names has NVRTC " : "the only NVRTC found is ") +
      nvrtc.version() + " (" + nvrtc.library().string() + "), whose machine code needs driver " +
      minimum_driver_for_cuda(major) + " or newer. ";
  if (search.driver_cuda->first < oldest_cuda_major) {
    return text + "Install driver " + minimum_driver_for_cuda(oldest_cuda_major) + " or newer";
  }
  const std::string run =
      "run " + set_up_command(search) + " with a network, which fetches the NVRTC that fits this driver";
  if (is_toolkit) return text + "Unset TILESCOPE_CUDA and " + run;
  return text + "R" + run.substr(1) + "; a newer driver helps too";
}

}  // namespace

std::string minimum_driver_for_cuda(int major) {
  switch (major) {
    case 11:
      return "450";
    case 12:
      return "525";
    case 13:
      return "580";
    default:
      return "of CUDA " + std::to_string(major);
  }
}

std::optional<Nvrtc> Nvrtc::try_open(const std::string& library, std::string& reason) {
  auto calls = std::make_shared<Calls>();
  load_builtins_beside(library);
  // It stays loaded for as long as the program runs: unloading it leaks memory.
  calls->handle.reset(dlopen(library.c_str(), RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE));
  if (!calls->handle) {
    reason = dlerror();
    return std::nullopt;
  }
  void* handle = calls->handle.get();
  const bool complete = resolve(handle, "nvrtcVersion", calls->version) &&
                        resolve(handle, "nvrtcGetErrorString", calls->error_string) &&
                        resolve(handle, "nvrtcCreateProgram", calls->create) &&
                        resolve(handle, "nvrtcAddNameExpression", calls->add_name_expression) &&
                        resolve(handle, "nvrtcDestroyProgram", calls->destroy) &&
                        resolve(handle, "nvrtcCompileProgram", calls->compile) &&
                        resolve(handle, "nvrtcGetProgramLogSize", calls->log_size) &&
                        resolve(handle, "nvrtcGetProgramLog", calls->log) &&
                        resolve(handle, "nvrtcGetCUBINSize", calls->cubin_size) &&
                        resolve(handle, "nvrtcGetCUBIN", calls->cubin) &&
                        resolve(handle, "nvrtcGetPTXSize", calls->ptx_size) &&
                        resolve(handle, "nvrtcGetPTX", calls->ptx);
  resolve(handle, "nvrtcSetFlowCallback", calls->set_flow_callback);
  Nvrtc nvrtc;
  if (!complete || calls->version(&nvrtc.major_, &nvrtc.minor_) != NVRTC_SUCCESS) {
    reason = library + " is older than NVRTC 11.2: a call is missing";
    return std::nullopt;
  }
  nvrtc.library_ = path_of_loaded(reinterpret_cast<void*>(calls->version), library);
  nvrtc.calls_ = std::move(calls);
  return nvrtc;
}

Nvrtc Nvrtc::open(const NvrtcSearch& search) {
  std::string reasons, too_new;
  for (const std::string& library : candidates(search)) {
    std::string reason = why_refused(library, search.dependencies);
    if (!reason.empty()) {
      reasons += "; " + reason;
      continue;
    }
    std::optional<Nvrtc> nvrtc = try_open(library, reason);
    if (!nvrtc) {
      // A name that the loader does not find is normal; a file that exists but does not open is not.
      if (library.starts_with("/")) reasons += "; " + reason;
    } else if (search.driver_cuda && nvrtc->major_ > search.driver_cuda->first) {
      if (too_new.empty()) too_new = driver_too_old(search, *nvrtc, nvrtc->major_);
    } else {
      nvrtc->toolkit_headers_ = headers_of(nvrtc->library_, search.dependencies);
      return *nvrtc;
    }
  }
  throw NvrtcUnavailable(too_new.empty() ? nothing_found(search, reasons) : too_new);
}

std::string Nvrtc::version() const {
  return std::to_string(major_) + "." + std::to_string(minor_);
}

CompilerOutput Nvrtc::compile(const std::string& name, const std::string& source,
                              const std::vector<std::pair<std::string, std::string>>& headers,
                              const std::vector<std::string>& options, const std::function<bool()>& cancelled,
                              const std::vector<std::string>& instances) const {
  const std::shared_lock running(running_compilations());
  std::vector<const char*> texts, names, arguments;
  for (const auto& [header_name, text] : headers) {
    names.push_back(header_name.c_str());
    texts.push_back(text.c_str());
  }
  for (const std::string& option : options) arguments.push_back(option.c_str());
  // Since 12.9 NVRTC caches its output in the driver's cache, if there is a driver, and a hit has no log of ptxas:
  // registers and spills would be unknown (NVRTC documentation, "Caching").
  if (std::pair(major_, minor_) >= std::pair(12, 9)) arguments.push_back("--no-cache");

  const auto require = [&](nvrtcResult result, const char* call) {
    if (result == NVRTC_SUCCESS) return;
    const std::string text = calls_->error_string(result);
    throw CompileFailed(std::string(call) + " failed: " + text, text);
  };
  nvrtcProgram program = nullptr;
  require(calls_->create(&program, source.c_str(), name.c_str(), static_cast<int>(headers.size()),
                         texts.data(), names.data()),
          "nvrtcCreateProgram");
  const auto destroy = [this](nvrtcProgram* p) { calls_->destroy(p); };
  const std::unique_ptr<nvrtcProgram, decltype(destroy)> cleanup(&program, destroy);

  for (const std::string& instance : instances)
    require(calls_->add_name_expression(program, instance.c_str()), "nvrtcAddNameExpression");
  CancelLatch latch{cancelled};
  if (cancelled && calls_->set_flow_callback != nullptr) {
    require(calls_->set_flow_callback(program, &CancelLatch::asked, &latch), "nvrtcSetFlowCallback");
  }
  const nvrtcResult compiled = calls_->compile(program, static_cast<int>(arguments.size()), arguments.data());
  CompilerOutput output;
  const auto fetch = [&](auto size_of, auto get, auto& target, const char* call) {
    std::size_t size = 0;
    require(size_of(program, &size), call);
    target.resize(size);
    if (size > 0) require(get(program, target.data()), call);
  };
  const auto fetch_text = [&](auto size_of, auto get, std::string& target, const char* call) {
    fetch(size_of, get, target, call);
    // The output of ptxas follows a zero byte in the log.
    std::replace(target.begin(), target.end(), '\0', '\n');
    while (!target.empty() && target.back() == '\n') target.pop_back();
  };
  fetch_text(calls_->log_size, calls_->log, output.log, "nvrtcGetProgramLog");
  if (compiled != NVRTC_SUCCESS && latch.is_set) throw CompileCancelled();
  if (compiled != NVRTC_SUCCESS) {
    std::string sentence = first_error(output.log);
    if (sentence.empty()) sentence = calls_->error_string(compiled);
    throw CompileFailed(sentence, output.log);
  }
  fetch(calls_->cubin_size, calls_->cubin, output.cubin, "nvrtcGetCUBIN");
  fetch_text(calls_->ptx_size, calls_->ptx, output.ptx, "nvrtcGetPTX");
  return output;
}

}  // namespace tilescope
