#include "profiler/gpu/baselines/cudnn_attention.hpp"

#include <cudnn_frontend.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <sstream>
#include <type_traits>
#include <unordered_map>
#include <vector>

#include "profiler/gpu/baselines/baseline_libraries.hpp"
#include "profiler/gpu/cuda/cuda_error.hpp"

namespace cudnn_frontend {
// Declared by the frontend, which looks up every function of cuDNN in it.
void* cudnn_dlhandle = nullptr;
}  // namespace cudnn_frontend

namespace tilescope {
namespace {

namespace fe = cudnn_frontend;
using Graph = fe::graph::Graph;
using fe::AttentionImplementation_t;

// The names of the tensors when the graph is executed.
enum Uid : std::int64_t { uid_q = 1, uid_k, uid_v, uid_o };

/// The cuDNN of this process.
struct Cudnn {
  std::filesystem::path path;
  /// "cuDNN 9.19.0"
  std::string version;
};

Cudnn open_cudnn() {
  const LibrarySearch search = cudnn_library();
  const OpenedLibrary library = open_library(search);
  const auto get_version =
      reinterpret_cast<decltype(&cudnnGetVersion)>(dlsym(library.handle, "cudnnGetVersion"));
  const std::size_t version = get_version == nullptr ? 0 : get_version();
  if (version < 90000)
    throw LibraryUnavailable(library.path.string() + " is not cuDNN 9: " +
                             (get_version == nullptr ? "cudnnGetVersion is missing"
                                                     : "its version is " + std::to_string(version)) +
                             ". Install cuDNN with `" + search.install +
                             "`, or set TILESCOPE_CUDNN to its folder");
  fe::cudnn_dlhandle = library.handle;
  return {library.path, "cuDNN " + std::to_string(version / 10000) + "." +
                            std::to_string(version / 100 % 100) + "." + std::to_string(version % 100)};
}

/// Opened at the first call and kept once that succeeds, since the frontend keeps the functions that it looked up.
const Cudnn& cudnn() {
  static const Cudnn opened = open_cudnn();
  return opened;
}

bool has(const std::string& text, const char* part) {
  return text.find(part) != std::string::npos;
}

/// cuDNN's message in one line. A refusal lists the engines that were tried, as JSON, each with the warnings of every
/// function up the call stack: the first warning is the reason.
std::string in_one_line(const std::string& message) {
  std::istringstream lines(message);
  std::vector<std::string> kept;
  bool after_engine = false;
  for (std::string line; std::getline(lines, line);) {
    const bool is_engine = line.starts_with("{");
    const bool is_echo = line.starts_with("Warning: ") && !after_engine;
    after_engine = is_engine;
    if (is_engine || is_echo) continue;
    if (const std::size_t reason = line.find("; Reason: "); reason != std::string::npos)
      line.erase(0, reason + 10);
    line.erase(line.find_last_not_of(" _") + 1);  // cuDNN appends the graph's name, which is empty.
    if (!line.empty() && std::find(kept.begin(), kept.end(), line) == kept.end()) kept.push_back(line);
  }
  std::string text;
  for (const std::string& line : kept) text += (text.empty() ? "" : "; ") + line;
  return text;
}

/// Whether an error is about the shape rather than about this machine.
bool is_refusal(const fe::error_t& answer) {
  switch (answer.code) {
    case fe::error_code_t::ATTRIBUTE_NOT_SET:
    case fe::error_code_t::SHAPE_DEDUCTION_FAILED:
    case fe::error_code_t::GRAPH_NOT_SUPPORTED:
    case fe::error_code_t::HEURISTIC_QUERY_FAILED:
    case fe::error_code_t::INVALID_VALUE:
      return true;
    default:
      return has(answer.err_msg, "NOT_SUPPORTED");
  }
}

/// Calls the frontend, which returns an error, or throws if this cuDNN lacks a function.
template <class Ask>
void require(const char* call, const Shape& shape, Ask&& ask) {
  fe::error_t answer;
  try {
    answer = ask();
  } catch (const std::exception& thrown) {
    answer = {fe::error_code_t::CUDNN_BACKEND_API_FAILED, thrown.what()};
  }
  if (answer.is_good()) return;
  const std::string words = in_one_line(answer.err_msg);
  const std::string& version = cudnn().version;
  if (has(answer.err_msg, "RUNTIME_PREREQUISITE_MISSING"))
    throw LibraryUnavailable(
        version + " (" + cudnn().path.string() +
        ") does not find NVRTC or the NVIDIA driver, with which it compiles attention: " + words +
        ". Install the NVRTC of the CUDA version that this cuDNN is for");
  if (is_refusal(answer))
    throw LibraryRefused(version + " does not support attention for " + to_string(shape) + ": " + words);
  throw LibraryError(version + ": " + call + " failed for " + to_string(shape) + ": " + words);
}

struct DestroyHandle {
  void operator()(cudnnHandle_t handle) const {
    try {
      (void)fe::detail::destroy_handle(handle);
    } catch (const std::exception&) {  // A destructor cannot report it.
    }
  }
};
using CudnnHandle = std::unique_ptr<std::remove_pointer_t<cudnnHandle_t>, DestroyHandle>;

CudnnHandle create_handle() {
  cudnnHandle_t handle = nullptr;
  const cudnnStatus_t status = fe::detail::create_handle(&handle);
  if (status == CUDNN_STATUS_SUCCESS) return CudnnHandle(handle);
  throw LibraryUnavailable(
      cudnn().version + " (" + cudnn().path.string() + ") cannot be used here: cudnnCreate returned " +
      fe::detail::get_error_string(status) + ", " + in_one_line(fe::detail::get_last_error_string_()) +
      ". It needs a GPU, and a driver of the CUDA version that it is built for: install the one for "
      "this driver with `" +
      cudnn_library().install + "`");
}

int current_sm_version() {
  CUdevice device = 0;
  TILESCOPE_CUDA_CHECK(CtxGetDevice(&device));
  int major = 0, minor = 0;
  TILESCOPE_CUDA_CHECK(DeviceGetAttribute(&major, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, device));
  TILESCOPE_CUDA_CHECK(DeviceGetAttribute(&minor, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR, device));
  return 10 * major + minor;
}

/// O = softmax(Q K^T / sqrt(D)) V as a graph of cuDNN's frontend.
std::unique_ptr<Graph> describe(const Shape& shape, int sm_version,
                                AttentionImplementation_t implementation) {
  auto graph = std::make_unique<Graph>();
  graph->set_io_data_type(shape.dtype == DataType::fp16 ? fe::DataType_t::HALF : fe::DataType_t::BFLOAT16)
      .set_intermediate_data_type(fe::DataType_t::FLOAT)
      .set_compute_data_type(fe::DataType_t::FLOAT);
  // Otherwise both are queried from the CUDA runtime, which a machine with only a driver does not have. The caller that
  // captures a graph keeps the code that it launches: see the header.
  graph->set_sm_version(sm_version);
  graph->set_cuda_graph_retention(fe::CudaGraphRetention_t::NONE);

  const auto dimensions = [&](std::int64_t heads, std::int64_t rows) {
    return std::vector<std::int64_t>{shape.B, heads, rows, shape.D};
  };
  const auto strides = [&](std::int64_t heads, std::int64_t rows) {
    return std::vector<std::int64_t>{heads * rows * shape.D, rows * shape.D, shape.D, 1};
  };
  const auto input = [&](const char* name, Uid uid, std::int64_t heads, std::int64_t rows) {
    return graph->tensor(fe::graph::Tensor_attributes()
                             .set_name(name)
                             .set_uid(uid)
                             .set_dim(dimensions(heads, rows))
                             .set_stride(strides(heads, rows)));
  };
  auto options = fe::graph::SDPA_attributes()
                     .set_name("attention")
                     .set_implementation(implementation)
                     .set_generate_stats(false)
                     .set_attn_scale(static_cast<float>(1 / std::sqrt(static_cast<double>(shape.D))));
  if (shape.causal) {
    // Aligned to the last key. With as many queries as keys both alignments are the same, and older versions only know
    // the first.
    options
        .set_diagonal_alignment(shape.Sq == shape.Sk ? fe::DiagonalAlignment_t::TOP_LEFT
                                                     : fe::DiagonalAlignment_t::BOTTOM_RIGHT)
        .set_diagonal_band_right_bound(0);
  }
  const auto output =
      graph->sdpa(input("Q", uid_q, shape.Hq, shape.Sq), input("K", uid_k, shape.Hkv, shape.Sk),
                  input("V", uid_v, shape.Hkv, shape.Sk), options)[0];
  output->set_output(true)
      .set_uid(uid_o)
      .set_dim(dimensions(shape.Hq, shape.Sq))
      .set_stride(strides(shape.Hq, shape.Sq));
  return graph;
}

/// Checks the description and passes it to cuDNN.
void lower(Graph& graph, const Shape& shape, cudnnHandle_t handle) {
  require("Graph::validate", shape, [&] { return graph.validate(); });
  require("Graph::build_operation_graph", shape, [&] { return graph.build_operation_graph(handle); });
}

std::unique_ptr<Graph> plan(const Shape& shape, int sm_version, cudnnHandle_t handle,
                            AttentionImplementation_t implementation) {
  std::unique_ptr<Graph> graph = describe(shape, sm_version, implementation);
  lower(*graph, shape, handle);
  require("Graph::create_execution_plans", shape, [&] {
    return graph->create_execution_plans({fe::HeurMode_t::A, fe::HeurMode_t::FALLBACK});
  });
  require("Graph::check_support", shape, [&] { return graph->check_support(); });
  require("Graph::build_plans", shape,
          [&] { return graph->build_plans(fe::BuildPlanPolicy_t::HEURISTICS_CHOICE); });
  return graph;
}

/// Tries the newer of cuDNN's two implementations first, then the one that exists since 8.9: the frontend's own order.
template <class Make>
auto with_either_implementation(Make&& make) {
  try {
    return make(AttentionImplementation_t::UNIFIED);
  } catch (const LibraryRefused&) {
    return make(AttentionImplementation_t::COMPOSITE);
  }
}

void* pointer(CUdeviceptr address) {
  return reinterpret_cast<void*>(address);
}

class CudnnAttention final : public LibraryAttention {
 public:
  explicit CudnnAttention(const Shape& shape)
      : shape_(shape), handle_(create_handle()), graph_(with_either_implementation([&](auto implementation) {
          return plan(shape, current_sm_version(), handle_.get(), implementation);
        })) {
    std::int64_t bytes = 0;
    require("Graph::get_workspace_size", shape, [&] { return graph_->get_workspace_size(bytes); });
    workspace_bytes_ = static_cast<std::size_t>(bytes);
  }

