#include <fmt/format.h>
#include <md4c.h>

#include <algorithm>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include "profiler/explanation/lessons/lesson.hpp"
#include "profiler/explanation/lessons/lesson_block.hpp"

namespace tilescope {
namespace {

const std::string block_word = "tilescope ";

std::string text_of(const MD_ATTRIBUTE& attribute) {
  return attribute.text == nullptr ? "" : std::string(attribute.text, attribute.size);
}

/// The entities that a lesson needs; others stay as they are written.
std::string entity_text(const std::string& entity) {
  const std::pair<const char*, const char*> known[] = {
      {"&amp;", "&"}, {"&lt;", "<"}, {"&gt;", ">"}, {"&quot;", "\""}, {"&nbsp;", " "}};
  for (const auto& [name, text] : known) {
    if (entity == name) return text;
  }
  return entity;
}

/// Takes what md4c finds, in its order, and puts the elements together.
class LessonBuilder {
 public:
  explicit LessonBuilder(const std::string& source) : source_(source) {}

  void enter(MD_BLOCKTYPE type, const void* detail);
  void leave(MD_BLOCKTYPE type);
  void enter(MD_SPANTYPE type, const void* detail);
  void leave(MD_SPANTYPE type);
  void add(MD_TEXTTYPE type, const MD_CHAR* text, MD_SIZE size);

  std::vector<LessonElement> take() { return std::move(elements_); }

 private:
  void end_item();
  void end_code();
  void push(std::size_t line, decltype(LessonElement::content) content) {
    elements_.push_back({line, std::move(content)});
  }
  /// Notes the line where this text begins, if it is a part of the file.
  void note_line(const MD_CHAR* text);
  LessonText take_text() { return std::exchange(text_, {}); }
  LessonSpan::Style style() const;

  const std::string& source_;
  std::vector<LessonElement> elements_;
  std::optional<LessonConfiguration> in_force_;

  LessonText text_;
  int bold_ = 0, italic_ = 0, code_ = 0, image_ = 0;
  std::string target_;
  /// Line of the first text since the last element, 0 before one.
  std::size_t first_line_ = 0;
  std::size_t last_line_ = 1;

