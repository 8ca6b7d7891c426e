#include "app/explorer/folder_watch.hpp"

#include <fmt/format.h>
#include <sys/stat.h>
#include <uv.h>

#include <atomic>
#include <cstdint>
#include <map>
#include <stdexcept>
#include <system_error>
#include <thread>
#include <utility>

namespace tilescope {

namespace fs = std::filesystem;

namespace {

// [ms] without a change before files are read: an editor empties a file, writes it and sets its permissions.
constexpr std::uint64_t quiet_time_ms = 60;

void check(int result, const char* what) {
  if (result != 0)
    throw std::runtime_error(
        fmt::format("the kernels' folder cannot be watched: {}: {}", what, uv_strerror(result)));
}

/// Identifies the folder at a path: a new folder of the same name must be watched again. 0 for none.
ino_t inode_of(const fs::path& folder) {
  struct stat status {};
  return ::stat(folder.c_str(), &status) == 0 && S_ISDIR(status.st_mode) ? status.st_ino : 0;
}

/// The folder, and its subfolders as far as they can be read.
std::map<fs::path, ino_t> folders_under(const fs::path& root, FolderWatch::Depth depth) {
  std::map<fs::path, ino_t> folders;
  if (const ino_t inode = inode_of(root); inode != 0) folders[root] = inode;
  if (depth == FolderWatch::Depth::folder_alone) return folders;
  std::error_code failed;
  fs::recursive_directory_iterator entry(root, fs::directory_options::skip_permission_denied, failed);
  for (; !failed && entry != fs::recursive_directory_iterator(); entry.increment(failed)) {
    if (const ino_t inode = entry->is_directory(failed) ? inode_of(entry->path()) : 0; inode != 0)
      folders[entry->path()] = inode;
  }
  return folders;
}

}  // namespace

class FolderWatch::Loop {
 public:
  Loop(fs::path root, Callbacks callbacks, Depth depth)
      : root_(std::move(root)), callbacks_(std::move(callbacks)), depth_(depth) {
    check(uv_loop_init(&loop_), "no event loop");
    check(uv_async_init(&loop_, &wake_, [](uv_async_t* handle) { owner(handle).wake_up(); }), "no wake-up");
    uv_timer_init(&loop_, &timer_);
    wake_.data = timer_.data = this;
    thread_ = std::thread([this] {
      settled();
      uv_run(&loop_, UV_RUN_DEFAULT);
    });
  }

  ~Loop() {
    stop_ = true;
    uv_async_send(&wake_);
    thread_.join();
    uv_loop_close(&loop_);
  }

  void look_again() { uv_async_send(&wake_); }

 private:
  struct Watched {
    ino_t inode = 0;
    uv_fs_event_t* handle = nullptr;
  };

  template <class Handle>
  static Loop& owner(const Handle* handle) {
    return *static_cast<Loop*>(handle->data);
  }

  void wake_up() {
    if (!stop_) return wait_for_quiet();
    for (const auto& [folder, watched] : watched_) end(watched);
    uv_close(reinterpret_cast<uv_handle_t*>(&timer_), nullptr);
    uv_close(reinterpret_cast<uv_handle_t*>(&wake_), nullptr);
  }

  void wait_for_quiet() {
    uv_timer_start(
        &timer_, [](uv_timer_t* handle) { owner(handle).settled(); }, quiet_time_ms, 0);
  }

  /// New folders are watched before the files are read, so that a save meanwhile is another change.
  void settled() {
    watch_folders();
    callbacks_.changed();
  }

  void watch_folders() {
    const std::map<fs::path, ino_t> now = folders_under(root_, depth_);
    std::erase_if(watched_, [&](const auto& entry) {
      const auto found = now.find(entry.first);
      const bool gone = found == now.end() || found->second != entry.second.inode;
      if (gone) end(entry.second);
      return gone;
    });
    for (const auto& [folder, inode] : now) {
      if (!watched_.contains(folder)) begin(folder, inode);
    }
  }

  void begin(const fs::path& folder, ino_t inode) {
    auto handle = std::make_unique<uv_fs_event_t>();
    uv_fs_event_init(&loop_, handle.get());
    handle->data = this;
    const int result = uv_fs_event_start(
        handle.get(), [](uv_fs_event_t* event, const char*, int, int) { owner(event).wait_for_quiet(); },
        folder.c_str(), 0);
    // Owned by the loop from here on, which frees it when it is closed.
    watched_[folder] = {inode, handle.release()};
    if (result == 0 || std::exchange(said_why_not_, true)) return;
    callbacks_.failed(
        fmt::format("The folder {} cannot be watched: {}. Press F5 after saving a kernel's file.",
                    folder.string(), uv_strerror(result)));
  }

  static void end(const Watched& watched) {
    uv_close(reinterpret_cast<uv_handle_t*>(watched.handle),
             [](uv_handle_t* handle) { delete reinterpret_cast<uv_fs_event_t*>(handle); });
  }

  fs::path root_;
  Callbacks callbacks_;
  Depth depth_;
  uv_loop_t loop_{};
  uv_async_t wake_{};
  uv_timer_t timer_{};
  /// Only used by the thread.
  std::map<fs::path, Watched> watched_;
  bool said_why_not_ = false;
  std::atomic<bool> stop_ = false;
  std::thread thread_;
};

FolderWatch::FolderWatch(fs::path root, Callbacks callbacks, Depth depth)
    : loop_(std::make_unique<Loop>(std::move(root), std::move(callbacks), depth)) {}

FolderWatch::~FolderWatch() = default;

void FolderWatch::look_again() {
  loop_->look_again();
}

}  // namespace tilescope
