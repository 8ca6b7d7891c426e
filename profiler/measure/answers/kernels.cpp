#include "profiler/service/requests/kernels.hpp"
#include "profiler/kernels/catalogue/catalogue.hpp"
#include "profiler/measure/register_answer.hpp"

namespace tilescope {
namespace {

Kernels::Answer answer_kernels(Workbench& bench, const Kernels::Params&, const MeasureControl&) {
  Kernels::Answer answer;
  answer.catalogue = to_json_document(Catalogue(bench.installation().kernels));
  return answer;
}

const RegisterAnswer<Kernels> register_kernels{answer_kernels};

}  // namespace
}  // namespace tilescope
