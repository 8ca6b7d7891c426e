#pragma once

#include <chrono>
#include <functional>
#include <utility>

#include "app/commands/interrupt.hpp"
#include "app/commands/output.hpp"
#include "profiler/installation.hpp"
#include "profiler/service/client/wait.hpp"
#include "profiler/service/requests/devices.hpp"

namespace tilescope {

/// Asks the worker and waits for its answer, of which `part` takes the parts. Ctrl-C cancels what runs.
template <class Request>
typename Request::Answer ask(Client& client, typename Request::Params params,
                             const std::function<void(RequestProgress)>& progress = {},
                             std::chrono::milliseconds time_limit = Request::time_limit,
                             const std::function<void(const Json&)>& part = {}) {
  return ask_and_wait<Request>(client, std::move(params), progress, interrupted, time_limit, part);
}

/// Shows the progress of a request on a line, which must outlive it.
std::function<void(RequestProgress)> shown_on(ProgressLine& line);

/// The GPUs of the worker's machine. Throws CannotRun with the reason when the worker cannot say.
Devices::Answer ask_for_devices(Client& client);

/// The device that a name means, "" for the default one. Asks the worker for the GPUs of its machine. Throws WrongUsage
/// with the names that are near.
DeviceModel find_device(const std::string& name, const Installation& installation, Client& client);

/// Refuses an unknown device without the worker where the tables know the name: starting one takes longer than a cached
/// point. Throws UnreadableFile for a damaged table, which the worker would die of.
void check_device_name(const std::string& name, const Installation& installation, Client& client);

}  // namespace tilescope
