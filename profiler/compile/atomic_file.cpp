#include "profiler/compile/atomic_file.hpp"

#include <unistd.h>

#include <atomic>
#include <fstream>
#include <string>

namespace tilescope {

bool write_atomically(const std::filesystem::path& file, std::string_view bytes) {
  static std::atomic<unsigned> counter{0};
  std::error_code error;
  std::filesystem::create_directories(file.parent_path(), error);
  const std::filesystem::path temporary =
      file.string() + "." + std::to_string(getpid()) + "." + std::to_string(counter++);
  {
    std::ofstream stream(temporary, std::ios::binary);
    stream.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
    stream.close();
    if (!stream) {
      std::filesystem::remove(temporary, error);
      return false;
    }
  }
  std::filesystem::rename(temporary, file, error);
  if (!error) return true;
  std::error_code ignored;
  std::filesystem::remove(temporary, ignored);
  return false;
}

}  // namespace tilescope
