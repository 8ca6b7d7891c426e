#include "profiler/execution/sass/tests/random_programs/random_program.hpp"

#include <fmt/format.h>

#include <random>
#include <utility>

#include "profiler/execution/sass/tests/random_programs/random_expressions.hpp"

namespace tilescope::random_programs {
namespace {

// Writes one module.
class Writer {
 public:
  explicit Writer(std::uint64_t seed) : expressions_(seed) {}

  RandomProgram write(int kernels) {
    text_ = helpers;
    const int functions = 1 + static_cast<int>(expressions_.below(3));
    for (int i = 0; i < functions; ++i) write_function(i);
    RandomProgram program;
    for (int i = 0; i < kernels; ++i) {
      program.entries.push_back(fmt::format("kernel_{}", i));
      write_kernel(program.entries.back());
    }
    program.source = std::move(text_);
    return program;
  }

 private:
  void line(const std::string& one) { text_ += std::string(2 * indent_, ' ') + one + "\n"; }
  std::string make(Type type, int depth = 2) { return expressions_.expression(type, depth); }
  unsigned below(unsigned count) { return expressions_.below(count); }
  bool one_in(unsigned count) { return expressions_.one_in(count); }
  std::string a_variable(Type type) { return expressions_.variable(type); }

  void declare_variables(const std::string& seed) {
    line("int a0 = " + seed + ", a1 = (int)in[(" + seed + ") & 1023], a2 = (int)in[(3 * " + seed +
         " + 1) & 1023], a3 = 5;");
    line("unsigned u0 = in[(7 * a0 + 2) & 1023], u1 = a1 ^ 0x1234, u2 = a0 * 77u, u3 = 9;");
    line("long long l0 = (long long)a1 << 20 | u0, l1 = a2;");
    line("unsigned long long m0 = (unsigned long long)u0 << 32 | u1, m1 = u2;");
    line("float f0 = __uint_as_float(in[(5 * a0 + 3) & 1023]), f1 = (float)a2, f2 = 0.75f;");
    line("double d0 = (double)a1, d1 = 1.0 / 3.0;");
    line("unsigned h0 = in[(9 * a0 + 4) & 1023], h1 = pack_halves(1.5f, f2);");
    line("int local[8];");
    line("for (int k = 0; k < 8; ++k) local[k] = a1 + k * a0;");
  }

  // A function calls only those before it.
  void write_function(int number) {
    line(fmt::format(
        "__device__ __noinline__ int function_{}(int p, float q, long long r, const unsigned* in) {{",
        number));
    ++indent_;
    declare_variables("(p & 1023)");
    line("f1 = q; l1 = r; a3 = p;");
    may_return_ = true;
    is_function_ = true;
    statements(2 + below(3), 2);
    line("return a0 ^ a1 ^ a2 ^ (int)u0 ^ (int)l0 ^ (int)bits(f0 + f1);");
    is_function_ = false;
    --indent_;
    line("}");
    expressions_.functions = number + 1;
  }

  void write_kernel(const std::string& name) {
    line("extern \"C\" __global__ void " + name + "(const unsigned* __restrict__ in, unsigned* out) {");
    ++indent_;
    line(fmt::format("__shared__ unsigned shared[{0}];", block_threads));
    line("__shared__ unsigned counters[8];");
    line("const int thread = threadIdx.x, lane = thread & 31;");
    line("const int place = blockIdx.x * blockDim.x + thread;");
    line(fmt::format("unsigned* own = out + {} * place;", words_of_thread));
    line(fmt::format("unsigned* global_counters = out + {};", output_words - counter_words));
    line("if (thread < 8) counters[thread] = 0;");
    line("__syncthreads();");
    declare_variables("place");
    may_return_ = false;
    const unsigned parts = 2 + below(3);
    for (unsigned i = 0; i < parts; ++i) {
      statements(1 + below(3), 3);
      together();
    }
    line("__syncthreads();");
    line("if (thread < 8) atomicAdd(&global_counters[thread], counters[thread]);");
    may_return_ = true;
    statements(2 + below(3), 2);
    store_all();
    --indent_;
    line("}");
  }

