// What is uniform in a warp, what may differ from lane to lane, and why.
#pragma once
#include <memory>
#include <string>

#include "llvm/Analysis/CycleAnalysis.h"
#include "llvm/Analysis/TargetTransformInfo.h"
#include "llvm/Analysis/TargetTransformInfoImpl.h"
#include "llvm/ADT/GenericUniformityImpl.h"
#include "llvm/Analysis/UniformityAnalysis.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/InstrTypes.h"
#include "llvm/IR/Module.h"

namespace vx {

// Attributes of functions and parameters; strings, so that every LLVM pass carries them along untouched.
inline constexpr const char kUniformParameter[] = "vx-uniform";
inline constexpr const char kSingleLane[] = "vx-single-lane";
// Body of the empty assembler text whose result is its operand, declared uniform by the source.
inline constexpr const char kUniformAsm[] = "# vortex.uniform";

// The one thing that stock RISC-V does not tell LLVM: which values are sources of divergence
// (docs/reference/vortex.md sections 2.2 and 3).
class WarpTargetInfo final : public llvm::TargetTransformInfoImplCRTPBase<WarpTargetInfo> {
    using Base = llvm::TargetTransformInfoImplCRTPBase<WarpTargetInfo>;

  public:
    explicit WarpTargetInfo(const llvm::Function& function) : Base(function.getParent()->getDataLayout()) {}
    bool hasBranchDivergence(const llvm::Function*) const { return true; }
    bool isSourceOfDivergence(const llvm::Value* value) const;
    bool isAlwaysUniform(const llvm::Value* value) const;
};

llvm::TargetTransformInfo warp_target_info(const llvm::Function& function);

// LLVM's uniformity analysis with the sources above, and what it was computed from.
class Uniformity {
  public:
    explicit Uniformity(llvm::Function& function);
    bool divergent(const llvm::Value* value) const { return info_->isDivergent(value); }
    // The branch or switch at the end of `block` may go different ways in lanes of one warp.
    bool divergent_end(const llvm::BasicBlock& block) const {
        return block.getTerminator()->getNumSuccessors() > 1 && info_->hasDivergentTerminator(block);
    }
    llvm::DominatorTree& dominators() { return dominators_; }

  private:
    llvm::DominatorTree dominators_;
    llvm::CycleInfo cycles_;
    llvm::TargetTransformInfo target_;
    std::unique_ptr<llvm::UniformityInfo> info_;
};

// Finds parameters of internal functions that every call gives a uniform value, and marks them.
void propagate_uniform_parameters(llvm::Module& module);

// For people: what the value of a condition comes from, as a sentence without a full stop.
std::string why_divergent(const llvm::Value* condition, const Uniformity& uniformity);
std::string why_uniform(const llvm::Value* condition);

}  // namespace vx
