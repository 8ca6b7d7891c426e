#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <string>

namespace tilescope {

/// Watches a folder, and all folders in it unless it is to watch that one alone. It watches folders rather than files, because an editor that saves by
/// renaming a new file over the old one removes the watched file.
class FolderWatch {
 public:
  enum class Depth { all_folders, folder_alone };
  struct Callbacks {
    /// Called after a change below the folder, when nothing has changed for a while, so that files are completely
    /// written. Also called once at the start.
    std::function<void()> changed;
    /// Called with a sentence when a folder cannot be watched, at most once.
    std::function<void(std::string)> failed;
  };

  /// Both callbacks are called on the watch's own thread and must not throw. Throws std::runtime_error when no event
  /// loop can be made.
  FolderWatch(std::filesystem::path root, Callbacks callbacks, Depth depth = Depth::all_folders);
  /// Waits for a running callback.
  ~FolderWatch();
  FolderWatch(const FolderWatch&) = delete;
  FolderWatch& operator=(const FolderWatch&) = delete;

  /// Acts as if something had changed. May be called from any thread.
  void look_again();

 private:
  class Loop;
  std::unique_ptr<Loop> loop_;
};

}  // namespace tilescope
