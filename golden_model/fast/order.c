
/* Why run() returned. */
enum { ROUND_WITH_END = 0, IDLE = 1, NOT_ME = 2, LIMIT = 3, MORE_CTAS = 4, ODD_START = 5 };

/* Python's generator (MT19937), so that an order from a seed is the same on both tiers. */
static u32 random_word(M *m) {
  u32 *s = m->random;
  if (m->random_at >= 624) {
    for (int i = 0; i < 624; i++) {
      u32 y = (s[i] & 0x80000000u) | (s[(i + 1) % 624] & 0x7fffffffu);
      s[i] = s[(i + 397) % 624] ^ (y >> 1) ^ (y & 1 ? 0x9908b0dfu : 0);
    }
    m->random_at = 0;
  }
  u32 y = s[m->random_at++];
  y ^= y >> 11;
  y ^= (y << 7) & 0x9d2c5680u;
  y ^= (y << 15) & 0xefc60000u;
  return y ^ (y >> 18);
}

/* random.Random._randbelow */
static u32 random_below(M *m, u32 count) {
  u32 value;
  do value = random_word(m) >> (32 - bit_length64(count));
  while (value >= count);
  return value;
}

/* random.choice over the ready warps of all cores: only the chosen one stays ready. */
static void choose(M *m) {
  u32 count = 0;
  for (u32 k = 0; k < m->num_cores; k++) count += (u32)__builtin_popcount(m->cores[k].ready);
  u32 index = random_below(m, count);
  for (u32 k = 0; k < m->num_cores; k++) {
    u32 *ready = &m->cores[k].ready, left = 0;
    for (u32 rest = *ready; rest; rest &= rest - 1)
      if (index-- == 0) left = rest & -rest;
    *ready = left;
  }
}

