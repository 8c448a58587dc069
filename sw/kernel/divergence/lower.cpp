#include "lower.h"

#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Intrinsics.h"

using namespace llvm;

namespace vx {

namespace {

bool has_feature(const Function& function, StringRef feature) {
    return function.getFnAttribute("target-features").getValueAsString().contains(feature);
}

// A select of integers, which Zicond serves; without Zicond, arithmetic on masks.
class Lowering {
  public:
    Lowering(Function& function, Instruction& at) : builder_(&at), zicond_(has_feature(function, "+zicond")) {
        // The rounding tricks below are exact only as written.
        builder_.clearFastMathFlags();
    }

    Value* select(Value* condition, Value* yes, Value* no) {
        Type* type = yes->getType();
        if (type->isPointerTy()) {
            if (zicond_) return builder_.CreateSelect(condition, yes, no);
            Type* word = builder_.GetInsertBlock()->getModule()->getDataLayout().getIntPtrType(builder_.getContext());
            return builder_.CreateIntToPtr(blend(condition, builder_.CreatePtrToInt(yes, word), builder_.CreatePtrToInt(no, word)), type);
        }
        Type* bits = builder_.getIntNTy(static_cast<unsigned>(type->getPrimitiveSizeInBits().getFixedValue()));
        return builder_.CreateBitCast(blend(condition, builder_.CreateBitCast(yes, bits), builder_.CreateBitCast(no, bits)), type);
    }

    Value* round(Intrinsic::ID kind, Value* x) {
        Type* type = x->getType();
        // From here on every value is whole, and larger ones do not fit the integer that is used.
        const bool wide = type->isDoubleTy();
        Value* limit = ConstantFP::get(type, wide ? 0x1p52 : 0x1p23);
        Value* magnitude = unary(Intrinsic::fabs, x);
        Value* fraction = builder_.CreateFCmpOLT(magnitude, limit);
        Value* rounded = nullptr;
        if (kind == Intrinsic::rint || kind == Intrinsic::nearbyint || kind == Intrinsic::roundeven) {
            rounded = builder_.CreateFSub(builder_.CreateFAdd(magnitude, limit), limit);
        } else {
            Type* integer = wide ? builder_.getInt64Ty() : builder_.getInt32Ty();
            Value* whole = builder_.CreateFreeze(builder_.CreateFPToSI(x, integer));
            Value* truncated = builder_.CreateSIToFP(whole, type);
            rounded = adjust(kind, x, truncated);
        }
        return select(fraction, builder_.CreateBinaryIntrinsic(Intrinsic::copysign, rounded, x), x);
    }

    // IEEE minimum and maximum: a NaN wins, and -0 is below +0.
    Value* extreme(Intrinsic::ID kind, Value* a, Value* b) {
        const bool smallest = kind == Intrinsic::minimum;
        Value* number = builder_.CreateBinaryIntrinsic(smallest ? Intrinsic::minnum : Intrinsic::maxnum, a, b);
        return select(builder_.CreateFCmpORD(a, b), number, builder_.CreateFAdd(a, b));
    }

    // Integer minimum and maximum, for which the back end makes a select of its own.
    Value* smaller_or_larger(CmpInst::Predicate takes_first, Value* a, Value* b) { return select(builder_.CreateICmp(takes_first, a, b), a, b); }

    // Bit count of a value that may be zero, as one of a value that is not.
    Value* count_zeros(Intrinsic::ID kind, Value* x) {
        Type* type = x->getType();
        Value* zero = builder_.CreateICmpEQ(x, ConstantInt::get(type, 0));
        Value* some = builder_.CreateOr(x, builder_.CreateZExt(zero, type));
        Value* count = builder_.CreateBinaryIntrinsic(kind, some, builder_.getTrue());
        return select(zero, ConstantInt::get(type, type->getIntegerBitWidth()), count);
    }

