/* Linked into every executable that is built with sanitizers.

   The leak check names the library of an allocation only while that library is loaded, and the graphics driver is unloaded
   before the check: what it leaves behind could not be told from a leak of ours. So libraries stay loaded, and what is
   known to be the driver's is left out by name.

   The runtimes of GCC before 14 and Clang before 17 take a thread's variables of a library for variables of glibc 2.19
   where they happen to begin 16 bytes behind a page's start; the leak check then reads any address and ends with a signal
   (https://github.com/google/sanitizers/issues/1322). So these variables are not read, and memory to which nothing else
   points would be called a leak.

   A finding of the undefined-behaviour sanitizer ends the process, as one of the address sanitizer does: the output of a
   test that passes is not read. */

int dlclose(void *library);
const char *__asan_default_options(void);
const char *__lsan_default_suppressions(void);
const char *__ubsan_default_options(void);

int dlclose(void *library) {
  (void)library;
  return 0;
}

const char *__asan_default_options(void) { return "intercept_tls_get_addr=0"; }

const char *__ubsan_default_options(void) { return "halt_on_error=1:print_stacktrace=1"; }

const char *__lsan_default_suppressions(void) {
  return "leak:swrast_dri.so\n"
         "leak:libEGL_mesa.so\n"
         "leak:libGLX_mesa.so\n"
         "leak:libLLVM\n";
}
