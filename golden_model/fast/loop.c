/* Step ready warps, a round after the other, until Python has something to do. After NOT_ME the warp
   (core_at, warp_at) has not stepped; Python steps it and calls run() again, which goes on with the round. */
int run(M *m) {
  for (;;) {
    for (; m->core_at < m->num_cores; m->core_at++) {
      C *c = &m->cores[m->core_at];
      while (c->ready) {
        u32 wid = (u32)__builtin_ctz(c->ready);
        W *w = &c->warps[wid];
        c->ready &= c->ready - 1;
        m->warp_at = wid;
        if (w->pc >= MEMORY_SIZE) return NOT_ME;
        Op *ops = m->pages[w->pc >> 12].ops;
        if (__builtin_expect(!ops, 0)) return NOT_ME;
        const Op *op = &ops[(w->pc & 4095) >> 2];
        if (__builtin_expect(!op->fn, 0)) return NOT_ME;
        u32 tmask = w->tmask;
        w->next_pc = w->pc + 4;
        w->next_mask = tmask;
        m->bail = 0;
#ifdef DIAGNOSE
        u64 pc = w->pc, before = diag_before(c, w, op);
        m->acc_n = m->acc_silent = 0;
#endif
        ((void (*)(M *, C *, W *, const Op *))op->fn)(m, c, w, op);
        if (__builtin_expect(m->bail | (!w->next_mask & (w->ipdom_len != 0)), 0)) return NOT_ME;
        m->executed++;
        m->threads += (u64)__builtin_popcount(tmask);
        c->minstret++;
        w->uid++;
        w->pc = w->next_pc & PC_MASK;
#ifdef DIAGNOSE
        if (op->diag) diag_after(m, c, w, op, pc, tmask, before);
        if (!w->next_mask) diag_end((D *)(uintptr_t)m->diag, (u32)(c - (C *)m->cores) * NUM_WARPS + wid);
#endif
        if (w->next_mask != tmask) {
          w->tmask = w->next_mask;
          w->last = w->tmask ? 31 - (u32)__builtin_clz(w->tmask) : 0;
          if (!w->tmask) {
            c->ended |= 1u << wid;
            m->ended = 1;
          }
        }
      }
    }
    if (m->ended && m->foreign_end) return ROUND_WITH_END;
    if (m->executed >= m->limit) return LIMIT;
    if (m->ended) account(m);
    if (m->dispatching) {
      int reason = dispatch(m);
      if (reason != DONE) return reason;
    }
    u32 any = 0;
    for (u32 k = 0; k < m->num_cores; k++) {
      C *c = &m->cores[k];
      u32 ready = 0;
      for (int i = 0; i < NUM_WARPS; i++) ready |= (u32)(c->warps[i].tmask != 0 && !c->warps[i].blocked) << i;
      c->ready = ready;
      any |= ready;
    }
    if (!any) return IDLE;
    for (u32 k = 0; k < m->num_cores; k++) m->cores[k].mcycle++;
    if (m->seeded) choose(m);
    m->core_at = 0;
  }
}
