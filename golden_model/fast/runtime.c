/* The frame around the generated functions: memory, CSRs and the round in which every ready warp steps once.
   Types, LANES, FULL, PC_MASK, LMEM_BASE, LMEM_SIZE and the structures stand before this text. */

#ifdef TRACED
/* The page and the address in it of a byte that may lie in another memory (golden_model/memory.py, Parts). */
static Page *page_behind(M *m, u64 *addr) {
  u64 low = 0, high = m->num_segments; /* the segments before `low` start at or below the address */
  while (low < high) {
    u64 middle = (low + high) / 2;
    if (m->segments[middle].start <= *addr) low = middle + 1;
    else high = middle;
  }
  if (!low || *addr >= m->segments[low - 1].end) return &m->own_pages[*addr >> 12];
  *addr += m->segments[low - 1].offset - m->segments[low - 1].start;
  return &m->other_pages[*addr >> 12];
}
#endif

/* The page of a byte; `addr` becomes its address in the memory in which it lies. */
static inline Page *page_at(M *m, C *c, u64 *addr) {
  if (*addr - LMEM_BASE < LMEM_SIZE) return &c->lmem[(*addr >> 12) - (LMEM_BASE >> 12)];
  Page *p = &m->pages[*addr >> 12];
#ifdef TRACED
  if (__builtin_expect(!p->data && m->num_segments, 0)) return page_behind(m, addr);
#endif
  return p;
}

#ifdef TRACED
#define MISSING(addr) (m->missing = (addr) + 1)
#define REMEMBER(BITS)                                                                           \
  do {                                                                                           \
    u##BITS old, was;                                                                            \
    u32 entry = m->fx.undo++;                                                                    \
    memcpy(&old, p->data + (at & 4095), sizeof old);                                             \
    memcpy(&was, p->shadow + (at & 4095), sizeof was);                                           \
    m->fx.undo_addr[entry] = addr, m->fx.undo_size[entry] = BITS / 8;                            \
    m->fx.undo_data[entry] = old, m->fx.undo_shadow[entry] = was;                                \
  } while (0)
#else
#define MISSING(addr) ((void)0)
#define REMEMBER(BITS) ((void)0)
#endif

/* A library that diagnoses keeps what an instruction accesses, in the order in which it does. */
#ifdef DIAGNOSE
#define NOTE_LOAD(ADDR) m->acc_addr[m->acc_n++] = (ADDR)
#define NOTE_STORE(ADDR, OLD, VALUE)                                                             \
  m->changes += (OLD) != (VALUE), m->acc_silent |= (u64)((OLD) == (VALUE)) << (m->acc_n & 63),   \
  m->acc_data[m->acc_n] = (VALUE), m->acc_addr[m->acc_n++] = (ADDR)
#else
#define NOTE_LOAD(ADDR)
#define NOTE_STORE(ADDR, OLD, VALUE)
#endif

#define ACCESS(BITS)                                                                             \
  static inline int load##BITS(M *m, C *c, u64 addr, u##BITS *value, u32 *unknown) {             \
    u64 at = addr;                                                                               \
    Page *p = page_at(m, c, &at);                                                                \
    if (__builtin_expect(!p->data, 0)) return MISSING(addr), 0;                                  \
    u##BITS shadow;                                                                              \
    memcpy(value, p->data + (at & 4095), sizeof *value);                                         \
    memcpy(&shadow, p->shadow + (at & 4095), sizeof shadow);                                     \
    *unknown = shadow != 0;                                                                      \
    NOTE_LOAD(addr);                                                                             \
    return 1;                                                                                    \
  }                                                                                              \
  static inline int store##BITS(M *m, C *c, u64 addr, u##BITS value, u32 unknown) {              \
    u64 at = addr;                                                                               \
    Page *p = page_at(m, c, &at);                                                                \
    if (__builtin_expect(!p->data || p->is_code, 0)) return p->data ? 0 : (MISSING(addr), 0);    \
    REMEMBER(BITS);                                                                              \
    u##BITS shadow = unknown ? (u##BITS)~0ULL : 0;                                               \
    NOTE_STORE(addr, *(u##BITS *)(p->data + (at & 4095)), value);                                \
    memcpy(p->data + (at & 4095), &value, sizeof value);                                         \
    memcpy(p->shadow + (at & 4095), &shadow, sizeof shadow);                                     \
    return 1;                                                                                    \
  }
ACCESS(8)
ACCESS(16)
ACCESS(32)
ACCESS(64)

/* Whether a store at this address is possible without Python. */
static inline int prepare(M *m, C *c, u64 addr) {
  u64 at = addr;
  Page *p = page_at(m, c, &at);
  if (!p->data) MISSING(addr);
  return p->data && !p->is_code;
}

static inline u32 is_host_buffer(M *m, u64 addr) {
  if (addr - LMEM_BASE < LMEM_SIZE) return 0;
  for (u32 i = 0; i < m->buffers; i++)
    if (m->buffer_lo[i] <= addr && addr < m->buffer_hi[i]) return 1;
  return 0;
}

static inline u32 active_warps(C *c) {
  u32 mask = 0;
  for (int i = 0; i < NUM_WARPS; i++) mask |= (u32)(c->warps[i].tmask != 0) << i;
  return mask;
}

static inline int bit_length64(u64 v) { return v ? 64 - __builtin_clzll(v) : 0; }
static inline int bit_length128(u128 v) {
  u64 high = (u64)(v >> 64);
  return high ? 64 + bit_length64(high) : bit_length64((u64)v);
}

static int csr_read_changing(M *m, C *c, W *w, const Op *op, REG *out);
static int csr_write(M *m, C *c, W *w, const Op *op, u64 value);

/* Registers that are fixed from the start of a warp to its end come from a table that Python fills. */
static inline int csr_read(M *m, C *c, W *w, const Op *op, REG *out, u32 *undefined) {
  *undefined = 0;
#ifdef TRACED
  if (op->csr_flags & 4) return 0; /* hardware chooses the value: Python checks and adopts it */
#endif
  if (op->csr_kind) return csr_read_changing(m, c, w, op, out);
  if (!w->csr_valid[op->csr_index]) return 0;
  memcpy(out, w->csr_values[op->csr_index], sizeof(REG) * LANES);
  *undefined = w->csr_undefined[op->csr_index] & w->tmask;
  return 1;
}
