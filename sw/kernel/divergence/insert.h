// Puts SPLIT, JOIN and PRED into a function whose control flow is in canonical form.
#pragma once
#include <string>
#include <vector>

#include "llvm/IR/DebugLoc.h"
#include "llvm/IR/Function.h"

namespace vx {

struct Inserted {
    unsigned splits = 0;
    unsigned preds = 0;
    std::vector<llvm::DebugLoc> split_places, pred_places;  // of the branches; empty where structurizing made one
    std::string error;       // empty: all went well
    bool unchanged = false;  // the error was found before anything was inserted
};

// `next_label` numbers the labels that make a duplicated instruction an assembler error; unique in a module.
Inserted insert(llvm::Function& function, unsigned& next_label);

}  // namespace vx
