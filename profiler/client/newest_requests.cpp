#include "profiler/client/newest_requests.hpp"

namespace tilescope {

bool NewestRequests::State::is_newest(const std::string& tag, std::uint64_t serial) const {
  const std::lock_guard lock(mutex);
  const auto found = newest.find(tag);
  return found != newest.end() && found->second == serial;
}

bool NewestRequests::State::finish(const std::string& tag, std::uint64_t serial) {
  const std::lock_guard lock(mutex);
  const auto slot = slots.find(tag);
  if (slot == slots.end() || slot->second.serial != serial) return false;
  slots.erase(slot);
  return true;
}

void NewestRequests::State::progress(const std::string& tag, std::uint64_t serial, const std::string& stage) {
  {
    const std::lock_guard lock(mutex);
    const auto slot = slots.find(tag);
    if (slot == slots.end() || slot->second.serial != serial || slot->second.stage == stage) return;
    slot->second.stage = stage;
  }
  mailbox->wake();
}

NewestRequests::NewestRequests(Client& client, Mailbox& mailbox)
    : client_(client), state_(std::make_shared<State>()) {
  state_->mailbox = &mailbox;
}

std::uint64_t NewestRequests::begin(const std::string& tag) {
  cancel(tag);
  const std::lock_guard lock(state_->mutex);
  const std::uint64_t serial = ++state_->last_serial;
  state_->slots[tag].serial = serial;
  state_->newest[tag] = serial;
  return serial;
}

void NewestRequests::began(const std::string& tag, std::uint64_t serial, Client::RequestId id) {
  const std::lock_guard lock(state_->mutex);
  const auto slot = state_->slots.find(tag);
  if (slot == state_->slots.end() || slot->second.serial != serial) return;
  slot->second.id = id;
  slot->second.id_known = true;
}

void NewestRequests::cancel(const std::string& tag) {
  Client::RequestId id = 0;
  {
    const std::lock_guard lock(state_->mutex);
    state_->newest.erase(tag);
    const auto slot = state_->slots.find(tag);
    if (slot == state_->slots.end()) return;
    const bool known = slot->second.id_known;
    id = slot->second.id;
    state_->slots.erase(slot);
    if (!known) return;
  }
  client_.cancel(id);
}

std::string NewestRequests::activity(const std::string& quiet) const {
  const std::lock_guard lock(state_->mutex);
  std::string waiting;
  for (const auto& [tag, slot] : state_->slots) {
    if (tag == quiet) continue;
    if (!slot.stage.empty()) return tag + ": " + slot.stage;
    if (waiting.empty()) waiting = tag;
  }
  return waiting;
}

bool NewestRequests::pending(const std::string& tag) const {
  const std::lock_guard lock(state_->mutex);
  return state_->slots.contains(tag);
}

}  // namespace tilescope
