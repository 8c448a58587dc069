/* Work for all warps of a core, by WSPAWN (docs/reference/vortex.md 10.3). */

#include <vx_spawn.h>

__thread dim3_t blockIdx;
__thread dim3_t threadIdx;
dim3_t gridDim;
dim3_t blockDim;
__thread uint32_t __local_group_id;
__thread uint32_t __sub_group_id;
uint32_t __warps_per_group;

/* What one core does; every warp finds it through MSCRATCH. */
typedef struct {
  vx_kernel_func_cb func;
  const void *argument;
  uint32_t grid_x, grid_xy;
  uint32_t block_x, block_xy, block_size;
  uint32_t first;           /* group or task of this core */
  uint32_t warps_per_group; /* 0: the blocks are single threads */
  uint32_t groups_in_flight;
  uint32_t batches;   /* of every warp */
  uint32_t remaining; /* warps that have one batch more */
  uint32_t rest;      /* tasks after the last full warp */
} job_t;

/* Warps start with lane 0 alone, so both wake all lanes, which have had their stack since start-up. The first is where
 * other warps start and end, the second is called by warp 0 and returns with lane 0 alone. */
__asm__(".pushsection .text.vx_spawn_warp, \"ax\", @progbits\n"
        ".option push\n .option norvc\n"
        ".globl __vx_spawn_warp\n.type __vx_spawn_warp, @function\n"
        "__vx_spawn_warp:\n"
        "  li t0, -1\n .insn r 0x0B, 0, 0, x0, t0, x0\n"
        "  call __vx_spawn_share\n"
        "  .insn r 0x0B, 7, 0, x0, x0, x0\n .insn r 0x0B, 0, 0, x0, x0, x0\n"
        ".size __vx_spawn_warp, . - __vx_spawn_warp\n"
        ".globl __vx_all_lanes\n.type __vx_all_lanes, @function\n"
        "__vx_all_lanes:\n"
        "  addi sp, sp, -16\n"
#if __riscv_xlen == 64
        "  sd ra, 8(sp)\n"
#else
        "  sw ra, 12(sp)\n"
#endif
        "  li t0, -1\n .insn r 0x0B, 0, 0, x0, t0, x0\n"
        "  call __vx_spawn_share\n"
        "  li t0, 1\n .insn r 0x0B, 0, 0, x0, t0, x0\n"
#if __riscv_xlen == 64
        "  ld ra, 8(sp)\n"
#else
        "  lw ra, 12(sp)\n"
#endif
        "  addi sp, sp, 16\n  ret\n"
        ".size __vx_all_lanes, . - __vx_all_lanes\n"
        ".option pop\n.popsection\n");

void __vx_spawn_warp(void);
void __vx_all_lanes(void);

static inline void run(const job_t *job, uint32_t id) {
  blockIdx.x = id % job->grid_x;
  blockIdx.y = id % job->grid_xy / job->grid_x;
  blockIdx.z = id / job->grid_xy;
  job->func((void *)job->argument);
}

/* Warp's part of the groups of several threads; the last warp of a group may have lanes too many. */
static void run_groups(const job_t *__UNIFORM__ job, uint32_t __UNIFORM__ warp) {
  uint32_t group = warp / job->warps_per_group, part = warp % job->warps_per_group;
  uint32_t thread = part * (uint32_t)vx_num_threads() + (uint32_t)vx_thread_id();
  uint32_t times = job->batches + (warp < job->remaining);
  __local_group_id = group;
  __sub_group_id = part;
  if (thread >= job->block_size)
    return;
  threadIdx.x = thread % job->block_x;
  threadIdx.y = thread % job->block_xy / job->block_x;
  threadIdx.z = thread / job->block_xy;
  for (uint32_t i = 0; i < times; ++i)
    run(job, job->first + group + i * job->groups_in_flight);
}

/* Warp's part of the single threads, a lane each. */
static void run_tasks(const job_t *__UNIFORM__ job, uint32_t __UNIFORM__ warp) {
  uint32_t lanes = (uint32_t)vx_num_threads();
  uint32_t times = job->batches + (warp < job->remaining);
  uint32_t before = warp * job->batches + (warp < job->remaining ? warp : job->remaining);
  __local_group_id = 0;
  __sub_group_id = 0;
  threadIdx.x = threadIdx.y = threadIdx.z = 0;
  for (uint32_t i = 0; i < times; ++i)
    run(job, job->first + (before + i) * lanes + (uint32_t)vx_thread_id());
}

