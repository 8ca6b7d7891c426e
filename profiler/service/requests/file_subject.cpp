#include "profiler/service/requests/file_subject.hpp"

#include <fmt/format.h>

#include <stdexcept>
#include <utility>

#include "base/enum_names.hpp"
#include "base/object_writer.hpp"
#include "base/regular_file.hpp"
#include "profiler/service/requests/base64.hpp"
#include "profiler/service/requests/members.hpp"

namespace tilescope {

constexpr EnumNames<FileProblem, 4> problem_names{{{FileProblem::none, "none"},
                                                   {FileProblem::code, "code"},
                                                   {FileProblem::entry, "entry"},
                                                   {FileProblem::launch, "launch"}}};

template <class Visit, class Value>
static void visit_array(Visit&& member, Value& value) {
  member("name", value.name);
  member("file", value.file);
}

template <class Visit, class Value>
static void visit_subject(Visit&& member, Value& value) {
  member("code", value.code);
  member("entry", value.entry);
  member("launch", value.launch);
  member("arrays", value.arrays);
  member("time_limit_s", value.time_limit_s);
}

SentFile sent_file(const std::filesystem::path& path, std::string contents, std::uint64_t limit) {
  SentFile file{std::filesystem::absolute(path).string(), std::nullopt};
  if (contents.size() <= limit) file.contents = std::move(contents);
  return file;
}

std::string contents_of(const SentFile& file) {
  if (file.contents) return *file.contents;
  try {
    return read_regular_file(file.path, subject_file_limit);
  } catch (const UnreadableFile& error) {
    throw std::runtime_error(
        fmt::format("the worker cannot read '{}', which has more than {} MiB ({} MiB for all .npy files "
                    "together) and is not sent with the request: {}",
                    file.path, sent_file_limit >> 20U, sent_arrays_limit >> 20U, error.reason()));
  }
}

std::string to_string(FileProblem problem) {
  return name_of(problem, problem_names);
}

FileProblem file_problem_from(const std::string& text) {
  return value_of(text, problem_names, "problem of a file");
}

constexpr auto sent_file_members = [](const auto& object, auto& file) {
  object.required("path", file.path);
  object.optional("contents", file.contents, base64_form);
};

void to_json(Json& json, const SentFile& file) {
  sent_file_members(ObjectWriter(json), file);
}

void from_json(const Json& json, SentFile& file) {
  sent_file_members(ObjectReader(json), file);
}

void to_json(Json& json, const SentArray& array) {
  visit_array(members::Writer(json), array);
}

void from_json(const Json& json, SentArray& array) {
  visit_array(members::Reader(json), array);
}

void to_json(Json& json, const FileSubject& subject) {
  visit_subject(members::Writer(json), subject);
}

void from_json(const Json& json, FileSubject& subject) {
  visit_subject(members::Reader(json), subject);
}

}  // namespace tilescope
