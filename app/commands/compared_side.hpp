#pragma once

#include <filesystem>
#include <memory>
#include <string>

#include "profiler/catalogue/catalogue.hpp"
#include "sessions/session.hpp"

namespace tilescope {

/// What one operand of `compare` names: "flash_scalar:BLOCK_M=64,SMEM_LAYOUT=padded", a kernel with some parameters, or
/// "tune.json:kernel=flash_scalar,BLOCK_M=64", the points of a session with these.
struct ComparedSide {
  /// As it was given.
  std::string text;
  /// A kernel's name or file, or a session's file.
  std::string name;
  bool is_session = false;
  /// "kernel" is none of them.
  Configuration parameters;
  /// Of a session: that the points must have; "" for any.
  std::string kernel;
};

/// Throws WrongUsage for a text of another form.
ComparedSide read_compared_side(const std::string& text);

/// The session's point that a side means: of those that fit, the correct one with the shortest measured latency, or else
/// the shortest predicted one. Throws WrongUsage where none fits.
std::shared_ptr<const Measurement> chosen_point(const ComparedSide& side, const Session& session);

/// The experiment of a side that names a kernel, under these conditions. Throws WrongUsage.
Experiment experiment_of(const ComparedSide& side, const Catalogue& catalogue, Experiment conditions);

}  // namespace tilescope
