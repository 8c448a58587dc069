/* CTA records: what golden_model/follow/dispatch.py does with those that have nothing wrong, and the golden model's
   own dispatch (dispatch.c) behind them. 0 or PYTHON: nothing has changed, and Python looks at it. */

enum { ACCEPTED = 0, STARTED = 1, ENDED = 2, RETIRED = 3, PYTHON = -1 };

static inline CtaRecord *starts_of(F *f, u32 core) { return f->starts + (u64)core * CTAS; }

/* A CTA in its place of the walk, so it was not launched before; C must know the walk that far. */
static int see_accept(F *f, const CtaRecord *r, Seen *s) {
  const M *m = f->m;
  u64 at = f->launched - (m->queued ? m->queue[0].id : 0);
  if (at >= m->queued) return m->queue_more ? F_MORE : F_CTA;
  const u32 *block = m->queue[at].block;
  if (block[0] != r->block_x || block[1] != r->block_y || block[2] != r->block_z || s->held) return F_CTA;
  if (f->accept_tail - f->accept_head >= CTAS) return F_CTA;
  *s = (Seen){.held = 1, .num_warps = r->num_warps, .block = {block[0], block[1], block[2]}};
  f->accepts[f->accept_tail++ % CTAS] = *r;
  f->launched++;
  return F_DONE;
}

static int see_cta(F *f, const CtaRecord *r) {
  T *t = track_of(f, r->core, r->warp);
  if (r->slot >= NUM_WARPS) return F_CTA;
  Seen *s = &f->seen[r->core * NUM_WARPS + r->slot];
  switch (r->event) {
  case ACCEPTED: return see_accept(f, r, s);
  case STARTED:
    if (t->hw_active || !s->held || f->start_tail[r->core] - f->start_head[r->core] >= CTAS) return F_CTA;
    t->hw_active = 1, t->hw_slot = r->slot, t->hw_spawned = 0;
    t->starts++;
    starts_of(f, r->core)[f->start_tail[r->core]++ % CTAS] = *r;
    return F_DONE;
  case ENDED:
    if (!t->hw_active || r->slot != t->hw_slot) return F_CTA;
    t->hw_active = t->held = 0;
    t->ends_seen++;
    if (s->held && !t->hw_spawned) s->ended++;
    return F_DONE;
  case RETIRED:
    if (!s->held || s->ended != s->num_warps) return F_CTA;
    s->held = 0;
    return F_DONE;
  default: return F_CTA;
  }
}

/* The golden model takes the next CTA that the design took: 1, 0 if it has to wait, or PYTHON. */
static int follow_accept(F *f) {
  M *m = f->m;
  if (f->accept_head == f->accept_tail) return 0;
  const CtaRecord *r = &f->accepts[f->accept_head % CTAS];
  if (m->queue_at == m->queued) return PYTHON;
  const Cta *cta = &m->queue[m->queue_at];
  if (cta->block[0] != r->block_x || cta->block[1] != r->block_y || cta->block[2] != r->block_z) return PYTHON;
  C *c = &m->cores[r->core];
  u32 slot;
  if (!slot_for(m, c, cta, &slot)) return 0;
  if (m->locked != NONE && m->locked != r->core) return PYTHON;
  if (slot != r->slot || m->num_ranks != r->num_warps || (cta->flags & FIRST_OF_CLUSTER) != r->first_of_cluster ||
      LMEM_BASE + (u64)slot * m->stride != r->lmem_addr)
    return PYTHON;
  accept(m, c, cta, slot);
  f->accept_head++;
  f->count[N_CTAS]++;
  return 1;
}

/* The golden core starts the next warp that the design's core started, likewise. */
static int follow_start(F *f, u32 core) {
  M *m = f->m;
  C *c = &m->cores[core];
  if (f->start_head[core] == f->start_tail[core]) return 0;
  const CtaRecord *r = &starts_of(f, core)[f->start_head[core] % CTAS];
  T *t = track_of(f, core, r->warp);
  W *w = warp_of(f, t);
  if (w->tmask || c->pending == NONE) return 0;
  u64 pc = m->startup & REG_MASK;
  if (c->initialised >> r->warp & 1) {
    pc = (w->pc - m->rewind) & REG_MASK;
    if (pc != m->window) {
      m->odd_pc = pc;
      return PYTHON;
    }
  }
  u32 rank = c->slots[c->pending].started;
  if (c->pending != r->slot || rank != r->rank || m->rank_masks[rank] != r->tmask || (pc & PC_MASK) != r->pc ||
      t->next_uid != r->uid || w->uid != r->uid)
    return PYTHON;
  start_warp(m, c, r->warp);
  t->starts--;
  t->started = 1;
  f->start_head[core]++;
  f->count[N_WARPS_STARTED]++;
  f->work[f->depth++] = core * NUM_WARPS + r->warp;
  return 1;
}

/* Follow every record that the golden model is ready for; F_DISPATCH if Python has to look at the next one. */
static int follow_dispatch(F *f) {
  int done, progress = 1;
  f->m->odd_pc = 0;
  f->again = 1;
  while (progress) {
    progress = 0;
    while ((done = follow_accept(f)) > 0) progress = 1;
    if (done < 0) return F_DISPATCH;
    for (u32 core = 0; core < f->num_cores; core++) {
      while ((done = follow_start(f, core)) > 0) progress = 1;
      if (done < 0) return F_DISPATCH;
    }
  }
  f->again = 0;
  return F_DONE;
}

/* A golden warp has ended: its part of the slot is free, and what waited for that goes on. */
static int warp_ended(F *f, T *t) {
  C *c = &f->m->cores[t->core];
  W *w = warp_of(f, t);
  if (f->m->foreign_end) return F_ENDED;
  if (w->has_cta && !w->spawned && !--c->slots[w->slot].live) c->slots[w->slot].valid = 0;
  t->ends_golden++;
  t->ended = 1;
  u32 all = f->num_cores * NUM_WARPS, me = t->core * NUM_WARPS + t->wid;
  for (u32 other = 0; f->wake_all && other < all; other++)
    if (other != me) f->work[f->depth++] = other;
  return follow_dispatch(f);
}
