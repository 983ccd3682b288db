// What Embedded Swift leaves to the platform.

#include "CLibcurl.h"

#ifdef __linux__
#include <errno.h>
#include <stdlib.h>
#include <sys/random.h>

// The standard library seeds its hashes by this function, which glibc has from 2.36 on; provided.al2023 has 2.34. Hidden,
// so that no library of the process takes it for the C library's.
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

// glibc and Darwin's dyld call constructors with the arguments of main.
__attribute__((constructor)) static void keep(int count, char **vector) {
  argument_count = count;
  arguments = vector;
}

int clibcurl_argument_count(void) { return argument_count; }

const char *clibcurl_argument(int index) {
  return index >= 0 && index < argument_count ? arguments[index] : NULL;
}
