#include "profiler/service/requests/compared_buffer.hpp"

#include "base/json.hpp"
#include "profiler/service/requests/members.hpp"

namespace tilescope {

template <class Visit, class Value>
static void visit_writer(Visit&& member, Value& value) {
  member("place", value.place);
  member("line", value.line);
  member("block", value.block);
  member("thread", value.thread);
  member("is_atomic", value.is_atomic);
  member("blocks", value.blocks);
}

static Json value_of_text(const std::string& text) {
  return parse_json(text);
}

static std::string text_of_value(const Json& value) {
  if (!value.is_number() && !value.is_string()) throw DocumentError("", "expected a number or a string");
  return to_line(value);
}

constexpr Form<std::string> value_form{value_of_text, text_of_value};

template <class Visit, class Value>
static void visit_element(Visit&& member, Value& value) {
  member("index", value.index);
  member("position", value.position);
  member("difference", value.difference);
  member("writer", value.writer);
  member.required("value", value.value, value_form);
  member.required("expected", value.expected, value_form);
}

template <class Visit, class Value>
static void visit_buffer(Visit&& member, Value& value) {
  member("buffer", value.buffer);
  member("name", value.name);
  member("elements", value.elements);
  member("wrong", value.wrong);
  member("unwritten", value.unwritten);
  member("formula", value.formula);
  member("reference", value.reference);
  member("absolute_tolerance", value.absolute_tolerance);
  member("relative_tolerance", value.relative_tolerance);
  member("first", value.first);
  member("largest", value.largest);
}

void to_json(Json& json, const ValueWriter& writer) {
  visit_writer(members::Writer(json), writer);
}
void from_json(const Json& json, ValueWriter& writer) {
  visit_writer(members::Reader(json), writer);
}

void to_json(Json& json, const ComparedElement& element) {
  visit_element(members::Writer(json), element);
}
void from_json(const Json& json, ComparedElement& element) {
  visit_element(members::Reader(json), element);
}

void to_json(Json& json, const ComparedBuffer& buffer) {
  visit_buffer(members::Writer(json), buffer);
}
void from_json(const Json& json, ComparedBuffer& buffer) {
  visit_buffer(members::Reader(json), buffer);
}

}  // namespace tilescope
