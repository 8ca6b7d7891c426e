#pragma once

#include <nlohmann/json.hpp>

#include "sessions/json_fwd.hpp"
