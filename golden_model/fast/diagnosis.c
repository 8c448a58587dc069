/* What one instruction does to the shadow, and launches and warps (golden_model/diagnosis/shadow.py). */

static void check_lanes(D *d, u32 context, u64 pc, u32 size, u32 n, const u8 *lane, const u64 *addr, const u64 *data) {
  u32 rising = 1;
  for (u32 i = 1; i < n; i++) rising &= addr[i] >= addr[i - 1] + size;
  if (rising) return;
  for (u32 i = 0; i < n; i++)
    for (u32 j = 0; j < i; j++) {
      u64 low = addr[i] > addr[j] ? addr[i] : addr[j], high = (addr[i] < addr[j] ? addr[i] : addr[j]) + size;
      if (low >= high) continue;
      u64 width = high - low == 8 ? ~0ULL : (1ULL << 8 * (high - low)) - 1;
      if ((data[i] >> 8 * (low - addr[i]) & width) == (data[j] >> 8 * (low - addr[j]) & width) && !d->strict_lanes)
        continue;
      Found f = make_found(d, RACE_LANE, context, pc, lane[i], addr[i], size, STORE);
      f.other_pc = pc;
      f.other_lanes = 1u << lane[j];
      f.other_context = context;
      f.other_access = STORE;
      f.other_block = f.block;
      add_found(d, &f);
      break;
    }
}

static inline int in_region(D *d, u64 addr, u32 size, u32 at) {
  return d->region[2 * at] <= addr && addr + size <= d->region[2 * at + 1];
}

static int in_bounds(D *d, u32 context, u64 addr, u32 size, u32 *hint) {
  if (is_local(d, addr)) return d->own_lo[context] <= addr && addr + size <= d->own_hi[context];
  if (!d->checks_regions || (d->private_lo <= addr && addr + size <= d->private_hi)) return 1;
  if (*hint < d->regions && in_region(d, addr, size, *hint)) return 1;
  for (u32 i = 0; i < d->regions; i++)
    if (in_region(d, addr, size, i)) return *hint = i, 1;
  return 0;
}

static void check_startup(D *d, u32 context, u64 pc, u32 size, u32 n, const u8 *lane, const u64 *addr, u64 silent) {
  u64 mark = (u64)(pc >> 2 & 0x3fffffff) << EPOCH_BITS | (u64)context << d->clock_bits | d->clock[context];
  for (u32 i = 0; i < n; i++) {
    if (silent >> i & 1 || (addr[i] >= IO_BASE && addr[i] < IO_END)) continue;
    one_lane(d, context, mark | (u64)lane[i] << 57, 0, addr[i], size, STORE);
    Shadow *page = shadow_page(d, context, addr[i]);
    if (!page) continue;
    for (u64 at = addr[i]; at < addr[i] + size; at++) {
      u32 word = at >> 2 & 1023;
      if (page->split[word]) page->byte[at & 4095].write = 0;
      else page->word[word].write = 0;
    }
  }
}

/* Whether a load of this word collides with nothing: of lanes that load the same word, the last one is kept anyway. */
static inline int is_clean_word(D *d, u32 context, u64 addr, u32 size) {
  Shadow *page = shadow_page(d, context, addr);
  u32 word = addr >> 2 & 1023;
  if (!page || size != 4 || page->split[word]) return 0;
  return !page->word[word].write || ordered(d, page->word[word].write, context);
}

