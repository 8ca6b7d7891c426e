#include "profiler/execution/simt/memory/async_copies.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

#include "profiler/execution/simt/block.hpp"

namespace tilescope::simt {
namespace {

// A kernel that never waits must not fill the machine's memory. Beyond this many pending copies the oldest is written,
// as a GPU would have done long before.
constexpr std::size_t most_pending = 4096;

template <std::size_t bytes>
void write_lanes(const AsyncCopies::Copy& copy, LaneMask lanes, std::byte* shared) {
  for (std::size_t lane = 0; lane < lane_count; ++lane) {
    if ((lanes >> lane & 1u) == 0) continue;
    std::memcpy(shared + copy.destination[lane], copy.data.data() + lane * 16, bytes);
  }
}

void write(Warp& warp, const AsyncCopies::Copy& copy, LaneMask lanes) {
  Block& block = warp.block();
  if (block.observer != nullptr) {
    std::array<std::uint64_t, lane_count> addresses{};
    std::copy(copy.destination.begin(), copy.destination.end(), addresses.begin());
    block.observer->access(warp, {.instruction = copy.instruction,
                                  .space = Space::shared,
                                  .access = Access::async_copy_write,
                                  .lane_bytes = static_cast<std::uint8_t>(copy.bytes),
                                  .element_bytes = static_cast<std::uint8_t>(copy.bytes),
                                  .lanes = lanes,
                                  .addresses = addresses.data()});
  }
  std::byte* shared = block.shared.data();
  if (copy.bytes == 16) return write_lanes<16>(copy, lanes, shared);
  if (copy.bytes == 8) return write_lanes<8>(copy, lanes, shared);
  write_lanes<4>(copy, lanes, shared);
}

}  // namespace

bool AsyncCopies::Copy::operator==(const Copy& other) const {
  if (instruction != other.instruction || lanes != other.lanes || bytes != other.bytes) return false;
  for (std::size_t lane = 0; lane < lane_count; ++lane) {
    if ((lanes >> lane & 1u) == 0) continue;
    if (destination[lane] != other.destination[lane] || group[lane] != other.group[lane]) return false;
    if (std::memcmp(data.data() + lane * 16, other.data.data() + lane * 16, bytes) != 0) return false;
  }
  return true;
}

AsyncCopies::AsyncCopies(const AsyncCopies& other) : open_group_(other.open_group_) {
  pending_.reserve(other.pending_.size());
  for (const auto& copy : other.pending_) pending_.push_back(std::make_unique<Copy>(*copy));
}

AsyncCopies& AsyncCopies::operator=(const AsyncCopies& other) {
  AsyncCopies copy(other);
  std::swap(open_group_, copy.open_group_);
  std::swap(pending_, copy.pending_);
  return *this;
}

bool AsyncCopies::operator==(const AsyncCopies& other) const {
  return open_group_ == other.open_group_ &&
         std::ranges::equal(pending_, other.pending_, [](const auto& a, const auto& b) { return *a == *b; });
}

AsyncCopies::Copy& AsyncCopies::issue(Warp& warp, const Instruction& instruction, LaneMask lanes,
                                      std::uint32_t bytes) {
  if (pending_.size() == most_pending) {
    write(warp, *pending_.front(), pending_.front()->lanes);
    spare_.push_back(std::move(pending_.front()));
    pending_.erase(pending_.begin());
  }
  if (spare_.empty()) spare_.push_back(std::make_unique<Copy>());
  pending_.push_back(std::move(spare_.back()));
  spare_.pop_back();
  Copy& copy = *pending_.back();
  copy.instruction = &instruction;
  copy.lanes = lanes;
  copy.bytes = bytes;
  copy.group = open_group_;
  return copy;
}

void AsyncCopies::commit(LaneMask lanes) {
  for (std::size_t lane = 0; lane < lane_count; ++lane) open_group_[lane] += lanes >> lane & 1u;
}

void AsyncCopies::wait(Warp& warp, LaneMask lanes, std::uint32_t pending) {
  Groups first_pending;
  for (std::size_t lane = 0; lane < lane_count; ++lane) {
    first_pending[lane] = open_group_[lane] - std::min(open_group_[lane], pending);
  }
  complete(warp, lanes, first_pending);
}

void AsyncCopies::wait_all(Warp& warp, LaneMask lanes) {
  commit(lanes);
  complete(warp, lanes, open_group_);
}

void AsyncCopies::complete(Warp& warp, LaneMask lanes, const Groups& first_pending) {
  std::size_t kept = 0;
  for (auto& copy : pending_) {
    LaneMask done = 0;
    for (std::size_t lane = 0; lane < lane_count; ++lane) {
      done |= static_cast<LaneMask>(copy->group[lane] < first_pending[lane] ? 1u : 0u) << lane;
    }
    done &= copy->lanes & lanes;
    if (done != 0) write(warp, *copy, done);
    copy->lanes &= ~done;
    if (copy->lanes == 0) {
      spare_.push_back(std::move(copy));
    } else {
      pending_[kept++] = std::move(copy);
    }
  }
  pending_.resize(kept);
}

}  // namespace tilescope::simt
