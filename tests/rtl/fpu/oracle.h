// What an operation must give: SoftFloat's C functions, found in the shared object of the pinned Python package.
#pragma once
#include <cstdint>
#include <string>

namespace fpu {

// Order and numbers of vx_fpu_pkg::fpu_op_t.
enum Op : int {
    MADD, MSUB, NMSUB, NMADD, ADD, SUB, MUL, FROM_W, FROM_WU, FROM_L, FROM_LU, SGNJ, SGNJN, SGNJX, MIN, MAX, LE, LT, EQ,
    CLASS, MOVE_X, MOVE_F, TO_W, TO_WU, TO_L, TO_LU, DIV, SQRT, OPS
};

enum Flag : unsigned { NX = 1, UF = 2, OF = 4, DZ = 8, NV = 16 };

constexpr uint32_t kSign = 0x80000000u, kInfinity = 0x7f800000u, kCanonicalNan = 0x7fc00000u;

struct Result {
    uint64_t value;  // as the register gets it: floats zero-extended, 32-bit integers sign-extended
    unsigned flags;
};

// Empty if SoftFloat was found in `path`, otherwise what is wrong.
std::string load_oracle(const char* path);

Result expected(int op, int mode, uint64_t a, uint32_t b, uint32_t c);

// For the making of operands; flags are lost.
uint32_t product(uint32_t a, uint32_t b);

}  // namespace fpu
