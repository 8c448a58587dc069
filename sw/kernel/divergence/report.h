// What the pass found and did, for `vxcc --explain` and for the check of the object file.
#pragma once
#include <string>
#include <vector>

#include "llvm/IR/Function.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/JSON.h"

#include "insert.h"
#include "uniformity.h"

namespace vx {

// Conditional branches in source order with the reason why each is uniform or divergent.
llvm::json::Array describe_branches(llvm::Function& function, const Uniformity& uniformity);

llvm::json::Object describe_function(llvm::Function& function, llvm::json::Array branches, const Inserted& inserted);

// Writes one JSON object to the file named by the environment variable VX_DIVERGENCE_REPORT, if it is set.
// False if the file cannot be written.
bool write_report(llvm::json::Array functions);

}  // namespace vx
