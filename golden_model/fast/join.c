/* Records to instructions: what golden_model/follow/joiner.py and orders.py do, for records that have nothing wrong.
   Each function says 0 to a record that it does not file; nothing is changed then, and Python looks at that record.

   Pools are handed out last in, first out: few places are used again and again, and stay in the cache. */

static inline T *track_of(F *f, u32 core, u32 warp) { return &f->tracks[core * NUM_WARPS + warp]; }

static inline W *warp_of(F *f, const T *t) { return &f->m->cores[t->core].warps[t->wid]; }

/* The place of an instruction, or none. Uids outside the window have none. */
static inline Ins *find(F *f, T *t, u64 uid) {
  if (uid - t->next_uid >= WINDOW) return 0;
  u32 at = t->at[uid % WINDOW];
  return at ? &f->slots[at] : 0;
}

static Ins *obtain(F *f, T *t, u64 uid) {
  if (uid - t->next_uid >= WINDOW) return 0;
  u32 *at = &t->at[uid % WINDOW];
  if (!*at) {
    u32 free = f->free_slot;
    if (free) f->free_slot = f->slots[free].next_free;
    else free = ++f->used_slots;
    *at = free;
    Ins *s = &f->slots[free];
    s->uid = uid;
    s->committed = s->complete = s->barrier = s->ipdom = 0;
    s->first_row = s->last_row = 0;
  }
  return &f->slots[*at];
}

/* The instruction is over: its place and its MEMORY records are free. */
static void release(F *f, T *t, Ins *s) {
  u32 *at = &t->at[s->uid % WINDOW];
  if (s->last_row) {
    f->rows[s->last_row].next = f->free_row;
    f->free_row = s->first_row;
  }
  s->next_free = f->free_slot;
  f->free_slot = *at;
  *at = 0;
}

static inline u64 turn(const T *t, u64 uid) { return (u64)(t->core * NUM_WARPS + t->wid) << 48 | uid; }

static inline u64 *barrier_order(F *f, u32 core) { return f->barrier_order + (u64)core * BARRIER_ORDER; }

enum { ATOMIC_ACCESS = 3 }; /* MemoryOp.ATOMIC */

static int join_memory(F *f, const MemoryRecord *r) {
  T *t = track_of(f, r->core, r->warp);
  Ins *s = find(f, t, r->uid);
  int first = !s || !s->first_row, turn_due = first || (r->op == ATOMIC_ACCESS && (i64)r->uid == t->last_memory_uid);
  if (first && (r->uid < t->next_uid || (i64)r->uid < t->last_memory_uid)) return 0;
  u32 at = f->free_row ? f->free_row : f->used_rows + 1;
  if (at >= f->max_rows || f->order_tail - f->order_head >= ORDER || !(s = obtain(f, t, r->uid))) return 0;
  Row *row = &f->rows[at];
  if (f->free_row) f->free_row = row->next;
  else f->used_rows++;
  row->seq = r->seq, row->cycle = r->cycle, row->mask = (u32)r->mask, row->next = 0;
  row->op = r->op, row->size = r->size, row->space = r->space;
  memcpy(row->addr, r->addr, sizeof row->addr);
  memcpy(row->data, r->data, sizeof row->data);
  if (first) {
    t->last_memory_uid = (i64)r->uid;
    s->first_row = at;
  } else {
    f->rows[s->last_row].next = at;
  }
  if (turn_due) {
    if (f->order_head == f->order_tail) f->order_head = f->order_tail = 0;
    f->order[f->order_tail++ % ORDER] = turn(t, r->uid);
  }
  s->last_row = at;
  return 1;
}

static int join_barrier(F *f, const BarrierRecord *r) {
  T *t = track_of(f, r->core, r->warp);
  Ins *s = find(f, t, r->uid);
  u64 *head = &f->bar_head[r->core], *tail = &f->bar_tail[r->core];
  if ((s && s->barrier) || r->uid < t->next_uid || *tail - *head >= BARRIER_ORDER) return 0;
  if (!(s = obtain(f, t, r->uid))) return 0;
  s->barrier = 1;
  s->bar_seq = r->seq, s->bar_cycle = r->cycle, s->bar_released = r->released;
  s->bar_id = r->id, s->bar_count = r->count, s->bar_op = r->op, s->bar_phase = r->phase;
  if (*head == *tail) *head = *tail = 0;
  barrier_order(f, r->core)[(*tail)++ % BARRIER_ORDER] = turn(t, r->uid);
  return 1;
}