static inline void instruction(D *d, u32 context, u64 pc, u32 access, u32 size, u32 base, u32 n, const u8 *lane,
                               const u64 *addr, const u64 *data, u64 silent, u32 *hint) {
  d->stamp++;
  if (__builtin_expect(d->startup[context], 0)) {
    if (d->races && access == STORE) check_startup(d, context, pc, size, n, lane, addr, silent);
    return;
  }
  if (d->bounds)
    for (u32 i = 0; i < n; i++)
      if (__builtin_expect(!in_bounds(d, context, addr[i], size, hint), 0)) {
        Found f = make_found(d, OUT_OF_BOUNDS, context, pc, lane[i], addr[i], size, access);
        add_found(d, &f);
      }
  if (d->stack && base == STACK_POINTER)
    for (u32 i = 0; i < n; i++)
      if (!(d->stack_lanes[context] >> lane[i] & 1)) {
        Found f = make_found(d, STALE_STACK, context, pc, lane[i], addr[i], size, access);
        f.other_pc = d->stack_pc[context];
        f.other_lanes = d->stack_lanes[context];
        add_found(d, &f);
      }
  if (!d->races) return;
  if (access == STORE) check_lanes(d, context, pc, size, n, lane, addr, data);
  if (access != LOAD) flush(d, context);
  u32 flag = access == STORE && d->flag_next[context], atomic = access >= ATOMIC, released = 0;
  if (access == STORE || access == ATOMIC) d->flag_next[context] = 0;
  u64 place = (u64)(pc >> 2 & 0x3fffffff) << EPOCH_BITS | (flag | atomic ? MARK_ATOMIC : 0);
  u64 epoch = (u64)context << d->clock_bits | d->clock[context];
  for (u32 i = 0; i < n; i++) {
    if (access == LOAD && i + 1 < n && addr[i] == addr[i + 1] && is_clean_word(d, context, addr[i], size)) continue;
    u64 variable = addr[i] >> 2;
    if (addr[i] >= IO_BASE && addr[i] < IO_END) continue;
    if (is_local(d, addr[i])) variable |= (u64)(context / d->warps + 1) << 40;
    if (__builtin_expect(atomic, 0)) {
      u32 *known = variable_at(d, variable, 1);
      acquire(d, context, known);
      export_join(d, context, known);
      released = 1;
    } else if (__builtin_expect(flag, 0)) {
      u32 *known = variable_at(d, variable, 1);
      memcpy(known, &d->fenced[context * d->contexts], sizeof(u32) * d->contexts);
      known[context] = d->clock[context];
      released = 1;
    }
    one_lane(d, context, epoch | place | (u64)lane[i] << 57, variable, addr[i], size, access);
  }
  if (released) advance(d, context);
}

static void code_stored(D *d, u64 pc, u32 n, const u64 *addr) {
  for (u32 w = 0; w < d->watches; w++)
    for (u32 i = 0; i < n; i++)
      if (d->watch[3 * w] <= addr[i] && addr[i] < d->watch[3 * w + 1])
        ((u64 *)(uintptr_t)d->watch[3 * w + 2])[(addr[i] - d->watch[3 * w]) >> 2] = pc;
}

/* For instructions that Python has executed. */
void diag_instruction(D *d, u32 context, u64 pc, u32 access, u32 size, u32 base, u32 n, const u8 *lane,
                      const u64 *addr, const u64 *data, u64 silent) {
  u32 hint = 0;
  instruction(d, context, pc, access, size, base, n, lane, addr, data, silent, &hint);
}

u32 diag_starting(D *d, u32 context) { return d->startup[context]; }

void diag_entered(D *d, u32 context) { d->startup[context] = 0; }

void diag_knows_hart(D *d, u32 context) { d->by_hart[context] |= !d->startup[context]; }

void diag_private(D *d, u64 low, u64 high) {
  d->private_lo = low;
  d->private_hi = high;
}

void diag_stack_set(D *d, u32 context, u32 lanes, u64 pc) {
  d->stack_lanes[context] |= lanes;
  d->stack_pc[context] = pc;
}

/* ---- launches and warps */

static void forget_order(D *d) {
  u32 keys = (d->cores + 1) * d->entries;
  for (u32 i = 0; i < keys; i++) {
    if (d->arrived[i]) memset(d->arrived[i], 0, sizeof(u32) * d->contexts);
    free(d->done[i]);
    d->done[i] = 0;
  }
  for (u32 i = 0; i < d->variable_room; i++) free(d->variable[i].clock);
  free(d->variable);
  d->variable = 0;
  d->variables = d->variable_room = 0;
  memset(d->row, 0, sizeof(u32) * d->contexts * d->contexts);
  memset(d->fenced, 0, sizeof(u32) * d->contexts * d->contexts);
}

/* Clocks are used up: everything so far counts as ordered. */
static void restart(D *d) {
  d->launch++;
  forget_order(d);
  for (u32 i = 0; i < d->contexts; i++) {
    Runs *runs = &d->runs[i];
    if (runs->count) runs->block[0] = runs->block[runs->count - 1], runs->clock[0] = 1, runs->count = 1;
    d->clock[i] = d->first[i] = 1;
  }
}

void diag_launch(D *d, u32 checks_regions, u32 regions, const u64 *region) {
  d->launch++;
  d->stamp = 0;
  forget_order(d);
  memset(d->clock, 0, sizeof(u32) * d->contexts);
  memset(d->waiting, 0, sizeof(u32) * d->contexts);
  memset(d->stack_lanes, 0, sizeof(u32) * d->contexts);
  memset(d->stack_pc, 0, sizeof(u64) * d->contexts);
  memset(d->startup, 0, sizeof(u32) * d->contexts);
  memset(d->by_hart, 0, sizeof(u32) * d->contexts);
  d->private_lo = d->private_hi = 0;
  memset(d->flag_next, 0, sizeof(u32) * d->contexts);
  memset(d->pending_count, 0, sizeof(u32) * d->contexts);
  for (u32 i = 0; i < d->contexts; i++) d->first[i] = 1, d->runs[i].count = 0, d->own_lo[i] = d->own_hi[i] = 0;
  d->found_count = 0;
  memset(d->found_slot, 0, sizeof d->found_slot);
  free(d->region);
  d->region = memcpy(malloc(16 * (regions + 1)), region, 16 * regions);
  d->regions = regions;
  d->checks_regions = checks_regions;
}

