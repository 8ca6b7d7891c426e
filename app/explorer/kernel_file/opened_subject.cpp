#include "app/explorer/kernel_file/opened_subject.hpp"

#include <exception>
#include <system_error>

#include "profiler/measure/files/read_subject.hpp"
#include "profiler/measure/open/launch_sidecar.hpp"

namespace tilescope {

std::variant<FileSubject, std::string> read_opened_subject(const std::filesystem::path& file,
                                                           bool has_choices) {
  std::error_code ignored;
  const std::filesystem::path sidecar = launch_sidecar(file);
  const bool is_declared = !has_choices && std::filesystem::exists(sidecar, ignored);
  try {
    return read_subject(file, is_declared ? sidecar : std::filesystem::path());
  } catch (const std::exception& error) {
    return std::string(error.what());
  }
}

}  // namespace tilescope
