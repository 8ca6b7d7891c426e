// Control flow whose lanes part and meet again: every thread leaves a number that depends on the way that it took, and the
// shuffles, votes and barriers behind the branches show whether lanes that should be together are.

#define NESTED 0           // branches in branches, loops of another length in every lane, shuffles where they meet
#define EARLY_EXIT 1       // threads that return before a block barrier
#define SWITCH 2           // a jump table, with cases that fall through
#define WARP_WIDE 3        // votes, matches, reductions and shuffles by partial masks
#define NAMED_BARRIERS 4   // producer and consumer warps: bar.arrive and bar.sync on barriers with a number
#define BLOCK_REDUCTIONS 5  // __syncthreads_count, _and, _or

__device__ inline unsigned collatz(unsigned n) {
  unsigned steps = 0;
  while (n != 1) {
    n = n % 2 != 0 ? 3 * n + 1 : n / 2;
    ++steps;
    if (steps > 200) break;
  }
  return steps;
}

__device__ inline unsigned nested(unsigned thread, unsigned x) {
  unsigned sum = 0;
  if (x & 1) {
    for (unsigned i = 0; i < (x >> 1 & 15); ++i) {
      if ((x >> i & 3) == 3) continue;
      sum += x >> i;
    }
    if (x & 2) {
      sum ^= 0x55u;
    } else {
      for (unsigned i = 0; i < thread % 5; ++i) {
        for (unsigned j = i; j < 7; ++j) {
          sum += i * j;
          if (sum % 11 == 0) goto out;
        }
      }
    out:
      sum += 1000;
    }
  } else {
    sum = collatz(thread + 1);
  }
  __syncwarp();
  for (int offset = 16; offset > 0; offset /= 2) sum += __shfl_xor_sync(0xffffffffu, sum, offset) * offset;
  return sum + __shfl_sync(0xffffffffu, sum, thread * 7 % 32);
}

__device__ inline unsigned by_switch(unsigned thread, unsigned x) {
  unsigned sum = thread;
  for (unsigned i = 0; i < 8; ++i) {
    switch (x >> (4 * i) & 15) {
      case 0: sum += 1; break;
      case 1: sum ^= 77; break;
      case 2: sum = sum * 3 + 1;
      case 3: sum += i; break;
      case 4: sum = sum << 3 | sum >> 29; break;
      case 5: sum -= x; break;
      case 6: sum = __brev(sum);
      case 7: sum *= 5;
      case 8: sum ^= sum >> 7; break;
      case 9: return sum;
      case 10: sum += __popc(sum); break;
      default: sum += 13 * i; break;
    }
  }
  return sum;
}

__device__ inline unsigned warp_wide(unsigned thread, unsigned x) {
  const unsigned lane = thread % 32;
  unsigned sum = __ballot_sync(0xffffffffu, x & 1);
  sum += __any_sync(0xffffffffu, x == 3) ? 3 : 5;
  sum += __all_sync(0xffffffffu, x != 0) ? 7 : 11;
  sum += __match_any_sync(0xffffffffu, x & 7) * 3;
  int all_equal;
  sum += __match_all_sync(0xffffffffu, x >> 31, &all_equal) + static_cast<unsigned>(all_equal);
  sum += __reduce_add_sync(0xffffffffu, x) ^ __reduce_max_sync(0xffffffffu, static_cast<int>(x));
  sum ^= __reduce_min_sync(0xffffffffu, x) + __reduce_xor_sync(0xffffffffu, x);
  sum += __reduce_and_sync(0xffffffffu, x | lane) + __reduce_or_sync(0xffffffffu, x & lane);
  if (lane < 12) {
    sum += __shfl_down_sync(0xfffu, sum, 3, 4) + __ballot_sync(0xfffu, x & 4);
  } else {
    sum ^= __shfl_up_sync(0xfffff000u, sum, 2, 4) * 3;
    sum += __shfl_sync(0xfffff000u, x, 1, 4);
  }
  __syncwarp();
  return sum + __shfl_xor_sync(0xffffffffu, sum, 9, 16);
}

__device__ inline unsigned named_barriers(unsigned thread, unsigned x) {
  __shared__ unsigned mail[64], reply[64];
  const unsigned warp = thread / 32, slot = thread % 64;
  unsigned sum = x;
  for (unsigned round = 0; round < 5; ++round) {
    if (warp < 2) {  // producers
      mail[slot] = x * (round + 1);
      asm volatile("bar.arrive 1, 128;" ::: "memory");
      asm volatile("bar.sync 2, 128;" ::: "memory");
      sum += reply[63 - slot];
      asm volatile("bar.arrive 3, 128;" ::: "memory");
    } else {  // consumers
      asm volatile("bar.sync 1, 128;" ::: "memory");
      const unsigned value = mail[(slot + 5) % 64];
      sum = sum * 3 + value;
      reply[slot] = sum ^ round;
      asm volatile("bar.arrive 2, 128;" ::: "memory");
      asm volatile("bar.sync 3, 128;" ::: "memory");
    }
  }
  return sum;
}

extern "C" __global__ void divergence(const unsigned* in, unsigned* out) {
  const unsigned thread = threadIdx.x;
  const unsigned index = blockIdx.x * blockDim.x + thread;
  const unsigned x = in[index];
#if KIND == NESTED
  out[index] = nested(thread, x);
#elif KIND == EARLY_EXIT
  __shared__ unsigned values[256];
  values[thread] = x;
  out[index] = 1;
  if (x % 3 == 0) return;
  __syncthreads();
  out[index] = values[(thread + 37) % blockDim.x] + 2;
  if (thread >= 96) return;
  __syncthreads();
  out[index] += values[(thread * 5) % blockDim.x];
#elif KIND == SWITCH
  out[index] = by_switch(thread, x);
#elif KIND == WARP_WIDE
  out[index] = warp_wide(thread, x);
#elif KIND == NAMED_BARRIERS
  out[index] = named_barriers(thread, x);
#else
  const int odd = __syncthreads_count(static_cast<int>(x & 1));
  const int all = __syncthreads_and(x != 0), any = __syncthreads_or(x % 97 == 0);
  out[index] = static_cast<unsigned>(odd * 16 + all * 2 + any);
#endif
}
