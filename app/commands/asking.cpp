#include "app/commands/asking.hpp"

#include <fmt/format.h>

#include "app/commands/command.hpp"
#include "profiler/kernels/catalogue/catalogue.hpp"
#include "profiler/measure/prepare/device_choice.hpp"

namespace tilescope {

std::function<void(RequestProgress)> shown_on(ProgressLine& line) {
  return [&line](const RequestProgress& progress) {
    line.show(fmt::format("{} {:.0f} %", progress.stage, 100 * progress.fraction));
  };
}

Devices::Answer ask_for_devices(Client& client) {
  Devices::Answer answer = ask<Devices>(client, {});
  if (answer.status == Status::cancelled)
    throw CannotRun("cancelled while the worker was asked for its GPUs");
  if (answer.status != Status::ok)
    throw CannotRun("the worker cannot say which GPUs it has: " + answer.reason);
  return answer;
}

DeviceModel find_device(const std::string& name, const Installation& installation, Client& client) {
  // The tables first: a worker dies of a damaged one, and says less of it.
  const std::vector<DeviceModel> tables = load_device_tables(installation);
  try {
    return choose_device(name, ask_for_devices(client).present, tables);
  } catch (const UnknownName& error) {
    throw WrongUsage(std::string("--device: ") + error.what());
  }
}

void check_device_name(const std::string& name, const Installation& installation, Client& client) {
  const std::vector<DeviceModel> tables = load_device_tables(installation);
  if (name.empty() || match_device(tables, name) != nullptr) return;
  find_device(name, installation, client);
}

}  // namespace tilescope