  void store_all() {
    line("own[0] = a0; own[1] = a1; own[2] = a2; own[3] = a3; own[4] = u0 ^ u1; own[5] = u2 ^ u3;");
    line("own[6] = (unsigned)l0 ^ (unsigned)(l1 >> 32); own[7] = (unsigned)(m0 >> 32) ^ (unsigned)m1;");
    line("own[8] = bits(f0); own[9] = bits(f1) ^ bits(f2); own[10] = (unsigned)(bits(d0) ^ bits(d1) >> 32);");
    line("own[11] = bits_of_halves(h0) ^ bits_of_halves(h1) ^ local[a0 & 7];");
  }

  void statements(unsigned count, int depth) {
    for (unsigned i = 0; i < count; ++i) statement(depth);
  }

  void statement(int depth) {
    const unsigned kind = depth > 0 ? below(12) : below(5);
    if (kind < 5) return assignment();
    if (kind == 5 && may_return_ && one_in(3)) return early_return();
    if (kind < 8) return branch(depth);
    if (kind == 8) return counted_loop(depth);
    if (kind == 9) return guarded_loop(depth);
    if (kind == 10) return choice(depth);
    return is_function_ ? assignment() : reduction();
  }

  void assignment() {
    constexpr Type types[] = {Type::i32, Type::i32, Type::u32, Type::u32, Type::i64,
                              Type::u64, Type::f32, Type::f32, Type::f64, Type::halves};
    if (one_in(8)) return line(fmt::format("local[{} & 7] = {};", make(Type::u32, 1), make(Type::i32)));
    const Type type = types[below(std::size(types))];
    line(a_variable(type) + " = " + make(type, 1 + static_cast<int>(below(3))) + ";");
  }

  void block(int depth) {
    ++indent_;
    statements(1 + below(3), depth - 1);
    --indent_;
  }

  void branch(int depth) {
    line("if (" + make(Type::truth) + ") {");
    block(depth);
    if (one_in(2)) {
      line("} else {");
      block(depth);
    }
    line("}");
  }

  void leave_loop() {
    if (one_in(2)) line("  if (" + make(Type::truth) + ") " + (one_in(2) ? "break;" : "continue;"));
  }

  void counted_loop(int depth) {
    const std::string k = fmt::format("k{}", loops_++);
    line(fmt::format("for (int {0} = 0; {0} < ({1} & {2}); ++{0}) {{", k, make(Type::i32, 1),
                     3 + 2 * below(3)));
    leave_loop();
    block(depth);
    line("  a1 += " + k + " * u1;");
    leave_loop();
    line("}");
  }

  void guarded_loop(int depth) {
    const std::string k = fmt::format("k{}", loops_++);
    line(fmt::format("for (int {0} = 0; {0} < {1} && {2}; ++{0}) {{", k, 2 + below(8), make(Type::truth)));
    block(depth);
    leave_loop();
    line("}");
  }

  void choice(int depth) {
    line("switch (" + make(Type::u32) + " & 7) {");
    const unsigned cases = 3 + below(6);
    for (unsigned i = 0; i < cases; ++i) {
      line(fmt::format("  case {}:", i));
      block(depth);
      if (!one_in(4)) line("    break;");
    }
    line("  default: a2 += 3;");
    line("}");
  }

  void early_return() {
    line("if (" + make(Type::truth) + ") {");
    ++indent_;
    if (is_function_) {
      line("return " + make(Type::i32) + ";");
    } else {
      store_all();
      line("return;");
    }
    --indent_;
    line("}");
  }

  // Atomics without a result, and one on a word of the thread's own.
  void reduction() {
    if (one_in(4)) {
      return line(fmt::format("own[{0}] = u0 & 3; a2 ^= atomicCAS(&own[{0}], {1} & 3, u1);", below(12),
                              make(Type::u32, 1)));
    }
    if (one_in(2))
      return line(fmt::format("atomicAdd(&counters[{}], {});", below(8), one_in(2) ? "1u" : make(Type::u32)));
    constexpr const char* functions[] = {"Add", "Max", "Min", "Or", "Xor", "And"};
    const unsigned word =
        below(counter_words - 8);  // each has one function, so that their order does not matter
    line(fmt::format("atomic{}(&global_counters[{}], {});", functions[word % std::size(functions)], 8 + word,
                     make(Type::u32)));
  }

