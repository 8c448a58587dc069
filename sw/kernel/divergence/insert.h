// Puts SPLIT, JOIN and PRED into a function whose control flow is in canonical form.
#pragma once
#include <string>

#include "llvm/IR/Function.h"

namespace vx {

struct Inserted {
    unsigned splits = 0;
    unsigned preds = 0;
    std::string error;       // empty: all went well
    bool unchanged = false;  // the error was found before anything was inserted
};

// `next_label` numbers the labels that make a duplicated instruction an assembler error; unique in a module.
Inserted insert(llvm::Function& function, unsigned& next_label);

}  // namespace vx
