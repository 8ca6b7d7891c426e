/* As much of cuBLAS as says its version. */
int cublasGetProperty(int which, int* value) {
  *value = which == 0 ? 12 : 9;
  return 0;
}
