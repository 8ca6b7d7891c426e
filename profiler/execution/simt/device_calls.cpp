#include "profiler/execution/simt/device_calls.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <utility>

#include "profiler/execution/simt/memory/lane_access.hpp"
#include "profiler/execution/simt/printf_format.hpp"

namespace tilescope::simt {
namespace {

// Longer than any text that a kernel's source has: a text without its end stops here.
constexpr std::size_t most_text_bytes = 16 * 1024;

// A text that ends with a zero byte, or at the end of its memory; "" where there is none.
std::string text_at(const Warp& warp, unsigned lane, std::uint64_t address) {
  const std::span<const std::byte> memory = readable_memory(warp, lane, address);
  const auto* begin = reinterpret_cast<const char*>(memory.data());
  return memory.empty() ? "" : std::string(begin, strnlen(begin, std::min(memory.size(), most_text_bytes)));
}

std::uint32_t thread_of(const Warp& warp, unsigned lane) {
  return warp.first_thread() + lane;
}

[[noreturn]] void fail(const Warp& warp, const Instruction& call, unsigned lane, std::string text) {
  throw BlockFault{{FaultKind::trap, call.origin, {}, thread_of(warp, lane), 0, std::move(text)}};
}

}  // namespace

std::int32_t print(Warp& warp, const Instruction& call, unsigned lane, std::uint64_t format,
                   std::uint64_t arguments) {
  Block& block = warp.block();
  if (format == 0) return -1;
  std::uint64_t at = arguments;
  const PrintfArguments read{
      .next =
          [&](int bytes) {
            const auto size = static_cast<std::uint64_t>(bytes);
            at = (at + size - 1) / size * size;
            const std::span<const std::byte> memory = readable_memory(warp, lane, at);
            if (memory.size() < size) {
              fail(warp, call, lane,
                   fmt::format("thread {}: printf at {} has more conversions than arguments",
                               thread_of(warp, lane), describe_place(*block.program, call)));
            }
            std::uint64_t bits = 0;
            std::memcpy(&bits, memory.data(), size);
            at += size;
            return bits;
          },
      .text_at = [&](std::uint64_t address) { return text_at(warp, lane, address); }};
  Printed printed = format_printf(text_at(warp, lane, format), read);
  if (block.printed == nullptr) return printed.arguments;
  const bool has_room = block.printed->add({block.linear_index,
                                            {block.index.x, block.index.y, block.index.z},
                                            thread_of(warp, lane),
                                            call.origin,
                                            std::move(printed.text)});
  return has_room ? printed.arguments : -2;
}

void fail_assertion(const Warp& warp, const Instruction& call, unsigned lane,
                    const FailedAssertion& assertion) {
  const std::string function = text_at(warp, lane, assertion.function);
  fail(warp, call, lane,
       fmt::format("thread {}: the assertion '{}' failed at {} ({}:{}{})", thread_of(warp, lane),
                   text_at(warp, lane, assertion.expression), describe_place(*warp.block().program, call),
                   text_at(warp, lane, assertion.file), assertion.line,
                   function.empty() ? "" : ", in " + function));
}

}  // namespace tilescope::simt
