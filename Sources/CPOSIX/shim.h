// The door to libc: what the function needs of POSIX, and no more.
//
// The shipped function is Embedded Swift, for which the toolchain has no module of libc; tests and tools take the same door.

#ifndef AUTHORIZER_CPOSIX_SHIM_H
#define AUTHORIZER_CPOSIX_SHIM_H

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

/// errno is a macro (errno(3)).
static inline int cposix_errno(void) { return errno; }

/// Opens a regular file; -1 with errno otherwise, EINVAL for what is neither a file nor a folder. A pipe under the name
/// of a configuration must not hold up the start. (open(2) is variadic, which Swift cannot call.)
static inline int cposix_open_for_reading(const char *path) {
  int descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (descriptor < 0) return -1;
  struct stat status;
  int error = 0;
  if (fstat(descriptor, &status) != 0) error = errno;
  else if (S_ISDIR(status.st_mode)) error = EISDIR;
  else if (!S_ISREG(status.st_mode)) error = EINVAL;
  if (error == 0) return descriptor;
  close(descriptor);
  errno = error;
  return -1;
}

/// A reader of our log that goes away must not end the function: write(2) then fails with EPIPE (signal(7)).
static inline void cposix_ignore_closed_pipes(void) { signal(SIGPIPE, SIG_IGN); }

/// A TCP socket that is closed on exec and never raises SIGPIPE; -1 with errno (socket(2)).
static inline int cposix_stream_socket(int family) {
#ifdef SOCK_CLOEXEC
  return socket(family, SOCK_STREAM | SOCK_CLOEXEC, 0);
#else
  // Darwin has neither SOCK_CLOEXEC nor MSG_NOSIGNAL.
  int descriptor = socket(family, SOCK_STREAM, 0);
  if (descriptor >= 0) {
    int on = 1;
    fcntl(descriptor, F_SETFD, FD_CLOEXEC);
    setsockopt(descriptor, SOL_SOCKET, SO_NOSIGPIPE, &on, sizeof on);
  }
  return descriptor;
#endif
}

/// The flags with which sendmsg(2) reports a closed peer as EPIPE and not as SIGPIPE.
static inline int cposix_send_without_signal(void) {
#ifdef MSG_NOSIGNAL
  return MSG_NOSIGNAL;
#else
  return 0;
#endif
}

#endif