  int heading_level_ = 0;
  /// The number of the next item of each open list; 0 for bullets.
  std::vector<int> lists_;
  LessonList list_;
  bool item_is_open_ = false;
  int item_number_ = 0;
  std::size_t list_line_ = 0;
  LessonTable table_;
  bool in_header_ = false;
  bool in_code_ = false;
  std::string info_, code_text_;
};

void LessonBuilder::note_line(const MD_CHAR* text) {
  const std::less<> before;
  if (before(text, source_.data()) || !before(text, source_.data() + source_.size())) return;
  last_line_ = 1 + static_cast<std::size_t>(std::count(source_.data(), text, '\n'));
  if (first_line_ == 0) first_line_ = last_line_;
}

LessonSpan::Style LessonBuilder::style() const {
  if (image_ > 0) return LessonSpan::Style::image;
  if (code_ > 0) return LessonSpan::Style::code;
  if (bold_ > 0) return LessonSpan::Style::bold;
  return italic_ > 0 ? LessonSpan::Style::italic : LessonSpan::Style::plain;
}

void LessonBuilder::enter(MD_BLOCKTYPE type, const void* detail) {
  switch (type) {
    case MD_BLOCK_H:
      heading_level_ = static_cast<int>(static_cast<const MD_BLOCK_H_DETAIL*>(detail)->level);
      break;
    case MD_BLOCK_UL:
    case MD_BLOCK_OL:
      end_item();
      lists_.push_back(
          type == MD_BLOCK_UL ? 0 : static_cast<int>(static_cast<const MD_BLOCK_OL_DETAIL*>(detail)->start));
      break;
    case MD_BLOCK_LI:
      item_is_open_ = true;
      item_number_ = lists_.back() == 0 ? 0 : lists_.back()++;
      break;
    case MD_BLOCK_TABLE:
      table_ = {};
      break;
    case MD_BLOCK_THEAD:
      in_header_ = true;
      break;
    case MD_BLOCK_TR:
      if (!in_header_) table_.rows.emplace_back();
      break;
    case MD_BLOCK_CODE:
      end_item();
      in_code_ = true;
      info_ = text_of(static_cast<const MD_BLOCK_CODE_DETAIL*>(detail)->info);
      code_text_.clear();
      first_line_ = 0;
      break;
    default:
      break;
  }
}

void LessonBuilder::leave(MD_BLOCKTYPE type) {
  const std::size_t line = std::exchange(first_line_, 0);
  switch (type) {
    case MD_BLOCK_H:
      push(line, LessonHeading{heading_level_, take_text()});
      break;
    case MD_BLOCK_P:
      if (!lists_.empty()) {
        if (list_line_ == 0) list_line_ = line;
        break;  // the item takes it
      }
      push(line, LessonParagraph{take_text()});
      break;
    case MD_BLOCK_LI:
      if (list_line_ == 0) list_line_ = line;
      end_item();
      break;
    case MD_BLOCK_UL:
    case MD_BLOCK_OL:
      lists_.pop_back();
      if (lists_.empty() && !list_.items.empty())
        push(std::exchange(list_line_, 0), std::exchange(list_, {}));
      break;
    case MD_BLOCK_TH:
      table_.header.push_back(take_text());
      first_line_ = line;
      break;
    case MD_BLOCK_TD:
      table_.rows.back().push_back(take_text());
      first_line_ = line;
      break;
    case MD_BLOCK_THEAD:
      in_header_ = false;
      first_line_ = line;
      break;
    case MD_BLOCK_TABLE:
      push(line, std::exchange(table_, {}));
      break;
    case MD_BLOCK_CODE:
      first_line_ = line;
      end_code();
      break;
    default:
      first_line_ = line;
  }
}

void LessonBuilder::end_item() {
  if (!item_is_open_) return;
  item_is_open_ = false;
  if (list_line_ == 0) list_line_ = first_line_;
  list_.items.push_back({static_cast<int>(lists_.size()) - 1, item_number_, take_text()});
}

void LessonBuilder::end_code() {
  in_code_ = false;
  // Code and blocks within a list end it: what they mean stands between its items.
  if (!list_.items.empty()) push(std::exchange(list_line_, 0), std::exchange(list_, {}));
  const std::size_t text_line = std::exchange(first_line_, 0);
  const std::size_t line = text_line > 1 ? text_line - 1 : last_line_ + 1;
  if (!info_.starts_with(block_word) && info_ != "tilescope") return push(line, LessonCode{code_text_});
  const std::string kind = info_.size() > block_word.size() ? info_.substr(block_word.size()) : "";
  elements_.push_back(read_lesson_block({kind, code_text_, line}, in_force_));
}

void LessonBuilder::enter(MD_SPANTYPE type, const void* detail) {
  if (type == MD_SPAN_STRONG) ++bold_;
  if (type == MD_SPAN_EM) ++italic_;
  if (type == MD_SPAN_CODE) ++code_;
  if (type == MD_SPAN_IMG) {
    ++image_;
    target_ = text_of(static_cast<const MD_SPAN_IMG_DETAIL*>(detail)->src);
  }
  if (type == MD_SPAN_A) target_ = text_of(static_cast<const MD_SPAN_A_DETAIL*>(detail)->href);
}

void LessonBuilder::leave(MD_SPANTYPE type) {
  if (type == MD_SPAN_STRONG) --bold_;
  if (type == MD_SPAN_EM) --italic_;
  if (type == MD_SPAN_CODE) --code_;
  if (type == MD_SPAN_IMG) --image_;
  if (type == MD_SPAN_IMG || type == MD_SPAN_A) target_.clear();
}

void LessonBuilder::add(MD_TEXTTYPE type, const MD_CHAR* text, MD_SIZE size) {
  if (type != MD_TEXT_SOFTBR && type != MD_TEXT_BR && type != MD_TEXT_NULLCHAR) note_line(text);
  std::string words(text, size);
  if (in_code_) {
    code_text_ += words;
    return;
  }
  if (type == MD_TEXT_SOFTBR) words = " ";
  if (type == MD_TEXT_BR) words = "\n";
  if (type == MD_TEXT_ENTITY) words = entity_text(words);
  if (!text_.empty() && text_.back().style == style() && text_.back().target == target_) {
    text_.back().text += words;
  } else {
    text_.push_back({style(), std::move(words), target_});
  }
}

// Callbacks of md4c, which is written in C, so no exception may pass through it. Running out of memory ends
// the program, as elsewhere.
int enter_block(MD_BLOCKTYPE type, void* detail, void* builder) noexcept {
  static_cast<LessonBuilder*>(builder)->enter(type, detail);
  return 0;
}
int leave_block(MD_BLOCKTYPE type, void*, void* builder) noexcept {
  static_cast<LessonBuilder*>(builder)->leave(type);
  return 0;
}
int enter_span(MD_SPANTYPE type, void* detail, void* builder) noexcept {
  static_cast<LessonBuilder*>(builder)->enter(type, detail);
  return 0;
}
int leave_span(MD_SPANTYPE type, void*, void* builder) noexcept {
  static_cast<LessonBuilder*>(builder)->leave(type);
  return 0;
}
int add_text(MD_TEXTTYPE type, const MD_CHAR* text, MD_SIZE size, void* builder) noexcept {
  static_cast<LessonBuilder*>(builder)->add(type, text, size);
  return 0;
}

/// Questions are found by their ids.
void refuse_repeated_ids(std::vector<LessonElement>& elements) {
  std::set<std::string> ids;
  for (LessonElement& element : elements) {
    const auto* question = std::get_if<LessonQuestion>(&element.content);
    if (question == nullptr || ids.insert(question->id).second) continue;
    element.content =
        LessonProblem{fmt::format("block question: an earlier question has the id '{}', too", question->id)};
  }
}

}  // namespace

Lesson read_lesson(const std::string& text, const std::filesystem::path& file) {
  MD_PARSER parser{};
  parser.flags = MD_FLAG_TABLES | MD_FLAG_NOHTML | MD_FLAG_NOINDENTEDCODEBLOCKS;
  parser.enter_block = enter_block;
  parser.leave_block = leave_block;
  parser.enter_span = enter_span;
  parser.leave_span = leave_span;
  parser.text = add_text;
  LessonBuilder builder(text);
  Lesson lesson{file.stem().string(), file.stem().string(), file, {}};
  const bool failed = md_parse(text.data(), static_cast<MD_SIZE>(text.size()), &parser, &builder) != 0;
  lesson.elements = builder.take();
  if (failed) lesson.elements.push_back({1, LessonProblem{"the text cannot be read as Markdown"}});
  refuse_repeated_ids(lesson.elements);
  for (const LessonElement& element : lesson.elements) {
    const auto* heading = std::get_if<LessonHeading>(&element.content);
    if (heading == nullptr) continue;
    lesson.title = plain_text(heading->text);
    break;
  }
  return lesson;
}

}  // namespace tilescope
