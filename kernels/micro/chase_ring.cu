// Lays the ring of pointers that global_latency.cu follows: one at the start of each line of 128 bytes.
//
// Line i points to line (a i + c) mod n. With n a power of two, c odd and a - 1 a multiple of 4 this visits every line
// once before it returns (Hull and Dobell 1962), in an order that no prefetcher follows; a and c are those of Numerical
// Recipes' generator. No table is needed, on the host or here. No header is needed either.

constexpr unsigned multiplier = 1664525u;
constexpr unsigned increment = 1013904223u;
constexpr unsigned line_bytes = 128;

// `lines`: a power of two.
extern "C" __global__ void chase_ring(unsigned char* memory, unsigned lines) {
  for (unsigned line = blockIdx.x * blockDim.x + threadIdx.x; line < lines; line += gridDim.x * blockDim.x) {
    const unsigned next = (multiplier * line + increment) & (lines - 1);
    unsigned char* place = memory + static_cast<unsigned long long>(line) * line_bytes;
    *reinterpret_cast<unsigned char**>(place) = memory + static_cast<unsigned long long>(next) * line_bytes;
  }
}
