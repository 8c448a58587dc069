/* Accesses that are wrong in themselves; names in brackets mark the lines that tests assert. */

#include <vx_spawn2.h>

typedef struct {
  uint64_t out; /* uint32_t[64] */
  uint64_t src; /* a buffer that nobody has written */
} args_t;

typedef volatile uint32_t *words_t;

static inline words_t out_of(const args_t *args) { return (words_t)(uintptr_t)args->out; }
static inline words_t src_of(const args_t *args) { return (words_t)(uintptr_t)args->src; }
static inline words_t local() { return (words_t)__local_mem(); }

__kernel void behind_the_buffer(const args_t *args) {
  out_of(args)[62 + threadIdx.x] = 1; // [behind]
}

__kernel void behind_local_memory(const args_t *args) {
  out_of(args)[threadIdx.x] = local()[14 + threadIdx.x]; // [local behind]
}

__kernel void misaligned(const args_t *args) {
  *(words_t)((uintptr_t)args->out + 2) = 1; // [misaligned]
}

__kernel void undefined_address(const args_t *args) {
  uint32_t index = src_of(args)[threadIdx.x] & 15;
  out_of(args)[index] = 1; // [undefined address]
}

__kernel void undefined_output(const args_t *args) {
  uint32_t value = src_of(args)[threadIdx.x];
  out_of(args)[threadIdx.x] = value; // [undefined output]
}

__kernel void undefined_branch(const args_t *args) {
  if (src_of(args)[0] == 1) { // [undefined branch]
    out_of(args)[threadIdx.x] = 1;
  }
}

__kernel void undefined_register(const args_t *args) {
  uint32_t value;
  __asm__ __volatile__("mv %0, s9" : "=r"(value));
  out_of(args)[threadIdx.x] = value; // [undefined register]
}

__kernel void undefined_predicate(const args_t *args) {
  int sp = vx_split((int)src_of(args)[threadIdx.x]); // [undefined predicate]
  vx_join(sp);
}

__kernel void write_local(const args_t *args) {
  local()[threadIdx.x] = 3;
  out_of(args)[threadIdx.x] = local()[threadIdx.x];
}

__kernel void read_local(const args_t *args) {
  out_of(args)[threadIdx.x] = local()[threadIdx.x]; // [stale local]
}

__kernel void null_call(const args_t *args) {
  auto function = (void (*)())(uintptr_t)args->src;
  function(); // [null call]
  out_of(args)[0] = 1;
}

extern "C" __attribute__((noinline)) void victim() {
  __asm__ __volatile__("nop"); // [victim]
}

__kernel void self_modifying(const args_t *args) {
  auto code = (words_t)(uintptr_t)&victim;
  *code = 0x13; // [patch]
  __asm__ __volatile__("fence.i");
  victim();
  out_of(args)[0] = 1;
}

__kernel void no_instruction(const args_t *args) {
  out_of(args)[0] = 1;
  __asm__ __volatile__(".word 0xffffffff"); // [encoding]
}
