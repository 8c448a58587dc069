/* One instruction executed and compared with its records; only full agreement counts. For anything else the state is
   taken back, and Python executes, compares and reports. What is compared: golden_model/follow/compare.py and
   compare_access.py. */

typedef struct {
  REG x[LANES];
  u64 f[LANES]; /* wide enough for either register width */
  u32 undef, fundef, fcsr, saved_mask, blocked, ipdom_len;
  u64 csr[sizeof(((W *)0)->csr) / 8];
} Before;

static Ipdom ipdom_before[sizeof(((W *)0)->ipdom) / sizeof(Ipdom)];
static Entry entries_before[sizeof(((C *)0)->barriers) / sizeof(Entry)];
static u32 blocked_before;

static inline void keep(C *c, W *w, const Op *op, Before *b) {
  memcpy(b->x, w->x[op->rd], sizeof b->x);
  memcpy(b->f, w->f[op->rd], sizeof w->f[0]);
  b->undef = w->undef[op->rd], b->fundef = w->fundef[op->rd];
  b->fcsr = w->fcsr, b->saved_mask = w->saved_mask, b->blocked = w->blocked, b->ipdom_len = w->ipdom_len;
  memcpy(b->csr, w->csr, sizeof b->csr);
  if (op->unit) {
    memcpy(ipdom_before, w->ipdom, sizeof w->ipdom);
    memcpy(entries_before, c->barriers, sizeof c->barriers);
    blocked_before = 0;
    for (int k = 0; k < NUM_WARPS; k++) blocked_before |= (u32)(c->warps[k].blocked != 0) << k;
  }
}

static void take_back(M *m, C *c, W *w, const Op *op, const Before *b) {
  memcpy(w->x[op->rd], b->x, sizeof b->x);
  memcpy(w->f[op->rd], b->f, sizeof w->f[0]);
  w->undef[op->rd] = b->undef, w->fundef[op->rd] = b->fundef;
  w->fcsr = b->fcsr, w->saved_mask = b->saved_mask, w->blocked = b->blocked, w->ipdom_len = b->ipdom_len;
  memcpy(w->csr, b->csr, sizeof b->csr);
  if (op->unit) {
    memcpy(w->ipdom, ipdom_before, sizeof w->ipdom);
    memcpy(c->barriers, entries_before, sizeof c->barriers);
    for (int k = 0; k < NUM_WARPS; k++) c->warps[k].blocked = blocked_before >> k & 1;
  }
  while (m->fx.undo) {
    u32 at = --m->fx.undo;
    u64 addr = m->fx.undo_addr[at];
    Page *p = page_at(m, c, &addr);
    memcpy(p->data + (addr & 4095), &m->fx.undo_data[at], m->fx.undo_size[at]);
    memcpy(p->shadow + (addr & 4095), &m->fx.undo_shadow[at], m->fx.undo_size[at]);
  }
}

static inline int same_result(const Effects *fx, const W *w, const Ins *s) {
  u32 wmask = fx->wmask;
  if (wmask != s->wmask || fx->fflags != s->fflags) return 0;
  if (!wmask) return 1;
  if (fx->rd != s->rd || fx->rd_file != s->rd_file) return 0;
  u64 wrong = 0;
  if (fx->rd_file == 1) {
    for (int k = 0; k < LANES; k++) {
      u64 unknown = -(u64)(fx->undefined >> k & 1), in = -(u64)(wmask >> k & 1);
      /* Of an undefined value only the width is known. */
      wrong |= ((w->x[fx->rd][k] ^ s->data[k]) & ~(unknown & (REG)-1)) & in;
    }
  } else {
    for (int k = 0; k < LANES; k++) {
      u64 unknown = -(u64)(fx->undefined >> k & 1), in = -(u64)(wmask >> k & 1);
      wrong |= ((w->f[fx->rd][k] ^ s->data[k]) & ~(unknown & FREG_MASK)) & in;
    }
  }
  return !wrong;
}

static inline u32 space_of(u64 addr) {
  if (addr - LMEM_BASE < LMEM_SIZE) return 1;
  return addr >= 0x40 && addr < 0x10000 ? 2 : 0;
}

