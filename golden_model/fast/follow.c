/* The golden warps follow the records of a design, in the very order of golden_model/follow (follower.py, stepper.py).
   Whatever is not plain agreement goes to Python, which finds everything as it was, and comes back here afterwards. */

static inline void wake(F *f, u32 track) { f->work[f->depth++] = track; }

/* The instruction has had its turn; the warp that is next in line is woken if it can step at once. */
static inline void done(F *f, u64 *order, u64 size, u64 *head, u64 tail, u64 turn) {
  if (order[*head % size] != turn) return; /* cannot be: it was checked before the step */
  if (++*head == tail) return;
  u64 other = order[*head % size];
  if (f->tracks[other >> 48].next_uid == (other & ((1ULL << 48) - 1))) wake(f, (u32)(other >> 48));
}

/* Whether the records of an atomic serve the lanes in ascending order, as the generated code does. */
static int ascending(F *f, const Ins *s) {
  u64 seen = 0;
  for (u32 at = s->first_row; at; at = f->rows[at].next) {
    if (f->rows[at].mask && 1ULL << __builtin_ctz(f->rows[at].mask) <= seen) return 0;
    seen |= f->rows[at].mask;
  }
  return 1;
}

/* Number of records of an atomic if nobody else's come between them, else 0: then Python performs it in parts. */
static u64 together(const F *f, const Ins *s, u64 me) {
  u64 records = 0;
  for (u32 at = s->first_row; at; at = f->rows[at].next, records++)
    if (f->order_head + records >= f->order_tail || f->order[(f->order_head + records) % ORDER] != me) return 0;
  return records;
}

/* DONE, or why Python must look at this instruction; then nothing has happened. */
static int execute(F *f, u32 number, T *t, Ins *s) {
  M *m = f->m;
  C *c = &m->cores[t->core];
  W *w = &c->warps[t->wid];
  if (w->pc != s->pc || w->tmask != s->tmask || w->slot != s->slot || w->pc >= MEMORY_SIZE) return F_STEP;
  Op *ops = m->pages[w->pc >> 12].ops;
  if (!ops) return F_DECODE;
  const Op *op = &ops[(w->pc & 4095) >> 2];
  if (!op->fn) return F_DECODE;
  int atomic = (s->instr & 0x7f) == 0x2f;
  u64 turns = atomic ? together(f, s, turn(t, s->uid)) : 1;
  if (op->word != s->instr || (atomic && (!ascending(f, s) || (s->first_row && !turns)))) return F_STEP;
  u32 tmask = w->tmask;
  Effects *fx = &m->fx;
  Before before;
  keep(c, w, op, &before);
  memset(fx, 0, offsetof(Effects, ip_pc));
  w->next_pc = w->pc + 4;
  w->next_mask = tmask;
  m->bail = 0;
  m->missing = 0;
  ((void (*)(M *, C *, W *, const Op *))op->fn)(m, c, w, op);
  if (m->bail) {
    take_back(m, c, w, op, &before);
    return m->missing ? F_PAGE : F_STEP;
  }
  w->next_pc &= PC_MASK;
  int control = s->control ? w->next_pc == s->next_pc && w->next_mask == s->next_mask : !fx->control;
  if (!control || !same_result(fx, w, s) || !same_access(f, fx, s) || !same_events(fx, s) ||
      (!w->next_mask && w->ipdom_len)) {
    take_back(m, c, w, op, &before);
    return F_STEP;
  }
  fx->undo = 0;
  remember(f, t, w, fx, s);
  f->count[N_INSTRUCTIONS]++;
  f->count[N_LANES] += (u64)__builtin_popcount(fx->wmask & ~fx->undefined);
  u64 me = turn(t, s->uid);
  t->next_uid = s->uid + 1;
  t->pending--;
  if (s->first_row) {
    f->order_head += turns - 1; /* an atomic has one for each record */
    done(f, f->order, ORDER, &f->order_head, f->order_tail, me);
  }
  if (fx->memory) {
    f->count[N_MEMORY_ACCESSES]++;
    f->count[N_LANES] += (u64)__builtin_popcount(fx->mask & ~fx->unknown);
  }
  if (fx->undefined | fx->unknown) adopt(f, c, w, fx, s, &t->hist[(t->hist_at + HISTORY - 1) % HISTORY]);
  if (fx->barrier) {
    done(f, barrier_order(f, t->core), BARRIER_ORDER, &f->bar_head[t->core], f->bar_tail[t->core], me);
    f->count[N_BARRIERS]++;
    for (u32 wid = 0; wid < NUM_WARPS; wid++)
      if (fx->released >> wid & 1 && wid != t->wid) wake(f, t->core * NUM_WARPS + wid);
  }
  f->count[N_DIVERGENCES] += fx->ipdom;
  release(f, t, s);
  c->minstret++;
  w->uid++;
  w->pc = w->next_pc;
  if (w->next_mask == tmask) return F_DONE;
  w->tmask = w->next_mask;
  w->last = w->tmask ? 31 - (u32)__builtin_clz(w->tmask) : 0;
  return w->tmask ? F_DONE : warp_ended(f, t);
}

