#include "insert.h"

#include "llvm/ADT/PostOrderIterator.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/PostDominators.h"
#include "llvm/IR/CFG.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/Instructions.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"

#include "uniformity.h"

using namespace llvm;

namespace vx {

namespace {

struct Split {
    BranchInst* branch;
    BasicBlock* meet;
};

class Insertion {
  public:
    Insertion(Function& function, unsigned& next_label)
        : function_(function), next_label_(next_label), word_(function.getParent()->getDataLayout().getIntPtrType(function.getContext())) {}

    Inserted run() {
        collect();
        if (!result_.error.empty()) {
            result_.unchanged = true;
            return result_;
        }
        DominatorTree dominators(function_);
        LoopInfo loops(dominators);
        // Inner splits first, so that their JOIN is executed before that of the outer one at the same place.
        for (const Split& split : splits_) {
            split_and_join(split, dominators, loops);
            if (!result_.error.empty()) return result_;
        }
        for (BranchInst* latch : latches_) predicate(*latch, loops);
        return result_;
    }

  private:
    void collect() {
        Uniformity uniformity(function_);
        LoopInfo loops(uniformity.dominators());
        PostDominatorTree meeting(function_);
        for (DomTreeNode* node : post_order(&uniformity.dominators())) {
            BasicBlock* block = node->getBlock();
            if (!uniformity.divergent_end(*block)) continue;
            auto* branch = dyn_cast<BranchInst>(block->getTerminator());
            if (branch == nullptr) return fail(*block->getTerminator(), "is divergent but no branch");
            const Loop* loop = loops.getLoopFor(block);
            if (loop != nullptr && loop->isLoopExiting(block)) {
                if (loop->getLoopLatch() != block || loop->getLoopPreheader() == nullptr) {
                    return fail(*branch, "leaves a loop divergently in the middle of it");
                }
                latches_.push_back(branch);
                continue;
            }
            const DomTreeNode* after = meeting.getNode(block)->getIDom();
            if (after == nullptr || after->getBlock() == nullptr) return fail(*branch, "has no point where its sides meet");
            splits_.push_back({branch, after->getBlock()});
        }
    }

    void split_and_join(const Split& split, DominatorTree& dominators, LoopInfo& loops) {
        BasicBlock* block = split.branch->getParent();
        SmallVector<BasicBlock*, 4> inside;
        for (BasicBlock* before : predecessors(split.meet)) {
            if (dominators.dominates(block, before)) inside.push_back(before);
        }
        if (inside.empty()) return fail(*split.branch, "starts a region with several entries");
        BasicBlock* join = SplitBlockPredecessors(split.meet, inside, ".vx.join", &dominators, &loops);
        if (join == nullptr) return fail(*split.branch, "meets at a block that cannot be split");

        IRBuilder<> builder(split.branch);
        Value* condition = builder.CreateZExt(split.branch->getCondition(), word_);
        CallInst* made = emit(builder, StructType::get(word_, word_), {condition}, "=&r,=r,1,~{memory}", ".insn r 0x0B, 2, 0, $0, $1, x0");
        Value* pointer = builder.CreateExtractValue(made, 0, "vx.sp");
        split.branch->setCondition(builder.CreateICmpNE(builder.CreateExtractValue(made, 1), ConstantInt::get(word_, 0)));

        IRBuilder<> end(&*join->getFirstInsertionPt());
        end.SetCurrentDebugLocation(split.branch->getDebugLoc());
        emit(end, end.getVoidTy(), {pointer}, "r,~{memory}", ".insn r 0x0B, 3, 0, x0, $0, x0");
        ++result_.splits;
        result_.split_places.push_back(split.branch->getDebugLoc());
    }

    void predicate(BranchInst& latch, LoopInfo& loops) {
        Loop* loop = loops.getLoopFor(latch.getParent());
        IRBuilder<> before(loop->getLoopPreheader()->getTerminator());
        before.SetCurrentDebugLocation(latch.getDebugLoc());
        Value* mask = emit(before, word_, {}, "=r,~{memory}", "csrr $0, 0xCC4");

        IRBuilder<> builder(&latch);
        const bool stays_on_true = latch.getSuccessor(0) == loop->getHeader();
        Value* stays = stays_on_true ? latch.getCondition() : builder.CreateNot(latch.getCondition());
        Value* wide = builder.CreateZExt(stays, word_);
        Value* kept = emit(builder, word_, {wide, mask}, "=r,0,r,~{memory}", ".insn r 0x0B, 5, 0, x0, $0, $2");
        latch.setCondition(builder.CreateICmpNE(kept, ConstantInt::get(word_, 0)));
        if (!stays_on_true) latch.swapSuccessors();
        ++result_.preds;
        result_.pred_places.push_back(latch.getDebugLoc());
    }

    CallInst* emit(IRBuilder<>& builder, Type* result, ArrayRef<Value*> operands, StringRef constraints, const std::string& text) {
        SmallVector<Type*, 2> types;
        for (Value* operand : operands) types.push_back(operand->getType());
        const std::string labelled = ".Lvx_once_" + std::to_string(next_label_++) + ": " + text;
        InlineAsm* code = InlineAsm::get(FunctionType::get(result, types, false), labelled, constraints, /*hasSideEffects=*/true);
        CallInst* call = builder.CreateCall(code, operands);
        call->setConvergent();
        call->setCannotDuplicate();
        call->addFnAttr(Attribute::NoMerge);
        call->addFnAttr(Attribute::NoUnwind);
        return call;
    }

    void fail(const Instruction& where, const std::string& what) {
        if (!result_.error.empty()) return;
        const DebugLoc& line = where.getDebugLoc();
        result_.error = "the branch" + (line ? " of line " + std::to_string(line.getLine()) : std::string()) + " in function " +
                        function_.getName().str() + " " + what;
    }

    Function& function_;
    unsigned& next_label_;
    Type* word_;
    std::vector<Split> splits_;
    std::vector<BranchInst*> latches_;
    Inserted result_;
};

}  // namespace

Inserted insert(Function& function, unsigned& next_label) { return Insertion(function, next_label).run(); }

}  // namespace vx
