// Six kernels, each once as plain C++ for the divergence pass and once, with HAND, with SPLIT, JOIN and PRED written by hand
// where somebody who knows the machine would put them.
#include <vx_spawn2.h>

#if defined(HAND)
#define IF(condition)                     \
    {                                     \
        const int test_ = (condition) != 0; \
        const int pointer_ = vx_split(test_); \
        if (test_) {
#define ELSE \
    }        \
    else {
#define END_IF         \
    }                  \
    vx_join(pointer_); \
    }
// The loop leaves at its end only: a value that a lane computed before PRED is what it still has after the loop.
#define WHILE(condition)                                \
    IF(condition)                                       \
    const int mask_ = (int)vx_active_threads();         \
    int goes_on_;                                       \
    do {
#define END_WHILE(condition)          \
    goes_on_ = (condition) != 0;      \
    vx_pred(goes_on_, mask_);         \
    }                                 \
    while (goes_on_)                  \
        ;                             \
    END_IF
#else
#define IF(condition) if (condition) {
#define ELSE \
    }        \
    else {
#define END_IF }
#define WHILE(condition) while (condition) {
#define END_WHILE(condition) }
#endif

struct args_t {
    uint32_t count;
    uint64_t in;
    uint64_t out;
};
#define IN(i) ((const uint32_t *)(uintptr_t)args->in)[i]
#define OUT(i) ((uint32_t *)(uintptr_t)args->out)[i]
#define INDEX (blockIdx.x * blockDim.x + threadIdx.x)

// Threads beyond the end do nothing.
__kernel void guard(const args_t *args) {
    const uint32_t i = INDEX;
    IF(i < args->count)
    OUT(i) = IN(i) * 3 + 1;
    END_IF
}

// Two sides that store to different places.
__kernel void sides(const args_t *args) {
    const uint32_t i = INDEX;
    const uint32_t x = IN(i);
    IF(x & 1)
    OUT(i) = x * x + 7;
    ELSE
    OUT(i + gridDim.x * blockDim.x) = x / 3 + IN(i + 1);
    END_IF
}

// A loop that every lane leaves when it likes, with a choice inside.
__kernel void collatz(const args_t *args) {
    const uint32_t i = INDEX;
    uint32_t x = IN(i) & 31, steps = 0;
    WHILE(x > 1)
    IF(x & 1)
    x = 3 * x + 1;
    OUT(i + gridDim.x * blockDim.x) = x;
    ELSE
    x >>= 1;
    END_IF
    ++steps;
    END_WHILE(x > 1)
    OUT(i) = steps;
}

// Rows of different lengths, as in a sparse matrix.
__kernel void rows(const args_t *args) {
    const uint32_t i = INDEX;
    uint32_t at = IN(i) & 15, sum = 0;
    const uint32_t end = at + (IN(i + 1) & 15);
    WHILE(at < end)
    sum += IN(at);
    ++at;
    END_WHILE(at < end)
    OUT(i) = sum;
}

// Bisection in a sorted table (0, 4, 8, ...); stops early where the value is found.
__kernel void bisect(const args_t *args) {
    const uint32_t i = INDEX;
    const uint32_t wanted = IN(i) & 255;
    uint32_t low = 0, high = 64, found = 999;
    WHILE(low < high)
    const uint32_t middle = (low + high) / 2;
    const uint32_t value = ((const uint32_t *)(uintptr_t)args->out)[2 * gridDim.x * blockDim.x + middle];
    IF(value == wanted)
    found = middle;
    low = high;
    ELSE
    IF(value < wanted)
    low = middle + 1;
    ELSE
    high = middle;
    END_IF
    END_IF
    END_WHILE(low < high)
    OUT(i) = found;
}

// Sum of a block in local memory, with barriers that all lanes reach.
__kernel void reduce(const args_t *args) {
    const uint32_t t = threadIdx.x;
    uint32_t *part = (uint32_t *)__local_mem();
    part[t] = IN(INDEX);
    __syncthreads();
    for (uint32_t half = blockDim.x / 2; half > 0; half /= 2) {
        IF(t < half)
        part[t] += part[t + half];
        END_IF
        __syncthreads();
    }
    IF(t == 0)
    OUT(blockIdx.x) = part[0];
    END_IF
}
