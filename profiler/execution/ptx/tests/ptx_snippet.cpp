#include "profiler/execution/ptx/tests/ptx_snippet.hpp"

#include <hwy/targets.h>

#include <algorithm>
#include <cstring>
#include <sstream>
#include <stdexcept>

#include "profiler/execution/ptx/build_program.hpp"
#include "profiler/execution/ptx/parser.hpp"
#include "profiler/execution/simt/interpreter.hpp"

namespace tilescope::ptx {
namespace {

constexpr std::size_t most_threads = 1024;
constexpr std::size_t cell = 8;  // [B] of each value in memory
constexpr const char* source_names[] = {"%a", "%b", "%c", "%e"};

std::string register_of(const std::string& name, int bytes) {
  return ".reg ." + (bytes == 0 ? std::string("pred") : "b" + std::to_string(8 * bytes)) + " " + name + ";\n";
}

std::string load(const std::string& name, int bytes, std::size_t column) {
  const std::string place = "[%in+" + std::to_string(column * most_threads * cell) + "];\n";
  if (bytes == 0) return "ld.global.b32 %x, " + place + "setp.ne.u32 " + name + ", %x, 0;\n";
  return "ld.global.b" + std::to_string(8 * bytes) + " " + name + ", " + place;
}

std::string kernel_text(const std::string& form, int result_bytes,
                        const std::vector<SnippetColumn>& sources) {
  std::ostringstream text;
  text << ".version 8.6\n.target sm_90\n.address_size 64\n"
       << ".global .align 8 .b8 somewhere[64];\n"
       << ".visible .entry test(.param .u64 in, .param .u64 out)\n{\n"
       << ".reg .pred %g, %p, %q;\n.reg .b32 %x, %y;\n.reg .b64 %in, %out, %place;\n"
       << ".shared .align 8 .b8 pad[16];\n.shared .align 8 .b8 tile[64];\n"
       << register_of("%d", result_bytes);
  for (std::size_t k = 0; k < sources.size(); ++k) text << register_of(source_names[k], sources[k].bytes);
  text << "ld.param.u64 %in, [in];\nld.param.u64 %out, [out];\nmov.u32 %x, %tid.x;\n"
       << "mul.wide.u32 %place, %x, 8;\nadd.u64 %in, %in, %place;\nadd.u64 %out, %out, %place;\n"
       << load("%g", 0, 0);
  for (std::size_t k = 0; k < sources.size(); ++k) text << load(source_names[k], sources[k].bytes, k + 1);
  if (result_bytes == 0) {
    text << "setp.ne.u32 %d, 0, 0;\n";
  } else {
    text << "ld.global.b" << 8 * result_bytes << " %d, [%out];\n";
  }
  text << "@!%g bra PAST;\n" << form << "\nPAST:\n";
  if (result_bytes == 0) {
    text << "selp.b32 %x, 1, 0, %d;\nmov.b32 %y, 0;\nmov.b64 %place, {%x, %y};\nst.global.b64 [%out], "
            "%place;\n";
  } else {
    text << "st.global.b" << 8 * result_bytes << " [%out], %d;\n";
  }
  text << "ret;\n}\n";
  return text.str();
}

std::vector<std::uint64_t> run_once(const std::string& form, int result_bytes,
                                    const std::vector<SnippetColumn>& sources,
                                    const std::vector<bool>& guard) {
  if (guard.empty() || guard.size() > most_threads)
    throw std::invalid_argument("a snippet has 1 to 1024 threads");
  const Program program = build_program(parse(kernel_text(form, result_bytes, sources)), "test");
  std::vector<std::uint64_t> in((sources.size() + 1) * most_threads), out(guard.size(), snippet_poison);
  for (std::size_t thread = 0; thread < guard.size(); ++thread) {
    in[thread] = guard[thread] ? 1 : 0;
    for (std::size_t k = 0; k < sources.size(); ++k)
      in[(k + 1) * most_threads + thread] = sources[k].values.at(thread);
  }
  GlobalMemory memory;
  const auto attach = [&](const char* name, std::vector<std::uint64_t>& values) {
    return memory.attach(name, reinterpret_cast<std::byte*>(values.data()), values.size() * cell, false);
  };
  const std::uint64_t addresses[] = {attach("in", in), attach("out", out)};
  Launch launch;
  launch.block.x = static_cast<std::uint32_t>(guard.size());
  launch.parameters.resize(sizeof addresses);
  std::memcpy(launch.parameters.data(), addresses, sizeof addresses);
  RunOptions options;
  options.host_threads = 1;
  options.instructions_per_block = 100'000;
  const RunResult result = run(program, launch, memory, options);
  if (result.fault) throw std::runtime_error(form + ": " + result.fault->text);
  const std::uint64_t mask = result_bytes == 0 || result_bytes == 8
                                 ? ~std::uint64_t{0}
                                 : (std::uint64_t{1} << (8 * result_bytes)) - 1;
  for (std::uint64_t& value : out) value &= mask;
  return out;
}

// The vector targets for which the handlers are compiled and that this machine has, and the one of any x86-64 (0).
std::vector<std::int64_t> vector_targets() {
  std::vector<std::int64_t> targets = {0};
  if ((hwy::SupportedTargets() & HWY_AVX2) != 0) targets.push_back(HWY_AVX2);
  return targets;
}

}  // namespace

std::vector<std::uint64_t> run_snippet(const std::string& form, int result_bytes,
                                       const std::vector<SnippetColumn>& sources,
                                       const std::vector<bool>& guard) {
  if (guard.empty() || guard.size() > most_threads)
    throw std::invalid_argument("a snippet has 1 to 1024 threads");
  std::vector<std::uint64_t> first;
  for (const std::int64_t target : vector_targets()) {
    hwy::GetChosenTarget().Update(target);
    std::vector<std::uint64_t> out = run_once(form, result_bytes, sources, guard);
    if (first.empty()) {
      first = std::move(out);
      continue;
    }
    for (std::size_t thread = 0; thread < out.size(); ++thread) {
      if (out[thread] == first[thread]) continue;
      std::vector<std::uint64_t> bits = {first[thread], out[thread]};
      for (const SnippetColumn& column : sources) bits.push_back(column.values[thread]);
      throw std::runtime_error(
          form + ": vector target " + hwy::TargetName(target) +
          " differs from the first (first result, its result, sources): " + describe(bits));
    }
  }
  return first;
}

std::vector<SnippetColumn> all_combinations(const std::vector<SnippetColumn>& values) {
  std::size_t count = 1;
  for (const SnippetColumn& column : values) count *= column.values.size();
  std::vector<SnippetColumn> all;
  std::size_t stride = 1;
  for (const SnippetColumn& column : values) {
    SnippetColumn repeated{column.bytes, {}};
    for (std::size_t k = 0; k < count; ++k)
      repeated.values.push_back(column.values[k / stride % column.values.size()]);
    stride *= column.values.size();
    all.push_back(std::move(repeated));
  }
  return all;
}

std::vector<std::vector<SnippetColumn>> in_blocks(const std::vector<SnippetColumn>& columns) {
  std::vector<std::vector<SnippetColumn>> blocks;
  const std::size_t count = columns.at(0).values.size();
  for (std::size_t first = 0; first < count; first += most_threads) {
    const std::size_t last = std::min(first + most_threads, count);
    std::vector<SnippetColumn>& block = blocks.emplace_back();
    for (const SnippetColumn& column : columns) {
      const auto from = column.values.begin();
      block.push_back(
          {column.bytes,
           {from + static_cast<std::ptrdiff_t>(first), from + static_cast<std::ptrdiff_t>(last)}});
    }
  }
  return blocks;
}

std::string describe(const std::vector<std::uint64_t>& sources) {
  std::ostringstream text;
  for (const std::uint64_t bits : sources)
    text << (text.str().empty() ? "" : ", ") << "0x" << std::hex << bits;
  return text.str();
}

}  // namespace tilescope::ptx
