/* A library of one function, to be found, copied and opened by the tests. */
int tilescope_fake_answer(void) {
  return 42;
}