  std::string version() const override { return cudnn().version; }
  std::size_t workspace_bytes() const override { return workspace_bytes_; }

  void enqueue(CUstream stream, const AttentionPointers& tensors, CUdeviceptr workspace) override {
    if (const cudnnStatus_t status = fe::detail::set_stream(handle_.get(), stream);
        status != CUDNN_STATUS_SUCCESS)
      throw LibraryError(cudnn().version +
                         ": cudnnSetStream failed: " + fe::detail::get_error_string(status));
    std::unordered_map<std::int64_t, void*> pack{{uid_q, pointer(tensors.q)},
                                                 {uid_k, pointer(tensors.k)},
                                                 {uid_v, pointer(tensors.v)},
                                                 {uid_o, pointer(tensors.o)}};
    require("Graph::execute", shape_,
            [&] { return graph_->execute(handle_.get(), pack, pointer(workspace)); });
  }

 private:
  Shape shape_;
  CudnnHandle handle_;
  std::unique_ptr<Graph> graph_;  // After the handle, since its plans belong to the handle's device.
  std::size_t workspace_bytes_ = 0;
};

}  // namespace

std::unique_ptr<LibraryAttention> open_cudnn_attention(const Shape& shape) {
  cudnn();
  return std::make_unique<CudnnAttention>(shape);
}

void check_cudnn_attention(const Shape& shape, const CudnnDevice& device) {
  cudnn();
  auto properties = std::make_shared<fe::DeviceProperties>();
  require("DeviceProperties::deserialize", shape, [&] {
    return properties->deserialize({device.properties.begin(), device.properties.end()});
  });
  with_either_implementation([&](AttentionImplementation_t implementation) {
    const std::unique_ptr<Graph> graph = describe(shape, device.sm_version, implementation);
    graph->set_device_properties(properties);
    lower(*graph, shape, nullptr);
  });
}

}  // namespace tilescope