static int join_ipdom(F *f, const IpdomRecord *r) {
  T *t = track_of(f, r->core, r->warp);
  Ins *s = find(f, t, r->uid);
  if ((s && s->ipdom) || r->uid < t->next_uid || !(s = obtain(f, t, r->uid))) return 0;
  s->ipdom = 1;
  s->ip_seq = r->seq, s->ip_cycle = r->cycle, s->ip_mask = r->mask, s->ip_pc = r->pc;
  s->ip_op = r->op, s->ip_sp = r->sp;
  return 1;
}

/* File what happened up to a cycle; DONE, or the kind of a record that Python must look at. */
static int join_until(F *f, u64 cycle) {
  for (; f->i_memory < f->n_memory && f->memory[f->i_memory].cycle <= cycle; f->i_memory++)
    if (!join_memory(f, &f->memory[f->i_memory])) return F_MEMORY;
  for (; f->i_barrier < f->n_barrier && f->barrier[f->i_barrier].cycle <= cycle; f->i_barrier++)
    if (!join_barrier(f, &f->barrier[f->i_barrier])) return F_BARRIER;
  for (; f->i_ipdom < f->n_ipdom && f->ipdom[f->i_ipdom].cycle <= cycle; f->i_ipdom++)
    if (!join_ipdom(f, &f->ipdom[f->i_ipdom])) return F_IPDOM;
  return F_DONE;
}

/* Which warps the design's barrier unit holds. */
static void see_barrier(F *f, const BarrierRecord *r) {
  for (u32 wid = 0; wid < NUM_WARPS; wid++)
    if (r->released >> wid & 1) track_of(f, r->core, wid)->held = 0;
  if (r->id >> 31) return; /* another core's operation may let the warp go, which no record of this core shows */
  if ((r->op != 0 && r->op != 2) || (r->warp < 64 && r->released >> r->warp & 1)) return; /* SYNC and WAIT hold */
  T *t = track_of(f, r->core, r->warp);
  t->held = 1;
  t->blocker_uid = r->uid, t->b_seq = r->seq, t->b_cycle = r->cycle, t->b_released = r->released;
  t->b_id = r->id, t->b_count = r->count, t->b_op = r->op, t->b_phase = r->phase;
}

enum { FIRST = 1, LAST = 2, CONTROL = 4, MOST_WAITING = 512 };

/* Merge one commit packet. `next`: the warp's next instruction is complete now. */
static int join_commit(F *f, const CommitRecord *r, int *next) {
  T *t = track_of(f, r->core, r->warp);
  Ins *s = find(f, t, r->uid);
  u32 wmask = r->rd_file == 2 || (r->rd_file && r->rd) ? (u32)r->wmask : 0;
  if (!s || !s->committed) {
    if (r->uid < t->next_uid || !(r->flags & FIRST) || (t->held && r->uid > t->blocker_uid)) return 0;
    Ins *due = t->pending >= MOST_WAITING ? find(f, t, t->next_uid) : 0;
    if ((t->pending >= MOST_WAITING && (!due || !due->complete)) || !(s = obtain(f, t, r->uid))) return 0;
    t->pending++;
    s->committed = 1;
    s->issue_cycle = r->issue_cycle;
    s->pc = r->pc, s->instr = r->instr, s->tmask = (u32)r->tmask, s->slot = r->slot;
    s->wmask = wmask, s->rd = r->rd, s->rd_file = r->rd_file;
    s->control = (r->flags & CONTROL) != 0;
    s->next_pc = r->next_pc, s->next_mask = r->next_mask;
    s->fflags = r->fflags;
    memcpy(s->data, r->data, sizeof s->data);
  } else {
    if (r->flags & FIRST || s->complete || r->pc != s->pc || r->instr != s->instr || r->tmask != s->tmask) return 0;
    if (r->slot != s->slot || wmask & s->wmask) return 0;
    if (wmask) {
      if (s->wmask && (r->rd_file != s->rd_file || r->rd != s->rd)) return 0;
      s->rd_file = r->rd_file, s->rd = r->rd;
      for (int k = 0; k < LANES; k++)
        if (wmask >> k & 1) s->data[k] = r->data[k];
      s->wmask |= wmask;
    }
    if (r->flags & CONTROL) s->control = 1, s->next_pc = r->next_pc, s->next_mask = r->next_mask;
    s->fflags |= r->fflags;
  }
  s->cycle = r->cycle;
  s->complete = (r->flags & LAST) != 0;
  if (s->complete) f->retired[r->core]++;
  *next = s->complete && r->uid == t->next_uid;
  return 1;
}
