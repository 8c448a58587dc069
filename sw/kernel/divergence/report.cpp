#include "report.h"

#include <cstdlib>

#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/Instructions.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;

namespace vx {

namespace {
void describe_place(json::Object& row, const DebugLoc& line) {
    if (!line) return;
    row["file"] = cast<DIScope>(line.getScope())->getFilename().str();
    row["line"] = static_cast<int64_t>(line.getLine());
    row["column"] = static_cast<int64_t>(line.getCol());
}

int64_t cost(const json::Object& row) { return row.getInteger("splits").value_or(0) + row.getInteger("preds").value_or(0); }

// Gives what was inserted at `places` to the divergent branches there; of several (a loop's guard and its latch) to the
// one that has least.
void give_cost(json::Array& branches, const std::vector<DebugLoc>& places, StringRef kind) {
    for (const DebugLoc& place : places) {
        json::Object wanted;
        describe_place(wanted, place);
        json::Object* cheapest = nullptr;
        for (json::Value& value : branches) {
            json::Object& row = *value.getAsObject();
            const bool there = place && row.getInteger("line") == wanted.getInteger("line") &&
                               row.getInteger("column") == wanted.getInteger("column") && row.getString("file") == wanted.getString("file");
            if (!there || !row.getBoolean("divergent").value_or(false)) continue;
            if (cheapest == nullptr || cost(row) < cost(*cheapest)) cheapest = &row;
        }
        if (cheapest != nullptr) (*cheapest)[kind] = cheapest->getInteger(kind).value_or(0) + 1;
    }
}

// Branches that the back end can still see as branches.
unsigned count_branches(const Function& function) {
    unsigned count = 0;
    for (const BasicBlock& block : function) {
        const auto* branch = dyn_cast<BranchInst>(block.getTerminator());
        count += branch != nullptr && branch->isConditional() && !isa<Constant>(branch->getCondition());
    }
    return count;
}
}  // namespace

json::Array describe_branches(Function& function, const Uniformity& uniformity) {
    json::Array rows;
    for (BasicBlock& block : function) {
        Instruction* end = block.getTerminator();
        const Value* condition = nullptr;
        if (auto* branch = dyn_cast<BranchInst>(end); branch != nullptr && branch->isConditional()) condition = branch->getCondition();
        if (auto* choice = dyn_cast<SwitchInst>(end)) condition = choice->getCondition();
        if (condition == nullptr || isa<Constant>(condition)) continue;
        const bool divergent = uniformity.divergent_end(block);
        json::Object row;
        describe_place(row, end->getDebugLoc());
        row["divergent"] = divergent;
        row["why"] = divergent ? why_divergent(condition, uniformity) : why_uniform(condition);
        rows.push_back(std::move(row));
    }
    return rows;
}

json::Object describe_function(Function& function, json::Array branches, const Inserted& inserted) {
    give_cost(branches, inserted.split_places, "splits");
    give_cost(branches, inserted.pred_places, "preds");
    // What one lane runs may have any branch, also one that the back end makes.
    const int64_t left = function.hasFnAttribute(kSingleLane) ? INT32_MAX : static_cast<int64_t>(count_branches(function));
    return json::Object{{"function", function.getName().str()},
                        {"branches", std::move(branches)},
                        {"branches_left", left},
                        {"splits", static_cast<int64_t>(inserted.splits)},
                        {"preds", static_cast<int64_t>(inserted.preds)}};
}

bool write_report(json::Array functions) {
    const char* path = std::getenv("VX_DIVERGENCE_REPORT");
    if (path == nullptr) return true;
    std::error_code error;
    raw_fd_ostream out(path, error);
    if (error) return false;
    out << json::Value(json::Object{{"version", 2}, {"functions", std::move(functions)}}) << '\n';
    out.close();
    const bool written = !out.has_error();
    out.clear_error();  // said by the result; the destructor would end the compiler
    return written;
}

}  // namespace vx
