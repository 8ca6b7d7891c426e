#pragma once

#include <span>

#include "base/json_fwd.hpp"

namespace tilescope {

/// Turns a document of one version of the session format into the next one.
using Migration = Json (*)(Json document);

/// Takes a document from `version` through every later step: steps[0] leads from version 1 to 2. An exception
/// of a step gains the step's version.
Json migrated(Json document, int version, std::span<const Migration> steps);

/// The steps from version 1 to the one that this program writes.
std::span<const Migration> session_migrations();

}  // namespace tilescope
