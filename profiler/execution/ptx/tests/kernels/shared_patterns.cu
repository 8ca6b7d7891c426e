// One warp that repeats one access to shared memory at addresses that the host chose. OPERATION is one of the numbers
// below, WIDTH the bytes that one lane moves (of ldmatrix and stmatrix the number of matrices).
//
// `addresses` are 32 offsets into `memory`, `mask` the lanes that take part. `step` is 0 and says so only at run time: it is
// added to the address after every access, which keeps the compiler from merging accesses that are the same.

#define LOAD 0
#define STORE 1
#define ADD 2          // atomicAdd whose result is used
#define LDMATRIX 3
#define LDMATRIX_TRANS 4
#define STMATRIX 5
#define CP_ASYNC 6

constexpr int repeats = 64;
constexpr int memory_bytes = 17408;  // 34 * 512: room for a stride of 33 accesses of 16 bytes

__device__ inline unsigned load(unsigned address) {
  unsigned a = 0, b = 0, c = 0, d = 0;
  if (WIDTH == 1) asm volatile("ld.shared.u8 %0, [%1];" : "=r"(a) : "r"(address) : "memory");
  if (WIDTH == 2) {
    unsigned short half;
    asm volatile("ld.shared.u16 %0, [%1];" : "=h"(half) : "r"(address) : "memory");
    a = half;
  }
  if (WIDTH == 4) asm volatile("ld.shared.u32 %0, [%1];" : "=r"(a) : "r"(address) : "memory");
  if (WIDTH == 8) asm volatile("ld.shared.v2.u32 {%0, %1}, [%2];" : "=r"(a), "=r"(b) : "r"(address) : "memory");
  if (WIDTH == 16) {
    asm volatile("ld.shared.v4.u32 {%0, %1, %2, %3}, [%4];"
                 : "=r"(a), "=r"(b), "=r"(c), "=r"(d)
                 : "r"(address)
                 : "memory");
  }
  return a + 3 * b + 5 * c + 7 * d;
}

// Lanes with one address store one value, so that the result does not depend on who comes last.
__device__ inline void store(unsigned address, unsigned value) {
  if (WIDTH == 1) asm volatile("st.shared.u8 [%0], %1;" ::"r"(address), "r"(value) : "memory");
  if (WIDTH == 2) {
    asm volatile("st.shared.u16 [%0], %1;" ::"r"(address), "h"(static_cast<unsigned short>(value)) : "memory");
  }
  if (WIDTH == 4) asm volatile("st.shared.u32 [%0], %1;" ::"r"(address), "r"(value) : "memory");
  if (WIDTH == 8) asm volatile("st.shared.v2.u32 [%0], {%1, %2};" ::"r"(address), "r"(value), "r"(~value) : "memory");
  if (WIDTH == 16) {
    asm volatile("st.shared.v4.u32 [%0], {%1, %2, %3, %4};" ::"r"(address), "r"(value), "r"(~value), "r"(value + 1),
                 "r"(value + 2)
                 : "memory");
  }
}

__device__ inline unsigned load_matrix(unsigned address) {
  unsigned a = 0, b = 0, c = 0, d = 0;
#if OPERATION == LDMATRIX
#define TRANS ""
#else
#define TRANS ".trans"
#endif
  if (WIDTH == 1) {
    asm volatile("ldmatrix.sync.aligned.m8n8.x1" TRANS ".shared.b16 {%0}, [%1];" : "=r"(a) : "r"(address) : "memory");
  }
  if (WIDTH == 2) {
    asm volatile("ldmatrix.sync.aligned.m8n8.x2" TRANS ".shared.b16 {%0, %1}, [%2];"
                 : "=r"(a), "=r"(b)
                 : "r"(address)
                 : "memory");
  }
  if (WIDTH == 4) {
    asm volatile("ldmatrix.sync.aligned.m8n8.x4" TRANS ".shared.b16 {%0, %1, %2, %3}, [%4];"
                 : "=r"(a), "=r"(b), "=r"(c), "=r"(d)
                 : "r"(address)
                 : "memory");
  }
  return a + 3 * b + 5 * c + 7 * d;
}

#if OPERATION == STMATRIX
__device__ inline void store_matrix(unsigned address, unsigned value) {
  if (WIDTH == 1) asm volatile("stmatrix.sync.aligned.m8n8.x1.shared.b16 [%0], {%1};" ::"r"(address), "r"(value) : "memory");
  if (WIDTH == 4) {
    asm volatile("stmatrix.sync.aligned.m8n8.x4.shared.b16 [%0], {%1, %2, %3, %4};" ::"r"(address), "r"(value),
                 "r"(value + 1), "r"(value + 2), "r"(value + 3)
                 : "memory");
  }
}
#endif

extern "C" __global__ void __launch_bounds__(32)
    shared_pattern(const unsigned* addresses, const uint4* source, unsigned* out, unsigned mask, unsigned step) {
  __shared__ __align__(128) uint4 memory[memory_bytes / 16];
  const unsigned lane = threadIdx.x;
  for (unsigned i = lane; i < memory_bytes / 16; i += 32) memory[i] = source[i];
  __syncwarp();

  const unsigned base = static_cast<unsigned>(__cvta_generic_to_shared(memory));
  unsigned offset = addresses[lane];
  unsigned sum = 0;
  if (mask >> lane & 1) {
#pragma unroll 4
    for (unsigned i = 0; i < repeats; ++i) {
      const unsigned address = base + offset;
#if OPERATION == LOAD
      sum = sum * 31 + load(address);
#elif OPERATION == STORE
      store(address, offset * 2654435761u + i);
#elif OPERATION == ADD
      // The result that a lane sees depends on the order of the lanes: only the sum left in memory is compared.
      unsigned old;
      asm volatile("atom.shared.add.u32 %0, [%1], %2;" : "=r"(old) : "r"(address), "r"(lane + i) : "memory");
      sum |= old & step;
#elif OPERATION == LDMATRIX || OPERATION == LDMATRIX_TRANS
      sum = sum * 31 + load_matrix(address);
#elif OPERATION == STMATRIX
      store_matrix(address, lane * 0x10003u + i);
#elif OPERATION == CP_ASYNC
      asm volatile("cp.async.ca.shared.global [%0], [%1], %2;" ::"r"(address),
                   "l"(reinterpret_cast<const char*>(source) + offset), "n"(WIDTH)
                   : "memory");
#endif
      offset += step;
    }
#if OPERATION == CP_ASYNC
    asm volatile("cp.async.wait_all;" ::: "memory");
#endif
  }
  __syncwarp();
#if OPERATION == LOAD || OPERATION == LDMATRIX || OPERATION == LDMATRIX_TRANS
  out[lane] = sum;
#else
  for (unsigned i = lane; i < memory_bytes / 16; i += 32) {
    const uint4 words = memory[i];
    sum = sum * 31 + (words.x + 3 * words.y + 5 * words.z + 7 * words.w);
  }
  out[lane] = sum;
#endif
}
