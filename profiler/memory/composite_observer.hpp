#pragma once

#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "profiler/ptx/observer.hpp"

namespace tilescope {

/// Forwards every call to several observers.
class CompositeObserver : public ptx::Observer {
 public:
  explicit CompositeObserver(std::vector<std::unique_ptr<ptx::Observer>> observers)
      : observers_(std::move(observers)) {}

  void begin_block(const ptx::Block& block) override {
    for (const auto& observer : observers_) observer->begin_block(block);
  }
  void access(const ptx::Warp& warp, const ptx::MemoryAccess& access) override {
    for (const auto& observer : observers_) observer->access(warp, access);
  }
  void barrier_arrival(const ptx::Warp& warp, int barrier, ptx::LaneMask lanes) override {
    for (const auto& observer : observers_) observer->barrier_arrival(warp, barrier, lanes);
  }
  void block_barrier(const ptx::Block& block, int barrier, std::span<const ptx::LaneMask> arrived,
                     std::span<const ptx::LaneMask> released) override {
    for (const auto& observer : observers_) observer->block_barrier(block, barrier, arrived, released);
  }
  void warp_barrier(const ptx::Warp& warp, ptx::LaneMask lanes) override {
    for (const auto& observer : observers_) observer->warp_barrier(warp, lanes);
  }
  void divergent_barrier(const ptx::Warp& warp, const ptx::Instruction& at, ptx::LaneMask lanes) override {
    for (const auto& observer : observers_) observer->divergent_barrier(warp, at, lanes);
  }
  /// The run continues when any of them continues.
  bool fault(const ptx::Fault& fault) override {
    bool goes_on = false;
    for (const auto& observer : observers_) goes_on |= observer->fault(fault);
    return goes_on;
  }
  void end_block(const ptx::Block& block) override {
    for (const auto& observer : observers_) observer->end_block(block);
  }

 private:
  std::vector<std::unique_ptr<ptx::Observer>> observers_;
};

}  // namespace tilescope
