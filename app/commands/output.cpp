#include "app/commands/output.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>

#include "app/commands/advice_text.hpp"
#include "app/commands/shown_text.hpp"
#include "app/commands/terminal.hpp"
#include "app/commands/text_table.hpp"
#include "base/json.hpp"
#include "base/text/visible_text.hpp"
#include "sessions/views/points/point_details.hpp"
#include "sessions/views/points/point_text.hpp"

namespace tilescope {
namespace {

constexpr std::size_t label_width = 20;

// A signal handler reads it.
volatile std::sig_atomic_t document_begun = 0;

void add_line(std::string& text, const std::string& label, const std::string& value) {
  text += fmt::format("  {:<{}}{}\n", label, label_width, prose(value, label_width + 2));
}

}  // namespace

void OutputOptions::declare_json(CLI::App& app) {
  app.add_flag("--json", json, "Print one JSON document (the contract is sessions/schema.json)");
}

void OutputOptions::declare_session(CLI::App& app) {
  app.add_option("--session", session, "Append to this session file; created if missing")->type_name("FILE");
}

namespace {

void write_to_stdout(const std::string& text) {
  const bool written = std::fwrite(text.data(), 1, text.size(), stdout) == text.size();
  if (!written || std::fflush(stdout) != 0) {
    throw CannotRun(fmt::format("cannot write the result to standard output: {}", std::strerror(errno)));
  }
}

}  // namespace

void print(const std::string& text) {
  write_to_stdout(shown_text(text));
}

void print_document(const std::string& text) {
  write_to_stdout(text);
}

void print_json(const Json& document) {
  document_begun = 1;
  write_to_stdout(visible_json(to_indented_text(document)) + "\n");
}

Json with_failure(Json document, const std::string& status, const std::string& reason) {
  document["status"] = status;
  document["reason"] = reason;
  return document;
}

bool has_begun_document() {
  return document_begun != 0;
}

void say(const std::string& sentence) {
  // A full or closed stderr cannot be reported: the sentence is lost, and the command goes on.
  std::fputs((shown_text(sentence) + "\n").c_str(), stderr);
}

void say_problems(const Installation& installation) {
  for (const std::string& problem : installation.problems) say("tilescope: " + problem);
}

ProgressLine::ProgressLine() : on_terminal_(::isatty(STDERR_FILENO) == 1) {}

ProgressLine::~ProgressLine() {
  clear();
}

void ProgressLine::show(const std::string& text) {
  if (!on_terminal_) return;
  std::fputs(("\r\033[K" + shown_text(shown_line(text))).c_str(), stderr);
  std::fflush(stderr);
  shown_ = true;
}

void ProgressLine::clear() {
  if (shown_) std::fputs("\r\033[K", stderr);
  shown_ = false;
}

std::string point_text(const Measurement& point) {
  std::string text =
      fmt::format("{}  {}\n", shown_line(point.kernel), shown_line(to_string(point.parameters)));
  add_line(text, "Shape", problem_words(point));
  add_line(
      text, "Status",
      colored(status_words(point), text_color_of(point)) + (point.reason.empty() ? "" : ": " + point.reason));
  text += advice_text(point);
  for (const DetailSection& section : point_details(point, false)) {
    text += fmt::format("{}{}\n", section.title, section.origin.empty() ? "" : ", " + section.origin);
    for (const DetailRow& row : section.rows) add_line(text, row.label, row.value);
    if (!section.text.empty()) text += "  " + prose(section.text, 2) + "\n";
  }
  for (const std::string& note : point.notes) text += prose(note, 0) + "\n";
  if (point.status == Status::compile_failed && !point.compiler_log.empty()) {
    text += "Compiler log\n" + point.compiler_log + (point.compiler_log.ends_with('\n') ? "" : "\n");
  }
  return text;
}

ExitCode exit_code_of(const Measurement& point) {
  if (has_run(point.status)) return ExitCode::done;
  return is_about_the_kernel(point.status) ? ExitCode::check_failed : ExitCode::cannot_run;
}

}  // namespace tilescope
