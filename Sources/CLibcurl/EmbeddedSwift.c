// Functions that Embedded Swift expects from the platform.

#include "CLibcurl.h"

#ifdef __linux__
#include <errno.h>
#include <stdlib.h>
#include <sys/random.h>

// The standard library seeds its hashes with this function. glibc has it since 2.36; provided.al2023 has 2.34. It is
// hidden, so that other libraries of the process do not use it instead of the C library's.
__attribute__((visibility("hidden"))) void arc4random_buf(void *buffer, size_t count) {
  unsigned char *next = buffer;
  while (count > 0) {
    ssize_t filled = getrandom(next, count, 0);
    if (filled < 0 && errno != EINTR) abort();
    if (filled > 0) {
      next += filled;
      count -= (size_t)filled;
    }
  }
}
#endif

static int argument_count;
static char **arguments;

// glibc and Darwin's dyld pass the arguments of main to constructors.
__attribute__((constructor)) static void keep(int count, char **vector) {
  argument_count = count;
  arguments = vector;
}

int clibcurl_argument_count(void) { return argument_count; }

const char *clibcurl_argument(int index) {
  return index >= 0 && index < argument_count ? arguments[index] : NULL;
}
