#include "profiler/explanation/diagnose/rule.hpp"

#include <algorithm>
#include <stdexcept>
#include <tuple>
#include <utility>

namespace tilescope {
namespace {

std::vector<DiagnosisRule>& registered() {
  static std::vector<DiagnosisRule> rules;
  return rules;
}

}  // namespace

RegisterRule::RegisterRule(DiagnosisRule rule) {
  const bool has_cost = rule.tries.empty() || rule.cost != nullptr;
  if (rule.kind.empty() || rule.find == nullptr || !has_cost) {
    throw std::logic_error("the rule '" + rule.kind + "' has no kind, no way to find it or no cost");
  }
  if (find_rule(rule.kind) != nullptr)
    throw std::logic_error("two rules are of the kind '" + rule.kind + "'");
  std::vector<DiagnosisRule>& rules = registered();
  const auto comes_first = [](const DiagnosisRule& a, const DiagnosisRule& b) {
    return std::tie(a.place, a.kind) < std::tie(b.place, b.kind);
  };
  rules.insert(std::upper_bound(rules.begin(), rules.end(), rule, comes_first), std::move(rule));
}

bool computes_attention(const KernelDeclaration& kernel) {
  return !kernel.name.empty() && kernel.role != KernelRole::micro;
}

const std::vector<DiagnosisRule>& all_rules() {
  return registered();
}

const DiagnosisRule* find_rule(std::string_view kind) {
  for (const DiagnosisRule& rule : registered()) {
    if (rule.kind == kind) return &rule;
  }
  return nullptr;
}

}  // namespace tilescope
