#include "profiler/execution/memory/carried_reads.hpp"

#include <bit>

namespace tilescope {

void CarriedReads::begin(std::size_t shared_bytes) {
  shared_bytes_ = shared_bytes;
  of_byte_.clear();
  count_ = 0;
  reads_.clear();
  known_.clear();
  prepared_.clear();
}

CarriedReads::Number CarriedReads::number_of(const UnwrittenRead& read) {
  const auto [found, is_new] = known_.try_emplace({read.instruction, read.address}, Number{0});
  if (is_new) {
    reads_.push_back(read);
    found->second = static_cast<Number>(reads_.size());
  }
  return found->second;
}

void CarriedReads::prepare(std::uint64_t address, const UnwrittenRead& read) {
  prepared_.emplace_back(address, number_of(read));
}

void CarriedReads::set(std::uint64_t address, Number number) {
  if (address >= of_byte_.size()) return;
  Number& before = of_byte_[address];
  if (before == 0 && number != 0) ++count_;
  if (before != 0 && number == 0) --count_;
  before = number;
}

void CarriedReads::written(const simt::MemoryAccess& access) {
  if ((count_ == 0 && prepared_.empty()) || simt::is_atomic(access.access)) return;
  if (of_byte_.empty()) of_byte_.resize(shared_bytes_);
  for (simt::LaneMask rest = access.lanes; rest != 0; rest &= rest - 1) {
    const std::uint64_t first = access.addresses[std::countr_zero(rest)];
    for (std::uint64_t byte = 0; byte < access.lane_bytes; ++byte) set(first + byte, 0);
  }
  for (const auto& [address, number] : prepared_) set(address, number);
  prepared_.clear();
}

const UnwrittenRead* CarriedReads::at(std::uint64_t address) const {
  if (count_ == 0 || address >= of_byte_.size() || of_byte_[address] == 0) return nullptr;
  return &reads_[of_byte_[address] - 1];
}

bool CarriedReads::is_any(std::uint64_t address, std::uint64_t bytes) const {
  if (count_ == 0) return false;
  for (std::uint64_t byte = 0; byte < bytes; ++byte) {
    if (at(address + byte) != nullptr) return true;
  }
  return false;
}

bool CarriedReads::are_taken_by(const simt::MemoryAccess& load) const {
  if (count_ == 0) return false;
  for (simt::LaneMask rest = load.lanes; rest != 0; rest &= rest - 1) {
    if (is_any(load.addresses[std::countr_zero(rest)], load.lane_bytes)) return true;
  }
  return false;
}

}  // namespace tilescope
