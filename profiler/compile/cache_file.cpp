#include "profiler/compile/cache_file.hpp"

#include <system_error>

#include "sessions/atomic_file.hpp"

namespace tilescope {

bool write_cache_file(const std::filesystem::path& file, std::string_view bytes) {
  try {
    std::filesystem::create_directories(file.parent_path());
    replace_file(file, {bytes});
    return true;
  } catch (const std::system_error&) {
    return false;
  }
}

}  // namespace tilescope
