// Pass plugin for clang-19: makes divergent branches follow all lanes of a warp (README.md).
#include "llvm/IR/DiagnosticInfo.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Passes/PassPlugin.h"
#include "llvm/Transforms/Utils/Mem2Reg.h"

#include "canonical.h"
#include "insert.h"
#include "lower.h"
#include "mark.h"
#include "report.h"
#include "uniformity.h"

using namespace llvm;

namespace {

struct MarkPass : PassInfoMixin<MarkPass> {
    static bool isRequired() { return true; }
    PreservedAnalyses run(Module& module, ModuleAnalysisManager&) {
        vx::mark(module);
        return PreservedAnalyses::none();
    }
};

class DivergencePass : public PassInfoMixin<DivergencePass> {
  public:
    static bool isRequired() { return true; }
    PreservedAnalyses run(Module& module, ModuleAnalysisManager& manager) {
        auto& analyses = manager.getResult<FunctionAnalysisManagerModuleProxy>(module).getManager();
        for (Function& function : module) promote(function, analyses);
        vx::propagate_uniform_parameters(module);
        json::Array functions;
        for (Function& function : module) {
            if (function.isDeclaration()) continue;
            functions.push_back(run(function, analyses));
        }
        if (!vx::write_report(std::move(functions))) module.getContext().emitError("the report of the divergence pass cannot be written");
        return PreservedAnalyses::none();
    }

  private:
    // Without optimisation every variable lives on the lane's stack, so every branch would look divergent.
    static void promote(Function& function, FunctionAnalysisManager& analyses) {
        if (function.isDeclaration() || !function.hasOptNone()) return;
        PromotePass().run(function, analyses);
        analyses.invalidate(function, PreservedAnalyses::none());
    }
    json::Object run(Function& function, FunctionAnalysisManager& analyses) {
        json::Array branches = vx::describe_branches(function, vx::Uniformity(function));
        vx::Inserted inserted;
        vx::lower_switches(function, analyses);
        if (!function.hasFnAttribute(vx::kSingleLane)) {
            vx::convert_short_ifs(function);
            vx::lower_hidden_branches(function);
            if (has_divergent_branch(function)) {
                vx::structurize(function, analyses, /*keep_uniform=*/true);
                inserted = vx::insert(function, next_label_);
                // A loop that was uniform by itself may have become divergent by what was done around it.
                if (inserted.unchanged) {
                    vx::structurize(function, analyses, /*keep_uniform=*/false);
                    inserted = vx::insert(function, next_label_);
                }
                // Structurizing may have made selects.
                vx::lower_hidden_branches(function);
            }
        }
        vx::fold_constant_branches(function);
        analyses.invalidate(function, PreservedAnalyses::none());
        if (!inserted.error.empty()) {
            function.getContext().emitError(inserted.error + "; write it so that lanes leave and enter a region at one place");
        }
        return vx::describe_function(function, std::move(branches), inserted);
    }
    static bool has_divergent_branch(Function& function) {
        const vx::Uniformity uniformity(function);
        return any_of(function, [&](const BasicBlock& block) { return uniformity.divergent_end(block); });
    }

    unsigned next_label_ = 0;
};

}  // namespace

extern "C" LLVM_ATTRIBUTE_WEAK PassPluginLibraryInfo llvmGetPassPluginInfo() {
    return {LLVM_PLUGIN_API_VERSION, "vortex-divergence", "1", [](PassBuilder& builder) {
                builder.registerPipelineStartEPCallback([](ModulePassManager& passes, OptimizationLevel) { passes.addPass(MarkPass()); });
                builder.registerOptimizerLastEPCallback(
                    [](ModulePassManager& passes, OptimizationLevel) { passes.addPass(DivergencePass()); });
            }};
}
