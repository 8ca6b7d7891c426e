#include "profiler/service/client/mailbox.hpp"

#include <utility>

namespace tilescope {

void Mailbox::put(std::function<void()> call) {
  {
    const std::lock_guard lock(mutex_);
    calls_.push_back(std::move(call));
  }
  wake();
}

std::size_t Mailbox::drain() {
  std::vector<std::function<void()>> calls;
  {
    const std::lock_guard lock(mutex_);
    calls.swap(calls_);
  }
  for (const auto& call : calls) call();
  return calls.size();
}

}  // namespace tilescope