  // Writes operations that all threads of a block do together.
  void together() {
    switch (below(9)) {
      case 0:
        line("shared[thread] = " + make(Type::u32) + ";");
        line("__syncthreads();");
        line(fmt::format("u{} ^= shared[({}) % {}u];", below(4), make(Type::u32, 1), block_threads));
        return line("__syncthreads();");
      case 1:
        return line(fmt::format("if (thread < 64) {} += __shfl_sync(~0u, {}, {});", a_variable(Type::i32),
                                make(Type::i32), make(Type::i32, 1)));
      case 2:
        return line(fmt::format("if (thread < 64) {} = __shfl_{}_sync(~0u, {}, {});", a_variable(Type::f32),
                                one_in(2) ? "xor" : "down", make(Type::f32), 1 + below(16)));
      case 3:
        return line(fmt::format("if (thread < 64) u{} += __ballot_sync(~0u, {}) >> (lane & 7);", below(4),
                                make(Type::truth)));
      case 4:
        return line(fmt::format("if (thread < 64) a{} ^= __{}_sync(~0u, {} & 3);", below(4),
                                one_in(2) ? "match_any" : "reduce_add", make(Type::u32)));
      case 5:
        return line(fmt::format("a{} += __syncthreads_{}({});", below(4), one_in(2) ? "count" : "or",
                                make(Type::truth)));
      case 6:  // parts of a warp, each with its own mask
        return line(fmt::format("if (thread < 64) u{} += __{}_sync(0xffu << (lane & 24), {} & 5);", below(4),
                                one_in(3)   ? "all"
                                : one_in(2) ? "ballot"
                                            : "reduce_add",
                                make(Type::u32)));
      case 7:
        if (one_in(2))
          return line(fmt::format("if (thread < 64) a{} ^= __match_any_sync(0xffu << (lane & 24), {} & 3);",
                                  below(4), make(Type::i32)));
        return line(fmt::format("if (thread < 64) a{} ^= __shfl_xor_sync(0xffu << (lane & 24), {}, 5);",
                                below(4), make(Type::i32)));
      default: {
        const unsigned lanes = 3 + below(28);
        return line(
            fmt::format("if (lane < {0} && thread < 64) u{1} = __shfl_sync({2:#x}u, {3}, ({4}) % {0}u);",
                        lanes, below(4), (1u << lanes) - 1, make(Type::u32), make(Type::u32, 1)));
      }
    }
  }

  Expressions expressions_;
  std::string text_;
  std::size_t indent_ = 0;
  unsigned loops_ = 0;
  bool may_return_ = false, is_function_ = false;
};

}  // namespace

RandomProgram random_program(std::uint64_t seed, int kernels) {
  return Writer(seed).write(kernels);
}

std::vector<std::uint32_t> random_input(std::uint64_t seed) {
  std::mt19937_64 random(seed ^ 0x5eed);
  constexpr std::uint32_t chosen[] = {0,          1,          0xffffffff, 0x80000000, 0x7fffffff, 0x3f800000,
                                      0xbf800000, 0x7f800000, 0xff800000, 0x7fc00000, 0x00000001, 0x00800000,
                                      0x7f7fffff, 0x4b000000, 0x3c00bc00, 0x7bff0001};
  std::vector<std::uint32_t> words(input_words);
  for (std::uint32_t& word : words) {
    const auto any = static_cast<std::uint32_t>(random());
    switch (random() % 4) {
      case 0:
        word = any % 100;
        break;
      case 1:
        word = any;
        break;
      case 2:  // a float of a moderate size
        word = (any & 0x80ffffff) | 0x3e000000;
        break;
      default:
        word = chosen[any % std::size(chosen)];
    }
  }
  return words;
}

}  // namespace tilescope::random_programs
