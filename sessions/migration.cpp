#include "sessions/migration.hpp"

#include <array>
#include <stdexcept>
#include <string>
#include <utility>

#include "sessions/session.hpp"

namespace tilescope {
namespace {

// A new version of the format adds its step here and a file of the version before it to tests/fixtures.
constexpr std::array<Migration, session_format_version - 1> steps_to_now{};

}  // namespace

Json migrated(Json document, int version, std::span<const Migration> steps) {
  for (std::size_t index = static_cast<std::size_t>(version - 1); index < steps.size(); ++index) {
    try {
      document = steps[index](std::move(document));
    } catch (const std::exception& error) {
      throw std::runtime_error("migrating from format " + std::to_string(index + 1) + ": " + error.what());
    }
  }
  return document;
}

std::span<const Migration> session_migrations() {
  return steps_to_now;
}

}  // namespace tilescope