static int same_access(F *f, const Effects *fx, const Ins *s) {
  if (!fx->memory || !s->first_row) return fx->memory == (s->first_row != 0);
  u32 covered = 0;
  u64 ones = fx->size >= 8 ? ~0ULL : (1ULL << 8 * fx->size) - 1;
  for (u32 at = s->first_row; at; at = f->rows[at].next) {
    const Row *r = &f->rows[at];
    if (r->op != fx->op) return 0;
    if (fx->op == 2) return 1; /* a fence has nothing else */
    if (r->size != fx->size || r->mask & covered || !r->mask) return 0;
    covered |= r->mask;
    if (r->space != space_of(r->addr[__builtin_ctz(r->mask)])) return 0;
    for (u32 rest = r->mask; rest; rest &= rest - 1) {
      int k = __builtin_ctz(rest);
      if (r->addr[k] != fx->addr[k]) return 0;
      if (fx->data_given && !(fx->unknown >> k & 1) && (r->data[k] ^ fx->data[k]) & ones) return 0;
    }
  }
  return covered == fx->mask;
}

static int same_events(const Effects *fx, const Ins *s) {
  if (fx->barrier != s->barrier || fx->ipdom != s->ipdom) return 0;
  if (fx->barrier && (fx->released != s->bar_released || fx->bar_op != s->bar_op || fx->bar_id != s->bar_id ||
                      fx->bar_count != s->bar_count || fx->bar_phase != s->bar_phase))
    return 0;
  return !fx->ipdom ||
         (fx->ip_op == s->ip_op && fx->ip_sp == s->ip_sp && fx->ip_mask == s->ip_mask && fx->ip_pc == s->ip_pc);
}

/* Undefined values: the design's are taken over, and stay undefined. */
static void adopt(F *f, C *c, W *w, const Effects *fx, const Ins *s, Log *shown) {
  M *m = f->m;
  for (u32 rest = fx->undefined; rest; rest &= rest - 1) {
    int k = __builtin_ctz(rest);
    if (fx->rd_file == 1) w->x[fx->rd][k] = (REG)s->data[k];
    else memcpy(&w->f[fx->rd][k], &s->data[k], sizeof w->f[0][0]);
    f->count[fx->memory ? N_UNDEFINED_MEMORY : N_UNDEFINED_REGISTER]++;
  }
  if (!fx->memory || fx->op != 1 || !fx->unknown) return;
  for (u32 at = s->first_row; at; at = f->rows[at].next) {
    const Row *r = &f->rows[at];
    for (u32 rest = r->mask & fx->unknown; rest; rest &= rest - 1) {
      int k = __builtin_ctz(rest);
      u64 addr = fx->addr[k];
      if (fx->size == 1) store8(m, c, addr, (u8)r->data[k], 1);
      else if (fx->size == 2) store16(m, c, addr, (u16)r->data[k], 1);
      else if (fx->size == 4) store32(m, c, addr, (u32)r->data[k], 1);
      else store64(m, c, addr, r->data[k], 1);
      shown->data[k] = r->data[k] & (fx->size >= 8 ? ~0ULL : (1ULL << 8 * fx->size) - 1);
      m->fx.undo = 0;
      f->count[N_UNDEFINED_STORE]++;
    }
  }
}

/* What the report of a later difference shows of this instruction; the result before anything was adopted. */
static void remember(F *f, T *t, W *w, const Effects *fx, const Ins *s) {
  Log *l = &t->hist[t->hist_at];
  t->hist_at = t->hist_at + 1 == HISTORY ? 0 : t->hist_at + 1;
  l->uid = s->uid, l->cycle = s->cycle, l->pc = s->pc, l->next_pc = w->next_pc;
  l->instr = s->instr, l->tmask = s->tmask, l->next_mask = w->next_mask, l->wmask = fx->wmask;
  l->rd = fx->rd, l->rd_file = fx->rd_file, l->control = fx->control, l->python = 0;
  l->memory = fx->memory;
  if (fx->memory) {
    l->op = fx->op, l->mask = fx->mask;
    memcpy(l->addr, fx->addr, sizeof l->addr);
    memcpy(l->data, fx->data, sizeof l->data);
  }
  if (!fx->wmask) return;
  if (fx->rd_file == 1)
    for (int k = 0; k < LANES; k++) l->result[k] = w->x[fx->rd][k];
  else
    for (int k = 0; k < LANES; k++) l->result[k] = w->f[fx->rd][k];
  Writer *by = &t->writers[fx->rd_file == 1 ? fx->rd : 32 + fx->rd];
  by->uid = s->uid, by->cycle = s->cycle, by->pc = s->pc, by->instr = s->instr, by->wmask = fx->wmask, by->python = 0;
  memcpy(by->result, l->result, sizeof by->result);
}
