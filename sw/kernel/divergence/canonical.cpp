#include "canonical.h"

#include "llvm/ADT/SCCIterator.h"
#include "llvm/Analysis/CFG.h"
#include "llvm/Analysis/PostDominators.h"
#include "llvm/Analysis/TargetTransformInfo.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/CFG.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/Transforms/Scalar.h"
#include "llvm/Transforms/Scalar/StructurizeCFG.h"
#include "llvm/Transforms/Utils/FixIrreducible.h"
#include "llvm/Transforms/Utils/Local.h"
#include "llvm/Transforms/Utils/LoopSimplify.h"
#include "llvm/Transforms/Utils/LowerSwitch.h"
#include "llvm/Transforms/Utils/UnifyFunctionExitNodes.h"
#include "llvm/Transforms/Utils/UnifyLoopExits.h"

#include "uniformity.h"

using namespace llvm;

namespace vx {

namespace {

template <class Pass>
void run(Function& function, FunctionAnalysisManager& analyses) {
    analyses.invalidate(function, Pass().run(function, analyses));
}

// A lane that gets there has gone wrong; the others must still meet.
void return_from_unreachable(Function& function) {
    Type* type = function.getReturnType();
    for (BasicBlock& block : function) {
        auto* end = dyn_cast<UnreachableInst>(block.getTerminator());
        if (end == nullptr) continue;
        if (type->isVoidTy()) {
            ReturnInst::Create(function.getContext(), nullptr, end->getIterator());
        } else {
            ReturnInst::Create(function.getContext(), PoisonValue::get(type), end->getIterator());
        }
        end->eraseFromParent();
    }
}

// A loop that nothing leaves gets an exit that nobody takes: without one there is no point where lanes meet.
void give_endless_loops_an_exit(Function& function) {
    SmallVector<BasicBlock*, 4> stuck;
    for (auto component = scc_begin(&function); !component.isAtEnd(); ++component) {
        if (!component.hasCycle()) continue;
        const SmallPtrSet<BasicBlock*, 8> inside(component->begin(), component->end());
        const bool leaves = any_of(*component, [&](BasicBlock* block) {
            return any_of(successors(block), [&](BasicBlock* next) { return !inside.contains(next); });
        });
        if (!leaves) stuck.push_back(component->front());
    }
    if (stuck.empty()) return;
    BasicBlock* leave = BasicBlock::Create(function.getContext(), "vx.never", &function);
    IRBuilder<> builder(leave);
    if (function.getReturnType()->isVoidTy()) {
        builder.CreateRetVoid();
    } else {
        builder.CreateRet(PoisonValue::get(function.getReturnType()));
    }
    for (BasicBlock* block : stuck) {
        // Split before the terminator, so that a plain jump is what the exit is added to.
        block->splitBasicBlock(block->getTerminator());
        Instruction* jump = block->getTerminator();
        BranchInst::Create(jump->getSuccessor(0), leave, ConstantInt::getTrue(function.getContext()), jump->getIterator());
        jump->eraseFromParent();
    }
}

constexpr unsigned kShort = 8;

bool can_run_always(BasicBlock* side, BasicBlock* branch, BasicBlock* meet) {
    if (side == meet) return true;
    if (side->getSinglePredecessor() != branch || side->getSingleSuccessor() != meet || side->hasAddressTaken()) return false;
    unsigned count = 0;
    for (Instruction& instruction : *side) {
        if (instruction.isTerminator() || isa<DbgInfoIntrinsic>(instruction)) continue;
        if (isa<PHINode>(instruction) || ++count > kShort || !isSafeToSpeculativelyExecute(&instruction)) return false;
        switch (instruction.getOpcode()) {
            case Instruction::UDiv: case Instruction::SDiv: case Instruction::URem: case Instruction::SRem:
            case Instruction::FDiv: case Instruction::FRem: case Instruction::Load: case Instruction::Call:
                return false;  // slower than the branch that they are guarded by
            default:
                break;
        }
    }
    return true;
}

bool convert(BranchInst& branch) {
    BasicBlock* from = branch.getParent();
    BasicBlock* yes = branch.getSuccessor(0);
    BasicBlock* no = branch.getSuccessor(1);
    if (yes == no) return false;
    BasicBlock* meet = yes->getSingleSuccessor() == no ? no : no->getSingleSuccessor() == yes ? yes : yes->getSingleSuccessor();
    if (meet == nullptr || meet == from || !can_run_always(yes, from, meet) || !can_run_always(no, from, meet)) return false;
    for (const PHINode& phi : meet->phis()) {
        const Type* type = phi.getType();
        if (!type->isIntegerTy() && !type->isPointerTy() && !type->isFloatTy() && !type->isDoubleTy()) return false;
    }
    for (BasicBlock* side : {yes, no}) {
        if (side == meet) continue;
        for (Instruction& instruction : *side) instruction.dropUBImplyingAttrsAndMetadata();
        from->splice(branch.getIterator(), side, side->begin(), side->getTerminator()->getIterator());
    }
    BasicBlock* yes_edge = yes == meet ? from : yes;
    BasicBlock* no_edge = no == meet ? from : no;
    IRBuilder<> builder(&branch);
    for (PHINode& phi : meet->phis()) {
        Value* value = builder.CreateSelect(branch.getCondition(), phi.getIncomingValueForBlock(yes_edge), phi.getIncomingValueForBlock(no_edge));
        phi.addIncoming(value, from);
        if (yes_edge != from) phi.removeIncomingValue(yes_edge, false);
        if (no_edge != from) phi.removeIncomingValue(no_edge, false);
        // The edge that was direct is now the only one from here.
        if (yes_edge == from || no_edge == from) phi.removeIncomingValue(phi.getBasicBlockIndex(from), false);
    }
    builder.CreateBr(meet);
    branch.eraseFromParent();
    for (BasicBlock* side : {yes, no}) {
        if (side != meet) side->eraseFromParent();
    }
    return true;
}

}  // namespace

void lower_switches(Function& function, FunctionAnalysisManager& analyses) { run<LowerSwitchPass>(function, analyses); }

bool convert_short_ifs(Function& function) {
    bool changed = false;
    for (bool again = true; again;) {
        again = false;
        const Uniformity uniformity(function);
        for (BasicBlock& block : function) {
            auto* branch = dyn_cast<BranchInst>(block.getTerminator());
            if (branch == nullptr || !branch->isConditional() || !uniformity.divergent_end(block)) continue;
            if (convert(*branch)) {
                changed = again = true;
                break;  // the analysis is of the old blocks
            }
        }
    }
    return changed;
}

void fold_constant_branches(Function& function) {
    // What becomes unreachable leaves phis with one value, and conditions further on become constants by that.
    for (bool again = true; again;) {
        again = false;
        for (BasicBlock& block : function) again |= ConstantFoldTerminator(&block);
        again |= removeUnreachableBlocks(function);
    }
}

void structurize(Function& function, FunctionAnalysisManager& analyses, bool keep_uniform) {
    return_from_unreachable(function);
    give_endless_loops_an_exit(function);
    analyses.invalidate(function, PreservedAnalyses::none());
    run<UnifyFunctionExitNodesPass>(function, analyses);
    run<LowerSwitchPass>(function, analyses);
    run<FixIrreduciblePass>(function, analyses);
    run<UnifyLoopExitsPass>(function, analyses);
    run<LoopSimplifyPass>(function, analyses);
    // The old pass manager's structurizer is the one that leaves uniform regions alone.
    const bool untouched = function.hasOptNone();
    if (untouched) function.removeFnAttr(Attribute::OptimizeNone);
    legacy::FunctionPassManager old(function.getParent());
    old.add(createTargetTransformInfoWrapperPass(TargetIRAnalysis(warp_target_info)));
    old.add(createStructurizeCFGPass(/*SkipUniformRegions=*/keep_uniform));
    old.doInitialization();
    old.run(function);
    old.doFinalization();
    if (untouched) function.addFnAttr(Attribute::OptimizeNone);
    analyses.invalidate(function, PreservedAnalyses::none());
    run<LoopSimplifyPass>(function, analyses);
}

}  // namespace vx
