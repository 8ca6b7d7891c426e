#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <utility>

#include "base/json_fwd.hpp"
#include "profiler/service/client/client.hpp"
#include "profiler/service/client/mailbox.hpp"

namespace tilescope {

/// Requests under a tag, of which the newest wins: it replaces a waiting one of the same tag and cancels a running one,
/// which keeps a dragged slider smooth. Answers come through a mailbox, on the thread that drains it, and only for the
/// newest request, so that its owner need not count requests.
class NewestRequests {
  struct State;

 public:
  /// The owner's hold on a request. The request ends with it: no callback runs after a cancel or after the owner.
  class Handle {
   public:
    Handle() = default;
    Handle(Handle&& other) noexcept { *this = std::move(other); }
    Handle& operator=(Handle&& other) noexcept;
    Handle(const Handle&) = delete;
    Handle& operator=(const Handle&) = delete;
    ~Handle() { cancel(); }

    void cancel();
    /// Whether the answer is still to be taken: false once it was, or the request was replaced or cancelled.
    bool waits() const;
    /// "compile", "interpret"; "" while the request waits and where none runs.
    std::string stage() const;

   private:
    friend NewestRequests;
    Handle(std::weak_ptr<State> state, std::string tag, std::uint64_t serial)
        : state_(std::move(state)), tag_(std::move(tag)), serial_(serial) {}

    std::weak_ptr<State> state_;
    std::string tag_;
    std::uint64_t serial_ = 0;
  };

  /// Runs when the mailbox is drained.
  using Continuation = std::function<void()>;
  /// Reads a part of an answer on the client's own thread: to read many of them takes longer than a frame. Must not
  /// throw. May return what is to be done with it; that is dropped with the request.
  using Part = std::function<Continuation(const Json&)>;

  template <class Request>
  struct Callbacks {
    std::function<void(typename Request::Answer)> done;
    /// Called instead of `done` with an answer that was finished although its request was replaced or
    /// cancelled; for answers worth keeping all the same. Its captures must outlive the mailbox's last drain.
    std::function<void(typename Request::Answer)> late{};
    /// One may still be read while its request is cancelled or replaced; those after it are dropped.
    Part part{};
  };

  /// Both must outlive it; the client must end before the mailbox does. Without a client each answer is `unsupported`.
  NewestRequests(Client* client, Mailbox& mailbox);
  ~NewestRequests();
  NewestRequests(const NewestRequests&) = delete;
  NewestRequests& operator=(const NewestRequests&) = delete;

  template <class Request>
  [[nodiscard]] Handle ask(const std::string& tag, typename Request::Params params,
                           Callbacks<Request> callbacks,
                           std::chrono::milliseconds time_limit = Request::time_limit);

  /// Tag and stage of what runs now, for the status line: "point: compile"; "" when idle. A request with the tag
  /// `quiet` is passed over.
  std::string activity(const std::string& quiet = "") const;
  /// Whether a request of this tag waits or runs.
  bool pending(const std::string& tag) const;

 private:
  /// State that the client's callbacks use, which may come after this object has gone.
  struct State {
    /// The newest request of a tag, until it is finished.
    struct Slot {
      std::uint64_t serial = 0;
      Client::RequestId id = 0;
      /// The client may answer before ask() returned the id.
      bool id_known = false;
      /// "" while it waits.
      std::string stage;
    };
    std::uint64_t begin(const std::string& tag);
    void began(const std::string& tag, std::uint64_t serial, Client::RequestId id);
    bool is_newest(const std::string& tag, std::uint64_t serial) const;
    /// Frees the slot. False for a request that was replaced or cancelled.
    bool finish(const std::string& tag, std::uint64_t serial);
    /// Whether it is the newest of its tag; from then on no request is.
    bool deliver(const std::string& tag, std::uint64_t serial);
    /// Nothing for a request that is not the newest of its tag.
    void cancel(const std::string& tag, std::uint64_t serial);
    void progress(const std::string& tag, std::uint64_t serial, const std::string& stage);
    std::string stage(const std::string& tag, std::uint64_t serial) const;

    /// nullptr without a worker, and once the requests have gone.
    Client* client = nullptr;
    Mailbox* mailbox = nullptr;
    mutable std::mutex mutex;
    std::map<std::string, Slot> slots;
    /// The request of a tag that was neither replaced, cancelled nor delivered, finished or not.
    std::map<std::string, std::uint64_t> newest;
    std::uint64_t last_serial = 0;

   private:
    Slot* find(const std::string& tag, std::uint64_t serial);
  };

  /// The client's callbacks for a request.
  template <class Request>
  static Client::Callbacks<Request> forward(const std::shared_ptr<State>& state, const std::string& tag,
                                            std::uint64_t serial, Callbacks<Request> callbacks);

  std::shared_ptr<State> state_;
};

template <class Request>
Client::Callbacks<Request> NewestRequests::forward(const std::shared_ptr<State>& state,
                                                   const std::string& tag, std::uint64_t serial,
                                                   Callbacks<Request> callbacks) {
  using Answer = typename Request::Answer;
  Client::Callbacks<Request> to;
  if (callbacks.part) {
    to.part = [state, tag, serial, part = std::move(callbacks.part)](const Json& json) {
      if (!state->is_newest(tag, serial)) return;
      if (Continuation then = part(json)) {
        state->mailbox->put([state, tag, serial, then = std::move(then)] {
          if (state->is_newest(tag, serial)) then();
        });
      }
    };
  }
  to.progress = [state, tag, serial](const RequestProgress& progress) {
    state->progress(tag, serial, progress.stage);
  };
  to.done = [state, tag, serial, done = std::move(callbacks.done),
             late = std::move(callbacks.late)](Answer answer) {
    const bool is_cancelled = answer.status == Status::cancelled;
    if (!state->finish(tag, serial) && (is_cancelled || !late)) return;
    const auto kept = std::make_shared<Answer>(std::move(answer));
    state->mailbox->put([state, tag, serial, done, late, kept, is_cancelled] {
      if (state->deliver(tag, serial)) {
        done(std::move(*kept));
      } else if (late && !is_cancelled) {
        late(std::move(*kept));
      }
    });
  };
  return to;
}

template <class Request>
NewestRequests::Handle NewestRequests::ask(const std::string& tag, typename Request::Params params,
                                           Callbacks<Request> callbacks,
                                           std::chrono::milliseconds time_limit) {
  const std::uint64_t serial = state_->begin(tag);
  Client::Callbacks<Request> forwarded = forward<Request>(state_, tag, serial, std::move(callbacks));
  if (state_->client == nullptr) {
    forwarded.done(
        failed_answer<Request>(params, Status::unsupported, "This window was started without a worker."));
  } else {
    state_->began(tag, serial,
                  state_->client->ask<Request>(std::move(params), std::move(forwarded), time_limit));
  }
  return Handle(state_, tag, serial);
}

}  // namespace tilescope
