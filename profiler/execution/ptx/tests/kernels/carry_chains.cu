// Chains of two and three instructions with a carry: each that sets the flag, each that passes it on and each that takes
// it, sums and differences mixed. out[f * count + i] is of all results of chain f on x[i] and y[i]; the chains have the
// order of the list in hardware/carry_cases.cpp.

#define U32 0
#define S32 1
#define U64 2
#define S64 3

#if TYPE == U32
#define NAME "u32"
#elif TYPE == S32
#define NAME "s32"
#elif TYPE == U64
#define NAME "u64"
#else
#define NAME "s64"
#endif

#if TYPE == U32 || TYPE == S32
using Word = unsigned;
#define REGISTER "r"
__device__ inline Word word_of(unsigned x, unsigned, int) { return x; }
__device__ inline unsigned folded(Word value) { return value; }
#else
using Word = unsigned long long;
#define REGISTER "l"
// The upper half is zeros, ones, the lower half again, or the other number.
__device__ inline Word word_of(unsigned x, unsigned y, int i) {
  const unsigned upper = i % 4 == 0 ? 0 : i % 4 == 1 ? 0xffffffffu : i % 4 == 2 ? x : y;
  return static_cast<Word>(upper) << 32 | x;
}
__device__ inline unsigned folded(Word value) {
  return static_cast<unsigned>(value) ^ static_cast<unsigned>(value >> 32) * 0xc2b2ae35u;
}
#endif

// %0 to %2 are the results, %3 to %5 the operands.
#define FIRST_ADD "add.cc." NAME " %0, %3, %4;\n\t"
#define FIRST_SUB "sub.cc." NAME " %0, %3, %4;\n\t"
#define FIRST_MAD_LO "mad.lo.cc." NAME " %0, %3, %4, %5;\n\t"
#define FIRST_MAD_HI "mad.hi.cc." NAME " %0, %3, %4, %5;\n\t"
#define SECOND_NONE "add." NAME " %1, %3, 0;\n\t"
#define SECOND_ADD "addc.cc." NAME " %1, %4, %5;\n\t"
#define SECOND_SUB "subc.cc." NAME " %1, %4, %5;\n\t"
#define SECOND_MAD_LO "madc.lo.cc." NAME " %1, %3, %5, %4;\n\t"
#define SECOND_MAD_HI "madc.hi.cc." NAME " %1, %3, %5, %4;\n\t"
#define LAST_ADD "addc." NAME " %2, %5, %3;"
#define LAST_SUB "subc." NAME " %2, %5, %3;"
#define LAST_MAD_LO "madc.lo." NAME " %2, %4, %5, %3;"
#define LAST_MAD_HI "madc.hi." NAME " %2, %4, %5, %3;"

#define CHAIN(TEXT)                                                                                     \
  {                                                                                                     \
    Word first, second, last;                                                                           \
    asm(TEXT : "=&" REGISTER(first), "=&" REGISTER(second), "=" REGISTER(last)                          \
        : REGISTER(a), REGISTER(b), REGISTER(c));                                                       \
    out[f++ * count] = folded(first) ^ folded(second) * 0x9e3779b9u ^ folded(last) * 0x85ebca6bu;       \
  }
#define LASTS(TEXT) CHAIN(TEXT LAST_ADD) CHAIN(TEXT LAST_SUB) CHAIN(TEXT LAST_MAD_LO) CHAIN(TEXT LAST_MAD_HI)
#define SECONDS(TEXT)                                                                             \
  LASTS(TEXT SECOND_NONE) LASTS(TEXT SECOND_ADD) LASTS(TEXT SECOND_SUB) LASTS(TEXT SECOND_MAD_LO) \
  LASTS(TEXT SECOND_MAD_HI)

constexpr int chains = 80;

extern "C" __global__ void carry_chains(const unsigned* x, const unsigned* y, unsigned* out, int count) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= count) return;
  const Word a = word_of(x[i], y[i], i), b = word_of(y[i], x[i], i / 4);
  const Word c = i % 3 == 0 ? 0 : i % 3 == 1 ? ~Word{0} : a * 0x01000193u ^ b;
  out += i;
  int f = 0;
  SECONDS(FIRST_ADD)
  SECONDS(FIRST_SUB)
  SECONDS(FIRST_MAD_LO)
  SECONDS(FIRST_MAD_HI)
  static_assert(chains == CHAINS, "the host's list of chains has another length");
}
