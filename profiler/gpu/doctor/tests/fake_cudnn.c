/* As much of cuDNN as says its version, and the CUDA version that it was built for. */
#include <stddef.h>

size_t cudnnGetVersion(void) {
  return 91900;
}
size_t cudnnGetCudartVersion(void) {
  return 13000;
}
