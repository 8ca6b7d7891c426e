#include "profiler/service/client/newest_requests.hpp"

namespace tilescope {

NewestRequests::State::Slot* NewestRequests::State::find(const std::string& tag, std::uint64_t serial) {
  const auto slot = slots.find(tag);
  return slot == slots.end() || slot->second.serial != serial ? nullptr : &slot->second;
}

std::uint64_t NewestRequests::State::begin(const std::string& tag) {
  std::uint64_t former = 0;
  {
    const std::lock_guard lock(mutex);
    const auto found = newest.find(tag);
    if (found != newest.end()) former = found->second;
  }
  cancel(tag, former);
  const std::lock_guard lock(mutex);
  slots[tag].serial = newest[tag] = ++last_serial;
  return last_serial;
}

void NewestRequests::State::began(const std::string& tag, std::uint64_t serial, Client::RequestId id) {
  const std::lock_guard lock(mutex);
  Slot* slot = find(tag, serial);
  if (slot == nullptr) return;
  slot->id = id;
  slot->id_known = true;
}

bool NewestRequests::State::is_newest(const std::string& tag, std::uint64_t serial) const {
  const std::lock_guard lock(mutex);
  const auto found = newest.find(tag);
  return found != newest.end() && found->second == serial;
}

bool NewestRequests::State::finish(const std::string& tag, std::uint64_t serial) {
  const std::lock_guard lock(mutex);
  if (find(tag, serial) == nullptr) return false;
  slots.erase(tag);
  return true;
}

bool NewestRequests::State::deliver(const std::string& tag, std::uint64_t serial) {
  const std::lock_guard lock(mutex);
  const auto found = newest.find(tag);
  if (found == newest.end() || found->second != serial) return false;
  newest.erase(found);
  return true;
}

void NewestRequests::State::cancel(const std::string& tag, std::uint64_t serial) {
  if (!deliver(tag, serial)) return;
  Client::RequestId id = 0;
  {
    const std::lock_guard lock(mutex);
    const Slot* slot = find(tag, serial);
    if (slot == nullptr) return;
    const bool is_known = slot->id_known;
    id = slot->id;
    slots.erase(tag);
    if (!is_known || client == nullptr) return;
  }
  client->cancel(id);
}

void NewestRequests::State::progress(const std::string& tag, std::uint64_t serial, const std::string& stage) {
  {
    const std::lock_guard lock(mutex);
    Slot* slot = find(tag, serial);
    if (slot == nullptr || slot->stage == stage) return;
    slot->stage = stage;
  }
  mailbox->wake();
}

std::string NewestRequests::State::stage(const std::string& tag, std::uint64_t serial) const {
  const std::lock_guard lock(mutex);
  const auto slot = slots.find(tag);
  return slot == slots.end() || slot->second.serial != serial ? "" : slot->second.stage;
}

NewestRequests::Handle& NewestRequests::Handle::operator=(Handle&& other) noexcept {
  if (this == &other) return *this;
  cancel();
  state_ = std::move(other.state_);
  tag_ = std::move(other.tag_);
  serial_ = std::exchange(other.serial_, 0);
  return *this;
}

void NewestRequests::Handle::cancel() {
  if (const auto state = state_.lock()) state->cancel(tag_, serial_);
}

bool NewestRequests::Handle::waits() const {
  const auto state = state_.lock();
  return state && state->is_newest(tag_, serial_);
}

std::string NewestRequests::Handle::stage() const {
  const auto state = state_.lock();
  return state ? state->stage(tag_, serial_) : "";
}

NewestRequests::NewestRequests(Client* client, Mailbox& mailbox) : state_(std::make_shared<State>()) {
  state_->client = client;
  state_->mailbox = &mailbox;
}

NewestRequests::~NewestRequests() {
  const std::lock_guard lock(state_->mutex);
  state_->client = nullptr;
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
