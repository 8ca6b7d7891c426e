#include "profiler/explanation/lessons/lesson.hpp"

#include <algorithm>
#include <cstdint>
#include <system_error>

#include "base/regular_file.hpp"
#include "profiler/installation.hpp"

namespace tilescope {

namespace fs = std::filesystem;

namespace {

/// All texts of an element.
std::vector<LessonText> texts_of(const LessonElement& element) {
  std::vector<LessonText> texts;
  if (const auto* paragraph = std::get_if<LessonParagraph>(&element.content))
    texts.push_back(paragraph->text);
  if (const auto* heading = std::get_if<LessonHeading>(&element.content)) texts.push_back(heading->text);
  if (const auto* list = std::get_if<LessonList>(&element.content)) {
    for (const LessonItem& item : list->items) texts.push_back(item.text);
  }
  if (const auto* table = std::get_if<LessonTable>(&element.content)) {
    texts.insert(texts.end(), table->header.begin(), table->header.end());
    for (const auto& row : table->rows) texts.insert(texts.end(), row.begin(), row.end());
  }
  return texts;
}

bool is_address(const std::string& target) {
  return target.starts_with("https://") || target.starts_with("http://");
}

}  // namespace

std::string plain_text(const LessonText& text) {
  std::string words;
  for (const LessonSpan& span : text) words += span.text;
  return words;
}

Experiment experiment_of(const LessonConfiguration& configuration, const std::string& device) {
  Experiment experiment;
  experiment.kernel = configuration.kernel;
  experiment.parameters = configuration.parameters;
  experiment.shape = configuration.shape;
  experiment.device = device;
  return experiment;
}

std::vector<const LessonQuestion*> Lesson::questions() const {
  std::vector<const LessonQuestion*> found;
  for (const LessonElement& element : elements) {
    if (const auto* question = std::get_if<LessonQuestion>(&element.content)) found.push_back(question);
  }
  return found;
}

const LessonQuestion* Lesson::find_question(const std::string& question_id) const {
  for (const LessonQuestion* question : questions()) {
    if (question->id == question_id) return question;
  }
  return nullptr;
}

Lesson load_lesson(const fs::path& file) {
  constexpr std::uint64_t largest = std::uint64_t{16} << 20;  // [B]
  const std::string text = read_regular_file(file, largest);
  if (text.find_first_not_of(" \t\r\n") == std::string::npos) throw UnreadableFile(file, "it is empty");
  if (text.find('\0') != std::string::npos) throw UnreadableFile(file, "it is not a text, as a lesson is");
  return read_lesson(text, file);
}

std::vector<fs::path> lesson_files(const fs::path& folder) {
  std::vector<fs::path> files;
  std::error_code ignored;  // a folder that there is not has no lessons
  for (const auto& entry : fs::directory_iterator(folder, ignored)) {
    const std::string name = entry.path().filename().string();
    if (entry.path().extension() == ".md" && name != "README.md" && name != "WRITING.md")
      files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());
  return files;
}

std::vector<fs::path> all_lesson_files(const fs::path& root) {
  std::vector<fs::path> files = lesson_files(root / "assets" / "lessons");
  const std::string own = environment("TILESCOPE_LESSONS");
  if (own.empty()) return files;
  const std::vector<fs::path> of_folder = lesson_files(own);
  files.insert(files.end(), of_folder.begin(), of_folder.end());
  return files;
}

std::vector<BrokenLink> broken_links(const Lesson& lesson) {
  std::vector<BrokenLink> broken;
  for (const LessonElement& element : lesson.elements) {
    for (const LessonText& text : texts_of(element)) {
      for (const LessonSpan& span : text) {
        if (span.target.empty() || is_address(span.target)) continue;
        const std::string path = span.target.substr(0, span.target.find('#'));
        std::error_code ignored;
        if (path.empty() || fs::exists(lesson.file.parent_path() / path, ignored)) continue;
        broken.push_back({element.line, span.target});
      }
    }
  }
  return broken;
}

}  // namespace tilescope
