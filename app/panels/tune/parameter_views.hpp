#pragma once

#include <vector>

#include "app/explorer/explorer.hpp"
#include "app/explorer/tune/sweep_choice.hpp"
#include "app/widgets/parameter_slider.hpp"

namespace tilescope {

/// Whether a parameter of 0 and 1 turns something on, by its help: "1 keeps the fragments of Q", "1: a barrier more",
/// "Whether the tiles are swizzled". Others of 0 and 1 are numbers.
bool is_switch(const ParameterDeclaration& parameter);

/// The sliders of the chosen kernel, in the order of the declaration: names and values of 0 and 1 as segmented buttons,
/// switches with Off and On. Asks the constraints about every value. The sweep's part is mark_swept's.
std::vector<SliderView> parameter_views(const Explorer& explorer);

/// Sliders of any configuration of a kernel, on the chosen device.
std::vector<SliderView> parameter_views(const Explorer& explorer, const KernelDeclaration& kernel,
                                        const Experiment& experiment);

/// Takes over which parameters and values are in the sweep.
void mark_swept(SliderView& slider, const ParameterDeclaration& parameter, const std::string& kernel,
                const SweepChoice& choice);

}  // namespace tilescope
