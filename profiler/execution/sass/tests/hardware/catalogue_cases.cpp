// Launches of the catalogue's kernels, in configurations that differ in their machine code or in what it does.

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <stdexcept>

#include "profiler/execution/sass/tests/hardware/machine_code_cases.hpp"
#include "profiler/kernels/catalogue/catalogue.hpp"
#include "profiler/kernels/catalogue/constraints.hpp"
#include "profiler/measure/caches/reference_cache.hpp"
#include "profiler/measure/interpret/interpreted_launch.hpp"
#include "profiler/measure/prepare/kernel_arguments.hpp"

namespace tilescope::hardware {
namespace {

constexpr std::uint64_t seed = 1;
// Fills outputs, as in the measuring sequence: a NaN in every format.
constexpr std::byte poison{0xFF};

struct Choice {
  std::string kernel;
  Configuration parameters;
  Shape shape;
};

Shape shape_of(std::int64_t heads, std::int64_t queries, std::int64_t keys, std::int64_t columns,
               DataType type = DataType::fp16, bool causal = false) {
  return {1, heads, heads, queries, keys, columns, type, causal};
}

const Shape plain = shape_of(2, 128, 128, 64);
const Shape causal = shape_of(2, 192, 192, 64, DataType::fp16, true);
const Shape wide = shape_of(1, 96, 128, 128);
// Sizes that no tile divides, with a query head for each half of a key head.
const Shape ragged{1, 2, 1, 100, 150, 64, DataType::bf16, true};

std::vector<Choice> scalar_rungs() {
  return {{"naive", {}, Shape{}},
          {"naive", {}, ragged},
          {"naive", {{"VEC_WIDTH", 1}}, plain},
          {"naive", {{"VEC_WIDTH", 2}, {"NUM_WARPS", 8}}, wide},
          {"tiled", {}, plain},
          {"tiled", {}, ragged},
          {"tiled", {{"VEC_WIDTH", 1}, {"SMEM_LAYOUT", "row_major"}}, plain},
          {"tiled", {{"VEC_WIDTH", 4}, {"SMEM_LAYOUT", "padded"}, {"BLOCK_M", 8}, {"NUM_WARPS", 2}}, wide},
          {"flash_scalar", {{"VEC_WIDTH", 1}}, Shape{}},
          {"flash_scalar", {}, plain},
          {"flash_scalar", {}, ragged},
          {"flash_scalar", {{"VEC_WIDTH", 2}, {"SMEM_LAYOUT", "row_major"}}, causal},
          {"flash_scalar", {{"VEC_WIDTH", 4}, {"SMEM_LAYOUT", "padded"}, {"REDUCE", "shared"}}, plain},
          {"flash_scalar", {{"BLOCK_N", 16}, {"NUM_WARPS", 4}, {"SYNC_POLICY", "heavy"}}, causal},
          {"flash_scalar", {{"BLOCK_M", 64}, {"BLOCK_N", 128}, {"NUM_WARPS", 16}}, wide}};
}

std::vector<Choice> tensor_core_rungs() {
  std::vector<Choice> chosen = {
      {"wmma_scores", {}, plain},
      {"wmma_scores", {}, ragged},
      {"wmma_scores", {{"SMEM_LAYOUT", "row_major"}, {"BLOCK_M", 16}, {"NUM_WARPS", 4}}, wide},
      {"wmma_full", {}, plain},
      {"wmma_full", {}, ragged},
      {"wmma_full", {{"SMEM_LAYOUT", "row_major"}, {"BLOCK_N", 32}}, causal},
      {"mma_flash", {}, Shape{}},
      {"mma_flash", {{"LAZY_RESCALE", 0}}, causal},
      {"mma_flash", {{"STAGES", 1}, {"SMEM_LAYOUT", "padded"}}, wide},
      {"mma_flash", {{"STAGES", 3}, {"SMEM_LAYOUT", "row_major"}, {"BLOCK_N", 32}}, plain},
      {"mma_flash", {{"STAGES", 3}, {"OVERLAP", 1}}, causal},
      {"mma_flash", {{"Q_IN_REGISTERS", 0}, {"BLOCK_M", 32}, {"NUM_WARPS", 4}}, plain},
      {"mma_flash", {{"PERSISTENT", 1}, {"BLOCK_M", 32}, {"NUM_WARPS", 2}, {"STAGES", 4}}, causal},
      {"mma_flash", {{"BLOCK_M", 128}, {"NUM_WARPS", 8}, {"BLOCKS_PER_SM", 2}}, causal},
      {"mma_splitkv", {{"LAZY_RESCALE", 0}}, plain},
      {"mma_splitkv", {{"SPLITS", 1}, {"STAGES", 1}}, plain},
      {"mma_splitkv", {{"SPLITS", 4}, {"SMEM_LAYOUT", "padded"}, {"OVERLAP", 1}, {"STAGES", 3}}, causal}};
  for (const char* kernel : {"mma_flash", "mma_splitkv"}) {
    for (const Shape& shape : {plain, causal, ragged}) chosen.push_back({kernel, {}, shape});
  }
  return chosen;
}

/// Every exhibit with its fault and without. static_shared has one at D = 64 that does not compile.
std::vector<Choice> exhibits(const Catalogue& catalogue) {
  std::vector<Choice> chosen;
  for (const KernelDeclaration& kernel : catalogue.kernels()) {
    if (kernel.role != KernelRole::exhibit) continue;
    Shape shape = kernel.name == "static_shared" ? shape_of(2, 100, 72, 32) : plain;
    if (kernel.name == "serialised_batch") shape.B = 2;
    for (const char* fault : {"off", "on"}) chosen.push_back({kernel.name, {{"FAULT", fault}}, shape});
  }
  chosen.push_back({"dead_knob", {{"FAULT", "off"}, {"VEC_WIDTH", 2}}, ragged});
  chosen.push_back({"idle_swizzle", {{"FAULT", "off"}, {"SWIZZLE", 0}}, plain});
  chosen.push_back({"idle_warps", {{"FAULT", "off"}, {"NUM_WARPS", 4}}, ragged});
  chosen.push_back({"uneven_rows", {{"FAULT", "off"}, {"NUM_WARPS", 8}}, ragged});
  chosen.push_back({"spilling_unroll", {{"FAULT", "on"}}, wide});
  return chosen;
}

std::vector<Choice> others(const Catalogue& catalogue) {
  std::vector<Choice> chosen = {{"cutlass_gemm", {}, shape_of(2, 128, 256, 64)},
                                {"cutlass_gemm", {}, shape_of(1, 100, 136, 64, DataType::bf16)},
                                {"shared_load", {{"WIDTH_BYTES", 16}, {"WAYS", 2}}, plain},
                                {"ldmatrix", {{"MATRICES", 2}, {"TRANSPOSED", 1}}, plain},
                                {"cp_async", {{"WIDTH_BYTES", 4}}, plain},
                                {"global_bandwidth", {{"OPERATION", "copy"}}, plain}};
  for (const KernelDeclaration& kernel : catalogue.kernels()) {
    const bool can_be_recorded = kernel.role == KernelRole::micro && kernel.name != "global_latency" &&
                                 kernel.name != "sm_clock_probe";
    if (can_be_recorded) chosen.push_back({kernel.name, {}, plain});
  }
  return chosen;
}

Buffer input_of(const char* name, const Shape& shape,
                std::vector<std::uint16_t> reference::AttentionInputs::*tensor) {
  return input_buffer(name, [shape, tensor] {
    return bytes_of_all(reference::make_inputs(attention_sizes(shape), seed).*tensor);
  });
}

Buffer filled(std::string name, std::size_t bytes, std::byte value, bool is_output) {
  return {std::move(name), [=] { return std::vector<std::byte>(bytes, value); }, is_output};
}

/// In place of the buffers' addresses: no argument has such a value.
constexpr std::uint64_t placeholder = 0xA5A5'5A5A'0000'0000;

/// The parameters, each at a multiple of its alignment. Where a buffer's placeholder stands, its address belongs.
void add_parameters(Case& made, const std::vector<std::vector<std::byte>>& arguments) {
  std::vector<std::byte>& all = made.launch.parameters;
  for (const std::vector<std::byte>& argument : arguments) {
    const std::size_t align = std::min<std::size_t>(argument.size(), 8);
    all.resize((all.size() + align - 1) / align * align);
    all.insert(all.end(), argument.begin(), argument.end());
  }
  for (std::size_t offset = 0; offset + 8 <= all.size(); offset += 8) {
    std::uint64_t word = 0;
    std::memcpy(&word, all.data() + offset, sizeof word);
    if (word < placeholder || word >= placeholder + made.buffers.size()) continue;
    made.pointers.push_back({offset, word - placeholder});
    std::memset(all.data() + offset, 0, sizeof word);
  }
}

std::size_t size(std::int64_t count, std::size_t bytes) {
  return static_cast<std::size_t>(count) * bytes;
}

/// The buffers of the measuring sequence, and their placeholders. Scratch memory is not compared.
TensorAddresses add_buffers(Case& made, const KernelDeclaration& kernel, const Shape& shape,
                            const std::vector<std::int64_t>& scratch) {
  const reference::AttentionSizes sizes = attention_sizes(shape, kernel.result);
  TensorAddresses addresses{placeholder,     placeholder + 1, placeholder + 2,
                            placeholder + 3, placeholder + 4, {}};
  if (kernel.takes_attention_problem()) {
    made.buffers = {input_of("Q", shape, &reference::AttentionInputs::q),
                    input_of("K", shape, &reference::AttentionInputs::k),
                    input_of("V", shape, &reference::AttentionInputs::v),
                    filled("O", size(sizes.result_elements(), 2), poison, true),
                    filled("LSE", size(sizes.rows(), sizeof(float)), poison, true)};
  }
  for (const std::int64_t bytes : scratch) {
    addresses.scratch.push_back(placeholder + made.buffers.size());
    made.buffers.push_back(
        filled(fmt::format("scratch {}", addresses.scratch.size() - 1), size(bytes, 1), std::byte{0}, false));
  }
  return addresses;
}

/// One unit in the last place of a number near 1: 2^-10 in fp16, 2^-7 in bf16.
double last_place(DataType type) {
  return type == DataType::fp16 ? 0x1p-10 : 0x1p-7;
}

bool uses_tensor_cores(const std::string& kernel) {
  return kernel.starts_with("mma_") || kernel.starts_with("wmma_") || kernel == "cutlass_gemm";
}

/// A race decides what these write.
bool has_no_certain_result(const Choice& choice) {
  const auto fault = choice.parameters.find("FAULT");
  return fault != choice.parameters.end() && to_string(fault->second) == "on" &&
         (choice.kernel == "missing_barrier" || choice.kernel == "uneven_rows");
}

void add_regions(Case& made, const Choice& choice, const KernelDeclaration& kernel) {
  if (kernel.role == KernelRole::micro || has_no_certain_result(choice)) return;
  const double unit = last_place(choice.shape.dtype);
  const reference::AttentionSizes sizes = attention_sizes(choice.shape, kernel.result);
  Region output;
  output.buffer = 3;
  output.name = "O";
  output.element = choice.shape.dtype == DataType::fp16 ? Element::f16 : Element::bf16;
  output.count = static_cast<std::size_t>(sizes.result_elements());
  output.tolerance =
      uses_tensor_cores(choice.kernel) ? Tolerance{unit / 8, 2 * unit} : Tolerance{0x1p-20, unit};
  output.reason = uses_tensor_cores(choice.kernel)
                      ? "tensor cores add in their own order and width, and weights round to 16 bits after it"
                      : "ex2.approx differs in the last place, which may round to the next 16-bit number";
  Region sums = output;
  sums.buffer = 4;
  sums.name = "LSE";
  sums.element = Element::f32;
  sums.count = static_cast<std::size_t>(sizes.rows());
  sums.tolerance =
      uses_tensor_cores(choice.kernel) ? Tolerance{0x1p-10, 0x1p-10} : Tolerance{0x1p-20, 0x1p-20};
  made.regions = {output, sums};
}

MachineCodeCase make_case(const KernelDeclaration& kernel, const DeviceModel& device, const Choice& choice) {
  const Configuration complete = kernel.complete(choice.parameters);
  if (const std::string why = why_invalid(kernel, complete, choice.shape, device); !why.empty())
    throw std::logic_error(kernel.name + " " + to_string(complete) + ": " + why);
  const LaunchGeometry geometry = launch_geometry(kernel, complete, choice.shape, device);
  Case made;
  const std::string parameters = choice.parameters.empty() ? "" : to_string(choice.parameters) + " ";
  made.name =
      fmt::format("{}/{} {}{}", to_string(kernel.role), kernel.name, parameters, to_string(choice.shape));
  made.kernel.entry = kernel.entry;
  made.launch.grid = {static_cast<std::uint32_t>(geometry.grid_x),
                      static_cast<std::uint32_t>(geometry.grid_y),
                      static_cast<std::uint32_t>(geometry.grid_z)};
  made.launch.block.x = static_cast<std::uint32_t>(geometry.threads);
  made.launch.dynamic_shared_bytes = static_cast<std::uint32_t>(geometry.dynamic_shared_bytes);
  const TensorAddresses addresses =
      add_buffers(made, kernel, choice.shape, scratch_bytes(kernel, complete, choice.shape, device));
  add_parameters(made, kernel_arguments(kernel, complete, choice.shape, device, addresses));
  add_regions(made, choice, kernel);
  return {std::move(made), [kernel, complete, shape = choice.shape](const Compiler& compiler) {
            return compiler.compile(kernel, complete, shape, recorded_arch);
          }};
}

/// The table that is shipped: a GPU of this machine may have been calibrated otherwise.
DeviceModel recorded_device(const std::filesystem::path& folder) {
  for (const DeviceModel& device : load_device_tables(folder)) {
    if (device.name == "H200") return device;
  }
  throw std::runtime_error(folder.string() + " has no table of the H200");
}

}  // namespace

std::vector<MachineCodeCase> catalogue_cases(const Installation& installation) {
  const Catalogue catalogue(installation.kernels);
  const DeviceModel device = recorded_device(installation.devices);
  std::vector<MachineCodeCase> cases;
  for (const std::vector<Choice>& group :
       {scalar_rungs(), tensor_core_rungs(), exhibits(catalogue), others(catalogue)}) {
    for (const Choice& choice : group)
      cases.push_back(make_case(catalogue.find(choice.kernel), device, choice));
  }
  return cases;
}

}  // namespace tilescope::hardware
