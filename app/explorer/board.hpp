#pragma once

#include <memory>
#include <string>
#include <type_traits>
#include <typeindex>
#include <utility>
#include <vector>

namespace tilescope {

class BackgroundTasks;
class Jobs;
class KernelList;
class Notices;
class Points;
class Selection;
struct Installation;
struct Navigation;

/// Objects that the panels share beside kernels, selection and points: questions with their results, and the focus.
/// Each is an object of a class of its own, made when it is first asked for, by its type and by a tag where there are
/// several. A new one needs no line here: its constructor takes the board, or nothing.
class Board {
 public:
  /// Parts of the explorer that questions use.
  struct Parts {
    const Installation& installation;
    KernelList& kernels;
    Selection& selection;
    Points& points;
    Jobs& jobs;
    BackgroundTasks& background;
    Notices& notices;
    Navigation& navigation;
  };
  /// All parts must outlive it.
  explicit Board(Parts given) : parts(given) {}
  /// The newest goes first: it may use those before it.
  ~Board();
  Board(const Board&) = delete;
  Board& operator=(const Board&) = delete;

  template <class Question>
  Question& get(const std::string& tag = "") {
    return find_or_make<Question>(tag);
  }
  template <class Question>
  const Question& get(const std::string& tag = "") const {
    return find_or_make<Question>(tag);
  }
  /// For a panel that shows the answer, in every frame: asks for it where it is missing.
  template <class Question>
  const Question& want() {
    auto& question = get<Question>();
    question.want();
    return question;
  }

  /// Names the work beside the worker: "comparing the codes"; "" for nothing.
  std::string activity() const;

  const Parts parts;

 private:
  struct Kept {
    Kept(std::type_index kept_type, std::string kept_tag) : type(kept_type), tag(std::move(kept_tag)) {}
    virtual ~Kept() = default;
    virtual std::string activity() const = 0;
    std::type_index type;
    std::string tag;
  };
  template <class Question>
  struct KeptQuestion : Kept {
    KeptQuestion(Board& board, const std::string& of)
        : Kept(typeid(Question), of), question(make(board, of)) {}
    static Question make(Board& board, const std::string& of) {
      if constexpr (std::is_constructible_v<Question, Board&, std::string>) {
        return Question(board, of);
      } else if constexpr (std::is_constructible_v<Question, Board&>) {
        return Question(board);
      } else {
        return Question();
      }
    }
    std::string activity() const override {
      if constexpr (requires { question.activity(); }) {
        return question.activity();
      } else {
        return "";
      }
    }
    Question question;
  };

  template <class Question>
  Question& find_or_make(const std::string& tag) const {
    if (Kept* found = find(typeid(Question), tag))
      return static_cast<KeptQuestion<Question>*>(found)->question;
    // A question that a reader makes has asked for nothing yet: the board looks the same as before.
    auto made = std::make_unique<KeptQuestion<Question>>(const_cast<Board&>(*this), tag);
    Question& question = made->question;
    kept_.push_back(std::move(made));
    return question;
  }
  Kept* find(std::type_index type, const std::string& tag) const;

  /// In the order in which they were made: a question that another one needs stands before it.
  mutable std::vector<std::unique_ptr<Kept>> kept_;
};

}  // namespace tilescope
