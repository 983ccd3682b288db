// Declares libFuzzer's entry point. libFuzzer comes with the toolchain's clang as an archive without a header.

#ifndef AUTHORIZER_CLIBFUZZER_SHIM_H
#define AUTHORIZER_CLIBFUZZER_SHIM_H

#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

/// Runs libFuzzer with its own command line ("Using libFuzzer as a library", https://llvm.org/docs/LibFuzzer.html).
int LLVMFuzzerRunDriver(int *argc, char ***argv, int (*check)(const uint8_t *bytes, size_t count));

static inline void clibfuzzer_abort(int signal) {
  (void)signal;
  abort();
}

/// Turns SIGTRAP into an abort. A failed Swift check is `ud2` on x86-64, whose SIGILL libFuzzer catches, and `brk` on
/// AArch64, whose SIGTRAP it does not. libFuzzer catches the abort and saves the input.
static inline void clibfuzzer_catch_traps(void) { signal(SIGTRAP, clibfuzzer_abort); }

#endif
