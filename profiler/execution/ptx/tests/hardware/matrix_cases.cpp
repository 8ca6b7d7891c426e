// Matrix products on the tensor cores: the published check of bank conflicts, and nvcuda::wmma in three formats.

#include "profiler/execution/ptx/tests/hardware/hardware_case.hpp"

namespace tilescope::hardware {
namespace {

Region product(std::size_t elements, double absolute) {
  Region region;
  region.buffer = 2;
  region.element = Element::f32;
  region.count = elements;
  region.tolerance = {absolute, 0x1p-20};
  region.reason = "tensor cores add in another order and width";
  return region;
}

Case gemm_case(bool padded) {
  constexpr std::size_t size = 1024, elements = size * size;
  Case made;
  made.name = padded ? "gemm/1024 padded" : "gemm/1024 rows of 32 bytes";
  made.kernel = {"profiler/execution/ptx/tests/kernels/gemm_ldmatrix.cu",
                 "gemm_ldmatrix",
                 {{"SIZE", std::to_string(size)}, {"PADDED", padded ? "1" : "0"}},
                 "sm_89"};
  made.launch.grid = {size / 8, size / 16, 1};
  made.launch.block.x = 32;
  ParameterList(made)
      .pointer(input_buffer("A", [] { return random_elements(Element::f16, elements, 1); }))
      .pointer(input_buffer("B", [] { return random_elements(Element::f16, elements, 2); }))
      .pointer(output_buffer("C", elements * 4));
  // Sums of 1024 products of about 1, each step rounded or truncated at 2^-23 of a partial sum of at most about 100.
  made.regions = {product(elements, 2e-3)};
  return made;
}

Case wmma_case(int format, int padding) {
  constexpr std::size_t size = 64, elements = size * size;
  constexpr const char* names[] = {"fp16", "bf16", "tf32"};
  const Element element = format == 0 ? Element::f16 : format == 1 ? Element::bf16 : Element::f32;
  Case made;
  made.name = std::string("wmma/") + names[format] + (padding > 0 ? " padded" : "");
  made.kernel = {"profiler/execution/ptx/tests/kernels/wmma_gemm.cu",
                 "wmma_gemm",
                 {{"FORMAT", std::to_string(format)},
                  {"PADDING", std::to_string(padding)},
                  {"SIZE", std::to_string(size)}},
                 "sm_89"};
  made.launch.grid = {size / 16, size / 16, 1};
  made.launch.block.x = 32;
  ParameterList(made)
      .pointer(input_buffer("A", [element] { return random_elements(element, elements, 1); }))
      .pointer(input_buffer("B", [element] { return random_elements(element, elements, 2); }))
      .pointer(output_buffer("C", elements * 4));
  made.regions = {product(elements, 1e-4)};
  return made;
}

}  // namespace

std::vector<Case> matrix_cases() {
  return {gemm_case(false), gemm_case(true), wmma_case(0, 0), wmma_case(0, 8),
          wmma_case(1, 0),  wmma_case(1, 8), wmma_case(2, 0), wmma_case(2, 4)};
}

}  // namespace tilescope::hardware
