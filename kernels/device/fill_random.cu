// Fills a tensor with the inputs that the host would generate (device/random_input.cuh). DTYPE is fp16 or bf16.

#include "device/element.cuh"
#include "device/random_input.cuh"

extern "C" __global__ void fill_random(DTYPE* tensor, unsigned long long count, unsigned long long seed,
                                       unsigned tensor_id) {
  const unsigned long long stride = static_cast<unsigned long long>(gridDim.x) * blockDim.x;
  for (unsigned long long i = static_cast<unsigned long long>(blockIdx.x) * blockDim.x + threadIdx.x; i < count;
       i += stride) {
    from_float(random_input(seed, tensor_id, i), tensor[i]);
  }
}
