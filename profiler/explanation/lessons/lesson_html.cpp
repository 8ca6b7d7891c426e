#include "profiler/explanation/lessons/lesson_html.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/text/html.hpp"

namespace tilescope {
namespace {

constexpr const char* style =
    "body{max-width:46rem;margin:2rem auto;padding:0 1rem;font:16px/1.5 Inter,'DejaVu Sans',sans-serif;"
    "color:#1b1f24}h1{font-size:1.6rem}code,pre{font-family:'JetBrains Mono','DejaVu Sans Mono',monospace;"
    "font-size:.9em}pre{background:#f3f4f6;padding:.6rem}table{border-collapse:collapse}"
    "td,th{border:1px solid #c8ccd2;padding:.2rem .6rem;text-align:left}"
    "figure{margin:1rem 0}img{width:100%;border:1px solid #c8ccd2}"
    "figcaption,.sliders{color:#5b6470;font-size:.9rem}"
    ".question{border-left:4px solid #2165c4;background:#eef4fc;padding:.4rem 1rem;margin:1rem 0}"
    ".answer{border-bottom:1px solid #5b6470;display:inline-block;min-width:12rem;height:1.6rem}"
    ".hint{color:#5b6470}.problem{color:#b3261e}@media print{figure,.question{break-inside:avoid}}";

std::string html(const LessonSpan& span) {
  const std::string text = html_escaped(span.text);
  if (span.style == LessonSpan::Style::image) return fmt::format("<em>[{}]</em>", text);
  std::string words = text;
  if (span.style == LessonSpan::Style::bold) words = fmt::format("<strong>{}</strong>", text);
  if (span.style == LessonSpan::Style::italic) words = fmt::format("<em>{}</em>", text);
  if (span.style == LessonSpan::Style::code) words = fmt::format("<code>{}</code>", text);
  // The handout is alone: links to other lessons would lead nowhere.
  const bool is_address = span.target.starts_with("https://") || span.target.starts_with("http://");
  return is_address ? fmt::format("<a href=\"{}\">{}</a>", html_escaped(span.target), words) : words;
}

std::string html(const LessonText& text) {
  std::string words;
  for (const LessonSpan& span : text) words += html(span);
  return words;
}

std::string html(const LessonList& list) {
  std::string page;
  for (const LessonItem& item : list.items) {
    const std::string mark = item.number > 0 ? fmt::format("{}.", item.number) : "&bull;";
    page += fmt::format("<div style=\"margin-left:{}rem\">{} {}</div>\n", 1 + 1.5 * item.depth, mark,
                        html(item.text));
  }
  return page;
}

std::string html(const LessonTable& table) {
  std::string page = "<table>\n<tr>";
  for (const LessonText& cell : table.header) page += fmt::format("<th>{}</th>", html(cell));
  page += "</tr>\n";
  for (const auto& row : table.rows) {
    page += "<tr>";
    for (const LessonText& cell : row) page += fmt::format("<td>{}</td>", html(cell));
    page += "</tr>\n";
  }
  return page + "</table>\n";
}

std::string html(const LessonQuestion& question) {
  std::string page = fmt::format("<div class=\"question\"><p>{}</p>\n", html_escaped(question.ask));
  for (const std::string& choice : question.choices)
    page += fmt::format("<div>&#9633; {}</div>\n", html_escaped(choice));
  if (question.choices.empty())
    page += fmt::format("<p><span class=\"answer\"></span> {}</p>\n", html_escaped(question.unit));
  if (!question.hint.empty())
    page += fmt::format("<p class=\"hint\">Hint: {}</p>\n", html_escaped(question.hint));
  return page + "</div>\n";
}

std::string words_of(const LessonConfiguration& configuration) {
  std::string words = configuration.kernel;
  for (const auto& [name, value] : configuration.parameters)
    words += fmt::format(", {} {}", name, to_string(value));
  return words + ", " + to_string(configuration.shape);
}

/// An SVG as the address of an image: several in one page must not share their ids.
std::string image_address(const std::string& svg) {
  std::string address = "data:image/svg+xml;charset=utf-8,";
  for (const char letter : svg) {
    if (std::string_view("%#\"<>\n\r\t").find(letter) == std::string_view::npos) {
      address += letter;
    } else {
      address += fmt::format("%{:02X}", static_cast<unsigned>(letter));
    }
  }
  return address;
}

class Page {
 public:
  explicit Page(const DrawHandoutPicture& draw) : draw_(draw) {}

  std::string html_of(const LessonElement& element) {
    if (const auto* heading = std::get_if<LessonHeading>(&element.content))
      return fmt::format("<h{0}>{1}</h{0}>\n", std::clamp(heading->level, 1, 6), html(heading->text));
    if (const auto* paragraph = std::get_if<LessonParagraph>(&element.content))
      return fmt::format("<p>{}</p>\n", html(paragraph->text));
    if (const auto* list = std::get_if<LessonList>(&element.content)) return html(*list);
    if (const auto* table = std::get_if<LessonTable>(&element.content)) return html(*table);
    if (const auto* code = std::get_if<LessonCode>(&element.content))
      return fmt::format("<pre>{}</pre>\n", html_escaped(code->text));
    if (const auto* question = std::get_if<LessonQuestion>(&element.content)) return html(*question);
    if (const auto* problem = std::get_if<LessonProblem>(&element.content))
      return fmt::format("<p class=\"problem\">Line {}: {}</p>\n", element.line,
                         html_escaped(problem->reason));
    return html_of_block(element);
  }

 private:
  std::string html_of_block(const LessonElement& element) {
    if (const auto* configure = std::get_if<LessonConfigure>(&element.content)) {
      in_force_ = configure->configuration;
      step_.reset();
      return fmt::format("<p class=\"sliders\">Sliders: {}</p>\n", html_escaped(words_of(*in_force_)));
    }
    if (const auto* step = std::get_if<LessonStep>(&element.content)) {
      step_ = *step;
      return figure("execution", step->label, std::nullopt);
    }
    if (std::holds_alternative<LessonMuseum>(element.content))
      return "<p class=\"sliders\">In the window a kernel is planted here, with a fault or without "
             "one.</p>\n";
    const auto& open = std::get<LessonOpen>(element.content);
    return figure(open.panel, open.label, open.line);
  }

  std::string figure(const std::string& panel, const std::string& label, std::optional<std::uint32_t> line) {
    const std::string svg = in_force_ ? draw_({panel, *in_force_, step_, line}) : "";
    const std::string picture =
        svg.empty() ? ""
                    : fmt::format("<img alt=\"{}\" src=\"{}\">\n", html_escaped(panel), image_address(svg));
    return fmt::format("<figure>{}<figcaption>{}</figcaption></figure>\n", picture, html_escaped(label));
  }

  const DrawHandoutPicture& draw_;
  std::optional<LessonConfiguration> in_force_;
  std::optional<LessonStep> step_;
};

}  // namespace

std::string lesson_html(const Lesson& lesson, const DrawHandoutPicture& draw) {
  std::string body;
  Page page(draw);
  for (const LessonElement& element : lesson.elements) body += page.html_of(element);
  return fmt::format(
      "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><title>{}</title><style>{}</style>"
      "</head><body>\n{}</body></html>\n",
      html_escaped(lesson.title), style, body);
}

}  // namespace tilescope
