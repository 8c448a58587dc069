#include "mark.h"

#include "llvm/IR/Constants.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/IntrinsicInst.h"

#include "uniformity.h"

using namespace llvm;

namespace vx {

namespace {

StringRef annotation_text(const Value* pointer) {
    const auto* global = dyn_cast<GlobalVariable>(pointer->stripPointerCasts());
    if (global == nullptr || !global->hasInitializer()) return "";
    const auto* text = dyn_cast<ConstantDataSequential>(global->getInitializer());
    return text != nullptr && text->isCString() ? text->getAsCString() : "";
}

void mark_kernel(Function& function) {
    for (Argument& argument : function.args()) argument.addAttr(Attribute::get(function.getContext(), kUniformParameter));
}

void read_global_annotations(Module& module) {
    const GlobalVariable* all = module.getGlobalVariable("llvm.global.annotations");
    if (all == nullptr || !all->hasInitializer()) return;
    for (const Use& row : cast<ConstantArray>(all->getInitializer())->operands()) {
        const auto* fields = cast<ConstantStruct>(row.get());
        auto* function = dyn_cast<Function>(fields->getOperand(0)->stripPointerCasts());
        if (function == nullptr) continue;
        const StringRef text = annotation_text(fields->getOperand(1));
        if (text == "vortex.kernel") mark_kernel(*function);
        if (text == "vortex.single_lane") {
            function->addFnAttr(kSingleLane);
            function->addFnAttr(Attribute::NoInline);
        }
    }
}

// A value of register width that the source promises to be the same in all lanes.
Value* promise_uniform(IRBuilder<>& builder, Value* value) {
    Type* type = value->getType();
    const DataLayout& layout = builder.GetInsertBlock()->getModule()->getDataLayout();
    Type* word = layout.getIntPtrType(builder.getContext());
    if (!type->isIntegerTy() && !type->isPointerTy()) return value;
    if (type->isIntegerTy() && type->getIntegerBitWidth() > word->getIntegerBitWidth()) return value;
    Value* wide = type->isPointerTy() ? builder.CreatePtrToInt(value, word) : builder.CreateZExtOrTrunc(value, word);
    InlineAsm* code = InlineAsm::get(FunctionType::get(word, {word}, false), kUniformAsm, "=r,0", /*hasSideEffects=*/false);
    Value* same = builder.CreateCall(code, {wide});
    return type->isPointerTy() ? builder.CreateIntToPtr(same, type) : builder.CreateZExtOrTrunc(same, type);
}

void read_variable_annotation(IntrinsicInst& annotation) {
    if (annotation_text(annotation.getArgOperand(1)) != "vortex.uniform") return;
    const Value* variable = annotation.getArgOperand(0)->stripPointerCasts();
    for (const User* user : variable->users()) {
        auto* store = const_cast<StoreInst*>(dyn_cast<StoreInst>(user));
        if (store == nullptr || store->getPointerOperand() != variable) continue;
        if (auto* argument = dyn_cast<Argument>(store->getValueOperand())) {
            argument->addAttr(Attribute::get(argument->getContext(), kUniformParameter));
        } else {
            IRBuilder<> builder(store);
            store->setOperand(0, promise_uniform(builder, store->getValueOperand()));
        }
    }
}

}  // namespace

void mark(Module& module) {
    read_global_annotations(module);
    for (Function& function : module) {
        if (function.isIntrinsic()) continue;
        function.addFnAttr(Attribute::Convergent);
        SmallVector<IntrinsicInst*, 8> annotations;
        for (BasicBlock& block : function) {
            for (Instruction& instruction : block) {
                auto* call = dyn_cast<CallBase>(&instruction);
                if (call == nullptr) continue;
                if (auto* intrinsic = dyn_cast<IntrinsicInst>(call)) {
                    if (intrinsic->getIntrinsicID() == Intrinsic::var_annotation) annotations.push_back(intrinsic);
                } else if (!call->isInlineAsm() || cast<InlineAsm>(call->getCalledOperand())->hasSideEffects()) {
                    call->setConvergent();
                }
            }
        }
        for (IntrinsicInst* annotation : annotations) read_variable_annotation(*annotation);
    }
}

}  // namespace vx