void diag_watch(D *d, u32 count, const u64 *rows) {
  free(d->watch);
  d->watch = memcpy(malloc(24 * (count + 1)), rows, 24 * count);
  d->watches = count;
}

void diag_start(D *d, u32 context, u32 block, u32 rank, u64 local_lo, u64 local_hi, u32 first_use) {
  Runs *runs = &d->runs[context];
  advance(d, context);
  d->first[context] = d->clock[context];
  memset(&d->row[context * d->contexts], 0, sizeof(u32) * d->contexts);
  memset(&d->fenced[context * d->contexts], 0, sizeof(u32) * d->contexts);
  if (runs->count == runs->room) {
    runs->room = runs->room ? runs->room * 2 : 16;
    runs->clock = realloc(runs->clock, sizeof(u32) * runs->room);
    runs->block = realloc(runs->block, sizeof(u32) * runs->room);
  }
  runs->clock[runs->count] = d->clock[context];
  runs->block[runs->count++] = block;
  d->own_lo[context] = local_lo;
  d->own_hi[context] = local_hi;
  d->flag_next[context] = d->pending_count[context] = 0;
  d->startup[context] = first_use;
  d->by_hart[context] = 0;
  if (first_use) d->stack_lanes[context] = 0;
  if (rank || !d->races) return;
  for (u64 addr = local_lo; addr < local_hi; addr += 4) { /* the block before has retired */
    Shadow *page = d->local[context / d->warps * d->local_pages + ((addr >> 12) - (d->local_lo >> 12))];
    if (!page || page->launch != d->launch) continue;
    u32 word = addr >> 2 & 1023;
    drop_readers(&page->word[word]);
    page->word[word].write = 0;
    if (page->split[word])
      for (u32 i = 0; i < 4; i++) {
        drop_readers(&page->byte[4 * word + i]);
        page->byte[4 * word + i].write = 0;
      }
    page->split[word] = 0;
  }
}

D *diag_new(const u64 *setting) {
  D *d = calloc(1, sizeof *d);
  d->races = setting[0], d->bounds = setting[1], d->stack = setting[2], d->strict_lanes = setting[3];
  d->cores = setting[4], d->entries = setting[5];
  d->local_lo = LMEM_BASE, d->local_hi = LMEM_BASE + LMEM_SIZE;
  d->stack_lo = setting[6], d->stack_hi = setting[7], d->pages_left = setting[8];
  u32 n = d->contexts = d->cores * NUM_WARPS;
  d->warps = NUM_WARPS;
  d->clock_bits = EPOCH_BITS - (n > 1 ? 32 - __builtin_clz(n - 1) : 0);
  u32 keys = (d->cores + 1) * d->entries;
  d->clock = calloc(n, 4), d->first = calloc(n, 4), d->waiting = calloc(n, 4), d->stack_lanes = calloc(n, 4);
  d->flag_next = calloc(n, 4), d->pending_count = calloc(n, 4), d->startup = calloc(n, 4), d->by_hart = calloc(n, 4);
  d->row = calloc((size_t)n * n, 4), d->fenced = calloc((size_t)n * n, 4);
  d->stack_pc = calloc(n, 8), d->own_lo = calloc(n, 8), d->own_hi = calloc(n, 8);
  d->arrived = calloc(keys, sizeof *d->arrived), d->done = calloc(keys, sizeof *d->done);
  d->runs = calloc(n, sizeof *d->runs);
  d->pending = calloc((size_t)n * PENDING, sizeof *d->pending);
  d->page = calloc(MEMORY_SIZE >> 12, sizeof *d->page);
  d->local_pages = (u32)((LMEM_BASE + LMEM_SIZE - 1 >> 12) - (LMEM_BASE >> 12) + 1);
  d->local = calloc((size_t)d->cores * d->local_pages, sizeof *d->local);
  d->found = calloc(FOUND_LIMIT, sizeof *d->found);
  diag_launch(d, 0, 0, setting);
  return d;
}

