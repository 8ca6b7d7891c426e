#include "app/explorer/kernel_file/opened_subject.hpp"

#include <exception>
#include <system_error>

#include "base/regular_file.hpp"
#include "profiler/measure/files/read_subject.hpp"
#include "profiler/measure/open/launch_sidecar.hpp"

namespace tilescope {

std::variant<OpenedSubject, std::string> read_opened_subject(const std::filesystem::path& file,
                                                             bool has_choices) {
  std::error_code ignored;
  const std::filesystem::path sidecar = launch_sidecar(file);
  const bool has_sidecar = std::filesystem::exists(sidecar, ignored);
  const bool is_declared = has_sidecar && !has_choices;
  try {
    OpenedSubject opened{read_subject(file, is_declared ? sidecar : std::filesystem::path())};
    if (has_sidecar && has_choices)
      opened.left_aside =
          SentFile{std::filesystem::absolute(sidecar).string(), read_regular_file(sidecar, sent_file_limit)};
    return opened;
  } catch (const std::exception& error) {
    return std::string(error.what());
  }
}

}  // namespace tilescope
