
/* CTA dispatch without Python: the rules of golden_model/dispatch.py and the order of golden_model/scheduler.py.
   The KMU's walk stays in Python, which fills a queue of CTAs. What depends on the rank only (thread masks and
   indices) and what a launch fixes comes in tables that Python makes from the definitions. */

enum { NONE = 0xffffffffu, DONE = -1, FIRST_OF_CLUSTER = 1, LAST_OF_CLUSTER = 2 };
enum { FROM_LAUNCH = 0, FROM_SLOT = 1, FROM_RANK = 2, FROM_BLOCK = 3 }; /* FROM_BLOCK + axis */

/* CSRs whose value a start of a warp decides. */
static void fill_csrs(M *m, W *w, int first_use) {
  for (u32 i = 0; i < m->fills; i++) {
    const Fill *f = &m->fill[i];
    REG *out = w->csr_values[f->index], value;
    const REG *table = (const REG *)f->table;
    if (f->source == FROM_RANK) {
      memcpy(out, table + (u64)w->rank * LANES, sizeof(REG) * LANES);
      w->csr_undefined[f->index] = ((const u32 *)f->undefined)[w->rank];
    } else {
      if (f->source == FROM_LAUNCH && !first_use) continue;
      if (f->source == FROM_LAUNCH) value = table[0];
      else if (f->source == FROM_SLOT) value = table[w->slot];
      else value = w->cta.block[f->source - FROM_BLOCK];
      for (int k = 0; k < LANES; k++) out[k] = value;
      w->csr_undefined[f->index] = 0;
    }
    w->csr_valid[f->index] = 1;
  }
}

/* The next rank of the pending CTA starts on this warp; true if Python has to look at the start address. */
static int start_warp(M *m, C *c, u32 wid) {
  W *w = &c->warps[wid];
  Slot *s = &c->slots[c->pending];
  int first_use = !(c->initialised >> wid & 1);
  c->initialised |= 1u << wid;
  w->cta = s->cta;
  w->slot = c->pending;
  w->rank = s->started++;
  w->has_cta = 1;
  w->spawned = w->blocked = w->ipdom_len = 0;
  w->starts++;
  w->csr[MSCRATCH_AT] = m->param;
  w->pc = (first_use ? m->startup : w->pc - m->rewind) & REG_MASK;
  int odd = !first_use && w->pc != m->window;
  if (odd) {
    m->odd_core = c->core_id;
    m->odd_warp = wid;
    m->odd_pc = w->pc;
  }
  w->pc &= PC_MASK;
  w->tmask = m->rank_masks[w->rank];
  w->last = 31 - (u32)__builtin_clz(w->tmask);
  if (s->started == m->num_ranks) c->pending = NONE;
  fill_csrs(m, w, first_use);
#ifdef DIAGNOSE
  diag_started(m, c, w, w->rank, first_use);
#endif
  m->starts++;
  return odd;
}

/* The slot that the rules give to a CTA; false if the core cannot take it now. */
static int slot_for(M *m, C *c, const Cta *cta, u32 *slot) {
  u32 base = c->tail >= m->usable ? 0 : c->tail, needed = 1;
  if (cta->flags & FIRST_OF_CLUSTER) {
    needed = m->needed;
    if (base + needed > m->usable) base = 0;
  }
  *slot = base;
  if (c->pending != NONE) return 0;
  for (u32 i = base; i < base + needed && i < NUM_WARPS; i++)
    if (c->slots[i].valid) return 0;
  return 1;
}

static void accept(M *m, C *c, const Cta *cta, u32 slot) {
  c->slots[slot] = (Slot){.cta = *cta, .valid = 1, .live = m->num_ranks, .started = 0};
  c->pending = slot;
  c->tail = slot + 1 >= m->usable ? 0 : slot + 1;
  m->locked = cta->flags & LAST_OF_CLUSTER ? NONE : c->core_id;
  m->queue_at++;
  m->ctas++;
}

/* The first core, round robin or in random order, that can take the next CTA takes it. */
static int hand_out(M *m) {
  const Cta *cta = &m->queue[m->queue_at];
  u32 order[m->num_cores], slot;
  for (u32 i = 0; i < m->num_cores; i++) order[i] = (m->next_core + i) % m->num_cores;
  if (m->seeded) /* random.shuffle */
    for (u32 i = m->num_cores - 1; i >= 1; i--) {
      u32 j = random_below(m, i + 1), kept = order[i];
      order[i] = order[j];
      order[j] = kept;
    }
  for (u32 i = 0; i < m->num_cores; i++) {
    C *c = &m->cores[order[i]];
    if ((m->locked != NONE && m->locked != c->core_id) || !slot_for(m, c, cta, &slot)) continue;
    accept(m, c, cta, slot);
    m->next_core = (c->core_id + 1) % m->num_cores;
    return 1;
  }
  return 0;
}

/* A warp to start on: the lowest inactive one, or any; NONE if all are active. */
static u32 choose_warp(M *m, C *c) {
  u32 list[NUM_WARPS], count = 0;
  for (u32 i = 0; i < NUM_WARPS; i++)
    if (!c->warps[i].tmask) list[count++] = i;
  return !count ? NONE : list[m->seeded ? random_below(m, count) : 0];
}

/* Hand out CTAs and start warps until nothing more fits. After ODD_START or MORE_CTAS it goes on where it was. */
static int dispatch(M *m) {
  for (;;) {
    if (m->dispatching == 1) m->progress = 0;
    m->dispatching = 2;
    for (u32 k = 0; k < m->num_cores; k++) {
      C *c = &m->cores[k];
      while (c->pending != NONE) {
        u32 wid = choose_warp(m, c);
        if (wid == NONE) break;
        m->progress = 1;
        if (start_warp(m, c, wid)) return ODD_START;
      }
    }
    if (m->queue_at == m->queued && m->queue_more) return MORE_CTAS;
    if (m->queue_at < m->queued && hand_out(m)) m->progress = 1;
    if (!m->progress) break;
    m->dispatching = 1;
  }
  m->dispatching = 0;
  return DONE;
}

/* Warps that have ended give back their part of a slot. */
void account(M *m) {
  for (u32 k = 0; k < m->num_cores; k++) {
    C *c = &m->cores[k];
    for (u32 rest = c->ended; rest; rest &= rest - 1) {
      W *w = &c->warps[__builtin_ctz(rest)];
      if (w->has_cta && !w->spawned && !--c->slots[w->slot].live) c->slots[w->slot].valid = 0;
    }
    c->ended = 0;
  }
  m->ended = 0;
  m->dispatching = 1;
}
