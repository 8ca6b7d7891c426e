#include "sessions/status.hpp"

#include "base/enum_names.hpp"

namespace tilescope {
namespace {

constexpr EnumNames<Status, 10> status_names{{{Status::ok, "ok"},
                                              {Status::unchecked, "unchecked"},
                                              {Status::invalid_configuration, "invalid_configuration"},
                                              {Status::compile_failed, "compile_failed"},
                                              {Status::launch_failed, "launch_failed"},
                                              {Status::wrong_result, "wrong_result"},
                                              {Status::unsupported, "unsupported"},
                                              {Status::timed_out, "timed_out"},
                                              {Status::worker_lost, "worker_lost"},
                                              {Status::cancelled, "cancelled"}}};

}  // namespace

std::string to_string(Status status) {
  return name_of(status, status_names);
}
Status status_from(const std::string& text) {
  return value_of(text, status_names, "status");
}

bool is_about_the_kernel(Status status) {
  return status == Status::wrong_result || status == Status::compile_failed ||
         status == Status::invalid_configuration;
}

}  // namespace tilescope
