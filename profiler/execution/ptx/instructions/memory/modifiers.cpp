#include "profiler/execution/ptx/instructions/memory/modifiers.hpp"

#include <string_view>
#include <utility>

namespace tilescope::ptx {

Space take_space(Decoder& decoder) {
  constexpr std::pair<std::string_view, Space> names[] = {
      {"global", Space::global},      {"shared", Space::shared},     {"shared::cta", Space::shared},
      {"local", Space::local},        {"param::func", Space::local}, {"param", Space::param},
      {"param::entry", Space::param}, {"const", Space::constant},
  };
  for (const auto& [name, space] : names) {
    if (decoder.take(name)) return decoder.data().space = space;
  }
  return Space::generic;
}

void take_cache_and_order(Decoder& decoder) {
  constexpr std::string_view ignored[] = {
      "weak",
      "cta",
      "cluster",
      "gpu",
      "sys",
      "ca",
      "cg",
      "cs",
      "lu",
      "cv",
      "wb",
      "wt",
      "nc",
      "L1::evict_normal",
      "L1::evict_unchanged",
      "L1::evict_first",
      "L1::evict_last",
      "L1::no_allocate",
      "L2::evict_normal",
      "L2::evict_first",
      "L2::evict_last",
      "L2::64B",
      "L2::128B",
      "L2::256B",
  };
  for (const std::string_view word : ignored) decoder.take(word);
  for (const std::string_view word : {"volatile", "relaxed", "acquire", "mmio"}) {
    if (decoder.take(word)) decoder.data().is_strong = true;
  }
  for (const std::string_view word : {"release", "acq_rel"}) {
    if (decoder.take(word)) decoder.data().is_strong = decoder.data().releases = true;
  }
  if (decoder.take("L2::cache_hint")) decoder.take_operand(decoder.operand_count() - 1);
}

}  // namespace tilescope::ptx
