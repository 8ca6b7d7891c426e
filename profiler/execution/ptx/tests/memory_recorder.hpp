#pragma once

#include <cstddef>
#include <utility>
#include <vector>

#include "profiler/execution/ptx/tests/memory_snippet.hpp"

namespace tilescope::ptx {

inline std::vector<std::byte> counting_bytes(std::size_t bytes) {
  std::vector<std::byte> data(bytes);
  for (std::size_t i = 0; i < bytes; ++i) data[i] = static_cast<std::byte>(i * 7 + i / 256 + 3);
  return data;
}

/// An access as an observer sees it.
struct SeenAccess {
  Space space;
  Access access;
  int lane_bytes, element_bytes;
  LaneMask lanes;
  std::vector<std::uint64_t> addresses;
};

/// Keeps all accesses.
class AccessRecorder : public Observer {
 public:
  explicit AccessRecorder(std::vector<SeenAccess>* seen) : seen_(seen) {}
  void access(const Warp&, const MemoryAccess& a) override {
    SeenAccess seen{a.space, a.access, a.lane_bytes, a.element_bytes, a.lanes, {}};
    for (int lane = 0; lane < lane_count; ++lane) {
      if ((a.lanes >> lane & 1u) != 0) seen.addresses.push_back(a.addresses[lane]);
    }
    seen_->push_back(std::move(seen));
  }

 private:
  std::vector<SeenAccess>* seen_;
};

}  // namespace tilescope::ptx
