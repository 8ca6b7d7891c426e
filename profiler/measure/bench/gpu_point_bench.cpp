// A point on this machine's GPU: from the request to each stage, the spread of the final latency over repeats
// with two time budgets, their agreement over configurations, and whether compiling on the other cores moves
// it. The budgets take turns, so that a drift of the clock meets both. Prints a line per figure, or one
// document with --benchmark_format=json. Ends with 3 and the reason where there is no GPU.
//
//   gpu_point [--benchmark_format=json] [stages=N] [visits=N] [spread=N] [agreement=N] [load=N]
//             [budget=S] [reference_budget=S] [lower_budget=S] [rest=S]
//
// N is the number of requests, first visits, repeats, configurations and pairs; 0 leaves a part out. A budget
// is the time of the L2-warm series; the L2-cold one takes half of it, with the reference budget as much.
// `rest` is the time that the GPU idles before each request for stages, `lower_budget` one more budget for
// the spread.

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <map>
#include <thread>

#include "base/json.hpp"
#include "profiler/measure/bench/busy_compilers.hpp"
#include "profiler/measure/bench/gpu_measuring.hpp"
#include "profiler/measure/bench/stage_times.hpp"
#include "profiler/measure/register_answer.hpp"
#include "sessions/sample_statistics.hpp"

namespace {

using namespace tilescope;
using namespace tilescope::gpu_point;

struct Options {
  bool json = false;
  std::map<std::string, double> values{{"stages", 5},
                                       {"visits", 5},
                                       {"spread", 5},
                                       {"agreement", 0},
                                       {"load", 0},
                                       {"budget", Experiment{}.timing_budget_s},
                                       {"reference_budget", 0.5},
                                       {"lower_budget", 0},
                                       {"rest", 0}};

