#include "app/window/run_record.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <string>
#include <system_error>

#include "base/json.hpp"
#include "base/object_writer.hpp"
#include "base/path_form.hpp"

namespace tilescope {

namespace fs = std::filesystem;

namespace {

/// Opens and locks a record; -1 where another process holds it, or it cannot be opened.
int lock(const fs::path& file, int flags) {
  const int descriptor = open(file.c_str(), flags | O_RDWR | O_CLOEXEC, 0600);
  if (descriptor < 0) return -1;
  if (flock(descriptor, LOCK_EX | LOCK_NB) == 0) return descriptor;
  close(descriptor);
  return -1;
}

constexpr auto record_members = [](const auto& object, auto& place) {
  object.optional("session", place.session, path_form);
  object.optional("autosave", place.autosave, path_form);
};

std::optional<SessionPlace> read_record(const fs::path& file) {
  try {
    return read_members<record_members, SessionPlace>(read_json_file(file));
  } catch (const std::exception&) {
    return std::nullopt;
  }
}

}  // namespace

RunRecord::RunRecord(const fs::path& folder) {
  std::error_code failed;
  fs::create_directories(folder, failed);
  if (failed) return;
  take_left_behind(folder);
  file_ = folder / fmt::format("{}.json", getpid());
  descriptor_ = lock(file_, O_CREAT);
}

void RunRecord::take_left_behind(const fs::path& folder) {
  fs::file_time_type newest = fs::file_time_type::min();
  std::error_code failed;
  fs::directory_iterator entry(folder, failed);
  for (; !failed && entry != fs::directory_iterator(); entry.increment(failed)) {
    const fs::path file = entry->path();
    const int descriptor = lock(file, 0);
    if (descriptor < 0) {
      if (const auto place = read_record(file)) open_elsewhere_.push_back(*place);
      continue;
    }
    std::error_code ignored;
    const auto place = read_record(file);
    const auto time = fs::last_write_time(file, ignored);
    if (place && fs::exists(place->autosave, ignored) && time > newest) {
      newest = time;
      left_behind_ = place;
    }
    fs::remove(file, ignored);
    close(descriptor);
  }
}

RunRecord::~RunRecord() {
  if (descriptor_ < 0) return;
  std::error_code ignored;
  fs::remove(file_, ignored);
  close(descriptor_);
}

bool RunRecord::is_open_elsewhere(const SessionPlace& place) const {
  const auto is_same = [](const fs::path& a, const fs::path& b) { return !a.empty() && a == b; };
  return std::any_of(open_elsewhere_.begin(), open_elsewhere_.end(), [&](const SessionPlace& other) {
    return is_same(place.session, other.session) || is_same(place.autosave, other.autosave);
  });
}

void RunRecord::note(const SessionPlace& place) {
  if (descriptor_ < 0 || place == noted_) return;
  noted_ = place;
  const Json json = write_members<record_members>(place);
  const std::string text = json.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
  // In place, for the lock is on this file. A record that is cut short is as good as none.
  if (ftruncate(descriptor_, 0) != 0) return;
  if (pwrite(descriptor_, text.data(), text.size(), 0) < 0) return;
}

}  // namespace tilescope
