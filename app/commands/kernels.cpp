#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <memory>

#include "app/commands/command.hpp"
#include "app/commands/experiment_options.hpp"
#include "app/commands/output.hpp"
#include "app/commands/terminal.hpp"
#include "app/commands/text_table.hpp"
#include "base/json.hpp"
#include "profiler/installation.hpp"
#include "profiler/kernels/catalogue/catalogue.hpp"

namespace tilescope {
namespace {

std::string values_text(const ParameterDeclaration& parameter) {
  std::string text;
  for (const ParameterValue& value : parameter.values) text += (text.empty() ? "" : " ") + to_string(value);
  return text;
}

std::string entry(const std::string& label, const std::string& text) {
  return "  " + prose(label + ": " + text, 4) + "\n";
}

std::string parameters_text(const KernelDeclaration& kernel) {
  using Align = TextTable::Align;
  if (kernel.parameters.empty()) return "";
  TextTable table;
  table.add_column("parameter", Align::left);
  table.add_column("default", Align::left);
  table.add_column("values", Align::left);
  for (const ParameterDeclaration& parameter : kernel.parameters) {
    table.add_row({parameter.name, to_string(parameter.default_value), values_text(parameter)});
  }
  std::string text = table.text(2);
  for (const ParameterDeclaration& parameter : kernel.parameters) {
    text += entry(parameter.name, parameter.help);
  }
  return text;
}

std::string launch_text(const KernelDeclaration& kernel) {
  std::string text;
  if (!kernel.is_launched_by_library()) {
    for (const NamedExpression& let : kernel.lets) text += entry(let.name, let.expression);
    text += entry("grid", fmt::format("({}, {}, {})", kernel.grid[0], kernel.grid[1], kernel.grid[2]));
    text += entry("threads per block", kernel.threads);
    text += entry("dynamic shared memory [B]", kernel.dynamic_shared_bytes);
  }
  return text + entry("file", kernel.source_path.string());
}

// `in_full` adds what only matters for one kernel: the expressions and the file.
std::string kernel_text(const KernelDeclaration& kernel, bool in_full) {
  std::string types;
  for (const DataType type : kernel.dtypes) types += (types.empty() ? "" : ", ") + to_string(type);
  const std::string place = kernel.rung > 0 ? fmt::format(" {}", kernel.rung) : "";
  const std::string heading =
      fmt::format("{} ({}{}): {}; {}", kernel.name, to_string(kernel.role), place, kernel.title, types);
  std::string text = prose(heading, 2) + "\n";
  text += parameters_text(kernel);
  for (const Constraint& constraint : kernel.constraints) {
    text += entry("constraint", constraint.text);
    if (in_full) text += "    " + prose("requires: " + constraint.expression, 6) + "\n";
  }
  if (kernel.card) {
    text += entry("symptom", kernel.card->looks);
    text += entry("evidence", kernel.card->shown);
    text += entry("repair", kernel.card->repair);
    if (!kernel.card->diagnosis.empty()) text += entry("diagnosis", kernel.card->diagnosis);
  }
  return in_full ? text + launch_text(kernel) : text;
}

std::string broken_text(const BrokenKernel& kernel) {
  std::string text =
      fmt::format("{}: its declaration cannot be used\n", kernel.source_path.filename().string());
  return text + "  " + prose(kernel.error, 2) + "\n";
}

class KernelsCommand : public Command {
 public:
  std::string name() const override { return "kernels"; }
  std::string summary() const override {
    return "All kernels, or one: parameters with values, defaults and help, constraints";
  }
  void declare_options(CLI::App& app) override {
    app.add_option("KERNEL", kernel_, "Only this one: a name, or the path of a .cu file")->type_name("");
    output_.declare_json(app);
  }

  ExitCode run() override {
    const Catalogue catalogue(find_installation().kernels);
    if (!kernel_.empty()) return print_one(catalogue);
    if (output_.json) {
      print_json(to_json_document(catalogue));
      return ExitCode::done;
    }
    std::string text;
    for (const KernelDeclaration& kernel : catalogue.kernels()) {
      text += (text.empty() ? "" : "\n") + kernel_text(kernel, false);
    }
    for (const BrokenKernel& kernel : catalogue.broken()) {
      text += (text.empty() ? "" : "\n") + broken_text(kernel);
    }
    print(text.empty() ? "There is no kernel in the catalogue.\n" : text);
    return ExitCode::done;
  }

 private:
  ExitCode print_one(const Catalogue& catalogue) const {
    const KernelDeclaration kernel = find_kernel(catalogue, kernel_);
    if (output_.json) {
      print_json({{"kernels", {to_json_document(kernel)}}, {"broken_kernels", Json::array()}});
    } else {
      print(kernel_text(kernel, true));
    }
    return ExitCode::done;
  }

  std::string kernel_;
  OutputOptions output_;
};

const RegisterCommand register_kernels{[] { return std::make_unique<KernelsCommand>(); }};

}  // namespace
}  // namespace tilescope
