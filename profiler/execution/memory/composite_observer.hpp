#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "profiler/execution/simt/observer.hpp"
#include "profiler/execution/simt/value_follower.hpp"

namespace tilescope {

/// Forwards every call to several observers.
class CompositeObserver : public simt::Observer, public simt::ValueFollower {
 public:
  explicit CompositeObserver(std::vector<std::unique_ptr<simt::Observer>> observers)
      : observers_(std::move(observers)) {
    for (const auto& observer : observers_) {
      if (follower_ == nullptr) follower_ = dynamic_cast<simt::ValueFollower*>(observer.get());
    }
  }

  bool wants_basic_blocks() const override {
    return std::ranges::any_of(observers_,
                               [](const auto& observer) { return observer->wants_basic_blocks(); });
  }
  const bool* is_following() const override {
    return follower_ == nullptr ? nullptr : follower_->is_following();
  }
  bool wants_instructions() const override {
    return std::ranges::any_of(observers_,
                               [](const auto& observer) { return observer->wants_instructions(); });
  }
  void before(const simt::Warp& warp, const simt::Instruction& at) override {
    for (const auto& observer : observers_) observer->before(warp, at);
  }
  void after(const simt::Warp& warp, const simt::Instruction& at) override {
    for (const auto& observer : observers_) observer->after(warp, at);
  }
  void begin_block(const simt::Block& block) override {
    for (const auto& observer : observers_) observer->begin_block(block);
  }
  void basic_block(const simt::Warp& warp, std::uint32_t number) override {
    for (const auto& observer : observers_) observer->basic_block(warp, number);
  }
  void come_to(const simt::Warp& warp, const simt::Instruction& at, simt::LaneMask lanes) override {
    follower_->come_to(warp, at, lanes);
  }
  void execute(simt::Warp& warp, const simt::Instruction& at) override { follower_->execute(warp, at); }
  void access(const simt::Warp& warp, const simt::MemoryAccess& access) override {
    for (const auto& observer : observers_) observer->access(warp, access);
  }
  void constant_load(const simt::Warp& warp, const simt::Instruction& at,
                     std::span<const std::uint32_t, simt::lane_count> index) override {
    for (const auto& observer : observers_) observer->constant_load(warp, at, index);
  }
  void barrier_arrival(const simt::Warp& warp, int barrier, simt::LaneMask lanes) override {
    for (const auto& observer : observers_) observer->barrier_arrival(warp, barrier, lanes);
  }
  void block_barrier(const simt::Block& block, int barrier, std::span<const simt::LaneMask> arrived,
                     std::span<const simt::LaneMask> released) override {
    for (const auto& observer : observers_) observer->block_barrier(block, barrier, arrived, released);
  }
  void warp_barrier(const simt::Warp& warp, simt::LaneMask lanes) override {
    for (const auto& observer : observers_) observer->warp_barrier(warp, lanes);
  }
  void fence(const simt::Warp& warp, const simt::Instruction& at) override {
    for (const auto& observer : observers_) observer->fence(warp, at);
  }
  void member_mask(const simt::Warp& warp, const simt::Instruction& at, simt::LaneMask lanes) override {
    for (const auto& observer : observers_) observer->member_mask(warp, at, lanes);
  }
  void shuffle(const simt::Warp& warp, const simt::Instruction& at,
               std::span<const std::int32_t, simt::lane_count> sources) override {
    for (const auto& observer : observers_) observer->shuffle(warp, at, sources);
  }
  void divergent_barrier(const simt::Warp& warp, const simt::Instruction& at, simt::LaneMask lanes) override {
    for (const auto& observer : observers_) observer->divergent_barrier(warp, at, lanes);
  }
  void probe(const simt::Warp& warp, const simt::Probe& probe) override {
    for (const auto& observer : observers_) observer->probe(warp, probe);
  }
  /// The run continues when any of them continues.
  bool fault(const simt::Fault& fault) override {
    bool goes_on = false;
    for (const auto& observer : observers_) goes_on |= observer->fault(fault);
    return goes_on;
  }
  void end_block(const simt::Block& block) override {
    for (const auto& observer : observers_) observer->end_block(block);
  }

 private:
  std::vector<std::unique_ptr<simt::Observer>> observers_;
  // The first one of them, since an instruction is executed once.
  simt::ValueFollower* follower_ = nullptr;
};

}  // namespace tilescope