void diag_free(D *d) {
  diag_launch(d, 0, 0, (u64 *)d);
  for (u64 i = 0; i < MEMORY_SIZE >> 12; i++)
    if (d->page[i]) clear_page(d->page[i]), free(d->page[i]);
  for (u32 i = 0; i < d->cores * d->local_pages; i++)
    if (d->local[i]) clear_page(d->local[i]), free(d->local[i]);
  for (u32 i = 0; i < d->contexts; i++) free(d->runs[i].clock), free(d->runs[i].block);
  for (u32 i = 0; i < (d->cores + 1) * d->entries; i++) free(d->arrived[i]), free(d->done[i]);
  void *rest[] = {d->clock, d->first, d->waiting, d->stack_lanes, d->flag_next, d->pending_count, d->startup, d->by_hart, d->row, d->fenced,
                  d->stack_pc, d->own_lo, d->own_hi, d->arrived, d->done, d->runs, d->pending, d->page, d->local,
                  d->found, d->region, d->watch, d};
  for (u32 i = 0; i < sizeof rest / sizeof *rest; i++) free(rest[i]);
}

u32 diag_found_count(D *d) { return d->found_count; }
Found *diag_found(D *d) { return d->found; }
u32 diag_full(D *d) { return d->full; }

/* ---- for the loop */

static inline u32 barrier_index(u32 id) {
  return (id & (NUM_WARPS - 1)) * NUM_BARRIERS + (id >> 8 & (NUM_BARRIERS - 1));
}

/* What golden_model/diagnosis/diagnosis.py does at the start of a warp. */
static void diag_started(M *m, C *c, W *w, u32 rank, int first_use) {
  u64 low = LMEM_BASE + (u64)w->slot * m->stride, high = low + m->stride;
  if (m->stale) {
    for (u64 addr = low; !rank && addr < high; addr++) {
      Page *p = &c->lmem[(addr >> 12) - (LMEM_BASE >> 12)];
      if (p->data) p->shadow[addr & 4095] = 0xff;
    }
    for (u32 i = 0; i < 32; i++) {
      w->fundef[i] = FULL;
      if (m->stale >> i & 1) w->undef[i] = FULL;
    }
  }
  u32 context = (u32)(c - (C *)m->cores) * NUM_WARPS + w->wid;
  diag_start((D *)(uintptr_t)m->diag, context, (u32)w->cta.id, rank, low, high, (u32)first_use);
}

/* Of a barrier: key and phase before, as far as they can be known; rd may be one of the operands. */
static inline u64 diag_before(C *c, W *w, const Op *op) {
  if (__builtin_expect((op->diag & 15) < IS_BAR, 1)) return 0;
  u32 id = (u32)w->x[op->rs1][w->last], index = barrier_index(id);
  u64 announces = (op->diag & 15) == IS_ARRIVE && (u32)w->x[op->rs2][w->last] >> 31;
  return (u64)id << 32 | announces << 1 | c->barriers[index].phase;
}

static inline void diag_after(M *m, C *c, W *w, const Op *op, u64 pc, u32 tmask, u64 before) {
  D *d = (D *)(uintptr_t)m->diag;
  u32 kind = op->diag & 15, context = (u32)(c - (C *)m->cores) * NUM_WARPS + w->wid;
  if (op->diag & ENTERS_KERNEL) d->startup[context] = 0;
  if (op->diag & READS_HART) diag_knows_hart(d, context);
  if (op->diag & SETS_STACK) diag_stack_set(d, context, tmask, pc);
  if (kind == 0) return;
  if (kind < IS_FENCE) {
    u32 n = m->acc_n, active = (u32)__builtin_popcount(tmask), each = n / active, at = 0;
    if (kind - 1 == ATOMIC) each /= 2, n /= 2; /* a load and a store */
    u8 lane[LANES * 4];
    for (u32 rest = tmask; rest; rest &= rest - 1)
      for (u32 k = 0; k < each; k++) lane[at++] = (u8)__builtin_ctz(rest);
    if (kind - 1 == ATOMIC)
      for (u32 i = 0; i < n; i++) m->acc_addr[i] = m->acc_addr[2 * i];
    if (d->watches && (kind - 1 == STORE || kind - 1 == ATOMIC)) code_stored(d, pc, n, m->acc_addr);
    if (d->races | d->bounds | d->stack)
      instruction(d, context, pc, kind - 1, op->diag >> 8, op->rs1, n, lane, m->acc_addr, m->acc_data,
                  m->acc_silent, &((Op *)op)->hint);
    return;
  }
  if (kind == IS_FENCE) {
    diag_fence(d, context);
    return;
  }
  u32 id = (u32)(before >> 32), index = barrier_index(id);
  u32 key = (id >> 31 ? d->cores : context / NUM_WARPS) * d->entries + index;
  if (kind == IS_WAIT) {
    if (w->blocked) diag_wait(d, context, key);
    else diag_passed(d, context, key);
  } else if (!(before >> 1 & 1)) {
    diag_arrive(d, context, key, kind == IS_BAR);
    if (c->barriers[index].phase != (before & 1)) diag_flip(d, key);
  }
}