  private:
    Value* blend(Value* condition, Value* yes, Value* no) {
        if (zicond_) return builder_.CreateSelect(condition, yes, no);
        // The side that is not taken may be poison, which arithmetic would carry over.
        yes = builder_.CreateFreeze(yes);
        no = builder_.CreateFreeze(no);
        Value* mask = yes->getType()->isIntegerTy(1) ? condition : builder_.CreateSExt(condition, yes->getType());
        return builder_.CreateXor(no, builder_.CreateAnd(builder_.CreateXor(yes, no), mask));
    }
    Value* unary(Intrinsic::ID kind, Value* x) { return builder_.CreateUnaryIntrinsic(kind, x); }
    // 1 where the condition holds, else 0.
    Value* step(Value* condition, Type* type) { return builder_.CreateUIToFP(builder_.CreateZExt(condition, builder_.getInt32Ty()), type); }
    Value* adjust(Intrinsic::ID kind, Value* x, Value* truncated) {
        Type* type = x->getType();
        if (kind == Intrinsic::floor) return builder_.CreateFSub(truncated, step(builder_.CreateFCmpOGT(truncated, x), type));
        if (kind == Intrinsic::ceil) return builder_.CreateFAdd(truncated, step(builder_.CreateFCmpOLT(truncated, x), type));
        if (kind == Intrinsic::round) {
            Value* rest = unary(Intrinsic::fabs, builder_.CreateFSub(x, truncated));
            Value* away = step(builder_.CreateFCmpOGE(rest, ConstantFP::get(type, 0.5)), type);
            return builder_.CreateFAdd(truncated, builder_.CreateBinaryIntrinsic(Intrinsic::copysign, away, x));
        }
        return truncated;
    }

    IRBuilder<> builder_;
    bool zicond_;
};

bool scalar_float(const Type* type) { return type->isFloatTy() || type->isDoubleTy(); }

Value* replacement(Function& function, Instruction& instruction) {
    Type* type = instruction.getType();
    if (auto* choice = dyn_cast<SelectInst>(&instruction)) {
        const bool integer = type->isIntegerTy() || type->isPointerTy();
        if (choice->getCondition()->getType()->isVectorTy()) return nullptr;
        // One with a constant is an AND or an OR.
        if (type->isIntegerTy(1) && (isa<Constant>(choice->getTrueValue()) || isa<Constant>(choice->getFalseValue()))) return nullptr;
        if (integer && has_feature(function, "+zicond")) return nullptr;
        if (!integer && !scalar_float(type)) return nullptr;
        return Lowering(function, instruction).select(choice->getCondition(), choice->getTrueValue(), choice->getFalseValue());
    }
    auto* call = dyn_cast<IntrinsicInst>(&instruction);
    if (call == nullptr) return nullptr;
    switch (const Intrinsic::ID kind = call->getIntrinsicID()) {
        case Intrinsic::floor:
        case Intrinsic::ceil:
        case Intrinsic::trunc:
        case Intrinsic::round:
        case Intrinsic::roundeven:
        case Intrinsic::rint:
        case Intrinsic::nearbyint:
            return scalar_float(type) ? Lowering(function, instruction).round(kind, call->getArgOperand(0)) : nullptr;
        case Intrinsic::minimum:
        case Intrinsic::maximum:
            return scalar_float(type) ? Lowering(function, instruction).extreme(kind, call->getArgOperand(0), call->getArgOperand(1)) : nullptr;
        case Intrinsic::umin:
        case Intrinsic::umax:
        case Intrinsic::smin:
        case Intrinsic::smax: {
            if (!type->isIntegerTy() || has_feature(function, "+zicond")) return nullptr;
            const CmpInst::Predicate takes_first = kind == Intrinsic::umin   ? CmpInst::ICMP_ULT
                                                   : kind == Intrinsic::umax ? CmpInst::ICMP_UGT
                                                   : kind == Intrinsic::smin ? CmpInst::ICMP_SLT
                                                                             : CmpInst::ICMP_SGT;
            return Lowering(function, instruction).smaller_or_larger(takes_first, call->getArgOperand(0), call->getArgOperand(1));
        }
        case Intrinsic::cttz:
        case Intrinsic::ctlz:
            if (!type->isIntegerTy() || cast<ConstantInt>(call->getArgOperand(1))->isOne()) return nullptr;
            return Lowering(function, instruction).count_zeros(kind, call->getArgOperand(0));
        default:
            return nullptr;
    }
}

}  // namespace

bool lower_hidden_branches(Function& function) {
    bool changed = false;
    SmallVector<Instruction*, 32> all;
    for (BasicBlock& block : function) {
        for (Instruction& instruction : block) all.push_back(&instruction);
    }
    // What a replacement is made of needs no replacement itself: its selects are integers already.
    for (Instruction* instruction : all) {
        Value* value = replacement(function, *instruction);
        if (value == nullptr) continue;
        value->takeName(instruction);
        instruction->replaceAllUsesWith(value);
        instruction->eraseFromParent();
        changed = true;
    }
    return changed;
}

}  // namespace vx
