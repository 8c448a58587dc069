/* Shadow of memory: who wrote and read a word last; bytes where accesses are smaller. */

static void drop_readers(Cell *cell) {
  if (cell->reads & MARK_TOP) free((void *)(uintptr_t)(cell->reads & ~MARK_TOP));
  cell->reads = 0;
}

static void clear_page(Shadow *page) {
  for (u32 i = 0; i < 1024; i++) drop_readers(&page->word[i]);
  if (page->byte)
    for (u32 i = 0; i < 4096; i++) drop_readers(&page->byte[i]);
  free(page->byte);
  memset(page, 0, sizeof *page);
}

static Shadow *fresh_page(D *d, Shadow **place) {
  if (!*place) {
    if (!d->pages_left || !(*place = calloc(1, sizeof **place))) {
      d->full = 1;
      return 0;
    }
    d->pages_left--;
  } else clear_page(*place);
  (*place)->launch = d->launch;
  return *place;
}

static inline Shadow *shadow_page(D *d, u32 context, u64 addr) {
  Shadow **place = &d->page[addr >> 12];
  if (is_local(d, addr)) place = &d->local[context / d->warps * d->local_pages + ((addr >> 12) - (d->local_lo >> 12))];
  Shadow *page = *place;
  if (__builtin_expect(page && page->launch == d->launch, 1)) return page;
  return fresh_page(d, place);
}

static void copy_readers(Cell *to) {
  if (!(to->reads & MARK_TOP)) return;
  Readers *list = (Readers *)(uintptr_t)(to->reads & ~MARK_TOP);
  size_t size = sizeof *list + list->room * sizeof(u64);
  to->reads = MARK_TOP | (u64)(uintptr_t)memcpy(malloc(size), list, size);
}

static void split_word(Shadow *page, u32 word) {
  if (!page->byte) page->byte = calloc(4096, sizeof(Cell));
  for (u32 i = 0; i < 4; i++) {
    page->byte[4 * word + i] = page->word[word];
    if (i) copy_readers(&page->byte[4 * word + i]);
  }
  page->word[word] = (Cell){0, 0};
  page->split[word] = 1;
}

static inline int collides(D *d, u64 mark, u64 now, u32 context, u64 addr) {
  if (ordered(d, mark, context) || (mark & now & MARK_ATOMIC)) return 0;
  if (mark_context(d, mark) != context) return 1;
  if (d->by_hart[context] && MARK_LANE(mark) == MARK_LANE(now)) return 0;
  return !(addr >= d->stack_lo && addr < d->stack_hi) && !(addr >= d->private_lo && addr < d->private_hi);
}

static void __attribute__((noinline)) add_reader(D *d, Cell *cell, u64 mark, u32 context) {
  Readers *list = (Readers *)(uintptr_t)(cell->reads & ~MARK_TOP);
  if (!(cell->reads & MARK_TOP)) {
    list = malloc(sizeof *list + 4 * sizeof(u64));
    *list = (Readers){.count = 1, .room = 4};
    list->mark[0] = cell->reads;
  } else {
    if (context < list->count && mark_context(d, list->mark[context]) == context) {
      list->mark[context] = mark; /* usual where warps came in turn */
      return;
    }
    for (u32 i = 0; i < list->count; i++)
      if (mark_context(d, list->mark[i]) == context) {
        list->mark[i] = mark;
        return;
      }
    u32 kept = 0;
    for (u32 i = 0; i < list->count; i++)
      if (!ordered(d, list->mark[i], context)) list->mark[kept++] = list->mark[i];
    list->count = kept;
    if (kept == list->room) {
      list->room *= 2;
      list = realloc(list, sizeof *list + list->room * sizeof(u64));
    }
  }
  list->mark[list->count++] = mark;
  cell->reads = MARK_TOP | (u64)(uintptr_t)list;
}

/* Each returns the mark that it collides with, 0 = none; a read's is always a write. */
static inline u64 read_cell(D *d, Cell *cell, u64 mark, u32 context, u64 addr) {
  u64 write = cell->write, reads = cell->reads, other = 0;
  if (write && collides(d, write, mark, context, addr)) other = write;
  if (!reads || (!(reads & MARK_TOP) && (mark_context(d, reads) == context || ordered(d, reads, context))))
    cell->reads = mark;
  else add_reader(d, cell, mark, context);
  return other;
}

static inline u64 write_cell(D *d, Cell *cell, u64 mark, u32 context, u64 addr, int *other_reads) {
  u64 write = cell->write, reads = cell->reads, other = 0;
  *other_reads = 0;
  if (write && collides(d, write, mark, context, addr)) other = write;
  else if (reads && !(mark & MARK_ATOMIC)) {
    u32 count = 1;
    u64 *mark_of = &reads;
    if (reads & MARK_TOP) {
      Readers *list = (Readers *)(uintptr_t)(reads & ~MARK_TOP);
      count = list->count;
      mark_of = list->mark;
    }
    for (u32 i = 0; i < count && !other; i++)
      if (collides(d, mark_of[i], mark, context, addr)) other = mark_of[i], *other_reads = 1;
  }
  if (reads) drop_readers(cell);
  cell->write = mark;
  return other;
}

static void one_lane(D *d, u32 context, u64 mark, u64 variable, u64 addr, u32 size, u32 access) {
  Shadow *page = shadow_page(d, context, addr);
  if (!page) return;
  int reported = 0, reads = access == LOAD || access == RESERVED;
  u64 end = addr + size;
  while (addr < end) {
    u32 word = addr >> 2 & 1023;
    Cell *cell = &page->word[word];
    u32 step = 4;
    if (__builtin_expect(size < 4 || page->split[word], 0)) {
      if (!page->split[word]) split_word(page, word);
      cell = &page->byte[addr & 4095];
      step = 1;
    }
    int of_reads = 0;
    u64 other = reads ? read_cell(d, cell, mark, context, addr)
                      : write_cell(d, cell, mark | (access == ATOMIC ? MARK_TOP : 0), context, addr, &of_reads);
    if (__builtin_expect(other && !reported, 0)) {
      reported = 1;
      u32 theirs = of_reads ? LOAD : other & MARK_TOP ? ATOMIC : STORE;
      Found f = make_race(d, mark, other, theirs, end - size, size, access);
      if (reads && other & MARK_ATOMIC) postpone(d, context, &f, variable);
      else add_found(d, &f);
    }
    addr += step;
  }
}