/* What every warp that takes part does, with all lanes. */
void __vx_spawn_share(void) {
  const job_t *job = (const job_t *)csr_read_nv(VX_CSR_MSCRATCH);
  uint32_t warp = (uint32_t)vx_warp_id();
  if (job->warps_per_group != 0) {
    run_groups(job, warp);
    return;
  }
  if (job->rest == 0) {
    run_tasks(job, warp);
  } else if ((uint32_t)vx_thread_id() < job->rest) {
    threadIdx.x = threadIdx.y = threadIdx.z = 0;
    run(job, job->first + (uint32_t)vx_thread_id());
  }
}

/* This core's part of `total`, of which the first cores have one more than the others. */
VX_SINGLE_LANE static uint32_t share_of(uint32_t total, uint32_t cores, uint32_t core, uint32_t *first) {
  uint32_t more = total % cores, count = total / cores + (core < more);
  *first = core < more ? core * count : more + core * count;
  return count;
}

/* `units` warps' worth of work on up to `most` warps; returns how many warps it takes. */
VX_SINGLE_LANE static uint32_t deal(job_t *job, uint32_t units, uint32_t most) {
  uint32_t warps = units < most ? units : most;
  job->batches = warps != 0 ? units / warps : 0;
  job->remaining = units - job->batches * warps;
  return warps;
}

VX_SINGLE_LANE static void start(const job_t *job, uint32_t warps) {
  csr_write(VX_CSR_MSCRATCH, (uintptr_t)job);
  vx_wspawn((int)warps, __vx_spawn_warp);
  __vx_all_lanes();
}

VX_SINGLE_LANE int vx_spawn_threads(uint32_t dimension, const uint32_t *grid_dim, const uint32_t *block_dim,
                                    vx_kernel_func_cb func, const void *argument) {
  uint32_t groups = 1, size = 1;
  for (uint32_t axis = 0; axis < 3; ++axis) {
    gridDim.m[axis] = grid_dim != 0 && axis < dimension ? grid_dim[axis] : 1;
    blockDim.m[axis] = block_dim != 0 && axis < dimension ? block_dim[axis] : 1;
    groups *= gridDim.m[axis];
    size *= blockDim.m[axis];
  }
  uint32_t cores = (uint32_t)vx_num_cores(), warps = (uint32_t)vx_num_warps(), lanes = (uint32_t)vx_num_threads();
  if (size > warps * lanes)
    return -1;
  if (size == 0 || groups == 0)
    return 0;
  uint32_t per_group = size > 1 ? (size + lanes - 1) / lanes : 0;
  uint32_t needed = size > 1 ? (groups * per_group + warps - 1) / warps : (groups + warps * lanes - 1) / (warps * lanes);
  uint32_t active = needed < cores ? needed : cores, core = (uint32_t)vx_core_id();
  if (core >= active)
    return 0;
  uint32_t first, count = share_of(groups, active, core, &first);
  job_t job = {.func = func,
               .argument = argument,
               .grid_x = gridDim.x,
               .grid_xy = gridDim.x * gridDim.y,
               .block_x = blockDim.x,
               .block_xy = blockDim.x * blockDim.y,
               .block_size = size,
               .first = first,
               .warps_per_group = per_group};
  __warps_per_group = size > 1 ? per_group : 1;
  size_t before = csr_read(VX_CSR_MSCRATCH);
  if (size > 1) {
    job.groups_in_flight = count * per_group <= warps ? count : warps / per_group;
    start(&job, deal(&job, count * per_group, job.groups_in_flight * per_group));
  } else {
    uint32_t full = count / lanes;
    if (full != 0)
      start(&job, deal(&job, full, warps));
    job.rest = count % lanes;
    if (job.rest != 0) {
      /* After the full warps have ended: they read the job too. */
      vx_wspawn(1, 0);
      job.first = first + full * lanes;
      csr_write(VX_CSR_MSCRATCH, (uintptr_t)&job);
      __vx_all_lanes();
    }
  }
  vx_wspawn(1, 0);
  csr_write(VX_CSR_MSCRATCH, before);
  return 0;
}
