// Values for which the RISC-V back end would make a branch of its own, after every pass could still see it.
#pragma once
#include "llvm/IR/Function.h"

namespace vx {

// Rewrites roundings, float selects, minima and maxima, and bit counts into code without branches. True if anything changed.
bool lower_hidden_branches(llvm::Function& function);

}  // namespace vx
