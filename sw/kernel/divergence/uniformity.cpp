#include "uniformity.h"

#include <optional>

#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"

using namespace llvm;

namespace vx {

namespace {

struct Csr {
    unsigned first, last;
    bool uniform;
    const char* name;
};
// Read in order; a number that is in no row may differ from lane to lane.
constexpr Csr kCsrs[] = {
    {0x001, 0x003, true, "floating-point status"},
    {0x300, 0x344, true, "machine state of the warp"},
    {0xB00, 0xBFF, true, "counter"},
    {0xC00, 0xC9F, true, "counter"},
    {0xCC0, 0xCC0, false, "lane index (THREAD_ID)"},
    {0xCC1, 0xCC4, true, "warp, core or mask CSR"},
    {0xCD0, 0xCD2, true, "slot, rank or size of the CTA"},
    {0xCD3, 0xCD5, false, "threadIdx"},
    {0xCD6, 0xCD8, true, "blockIdx"},
    {0xCD9, 0xCDB, true, "blockDim"},
    {0xCDC, 0xCDE, true, "gridDim"},
    {0xCDF, 0xCE1, true, "LMEM address, cluster size or entry of the CTA"},
    {0xF11, 0xF13, true, "machine identity"},
    {0xF14, 0xF14, false, "hart index (mhartid)"},
    {0xFC0, 0xFC4, true, "shape of the processor"},
};

const Csr* find_csr(uint64_t number) {
    for (const Csr& csr : kCsrs) {
        if (number >= csr.first && number <= csr.last) return &csr;
    }
    return nullptr;
}

std::optional<uint64_t> csr_read_by(const CallBase& call, StringRef text) {
    text = text.trim();
    if (!text.consume_front("csrr ")) return std::nullopt;
    const auto [rd, source] = text.split(',');
    StringRef number = source.trim();
    if (number == "$1" && call.arg_size() >= 1) {
        if (const auto* constant = dyn_cast<ConstantInt>(call.getArgOperand(0))) return constant->getZExtValue();
        return std::nullopt;
    }
    uint64_t value = 0;
    if (number.getAsInteger(0, value)) return std::nullopt;
    return value;
}

struct Asm {
    bool uniform;
    std::string name;
};

Asm classify(const CallBase& call) {
    const auto* code = cast<InlineAsm>(call.getCalledOperand());
    const StringRef text = code->getAsmString();
    if (text.trim() == kUniformAsm) return {true, "value marked __UNIFORM__"};
    if (const auto number = csr_read_by(call, text)) {
        if (const Csr* csr = find_csr(*number)) return {csr->uniform, csr->name};
        return {false, "CSR 0x" + utohexstr(*number)};
    }
    const std::pair<const char*, const char*> kSame[] = {
        {".insn r 0x0B, 0, 1,", "vote"},        {".insn r 0x0B, 1, 1,", "vote"},
        {".insn r 0x0B, 2, 1,", "vote"},        {".insn r 0x0B, 3, 1,", "vote"},
        {".insn r 0x0B, 2, 0,", "SPLIT"},       {".insn r 0x0B, 6, 0,", "barrier phase"},
    };
    for (const auto& [start, name] : kSame) {
        if (text.starts_with(start)) return {true, name};
    }
    return {false, "inline assembly"};
}

const CallBase* inline_asm(const Value* value) {
    const auto* call = dyn_cast<CallBase>(value);
    return call != nullptr && call->isInlineAsm() ? call : nullptr;
}

bool uniform_parameter(const Argument& argument) {
    return argument.getParent()->getAttributes().getParamAttr(argument.getArgNo(), kUniformParameter).isValid();
}

bool lane_address(Intrinsic::ID id) {
    switch (id) {
        case Intrinsic::threadlocal_address:
        case Intrinsic::frameaddress:
        case Intrinsic::stacksave:
        case Intrinsic::sponentry:
            return true;
        default:
            return false;
    }
}

}  // namespace

bool WarpTargetInfo::isAlwaysUniform(const Value* value) const {
    const CallBase* code = inline_asm(value);
    return code != nullptr && classify(*code).uniform;
}

bool WarpTargetInfo::isSourceOfDivergence(const Value* value) const {
    if (const auto* argument = dyn_cast<Argument>(value)) return !uniform_parameter(*argument);
    // Every lane has a stack of its own, so an address on it differs.
    if (isa<AllocaInst, AtomicRMWInst, AtomicCmpXchgInst, VAArgInst>(value)) return true;
    if (const auto* load = dyn_cast<LoadInst>(value)) return load->isVolatile() || load->isAtomic();
    if (const auto* call = dyn_cast<CallBase>(value)) {
        if (call->isInlineAsm()) return !classify(*call).uniform;
        if (const auto* intrinsic = dyn_cast<IntrinsicInst>(call)) {
            return lane_address(intrinsic->getIntrinsicID()) || !intrinsic->doesNotAccessMemory();
        }
        return true;
    }
    return false;
}

TargetTransformInfo warp_target_info(const Function& function) { return TargetTransformInfo(WarpTargetInfo(function)); }

Uniformity::Uniformity(Function& function) : dominators_(function), target_(warp_target_info(function)) {
    // The analysis takes its function from the cycles, so these come first.
    cycles_.compute(function);
    info_ = std::make_unique<UniformityInfo>(dominators_, cycles_, &target_);
    info_->compute();
}

void propagate_uniform_parameters(Module& module) {
    // Nothing is assumed uniform before it is shown, so each round only adds; a recursive call keeps its parameters
    // divergent.
    for (bool changed = true; changed;) {
        changed = false;
        DenseMap<Function*, std::unique_ptr<Uniformity>> known;
        for (Function& function : module) {
            if (function.isDeclaration() || !function.hasLocalLinkage() || function.arg_empty()) continue;
            if (function.hasAddressTaken() || function.use_empty()) continue;
            for (Argument& argument : function.args()) {
                if (uniform_parameter(argument)) continue;
                const bool uniform = all_of(function.users(), [&](User* user) {
                    auto* call = cast<CallBase>(user);
                    std::unique_ptr<Uniformity>& caller = known[call->getFunction()];
                    if (!caller) caller = std::make_unique<Uniformity>(*call->getFunction());
                    return !caller->divergent(call->getArgOperand(argument.getArgNo()));
                });
                if (!uniform) continue;
                argument.addAttr(Attribute::get(module.getContext(), kUniformParameter));
                changed = true;
            }
        }
    }
}

namespace {
// The line in the function itself, not in what was inlined into it.
std::string at_line(const Value* value) {
    const auto* instruction = dyn_cast<Instruction>(value);
    if (instruction == nullptr || !instruction->getDebugLoc()) return "";
    const DILocation* place = instruction->getDebugLoc().get();
    while (place->getInlinedAt() != nullptr) place = place->getInlinedAt();
    return " (line " + std::to_string(place->getLine()) + ")";
}

std::string describe_source(const Value* value) {
    if (const auto* argument = dyn_cast<Argument>(value)) {
        const std::string name = "parameter " + std::to_string(argument->getArgNo() + 1);
        return uniform_parameter(*argument) ? name : name + ", which is not known to be uniform";
    }
    if (const CallBase* code = inline_asm(value)) return classify(*code).name + at_line(value);
    if (isa<AllocaInst>(value)) return "address on the lane's stack" + at_line(value);
    if (isa<AtomicRMWInst, AtomicCmpXchgInst>(value)) return "result of an atomic" + at_line(value);
    if (isa<LoadInst>(value)) return "load" + at_line(value);
    if (const auto* call = dyn_cast<CallBase>(value)) {
        const Function* callee = call->getCalledFunction();
        return "result of calling " + (callee ? callee->getName().str() : std::string("a function pointer")) + at_line(value);
    }
    return "value" + at_line(value);
}
}  // namespace

std::string why_divergent(const Value* condition, const Uniformity& uniformity) {
    SmallVector<const Value*, 16> work{condition};
    SmallPtrSet<const Value*, 16> seen{condition};
    while (!work.empty()) {
        const Value* value = work.pop_back_val();
        const auto* instruction = dyn_cast<Instruction>(value);
        const Function* function =
            instruction ? instruction->getFunction() : isa<Argument>(value) ? cast<Argument>(value)->getParent() : nullptr;
        if (function != nullptr && WarpTargetInfo(*function).isSourceOfDivergence(value)) return describe_source(value);
        if (instruction == nullptr) continue;
        for (const Value* operand : instruction->operands()) {
            if ((isa<Instruction>(operand) || isa<Argument>(operand)) && uniformity.divergent(operand) && seen.insert(operand).second) {
                work.push_back(operand);
            }
        }
    }
    return "lanes reach it on different paths, or leave a loop in different iterations" + at_line(condition);
}

std::string why_uniform(const Value* condition) {
    SmallVector<const Value*, 16> work{condition};
    SmallPtrSet<const Value*, 16> seen{condition};
    SmallVector<std::string, 4> sources;
    while (!work.empty() && sources.size() < 3) {
        const Value* value = work.pop_back_val();
        const auto* instruction = dyn_cast<Instruction>(value);
        const bool leaf = isa<Argument>(value) || (instruction != nullptr && (inline_asm(value) || isa<LoadInst>(value)));
        if (leaf) {
            std::string text = describe_source(value);
            if (isa<LoadInst>(value)) text = "load from a uniform address" + at_line(value);
            if (!is_contained(sources, text)) sources.push_back(text);
            continue;
        }
        if (instruction == nullptr) continue;
        for (const Value* operand : instruction->operands()) {
            if ((isa<Instruction>(operand) || isa<Argument>(operand)) && seen.insert(operand).second) work.push_back(operand);
        }
    }
    if (sources.empty()) return "depends on constants only";
    return "depends on " + join(sources, ", ");
}

}  // namespace vx
