#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>

#include "app/commands/command.hpp"
#include "profiler/kernels/catalogue/catalogue.hpp"
#include "sessions/session.hpp"

namespace tilescope {

/// An operand of `compare`: "flash_scalar:BLOCK_M=64,SMEM_LAYOUT=padded", a kernel with some parameters, or
/// "tune.json:kernel=flash_scalar,BLOCK_M=64", the points of a session with these.
struct ComparedSide {
  /// As it was given.
  std::string text;
  /// A kernel's name or file, or a session's file.
  std::string name;
  bool is_session = false;
  /// "kernel" is none of them.
  Configuration parameters;
  /// Kernel that a session's points must have; "" for any.
  std::string kernel;
  /// Shape that a session's points must have; none for any.
  std::optional<Shape> shape{};
};

/// A session has no correct point that a side means.
class NoFittingPoint : public WrongUsage {
 public:
  using WrongUsage::WrongUsage;
};

/// Throws WrongUsage for a text of another form.
ComparedSide read_compared_side(const std::string& text);

/// The session's point that a side means: of those that fit, the correct one with the shortest measured latency, or else
/// the shortest predicted one. Throws NoFittingPoint where none fits.
SharedMeasurement chosen_point(const ComparedSide& side, const Session& session);

/// Warns that a side without a kernel, the best point of `session`, is of another kernel than the other side; "" where it is
/// not.
std::string other_kernel_warning(const std::string& letter, const ComparedSide& side, const Session& session,
                                 const Measurement& chosen, const Measurement& other);

/// The experiment of a side that names a kernel, under these conditions. Throws WrongUsage.
Experiment experiment_of(const ComparedSide& side, const Catalogue& catalogue, Experiment conditions);

}  // namespace tilescope
