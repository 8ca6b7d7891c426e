#include "profiler/kernels/catalogue/json_lines.hpp"

#include <algorithm>
#include <cstddef>
#include <iterator>

#include "base/json.hpp"

namespace tilescope {
namespace {

// Iterates over a text and makes the parser's position visible.
class WatchedIterator {
 public:
  using iterator_category = std::input_iterator_tag;
  using value_type = char;
  using difference_type = std::ptrdiff_t;
  using pointer = const char*;
  using reference = const char&;

  WatchedIterator(const char* at, const char** reached) : at_(at), reached_(reached) {}
  reference operator*() const { return *at_; }
  WatchedIterator& operator++() {
    *reached_ = ++at_;
    return *this;
  }
  WatchedIterator operator++(int) {
    const WatchedIterator before = *this;
    ++*this;
    return before;
  }
  bool operator==(const WatchedIterator& other) const { return at_ == other.at_; }
  bool operator!=(const WatchedIterator& other) const { return at_ != other.at_; }

 private:
  const char* at_;
  const char** reached_;
};

// Follows the parser through the document and records the line of each member.
class LineRecorder {
 public:
  LineRecorder(const char* text, const char* const& reached, LocatedJson& located)
      : counted_(text), reached_(reached), located_(located) {}

  void take(Json::parse_event_t event, const Json& parsed) {
    using Event = Json::parse_event_t;
    if (event == Event::key) {
      open_.back().step = parsed.get<std::string>();
      if (!note()) located_.repeated_keys.push_back(place());
      return;
    }
    if (event == Event::object_end || event == Event::array_end) {
      open_.pop_back();
      end_element();
      return;
    }
    if (open_.empty() || open_.back().is_array) note();
    if (event == Event::value) {
      end_element();
    } else {
      open_.push_back({event == Event::array_start, "", 0});
    }
  }

 private:
  struct Container {
    bool is_array;
    std::string step;  // the key of an object that its value belongs to
    std::size_t index;
  };

  std::string place() const {
    std::string pointer;
    for (const Container& one : open_) pointer += "/" + (one.is_array ? std::to_string(one.index) : one.step);
    return pointer;
  }

  // False when the member is already known.
  bool note() {
    // The last character that the parser took belongs to the token, or ends a number.
    for (; counted_ + 1 < reached_; ++counted_) line_ += *counted_ == '\n' ? 1 : 0;
    return located_.lines.emplace(place(), line_).second;
  }

  void end_element() {
    if (!open_.empty() && open_.back().is_array) ++open_.back().index;
  }

  const char* counted_;
  const char* const& reached_;
  LocatedJson& located_;
  int line_ = 1;
  std::vector<Container> open_;
};

}  // namespace

int LocatedJson::line_of(std::string pointer) const {
  while (true) {
    if (const auto found = lines.find(pointer); found != lines.end()) return found->second;
    if (pointer.empty()) return 0;
    pointer.erase(pointer.rfind('/'));
  }
}

LocatedJson parse_with_lines(const std::string& text) {
  refuse_deep_nesting(text);
  LocatedJson located;
  const char* reached = text.data();
  LineRecorder recorder(text.data(), reached, located);
  try {
    located.document = Json::parse(WatchedIterator(text.data(), &reached),
                                   WatchedIterator(text.data() + text.size(), &reached),
                                   [&](int, Json::parse_event_t event, const Json& parsed) {
                                     recorder.take(event, parsed);
                                     return true;
                                   });
  } catch (const Json::exception&) {
    parse_json(text);  // Throws with the place.
    throw;
  }
  return located;
}

}  // namespace tilescope
