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
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

/// errno is a macro (errno(3)).
static inline int cposix_errno(void) { return errno; }

/// open(2) is variadic, which Swift cannot call.
static inline int cposix_open_for_reading(const char *path) { return open(path, O_RDONLY | O_CLOEXEC); }

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
