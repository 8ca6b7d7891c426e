#pragma once

#include <cstdint>
#include <exception>
#include <memory>

#include "profiler/service/requests/record_block.hpp"
#include "profiler/views/memory/recorded_block.hpp"

namespace tilescope {

/// The request for every access of one block. `block` is linear.
RecordBlock::Params every_access(const Experiment& experiment, std::uint64_t block);

/// A block whose pieces are arriving. Until it is complete, one thread at a time uses it: reading a million accesses
/// takes longer than a frame.
class ArrivingBlock {
 public:
  /// `kernel` and `device` as they are when the block is asked for.
  ArrivingBlock(const RecordBlock::Params& asked, KernelDeclaration kernel, DeviceModel device);

  /// Keeps the reason where a piece cannot be read.
  void append(const Json& piece);
  /// The block, summed up. Throws std::exception where it cannot be read.
  std::shared_ptr<RecordedBlock> complete(const RecordingSummary& summary);

 private:
  std::shared_ptr<RecordedBlock> recorded_ = std::make_shared<RecordedBlock>();
  KernelDeclaration kernel_;
  DeviceModel device_;
  /// Error of the first piece that cannot be read; nullptr where all can.
  std::exception_ptr problem_;
};

}  // namespace tilescope
