/* Linked into every executable that is built with sanitizers.

   The leak check names the library of an allocation only while that library is loaded, and the graphics driver is unloaded
   before the check: what it leaves behind could not be told from a leak of ours. So libraries stay loaded, and what is
   known to be the driver's is left out by name. */

int dlclose(void *library);
const char *__lsan_default_suppressions(void);

int dlclose(void *library) {
  (void)library;
  return 0;
}

const char *__lsan_default_suppressions(void) {
  return "leak:swrast_dri.so\n"
         "leak:libEGL_mesa.so\n"
         "leak:libGLX_mesa.so\n"
         "leak:libLLVM\n";
}
