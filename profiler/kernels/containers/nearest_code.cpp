#include "profiler/kernels/containers/nearest_code.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <charconv>
#include <set>

namespace tilescope {
namespace {

/// An architecture in parts: 90 and "a" of "sm_90a".
struct Parts {
  /// 0 where it is unknown.
  int number = 0;
  std::string suffix;

  int major() const { return number / 10; }
};

Parts parts_of(const std::string& architecture) {
  Parts parts;
  const std::size_t begin = architecture.find_first_of("0123456789");
  if (begin == std::string::npos) return parts;
  const char* end = architecture.data() + architecture.size();
  const auto [rest, error] = std::from_chars(architecture.data() + begin, end, parts.number);
  if (error == std::errc()) parts.suffix.assign(rest, end);
  return parts;
}

bool runs_on(const FoundCode& code, const Parts& wanted) {
  const Parts has = parts_of(code.architecture);
  if (has.number == 0 || has.number > wanted.number) return false;
  if (!has.suffix.empty()) return has.number == wanted.number && has.suffix == wanted.suffix;
  return code.form == FoundCode::Form::ptx || has.major() == wanted.major();
}

// Whether `a` is nearer than `b`; both run.
bool is_nearer(const FoundCode& a, const FoundCode& b) {
  if (a.form != b.form) return a.form == FoundCode::Form::cubin;
  const Parts first = parts_of(a.architecture), second = parts_of(b.architecture);
  if (first.number != second.number) return first.number > second.number;
  return !first.suffix.empty() && second.suffix.empty();
}

std::string list_of(const std::vector<FoundCode>& codes) {
  std::set<std::string> names;
  for (const FoundCode& code : codes)
    names.insert(fmt::format("{} for {}", code.form == FoundCode::Form::cubin ? "machine code" : "PTX",
                             code.architecture.empty() ? "an unknown GPU" : code.architecture));
  return fmt::format("{}", fmt::join(names, ", "));
}

std::string reason_for(const FoundCode& code, const std::string& architecture) {
  if (code.form == FoundCode::Form::cubin && code.architecture == architecture)
    return fmt::format("it has machine code for {}", architecture);
  if (code.form == FoundCode::Form::cubin)
    return fmt::format("it has no machine code for {}; the one for {} runs on it", architecture,
                       code.architecture);
  return fmt::format("it has no machine code for {}, but PTX for {}", architecture, code.architecture);
}

}  // namespace

NearestCode nearest(const std::vector<FoundCode>& codes, const std::string& architecture) {
  const Parts wanted = parts_of(architecture);
  NearestCode found;
  for (const FoundCode& code : codes) {
    if (!runs_on(code, wanted)) continue;
    if (found.code == nullptr || is_nearer(code, *found.code)) found.code = &code;
  }
  if (found.code != nullptr) {
    found.reason = reason_for(*found.code, architecture);
  } else if (codes.empty()) {
    found.reason = "it has no device code";
  } else {
    found.reason = fmt::format("it has {}, and none of it runs on {}: compile it for {} as well",
                               list_of(codes), architecture, architecture);
  }
  return found;
}

}  // namespace tilescope