  int count(const char* name) const { return static_cast<int>(values.at(name)); }
};

Options read_options(int argc, char** argv) {
  Options options;
  for (int i = 1; i < argc; ++i) {
    const std::string text = argv[i];
    const std::size_t equals = text.find('=');
    const auto known = options.values.find(text.substr(0, equals));
    if (text == "--benchmark_format=json") {
      options.json = true;
    } else if (equals != std::string::npos && known != options.values.end()) {
      known->second = std::stod(text.substr(equals + 1));
    } else {
      throw std::invalid_argument("unknown argument " + text);
    }
  }
  return options;
}

/// Measures one configuration repeatedly.
Json time_stages(Measuring& measuring, int requests, double rest_s, double budget_s) {
  const Service service = make_measure_service(measuring.installation());
  Json list = Json::array();
  for (const Case& one : three_kernels()) {
    const Experiment experiment = experiment_of(one, budget_s);
    StageTimes compiling, times;
    ask(service, experiment, compiling);
    for (int request = 0; request < requests; ++request) {
      std::this_thread::sleep_for(std::chrono::duration<double>(rest_s));
      ask(service, experiment, times);
    }
    Json entry = one.description();
    entry.update(times.summaries());
    entry["requests"] = requests;
    entry["rest_s"] = rest_s;
    list.push_back(std::move(entry));
  }
  return list;
}

/// Configurations that were compiled before by another process, each for the first time in this one.
Json time_visits(Measuring& measuring, int visits, double budget_s) {
  Json list = Json::array();
  for (const Case& one : three_kernels()) {
    const std::vector<Case> cases = measuring.configurations({one.kernel}, {one.shape}, visits + 1);
    for (const Case& each : cases) measuring.compile(each);
    const Service service = make_measure_service(measuring.installation());
    StageTimes first, times;
    for (const Case& each : cases) {
      try {
        ask(service, experiment_of(each, budget_s), &each == &cases.front() ? first : times);
      } catch (const std::runtime_error& error) {
        std::fprintf(stderr, "left out: %s\n", error.what());
      }
    }
    Json entry = one.description();
    entry.erase("parameters");
    entry.update(times.summaries());
    entry["visits"] = times.ms["answer"].size();
    list.push_back(std::move(entry));
  }
  return list;
}

Json time_spread(Measuring& measuring, int repeats, const std::vector<TimingBudget>& budgets) {
  Json list = Json::array();
  for (const Case& one : three_kernels()) {
    measuring.measure(one, {0.1});
    std::vector<std::map<std::string, std::vector<double>>> series(budgets.size());
    for (int repeat = 0; repeat < repeats; ++repeat) {
      for (std::size_t b = 0; b < budgets.size(); ++b) {
        double seconds = 0;
        const Timed point = measuring.measure(one, budgets[b], &seconds);
        series[b]["warm_p50_us"].push_back(point.latency->p50_us);
        series[b]["cold_p50_us"].push_back(point.latency->l2_cold->p50_us);
        series[b]["seconds"].push_back(seconds);
        series[b]["sm_clock_mhz"].push_back(point.latency->l2_warm->sm_clock_mhz);
      }
    }
    for (std::size_t b = 0; b < budgets.size(); ++b) {
      Json entry = one.description();
      entry["budget_s"] = budgets[b].l2_warm_s;
      entry["cold_budget_s"] = budgets[b].l2_warm_s * budgets[b].cold_share;
      for (const auto& [name, values] : series[b]) {
        entry[name] = values;
        entry["summary"][name] = summary(values);
      }
      list.push_back(std::move(entry));
    }
  }
  return list;
}

/// Budgets in turns, twice each: A B A B.
Json time_agreement(Measuring& measuring, int configurations, const std::vector<TimingBudget>& budgets) {
  Json list = Json::array();
  for (const Case& one : measuring.configurations({"flash_scalar", "mma_flash", "wmma_full", "tiled"},
                                                  {square(1, 8, 512), square(4, 16, 512)}, configurations)) {
    try {
      measuring.measure(one, {0.02});
      Json entry = one.description();
      for (int turn = 0; turn < 2; ++turn) {
        for (std::size_t b = 0; b < budgets.size(); ++b) {
          const Timed point = measuring.measure(one, budgets[b]);
          entry["budget_s"][b] = budgets[b].l2_warm_s;
          entry["warm_p50_us"][b][static_cast<std::size_t>(turn)] = point.latency->p50_us;
          entry["cold_p50_us"][b][static_cast<std::size_t>(turn)] = point.latency->l2_cold->p50_us;
          entry["sm_clock_mhz"][b][static_cast<std::size_t>(turn)] = point.latency->l2_warm->sm_clock_mhz;
        }
      }
      list.push_back(std::move(entry));
    } catch (const std::runtime_error& error) {
      std::fprintf(stderr, "left out: %s\n", error.what());
    }
  }
  return list;
}

/// The median without and with compilers on all cores but one, in turns.
Json time_under_load(Measuring& measuring, int pairs, double budget_s) {
  Json list = Json::array();
  const unsigned cores = std::max(2U, std::thread::hardware_concurrency());
  std::vector<Case> cases = three_kernels();
  cases.pop_back();
  for (const Case& one : cases) {
    measuring.measure(one, {0.1});
    Json entry = one.description();
    std::vector<double> ratios;
    for (int pair = 0; pair < pairs; ++pair) {
      const double alone = measuring.measure(one, {budget_s}).latency->p50_us;
      const Compilers compilers(cores - 1);
      const double beside = measuring.measure(one, {budget_s}).latency->p50_us;
      entry["alone_us"].push_back(alone);
      entry["beside_us"].push_back(beside);
      ratios.push_back(beside / alone);
    }
    entry["compilers"] = cores - 1;
    entry["budget_s"] = budget_s;
    entry["ratio"] = summary(ratios);
    list.push_back(std::move(entry));
  }
  return list;
}

Json run(const Options& options) {
  Measuring measuring;
  const double budget_s = options.values.at("budget");
  // The method before: the L2-cold series as long as the L2-warm one.
  const std::vector<TimingBudget> budgets{{options.values.at("reference_budget"), 1.0}, {budget_s}};
  Json report{{"device",
               measuring.device().aliases.empty() ? measuring.device().name : measuring.device().aliases[0]},
              {"driver", measuring.driver()},
              {"compiler", "NVRTC " + measuring.nvrtc() + ", " + measuring.device().arch},
              {"budget_s", budget_s}};
  if (options.count("visits") > 0)
    report["visits"] = time_visits(measuring, options.count("visits"), budget_s);
  if (options.count("stages") > 0)
    report["stages"] = time_stages(measuring, options.count("stages"), options.values.at("rest"), budget_s);
  if (options.count("spread") > 0) {
    std::vector<TimingBudget> all = budgets;
    if (options.values.at("lower_budget") > 0) all.push_back({options.values.at("lower_budget")});
    report["spread"] = time_spread(measuring, options.count("spread"), all);
  }
  if (options.count("agreement") > 0)
    report["agreement"] = time_agreement(measuring, options.count("agreement"), budgets);
  if (options.count("load") > 0) report["load"] = time_under_load(measuring, options.count("load"), budget_s);
  return report;
}

void print_lines(const Json& report) {
  for (const char* part : {"visits", "stages"}) {
    for (const Json& entry : report.value(part, Json::array())) {
      for (const auto& [name, times] : entry.at("ms").items()) {
        std::printf("%-14s %s: from the request to %-12s %8.1f ms (p90 %.1f)\n",
                    entry.at("kernel").get<std::string>().c_str(),
                    part == std::string("visits") ? "first visit" : "again", name.c_str(),
                    times.at("p50").get<double>(), times.at("p90").get<double>());
      }
    }
  }
  for (const Json& entry : report.value("spread", Json::array())) {
    const Json& of = entry.at("summary");
    std::printf("%-14s budget %.2f s: p50 %.3f us, IQR %.3f %% (cold %.3f us, %.3f %%), %.3f s a point\n",
                entry.at("kernel").get<std::string>().c_str(), entry.at("budget_s").get<double>(),
                of.at("warm_p50_us").at("p50").get<double>(),
                100 * of.at("warm_p50_us").at("relative_iqr").get<double>(),
                of.at("cold_p50_us").at("p50").get<double>(),
                100 * of.at("cold_p50_us").at("relative_iqr").get<double>(),
                of.at("seconds").at("p50").get<double>());
  }
  for (const Json& entry : report.value("load", Json::array())) {
    std::printf("%-14s beside compilers over alone: %.4f (p10 %.4f, p90 %.4f)\n",
                entry.at("kernel").get<std::string>().c_str(), entry.at("ratio").at("p50").get<double>(),
                entry.at("ratio").at("p10").get<double>(), entry.at("ratio").at("p90").get<double>());
  }
}

}  // namespace

int main(int argc, char** argv) {
  try {
    if (argc == 2 && std::strcmp(argv[1], "compile_forever") == 0) return compile_forever();
    const Options options = read_options(argc, argv);
    const Json report = run(options);
    if (options.json) {
      std::printf("%s\n", report.dump().c_str());
    } else {
      print_lines(report);
    }
    return 0;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "the benchmark of points on a GPU cannot run: %s\n", error.what());
    return 3;
  }
}
