#pragma once

#include "base/json_fwd.hpp"
#include "sessions/measurement.hpp"

/// JSON of the parts of a Measurement that other documents have as well. Reading throws DocumentError.
namespace tilescope {

void to_json(Json& json, const DeviceIdentity& device);
void from_json(const Json& json, DeviceIdentity& device);
void to_json(Json& json, const Provenance& provenance);
void from_json(const Json& json, Provenance& provenance);
void to_json(Json& json, const Resources& resources);
void from_json(const Json& json, Resources& resources);
void to_json(Json& json, const Occupancy& occupancy);
void from_json(const Json& json, Occupancy& occupancy);

void to_json(Json& json, const Latency& latency);
void from_json(const Json& json, Latency& latency);

}  // namespace tilescope
