#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <utility>

#include "profiler/client/client.hpp"
#include "profiler/client/mailbox.hpp"
#include "sessions/json_fwd.hpp"

namespace tilescope {

/// Requests under a tag, of which the newest wins: it replaces a waiting one of the same tag and cancels a running one,
/// which keeps a dragged slider smooth. Answers come through a mailbox, on the thread that drains it.
class NewestRequests {
 public:
  /// Both must outlive it; the client must end before the mailbox does.
  NewestRequests(Client& client, Mailbox& mailbox);

  /// `done` runs when the mailbox is drained, `part` on the client's own thread as each part arrives: to read many of
  /// them takes longer than a frame. A part must not throw, and one may still be read while its request is cancelled or
  /// replaced; those after it are dropped. A replaced request's `done` is called only if its answer was finished before
  /// the cancel was heard: it is an answer all the same.
  template <class Request>
  void ask(const std::string& tag, typename Request::Params params,
           std::function<void(typename Request::Answer)> done, std::function<void(const Json&)> part = {},
           std::chrono::milliseconds time_limit = Request::time_limit);
  void cancel(const std::string& tag);

  /// Tag and stage of what runs now, for the status line: "point: compile"; "" when idle. A request with the tag
  /// `quiet` is passed over.
  std::string activity(const std::string& quiet = "") const;
  /// Whether a request of this tag waits or runs.
  bool pending(const std::string& tag) const;

 private:
  /// What the client's callbacks use: they may come after this object has gone.
  struct State {
    /// The newest request of a tag.
    struct Slot {
      std::uint64_t serial = 0;
      Client::RequestId id = 0;
      /// The client may answer before ask() returned the id.
      bool id_known = false;
      /// "" while it waits.
      std::string stage;
    };
    bool is_newest(const std::string& tag, std::uint64_t serial) const;
    /// Frees the slot. False for a request that was replaced or cancelled.
    bool finish(const std::string& tag, std::uint64_t serial);
    void progress(const std::string& tag, std::uint64_t serial, const std::string& stage);

    Mailbox* mailbox = nullptr;
    mutable std::mutex mutex;
    std::map<std::string, Slot> slots;
    /// The request of a tag that was neither replaced nor cancelled, finished or not.
    std::map<std::string, std::uint64_t> newest;
    std::uint64_t last_serial = 0;
  };

  std::uint64_t begin(const std::string& tag);
  void began(const std::string& tag, std::uint64_t serial, Client::RequestId id);

  Client& client_;
  std::shared_ptr<State> state_;
};

template <class Request>
void NewestRequests::ask(const std::string& tag, typename Request::Params params,
                         std::function<void(typename Request::Answer)> done,
                         std::function<void(const Json&)> part, std::chrono::milliseconds time_limit) {
  const std::uint64_t serial = begin(tag);
  const auto state = state_;
  typename Client::Callbacks<Request> callbacks;
  callbacks.done = [state, tag, serial, done = std::move(done)](typename Request::Answer answer) {
    const bool newest = state->finish(tag, serial);
    if (!newest && answer.status == Status::cancelled) return;
    const auto kept = std::make_shared<typename Request::Answer>(std::move(answer));
    state->mailbox->put([done, kept] { done(std::move(*kept)); });
  };
  callbacks.progress = [state, tag, serial](const RequestProgress& progress) {
    state->progress(tag, serial, progress.stage);
  };
  if (part) {
    callbacks.part = [state, tag, serial, part](const Json& json) {
      if (state->is_newest(tag, serial)) part(json);
    };
  }
  began(tag, serial, client_.ask<Request>(std::move(params), std::move(callbacks), time_limit));
}

}  // namespace tilescope
