/* Races, bounds and stack pointers: golden_model/diagnosis/shadow.py and clocks.py say what is found, this finds the
   same on words. Only in libraries that diagnose; everything but LANES is decided when the state is made. */

enum { LOAD = 0, STORE = 1, ATOMIC = 2, RESERVED = 3 };
enum { RACE_LANE = 0, RACE_WARP = 1, RACE_CTA = 2, RACE_CORE = 3, OUT_OF_BOUNDS = 4, STALE_STACK = 5 };
enum { IS_FENCE = 5, IS_BAR = 6, IS_ARRIVE = 7, IS_WAIT = 8, SETS_STACK = 16, ENTERS_KERNEL = 32, READS_HART = 64 }; /* of Op.diag; 1 + an access before */
enum { FOUND_LIMIT = 2048, FOUND_SLOTS = 8192, PENDING = 64, STACK_POINTER = 2 };

/* A mark, 64 bits: clock and context in the low 27, then pc / 4 (30), lane (5), atomic, and for a write whether it was
   an AMO, for reads whether this is a pointer to several. 0 = none: clocks start at 1. */
#define EPOCH_BITS 27
#define MARK_PC(mark) ((u64)((mark) >> EPOCH_BITS & 0x3fffffff) << 2)
#define MARK_LANE(mark) ((u32)((mark) >> 57 & 31))
#define MARK_ATOMIC ((u64)1 << 62)
#define MARK_TOP ((u64)1 << 63)

typedef struct { u64 write, reads; } Cell;
typedef struct { u32 count, room; u64 mark[]; } Readers;
typedef struct { Cell word[1024]; Cell *byte; u8 split[1024]; u64 launch; } Shadow;
typedef struct {
  u64 pc, other_pc, addr, count, first, last;
  u32 kind, context, block, lanes, size, access, other_access, other_context, other_block, other_lanes;
} Found;
typedef struct { Found found; u64 variable; } Pending;
typedef struct { u64 key; u32 *clock; } Variable;
typedef struct { u32 *clock, *block, count, room; } Runs;

typedef struct D {
  u32 races, bounds, stack, strict_lanes, contexts, warps, cores, entries, clock_bits, full;
  u64 local_lo, local_hi, stack_lo, stack_hi, private_lo, private_hi, launch, stamp, pages_left;
  u32 *clock, *first, *row, *fenced, *waiting, *stack_lanes, *flag_next, *pending_count, *startup, *by_hart;
  u64 *stack_pc, *own_lo, *own_hi;
  u32 **arrived, **done;
  Runs *runs;
  Pending *pending;
  Shadow **page, **local;
  u32 local_pages;
  Variable *variable;
  u32 variables, variable_room;
  Found *found;
  u32 found_count, found_slot[FOUND_SLOTS];
  u64 *region;
  u32 regions, checks_regions;
  u64 *watch; /* per image: start, end, address of the PCs that stored its words */
  u32 watches;
} D;

static inline u32 mark_clock(D *d, u64 mark) { return (u32)mark & ((1u << d->clock_bits) - 1); }
static inline u32 mark_context(D *d, u64 mark) {
  return ((u32)mark & ((1u << EPOCH_BITS) - 1)) >> d->clock_bits;
}
static inline int ordered(D *d, u64 mark, u32 context) {
  u32 who = mark_context(d, mark), clock = mark_clock(d, mark);
  if (who == context && clock >= d->first[context]) return 1;
  return clock <= d->row[context * d->contexts + who];
}
static inline int is_local(D *d, u64 addr) { return addr >= d->local_lo && addr < d->local_hi; }

/* ---- what was found */

static void add_found(D *d, const Found *f) {
  u64 hash = (f->pc * 0x9e3779b97f4a7c15ULL ^ f->other_pc * 0xc2b2ae3d27d4eb4fULL ^ f->kind) >> 20;
  for (u32 at = (u32)hash % FOUND_SLOTS;; at = (at + 1) % FOUND_SLOTS) {
    u32 index = d->found_slot[at];
    if (!index) {
      if (d->found_count == FOUND_LIMIT) return;
      d->found[d->found_count] = *f;
      d->found[d->found_count].count = 1;
      d->found[d->found_count].first = d->found[d->found_count].last = d->stamp;
      d->found_slot[at] = ++d->found_count;
      return;
    }
    Found *known = &d->found[index - 1];
    if (known->pc != f->pc || known->other_pc != f->other_pc || known->kind != f->kind) continue;
    if (d->stamp == known->first) {
      known->lanes |= f->lanes;
      known->other_lanes |= f->other_lanes;
    }
    if (d->stamp != known->last) {
      known->count++;
      known->last = d->stamp;
    }
    return;
  }
}

static u32 block_of(D *d, u32 context, u32 clock) {
  Runs *runs = &d->runs[context];
  u32 low = 0, high = runs->count;
  while (high - low > 1) {
    u32 middle = (low + high) / 2;
    if (runs->clock[middle] <= clock) low = middle;
    else high = middle;
  }
  return runs->count ? runs->block[low] : 0;
}

static Found make_found(D *d, u32 kind, u32 context, u64 pc, u32 lane, u64 addr, u32 size, u32 access) {
  Runs *runs = &d->runs[context];
  return (Found){.kind = kind, .context = context, .block = runs->count ? runs->block[runs->count - 1] : 0,
                 .pc = pc, .lanes = 1u << lane, .addr = addr, .size = size, .access = access};
}

static Found make_race(D *d, u64 mark, u64 other, u32 other_access, u64 addr, u32 size, u32 access) {
  u32 context = mark_context(d, mark), theirs = mark_context(d, other);
  Found f = make_found(d, RACE_CTA, context, MARK_PC(mark), MARK_LANE(mark), addr, size, access);
  f.other_block = block_of(d, theirs, mark_clock(d, other));
  if (theirs / d->warps != context / d->warps) f.kind = RACE_CORE;
  else if (f.other_block == f.block) f.kind = RACE_WARP;
  f.other_access = other_access;
  f.other_context = theirs;
  f.other_pc = MARK_PC(other);
  f.other_lanes = 1u << MARK_LANE(other);
  return f;
}

static void flush(D *d, u32 context) {
  Pending *p = &d->pending[context * PENDING];
  for (u32 i = 0; i < d->pending_count[context]; i++) add_found(d, &p[i].found);
  d->pending_count[context] = 0;
}

static void postpone(D *d, u32 context, const Found *f, u64 variable) {
  Pending *p = &d->pending[context * PENDING];
  u32 kept = 0;
  for (u32 i = 0; i < d->pending_count[context]; i++)
    if (p[i].found.pc != f->pc || p[i].found.lanes != f->lanes) p[kept++] = p[i];
  d->pending_count[context] = kept;
  if (kept == PENDING) flush(d, context);
  p[d->pending_count[context]++] = (Pending){*f, variable};
}
