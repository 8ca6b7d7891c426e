#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <memory>

#include "app/commands/asking.hpp"
#include "app/commands/calibrate.hpp"
#include "app/commands/command.hpp"
#include "app/commands/device_details.hpp"
#include "app/commands/fit_device.hpp"
#include "app/commands/output.hpp"
#include "app/commands/terminal.hpp"
#include "app/commands/text_table.hpp"
#include "base/json.hpp"
#include "base/text/format.hpp"
#include "profiler/devices/device_model.hpp"
#include "profiler/kernels/catalogue/catalogue.hpp"
#include "profiler/measure/prepare/device_choice.hpp"
#include "profiler/service/client/worker_options.hpp"

namespace tilescope {
namespace {

/// A figure that neither the driver nor the tables give stays empty.
std::string kib(std::int64_t bytes) {
  return bytes > 0 ? format_count(bytes / 1024) : "";
}
std::string mib(std::int64_t bytes) {
  return bytes > 0 ? format_count(bytes / (1024 * 1024)) : "";
}
std::string number(double value) {
  return value > 0 ? format_number(value, 0) : "";
}

TextTable table_of(const std::vector<DeviceModel>& devices) {
  using Align = TextTable::Align;
  TextTable table;
  table.add_column("device", Align::left);
  table.add_column("installed", Align::left);
  table.add_column("arch", Align::left);
  for (const char* header : {"SMs", "warps/SM", "blocks/SM", "shared/SM [KiB]", "shared/block [KiB]",
                             "L2 [MiB]", "clock [MHz]", "DRAM [GB/s]", "FP16 [TFLOP/s]"}) {
    table.add_column(header, Align::right);
  }
  for (const DeviceModel& device : devices) {
    table.add_row({device.name, device.present ? fmt::format("gpu:{}", device.ordinal) : "no", device.arch,
                   format_count(device.sm_count), format_count(device.max_warps_per_sm),
                   format_count(device.max_blocks_per_sm), kib(device.shared_bytes_per_sm),
                   kib(device.shared_bytes_per_block_optin), mib(device.l2_bytes),
                   number(device.boost_clock_mhz), number(device.dram_gb_per_s), number(device.fp16_tflops)});
  }
  return table;
}

class DevicesCommand : public Command {
 public:
  std::string name() const override { return "devices"; }
  std::string summary() const override {
    return "Installed GPUs and the devices of the table, with what each can do; --show prints one in full, "
           "--calibrate measures one";
  }
  void declare_options(CLI::App& app) override {
    output_.declare_json(app);
    app.add_option("--show", shown_,
                   "Print every number of one device with its unit and its source; by its name or as gpu:0")
        ->type_name("NAME");
    app.add_flag(
        "--calibrate", calibrate_,
        "Run the microbenchmarks on an installed GPU and write its measured device table; with --from "
        "fit the model of latency instead");
    app.add_option("--from", session_,
                   "With --calibrate: fit the model of latency of a device to the measured points of this "
                   "session, which needs no GPU, and write the device table")
        ->type_name("SESSION");
    app.add_option(
           "--device", device_,
           "With --calibrate: which GPU, by its name or as gpu:1; the first one otherwise. With --from: "
           "the device of most points otherwise")
        ->type_name("NAME");
    app.add_option("--to", table_,
                   "With --calibrate: the table's file; by default it goes to the user's data folder and "
                   "replaces the "
                   "one that ships")
        ->type_name("FILE");
  }

  ExitCode run() override {
    check_options();
    const Installation installation = find_installation();
    if (calibrate_ && !session_.empty()) return run_fit(installation, {session_, device_, table_}, output_);
    if (calibrate_) return run_calibration(installation, device_, table_, output_);
    const std::vector<DeviceModel> tables = load_device_tables(installation);
    Client client(worker_options(installation));
    Devices::Answer here;
    std::string problem;
    try {
      here = ask_for_devices(client);
    } catch (const CannotRun& error) {
      problem = error.what();
    }
    if (!shown_.empty()) {
      show(here.present, tables, problem);
    } else {
      list(here, tables, problem);
    }
    if (problem.empty()) return ExitCode::done;
    say("tilescope: " + problem);
    return ExitCode::cannot_run;
  }

 private:
  void check_options() const {
    if (calibrate_ && !shown_.empty())
      throw WrongUsage("--show prints what is known, and --calibrate measures it: give one of them");
    if (calibrate_) return;
    if (!session_.empty()) throw WrongUsage("--from belongs to a calibration: give --calibrate too");
    if (!device_.empty() || !table_.empty())
      throw WrongUsage("--device and --to belong to a calibration: give --calibrate too");
  }

  void show(const std::vector<DeviceModel>& present, const std::vector<DeviceModel>& tables,
            const std::string& problem) const {
    try {
      const DeviceModel& device = choose_device(shown_, present, tables);
      if (output_.json) {
        print_json(with_problem(device_document(device), problem));
      } else {
        print(device_text(device, output_width(140, 120)));
      }
    } catch (const UnknownName& error) {
      throw WrongUsage(std::string("--show: ") + error.what());
    }
  }

  void list(const Devices::Answer& here, const std::vector<DeviceModel>& tables,
            const std::string& problem) const {
    std::vector<DeviceModel> all = here.present;
    all.insert(all.end(), tables.begin(), tables.end());
    if (output_.json) {
      print_document(all, here, problem);
    } else {
      print_table(all, here);
    }
  }

  static void print_document(const std::vector<DeviceModel>& all, const Devices::Answer& here,
                             const std::string& problem) {
    Json list = Json::array();
    for (const DeviceModel& device : all) list.push_back(to_json_document(device));
    print_json(with_problem(
        {{"devices", std::move(list)}, {"why_no_gpu", problem.empty() ? here.why_no_gpu : problem}},
        problem));
  }

  /// The tables are printed even if the worker cannot list its GPUs.
  static Json with_problem(Json document, const std::string& problem) {
    return problem.empty() ? document : with_failure(std::move(document), "cannot_run", problem);
  }

  static void print_table(const std::vector<DeviceModel>& all, const Devices::Answer& here) {
    std::string text = table_of(all).text();
    text +=
        "\nOn an installed GPU kernels run: results are checked and latency is timed. For the other devices\n"
        "kernels are compiled: registers, shared memory and occupancy are exact, and latency is predicted.\n";
    if (here.present.empty()) {
      text += fmt::format("No GPU is installed{}{}. The default device is the {}.\n",
                          here.why_no_gpu.empty() ? "" : ": ", here.why_no_gpu, default_table_device);
    }
    print(text);
  }

  OutputOptions output_;
  bool calibrate_ = false;
  std::string shown_;
  std::filesystem::path session_;
  std::string device_;
  std::filesystem::path table_;
};

const RegisterCommand register_devices{[] { return std::make_unique<DevicesCommand>(); }};

}  // namespace
}  // namespace tilescope
