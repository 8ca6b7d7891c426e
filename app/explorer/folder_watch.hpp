#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <string>

namespace tilescope {

/// Watches a folder and all folders in it. Folders rather than files: an editor that saves by renaming a new file over
/// the old one leaves nothing behind that could be watched.
class FolderWatch {
 public:
  struct Callbacks {
    /// Something below the folder changed, and nothing more for a while: a file that is being written is left to its
    /// end. Called once at the start too.
    std::function<void()> changed;
    /// A folder cannot be watched: a sentence. Called at most once.
    std::function<void(std::string)> failed;
  };

  /// Both callbacks are called on the watch's own thread and must not throw. Throws std::runtime_error when there is no
  /// event loop to be had.
  FolderWatch(std::filesystem::path root, Callbacks callbacks);
  /// Waits for a running callback.
  ~FolderWatch();
  FolderWatch(const FolderWatch&) = delete;
  FolderWatch& operator=(const FolderWatch&) = delete;

  /// As if something had changed. From any thread.
  void look_again();

 private:
  class Loop;
  std::unique_ptr<Loop> loop_;
};

}  // namespace tilescope
