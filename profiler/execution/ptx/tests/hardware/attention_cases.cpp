// flash_scalar in configurations that vary everything that affects its memory traffic, and a tensor-core kernel with
// cp.async and ldmatrix.

#include <cmath>

#include "kernels/device/attention_problem.cuh"
#include "profiler/execution/ptx/tests/hardware/hardware_case.hpp"
#include "profiler/kernels/catalogue/constraints.hpp"

namespace tilescope::hardware {
namespace {

struct Choice {
  std::int64_t block_m, block_n, warps, width;
  std::string layout;
  Shape shape;
};

Element element_of(DataType type) {
  return type == DataType::fp16 ? Element::f16 : Element::bf16;
}

TensorStrides contiguous(std::int64_t heads, std::int64_t rows, std::int64_t columns) {
  return {heads * rows * columns, rows * columns, columns};
}

/// Q, K, V and O as the problem's pointers, and their offsets in it.
void add_problem(Case& target, const Shape& shape) {
  AttentionProblem problem{};
  problem.q_strides = problem.o_strides = contiguous(shape.Hq, shape.Sq, shape.D);
  problem.k_strides = problem.v_strides = contiguous(shape.Hkv, shape.Sk, shape.D);
  problem.batches = static_cast<int>(shape.B);
  problem.query_heads = static_cast<int>(shape.Hq);
  problem.key_heads = static_cast<int>(shape.Hkv);
  problem.queries = static_cast<int>(shape.Sq);
  problem.keys = static_cast<int>(shape.Sk);
  problem.softmax_scale = static_cast<float>(1 / std::sqrt(static_cast<double>(shape.D)));
  ParameterList(target).value(problem);

  const Element element = element_of(shape.dtype);
  const auto queries = static_cast<std::size_t>(shape.B * shape.Hq * shape.Sq * shape.D);
  const auto keys = static_cast<std::size_t>(shape.B * shape.Hkv * shape.Sk * shape.D);
  const auto input = [element](const char* name, std::size_t count, unsigned tensor) {
    return input_buffer(name, [=] { return random_elements(element, count, tensor); });
  };
  target.buffers = {input("Q", queries, 1), input("K", keys, 2), input("V", keys, 3),
                    output_buffer("O", queries * 2)};
  target.pointers = {{offsetof(AttentionProblem, q), 0},
                     {offsetof(AttentionProblem, k), 1},
                     {offsetof(AttentionProblem, v), 2},
                     {offsetof(AttentionProblem, o), 3}};
  Region region;
  region.buffer = 3;
  region.element = element;
  region.count = queries;
  target.regions = {region};
}

/// One unit in the last place of a number near 1: 2^-10 in fp16, 2^-7 in bf16.
double last_place(DataType type) {
  return type == DataType::fp16 ? 0x1p-10 : 0x1p-7;
}

Case flash_scalar_case(const KernelDeclaration& kernel, const DeviceModel& device, const Choice& choice) {
  const Shape& shape = choice.shape;
  const Configuration configuration = {{"BLOCK_M", choice.block_m},
                                       {"BLOCK_N", choice.block_n},
                                       {"NUM_WARPS", choice.warps},
                                       {"VEC_WIDTH", choice.width},
                                       {"SMEM_LAYOUT", choice.layout}};
  const LaunchGeometry geometry = launch_geometry(kernel, configuration, shape, device);
  Case made;
  made.name = "flash_scalar/" + choice.layout + " M" + std::to_string(choice.block_m) + " N" +
              std::to_string(choice.block_n) + " W" + std::to_string(choice.warps) + " V" +
              std::to_string(choice.width) + " " + to_string(shape);
  made.kernel = {
      "profiler/execution/ptx/tests/kernels/flash_scalar_recorded.cu", "flash_scalar", {}, "sm_89"};
  for (const auto& [name, value] : configuration) made.kernel.macros.emplace_back(name, to_string(value));
  made.kernel.macros.emplace_back("HEAD_DIM", std::to_string(shape.D));
  made.kernel.macros.emplace_back("CAUSAL", shape.causal ? "1" : "0");
  made.kernel.macros.emplace_back("DTYPE", to_string(shape.dtype));
  made.launch.grid = {static_cast<std::uint32_t>(geometry.grid_x),
                      static_cast<std::uint32_t>(geometry.grid_y),
                      static_cast<std::uint32_t>(geometry.grid_z)};
  made.launch.block.x = static_cast<std::uint32_t>(geometry.threads);
  made.launch.dynamic_shared_bytes = static_cast<std::uint32_t>(geometry.dynamic_shared_bytes);
  add_problem(made, shape);
  made.regions[0].tolerance = {0x1p-20, last_place(shape.dtype)};
  made.regions[0].reason =
      "ex2.approx and div differ in the last place, which may round to the next 16-bit number";
  return made;
}

Case flash_mma_case(const std::string& layout, const Shape& shape) {
  constexpr std::uint32_t warps = 4, rows = 64;
  const std::int64_t row_stride =
      shape.D + (layout == "padded" ? 8 : 0);  // [elements] of SharedTile<LAYOUT, D, 8>
  Case made;
  made.name = "flash_mma/" + layout + " " + to_string(shape);
  made.kernel = {"profiler/execution/ptx/tests/kernels/flash_mma_small.cu",
                 "flash_mma_small",
                 {{"SMEM_LAYOUT", layout},
                  {"HEAD_DIM", std::to_string(shape.D)},
                  {"CAUSAL", shape.causal ? "1" : "0"},
                  {"DTYPE", to_string(shape.dtype)}},
                 "sm_89"};
  made.launch.grid = {static_cast<std::uint32_t>(shape.Sq) / rows, static_cast<std::uint32_t>(shape.Hq),
                      static_cast<std::uint32_t>(shape.B)};
  made.launch.block.x = warps * 32;
  made.launch.dynamic_shared_bytes =
      static_cast<std::uint32_t>(5 * rows * row_stride * 2);  // Q, and K and V twice
  add_problem(made, shape);
  // The weights are rounded to 16 bits before the product with V. A weight that rounds the other way differs by one
  // unit, of which a part remains in the sum over the keys.
  made.regions[0].tolerance = {last_place(shape.dtype) / 8, 2 * last_place(shape.dtype)};
  made.regions[0].reason =
      "tensor cores add in another order and width, and weights round to 16 bits after it";
  return made;
}

Shape shape_of(std::int64_t heads, std::int64_t queries, std::int64_t keys, std::int64_t columns,
               DataType type, bool causal) {
  return {1, heads, heads, queries, keys, columns, type, causal};
}

}  // namespace

std::vector<Case> attention_cases(const std::filesystem::path& root) {
  const KernelDeclaration kernel =
      read_kernel_declaration(root / "profiler/execution/ptx/tests/kernels/flash_scalar_recorded.cu");
  const DeviceModel device =
      load_device_tables(root / "assets/devices").front();  // geometry asks it for nothing here
  const Shape plain = shape_of(2, 256, 256, 64, DataType::fp16, false);
  const Shape causal = shape_of(2, 256, 256, 64, DataType::fp16, true);
  const Shape ragged = shape_of(2, 200, 171, 64, DataType::fp16, false);
  const Shape ragged_causal = shape_of(2, 100, 150, 64, DataType::bf16, true);
  const Shape wide = shape_of(1, 128, 128, 128, DataType::fp16, false);
  const Shape narrow = shape_of(2, 192, 192, 32, DataType::bf16, false);
  Shape grouped = shape_of(4, 96, 160, 64, DataType::fp16, true);
  grouped.Hkv = 2;

  std::vector<Case> cases;
  for (const Choice& choice : std::vector<Choice>{{32, 64, 8, 8, "row_major", plain},
                                                  {32, 64, 8, 8, "padded", plain},
                                                  {32, 64, 8, 8, "xor_swizzle", plain},
                                                  {32, 64, 8, 4, "row_major", plain},
                                                  {32, 64, 8, 2, "padded", plain},
                                                  {32, 64, 8, 1, "row_major", plain},
                                                  {32, 64, 4, 4, "xor_swizzle", causal},
                                                  {64, 32, 16, 8, "row_major", causal},
                                                  {16, 16, 1, 8, "row_major", causal},
                                                  {128, 128, 8, 8, "padded", plain},
                                                  {32, 64, 8, 8, "xor_swizzle", ragged},
                                                  {16, 32, 4, 2, "row_major", ragged},
                                                  {32, 64, 4, 8, "padded", ragged_causal},
                                                  {32, 32, 8, 8, "row_major", wide},
                                                  {32, 64, 8, 8, "xor_swizzle", wide},
                                                  {32, 64, 8, 4, "row_major", narrow},
                                                  {8, 128, 2, 8, "xor_swizzle", narrow},
                                                  {32, 64, 8, 8, "row_major", grouped}}) {
    cases.push_back(flash_scalar_case(kernel, device, choice));
  }
  const Shape mma = shape_of(2, 256, 256, 64, DataType::fp16, false);
  const Shape mma_causal = shape_of(2, 256, 256, 64, DataType::bf16, true);
  const Shape mma_wide = shape_of(1, 128, 192, 128, DataType::fp16, false);
  for (const char* layout : {"row_major", "padded", "xor_swizzle"}) {
    for (const Shape& shape : {mma, mma_causal, mma_wide}) cases.push_back(flash_mma_case(layout, shape));
  }
  return cases;
}

}  // namespace tilescope::hardware
