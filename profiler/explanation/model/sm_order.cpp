#include "profiler/explanation/model/sm_order.hpp"

#include <algorithm>
#include <utility>

namespace tilescope::model {
namespace {

constexpr std::size_t sms_of_tpc = 2;
// SMs of the group with more turns.
constexpr std::size_t frequent_sms = 8;
// Turns of the other TPCs between two turns of that group, of a whole round; and until its second one.
constexpr double between_turns = 0.75, before_second_turn = 0.625;

class HopperOrder {
 public:
  HopperOrder(std::size_t sms, std::size_t blocks) : others_(sms - frequent_sms), held_(sms, 0) {
    order_.reserve(blocks + sms);
    give_even(blocks / sms);
    give_rest(blocks / sms + 1);
    order_.resize(blocks);
  }

  std::vector<std::uint32_t> take() { return std::move(order_); }

 private:
  void give_even(std::size_t each) {
    const double round = static_cast<double>(others_) / sms_of_tpc;
    const std::size_t all = held_.size() * each;
    double next = before_second_turn * round;
    give_turn(0, frequent_sms, each);
    for (std::size_t turn = 0; order_.size() < all; ++turn) {
      if (static_cast<double>(turn) >= next) {
        give_turn(0, frequent_sms, each);
        next += between_turns * round;
      }
      give_turn(frequent_sms + turn * sms_of_tpc % others_, sms_of_tpc, each);
    }
  }

  // The blocks beyond that, fewer than SMs: one for each TPC first.
  void give_rest(std::size_t most) {
    give_turn(0, frequent_sms, most);
    for (std::size_t half = 0; half < sms_of_tpc; ++half)
      for (std::size_t sm = half; sm < others_; sm += sms_of_tpc) give_turn(frequent_sms + sm, 1, most);
  }

  // A block for each of these SMs that may hold one more.
  void give_turn(std::size_t first, std::size_t count, std::size_t most) {
    for (std::size_t sm = first; sm < first + count; ++sm) {
      if (held_[sm] == most) continue;
      ++held_[sm];
      order_.push_back(static_cast<std::uint32_t>(sm));
    }
  }

  const std::size_t others_;
  std::vector<std::size_t> held_;  // by SM
  std::vector<std::uint32_t> order_;
};

}  // namespace

std::vector<std::uint32_t> sm_order(int architecture, std::size_t sms, std::size_t resident,
                                    std::uint64_t blocks) {
  const auto placed = static_cast<std::size_t>(std::min<std::uint64_t>(blocks, sms * resident));
  const bool is_known = architecture == 90 && sms > 4 * frequent_sms && sms % sms_of_tpc == 0;
  if (is_known) return HopperOrder(sms, placed).take();
  std::vector<std::uint32_t> order;
  order.reserve(placed);
  for (std::size_t i = 0; i < placed; ++i) order.push_back(static_cast<std::uint32_t>(i % sms));
  return order;
}

}  // namespace tilescope::model
