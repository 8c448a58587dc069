/* Declares that a finding of the golden model's diagnosis is intended (docs/diagnosis.md). C and C++.
 *
 *   VX_ALLOW(race_cta);     in the function that contains it, races between blocks are no finding
 *
 * The name is that of a finding or a check, with `_` for `-`. It makes a symbol in the ELF file and no code.
 */

#ifndef VX_ALLOW_H
#define VX_ALLOW_H

#define VX_ALLOW(kind) __asm__ __volatile__("__vx_allow." #kind ".%=:" : :)

#endif
