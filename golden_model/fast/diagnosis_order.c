/* Order between warps: vector clocks, barriers, fences, atomics (golden_model/diagnosis/clocks.py). */

static void join(D *d, u32 *into, const u32 *other) {
  for (u32 i = 0; i < d->contexts; i++)
    if (other[i] > into[i]) into[i] = other[i];
}

static void acquire(D *d, u32 context, const u32 *known) {
  u32 *row = &d->row[context * d->contexts];
  for (u32 i = 0; i < d->contexts; i++)
    if (known[i] > row[i] && (i != context || known[i] < d->first[context])) row[i] = known[i];
}

static void export_join(D *d, u32 context, u32 *into) {
  u32 own = d->clock[context] > into[context] ? d->clock[context] : into[context];
  join(d, into, &d->row[context * d->contexts]);
  if (own > into[context]) into[context] = own;
}

static u32 *clocks_at(D *d, u32 **place) {
  if (!*place) *place = calloc(d->contexts, sizeof(u32));
  return *place;
}

static u32 *variable_at(D *d, u64 key, int make) {
  if (make && (d->variables + 1) * 2 > d->variable_room) {
    u32 room = d->variable_room ? d->variable_room * 2 : 64;
    Variable *bigger = calloc(room, sizeof *bigger);
    for (u32 i = 0; i < d->variable_room; i++) {
      if (!d->variable[i].clock) continue;
      u32 at = (u32)((d->variable[i].key * 0x9e3779b97f4a7c15ULL) >> 32) & (room - 1);
      while (bigger[at].clock) at = (at + 1) & (room - 1);
      bigger[at] = d->variable[i];
    }
    free(d->variable);
    d->variable = bigger;
    d->variable_room = room;
  }
  if (!d->variable_room) return 0;
  u32 at = (u32)((key * 0x9e3779b97f4a7c15ULL) >> 32) & (d->variable_room - 1);
  for (; d->variable[at].clock; at = (at + 1) & (d->variable_room - 1))
    if (d->variable[at].key == key) return d->variable[at].clock;
  if (!make) return 0;
  d->variables++;
  d->variable[at] = (Variable){key, calloc(d->contexts, sizeof(u32))};
  return d->variable[at].clock;
}

static void restart(D *d);
static inline void advance(D *d, u32 context) {
  if (++d->clock[context] >= (1u << d->clock_bits) - 1) restart(d);
}

void diag_fence(D *d, u32 context) {
  d->stamp++;
  for (u32 i = 0; i < d->pending_count[context]; i++) {
    u32 *known = variable_at(d, d->pending[context * PENDING + i].variable, 0);
    if (known) acquire(d, context, known);
  }
  d->pending_count[context] = 0;
  u32 *fenced = &d->fenced[context * d->contexts];
  memcpy(fenced, &d->row[context * d->contexts], sizeof(u32) * d->contexts);
  fenced[context] = d->clock[context];
  d->flag_next[context] = 1;
  advance(d, context);
}

void diag_arrive(D *d, u32 context, u32 key, u32 waits) {
  d->stamp++;
  flush(d, context);
  export_join(d, context, clocks_at(d, &d->arrived[key]));
  if (waits) d->waiting[context] = key + 1;
  advance(d, context);
}

void diag_wait(D *d, u32 context, u32 key) {
  d->stamp++;
  flush(d, context);
  d->waiting[context] = key + 1;
}

void diag_flip(D *d, u32 key) {
  u32 *done = clocks_at(d, &d->done[key]), *arrived = clocks_at(d, &d->arrived[key]);
  memcpy(done, arrived, sizeof(u32) * d->contexts);
  memset(arrived, 0, sizeof(u32) * d->contexts);
  for (u32 i = 0; i < d->contexts; i++) {
    if (d->waiting[i] != key + 1) continue;
    d->waiting[i] = 0;
    acquire(d, i, done);
  }
}

void diag_passed(D *d, u32 context, u32 key) {
  d->stamp++;
  flush(d, context);
  if (d->done[key]) acquire(d, context, d->done[key]);
}

void diag_spawn(D *d, u32 parent, u32 child) {
  u32 *known = calloc(d->contexts, sizeof(u32));
  export_join(d, parent, known);
  acquire(d, child, known);
  free(known);
  advance(d, parent);
}

void diag_end(D *d, u32 context) {
  d->stamp++;
  flush(d, context);
}
