// What must be said before LLVM optimises anything.
#pragma once
#include "llvm/IR/Module.h"

namespace vx {

// Marks functions, calls and volatile assembler text `convergent`, because lanes that are together there must stay
// together; reads the annotations of the headers (kernel, uniform, single lane) and leaves them as attributes.
void mark(llvm::Module& module);

}  // namespace vx
