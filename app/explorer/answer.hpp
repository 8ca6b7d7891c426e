#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "app/explorer/asked_experiment.hpp"
#include "app/explorer/background_tasks.hpp"
#include "app/explorer/board.hpp"
#include "app/explorer/jobs.hpp"

namespace tilescope {

/// Result of a question: something to show, a reason why something is missing, or both.
template <class Shown>
struct Outcome {
  std::shared_ptr<const Shown> shown;
  MissingAnswer missing;
};

/// A question to the worker and its result, for the panels that show it. `Shown` is made of the answer in the
/// background. The newest question wins; one that was cancelled, or whose worker ended, is asked again. A class of this
/// kind derives from it and has a want(), which panels call in every frame.
template <class Request, class Shown, class Key = AskedExperiment>
class Answer {
 public:
  /// The result that was derived last. It stays while a newer one is awaited; nullptr before the first one, and where the
  /// newest question failed.
  const std::shared_ptr<const Shown>& shown() const { return shown_; }
  /// Whether an answer is awaited.
  bool waits() const { return waits_; }
  /// Whether shown() belongs to an earlier question while the newest one is awaited.
  bool is_outdated() const { return waits_ && shown_; }
  /// "compile", "interpret"; "" while nothing runs.
  std::string progress() const { return request_.stage(); }
  /// Work in the background, beside the request; "" for nothing.
  std::string activity() const { return task_.runs() ? "reading an answer" : ""; }
  /// Missing parts and how to get them; empty where all is shown.
  const MissingAnswer& missing() const { return missing_; }
  /// Counts up with each change of the above.
  std::uint64_t revision() const { return revision_; }

  /// Repeats the question at the next want(), where missing() can be retried.
  void retry() { key_.reset(); }

 protected:
  using Given = typename Request::Answer;
  struct Question {
    typename Request::Params params;
    /// In the background; must not throw.
    std::function<Outcome<Shown>(Given)> derive;
    NewestRequests::Part part{};
    /// Whether an answer is of no use, so that the next want() asks again.
    std::function<bool(const Given&)> is_void{};
  };

  /// A question, or why it cannot be asked.
  struct Asked {
    Asked(MissingAnswer given) : why_not(std::move(given)) {}
    Asked(Question given) : question(std::make_shared<const Question>(std::move(given))) {}
    std::shared_ptr<const Question> question;
    MissingAnswer why_not;
  };

  /// `waiting` is what is missing before the first answer.
  Answer(Board& board, std::string tag, MissingAnswer waiting)
      : tag_(std::move(tag)),
        waiting_(std::move(waiting)),
        jobs_(board.parts.jobs),
        task_(board.parts.background) {}
  ~Answer() = default;

  /// Asks what `make(key)` returns, a Question, or a MissingAnswer where it cannot be asked; nothing happens where `key`
  /// was asked last. A question waits until it is its turn.
  template <class Make>
  void want_answer(Key key, Make make, bool is_turn = true) {
    if (!key_ || !(*key_ == key)) {
      key_ = std::move(key);
      begin(make(*key_));
    }
    if (held_ && is_turn) send(std::exchange(held_, nullptr));
  }

 private:
  /// Makes shown() outdated, and ends a running request, which would delay the new one.
  void begin(Asked asked) {
    request_.cancel();
    task_.drop();
    held_ = std::move(asked.question);
    if (!held_) return end({nullptr, std::move(asked.why_not)});
    waits_ = true;
    if (!shown_) missing_ = waiting_;
    ++revision_;
  }

  void send(const std::shared_ptr<const Question>& question) {
    request_ = jobs_.request<Request>(
        tag_, question->params,
        {[this, question](Given given) { take(std::move(given), question); }, {}, question->part});
  }

  void take(Given given, const std::shared_ptr<const Question>& question) {
    if (given.status == Status::cancelled || (question->is_void && question->is_void(given))) {
      key_.reset();
      waits_ = false;
      return;
    }
    const auto kept = std::make_shared<Given>(std::move(given));
    task_.start([this, kept, question]() -> BackgroundTasks::Continuation {
      const auto outcome = std::make_shared<Outcome<Shown>>(question->derive(std::move(*kept)));
      return [this, outcome] { end(std::move(*outcome)); };
    });
  }

  void end(Outcome<Shown> outcome) {
    waits_ = false;
    shown_ = std::move(outcome.shown);
    missing_ = std::move(outcome.missing);
    ++revision_;
  }

  std::string tag_;
  MissingAnswer waiting_;
  Jobs& jobs_;
  std::optional<Key> key_;
  /// Not sent yet.
  std::shared_ptr<const Question> held_;
  bool waits_ = false;
  std::shared_ptr<const Shown> shown_;
  MissingAnswer missing_;
  std::uint64_t revision_ = 0;
  NewestRequests::Handle request_;
  NewestTask task_;
};

}  // namespace tilescope
