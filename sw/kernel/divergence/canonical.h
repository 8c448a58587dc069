// Brings control flow into the form that SPLIT, JOIN and PRED can follow.
#pragma once
#include "llvm/IR/Function.h"
#include "llvm/IR/PassManager.h"

namespace vx {

// Replaces every switch by branches, so that the branches of a function can be counted.
void lower_switches(llvm::Function& function, llvm::FunctionAnalysisManager& analyses);

// Turns short divergent ifs without side effects into selects. True if anything changed.
bool convert_short_ifs(llvm::Function& function);

// Afterwards a divergent branch chooses between a block and the point where all lanes meet again, or is the only exit
// of a loop, at its latch. With `keep_uniform` regions whose branches are all uniform stay as they are.
void structurize(llvm::Function& function, llvm::FunctionAnalysisManager& analyses, bool keep_uniform);

// Branches on a constant are jumps. Structurizing makes them, and without optimisation the back end keeps them.
void fold_constant_branches(llvm::Function& function);

}  // namespace vx
