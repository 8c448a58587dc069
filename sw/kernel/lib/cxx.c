/* What C++ expects of its run-time library. Linked only into images that use it.
 *
 * Destructors of global objects never run on the device (docs/reference/vortex.md 6.2), so their registration is dropped.
 */

void *__dso_handle;

int __cxa_atexit(void (*destructor)(void *), void *object, void *dso) {
  (void)destructor;
  (void)object;
  (void)dso;
  return 0;
}

/* A call to a virtual function that has none: an illegal instruction, which stops the warp where it happened. */
void __cxa_pure_virtual(void) {
  __builtin_trap();
}