/* Step one warp as far as its turn has come. */
static int advance(F *f, u32 number) {
  T *t = &f->tracks[number];
  W *w = warp_of(f, t);
  for (;;) {
    Ins *s = find(f, t, t->next_uid);
    if (!s || !s->complete) return F_DONE;
    if (!w->tmask) {
      if (t->starts) return F_DONE;
      f->track = number;
      return F_STEP;
    }
    u64 me = turn(t, s->uid);
    if (w->blocked || (s->first_row && f->order[f->order_head % ORDER] != me)) return F_DONE;
    if (s->barrier && barrier_order(f, t->core)[f->bar_head[t->core] % BARRIER_ORDER] != me) return F_DONE;
    if (f->depth + 4 * NUM_WARPS * f->num_cores >= WORK) return F_FULL;
    int reason = execute(f, number, t, s);
    if (reason != F_DONE) {
      f->track = number;
      return reason;
    }
  }
}

/* Whether a record is not one of this machine; Python says what is wrong with it. */
static int foreign(const F *f) {
  u64 lanes = LANES >= 64 ? 0 : ~0ULL << (LANES % 64), wrong = 0;
#define CHECK(kind, masks)                                                                  \
  for (u64 i = 0; i < f->n_##kind; i++)                                                     \
    wrong |= ((masks) & lanes) | (f->kind[i].core >= f->num_cores) | (f->kind[i].warp >= NUM_WARPS);
  CHECK(commit, f->commit[i].tmask | f->commit[i].wmask)
  CHECK(memory, f->memory[i].mask)
  CHECK(cta, 0)
  CHECK(barrier, 0)
  CHECK(ipdom, 0)
  return wrong != 0;
}

/* Consume a batch; comes back with DONE, or with what Python must look at before the next call goes on behind it. */
int follow(F *f) {
  int reason;
  if (!f->checked) {
    f->checked = 1;
    if (foreign(f)) return F_SHAPE;
  }
  if (f->again) { /* Python has found that a dispatch window is there */
    if ((reason = follow_dispatch(f)) != F_DONE) return reason;
    if (f->track != NONE) wake(f, f->track);
  }
  for (;;) {
    while (f->depth) {
      if ((reason = advance(f, f->work[--f->depth])) != F_DONE) return reason;
    }
    u64 commit = f->i_commit < f->n_commit ? f->commit[f->i_commit].seq : ~0ULL;
    u64 cta = f->i_cta < f->n_cta ? f->cta[f->i_cta].seq : ~0ULL;
    u64 seen = f->i_seen < f->n_barrier ? f->barrier[f->i_seen].seq : ~0ULL;
    if (f->i_commit < f->n_commit && commit <= cta && commit <= seen) {
      const CommitRecord *r = &f->commit[f->i_commit];
      int next = 0;
      if ((reason = join_until(f, r->cycle)) != F_DONE) return reason;
      if (!join_commit(f, r, &next)) return F_COMMIT;
      f->i_commit++;
      if (next) wake(f, r->core * NUM_WARPS + r->warp);
    } else if (f->i_cta < f->n_cta && cta <= seen) {
      const CtaRecord *r = &f->cta[f->i_cta];
      if ((reason = see_cta(f, r)) != F_DONE) return reason;
      f->i_cta++;
      if (r->event > STARTED || (reason = follow_dispatch(f)) == F_DONE) continue;
      f->track = NONE;
      return reason;
    } else if (f->i_seen < f->n_barrier) {
      const BarrierRecord *r = &f->barrier[f->i_seen];
      see_barrier(f, r);
      f->i_seen++;
    } else {
      return join_until(f, ~0ULL);
    }
  }
}
