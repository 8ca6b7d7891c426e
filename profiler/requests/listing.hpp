#pragma once

#include <string>

#include "profiler/requests/request.hpp"
#include "sessions/json_reader.hpp"

namespace tilescope {

/// What the compiler makes of an experiment: its PTX, and what the compiler says of it.
struct Listing {
  static constexpr const char* name = "listing";
  static constexpr std::chrono::seconds time_limit{120};
  struct Params {
    Experiment experiment;
  };
  struct Answer {
    Status status = Status::ok;
    std::string reason;
    std::string ptx;
    std::string compiler_log;
    /// Of the source that was compiled, as Provenance::source_sha256.
    std::string source_sha256;
  };
};

inline void to_json(Json& json, const Listing::Params& params) {
  json = Json{{"experiment", params.experiment}};
}
inline void from_json(const Json& json, Listing::Params& params) {
  ObjectReader(json).required("experiment", params.experiment);
}
inline void to_json(Json& json, const Listing::Answer& answer) {
  json = Json{{"status", to_string(answer.status)},
              {"reason", answer.reason},
              {"ptx", answer.ptx},
              {"compiler_log", answer.compiler_log},
              {"source_sha256", answer.source_sha256}};
}
inline void from_json(const Json& json, Listing::Answer& answer) {
  const ObjectReader object(json);
  object.required("status", answer.status, status_from);
  object.required("reason", answer.reason);
  object.required("ptx", answer.ptx);
  object.required("compiler_log", answer.compiler_log);
  object.required("source_sha256", answer.source_sha256);
}

}  // namespace tilescope
