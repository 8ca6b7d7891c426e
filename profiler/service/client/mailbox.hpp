#pragma once

#include <cstddef>
#include <functional>
#include <mutex>
#include <utility>
#include <vector>

namespace tilescope {

/// Calls handed over by other threads, which run on the window's thread in their order.
class Mailbox {
 public:
  /// `wake` is called from another thread whenever there is something to drain (glfwPostEmptyEvent).
  explicit Mailbox(std::function<void()> wake) : wake_(std::move(wake)) {}

  /// From any thread.
  void put(std::function<void()> call);
  /// From any thread: something else changed, such as a stage that is shown.
  void wake() const {
    if (wake_) wake_();
  }
  /// On the window's thread: runs what is there, unlocked. A call may put further ones, which wait for the next drain.
  /// Returns how many ran.
  std::size_t drain();

 private:
  std::function<void()> wake_;
  std::mutex mutex_;
  std::vector<std::function<void()>> calls_;
};

}  // namespace tilescope
