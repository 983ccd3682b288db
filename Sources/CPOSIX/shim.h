// The interface to libc: only the parts of POSIX that the function needs.
//
// The shipped function is Embedded Swift, for which the toolchain has no libc module. Tests and tools use it too.

#ifndef AUTHORIZER_CPOSIX_SHIM_H
#define AUTHORIZER_CPOSIX_SHIM_H

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <spawn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#ifdef __APPLE__
#include <mach-o/dyld.h>
#include <sys/random.h>
#endif

/// The value of errno, which is a macro (errno(3)).
static inline int cposix_errno(void) { return errno; }

/// Opens a regular file; -1 with errno otherwise, EISDIR for a folder, EINVAL for anything else: opening a pipe by
/// the name of a configuration file must not block the start. (open(2) is variadic, which Swift cannot call.)
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

/// The metadata that changes if the content of a file changes.
struct cposix_file_state {
  uint64_t device;
  uint64_t inode;
  int64_t size;
  int64_t modified_nanoseconds;
};

/// Reads the state of the file at a path; 0, or -1 with errno (stat(2)). Darwin has another name for the time's member.
static inline int cposix_state_of_file(const char *path, struct cposix_file_state *state) {
  struct stat status;
  if (stat(path, &status) != 0) return -1;
#ifdef __APPLE__
  struct timespec modified = status.st_mtimespec;
#else
  struct timespec modified = status.st_mtim;
#endif
  state->device = (uint64_t)status.st_dev;
  state->inode = (uint64_t)status.st_ino;
  state->size = (int64_t)status.st_size;
  state->modified_nanoseconds = (int64_t)modified.tv_sec * 1000000000 + modified.tv_nsec;
  return 0;
}

/// Opens a file for writing that only its owner may read and write. Either creates it (EEXIST if it exists), or
/// truncates an existing one. -1 with errno on failure.
static inline int cposix_make_private_file(const char *path, int must_be_new) {
  return open(path, O_WRONLY | O_CREAT | O_CLOEXEC | (must_be_new ? O_EXCL : O_TRUNC), S_IRUSR | S_IWUSR);
}

/// Opens a folder and waits until no other open one has its lock (flock(2)); -1 with errno. Closing it, or the end of
/// the process, releases the lock.
static inline int cposix_lock_folder(const char *path) {
  int descriptor = open(path, O_RDONLY | O_CLOEXEC | O_DIRECTORY);
  if (descriptor < 0) return -1;
  while (flock(descriptor, LOCK_EX) != 0) {
    if (errno == EINTR) continue;
    int error = errno;
    close(descriptor);
    errno = error;
    return -1;
  }
  return descriptor;
}

/// Waits until changes of a file or folder are on permanent storage (fsync(2)); 0, or -1 with errno.
static inline int cposix_sync_path(const char *path) {
  int descriptor = open(path, O_RDONLY | O_CLOEXEC);
  if (descriptor < 0) return -1;
  int status = fsync(descriptor);
  int error = errno;
  close(descriptor);
  errno = error;
  return status;
}

/// Sets signals to a known state. SIGPIPE is ignored: if the reader of the log exits, write(2) fails with EPIPE
/// (signal(7)) and the function continues. SIGCHLD is set to its default: if the parent ignored it, the exit status
/// of child processes would be lost (waitpid(2), ECHILD).
static inline void cposix_set_signals(void) {
  signal(SIGPIPE, SIG_IGN);
  signal(SIGCHLD, SIG_DFL);
}

/// Opens closed standard streams on /dev/null. Otherwise the next open would use their number (open(2): the lowest free
/// number), and a socket would receive log lines.
static inline void cposix_hold_standard_streams(void) {
  for (int descriptor = STDIN_FILENO; descriptor <= STDERR_FILENO; descriptor++) {
    if (fcntl(descriptor, F_GETFD) < 0 && open("/dev/null", O_RDWR) < 0) return;
  }
}

/// Sets an inherited descriptor to close on exec; 0, or an errno if it is not open for writing (fcntl(2)).
static inline int cposix_adopt_for_writing(int descriptor) {
  if (descriptor <= STDERR_FILENO) return EBADF;
  int mode = fcntl(descriptor, F_GETFL);
  int flags = fcntl(descriptor, F_GETFD);
  if (mode < 0 || flags < 0 || (mode & O_ACCMODE) == O_RDONLY) return EBADF;
  return fcntl(descriptor, F_SETFD, flags | FD_CLOEXEC) < 0 ? errno : 0;
}

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

#ifdef __linux__
// unistd.h declares it only with _GNU_SOURCE, and a libc module that is already built ignores macros of this header.
extern int pipe2(int ends[2], int flags);
#endif

/// Moves two descriptors away from the numbers of the standard streams; -1 with errno, and then both are closed.
static inline int cposix_leave_standard_streams(int ends[2]) {
  for (int index = 0; index < 2; index++) {
    if (ends[index] > STDERR_FILENO) continue;
    int moved = fcntl(ends[index], F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
    int error = errno;
    close(ends[index]);
    if (moved < 0) {
      close(ends[1 - index]);
      errno = error;
      return -1;
    }
    ends[index] = moved;
  }
  return 0;
}

/// A pipe whose ends are closed on exec; -1 with errno (pipe(2)).
///
/// Neither end gets the number of a standard stream, even if this process has closed one: the standard streams of a
/// child would replace it.
static inline int cposix_pipe(int *read_end, int *write_end) {
  int ends[2];
#ifdef __linux__
  if (pipe2(ends, O_CLOEXEC) != 0) return -1;
#else
  if (pipe(ends) != 0) return -1;
  fcntl(ends[0], F_SETFD, FD_CLOEXEC);
  fcntl(ends[1], F_SETFD, FD_CLOEXEC);
#endif
  if (cposix_leave_standard_streams(ends) != 0) return -1;
  *read_end = ends[0];
  *write_end = ends[1];
  return 0;
}

/// A pair of connected sockets (socketpair(2)), closed on exec. As with cposix_pipe, neither gets the number of a
/// standard stream. Writing to a socket with a closed peer never raises SIGPIPE. -1 with errno.
static inline int cposix_stream_pair(int *first_end, int *second_end) {
  int ends[2];
#ifdef SOCK_CLOEXEC
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) return -1;
#else
  if (socketpair(AF_UNIX, SOCK_STREAM, 0, ends) != 0) return -1;
  for (int index = 0; index < 2; index++) {
    int on = 1;
    fcntl(ends[index], F_SETFD, FD_CLOEXEC);
    setsockopt(ends[index], SOL_SOCKET, SO_NOSIGPIPE, &on, sizeof on);
  }
#endif
  if (cposix_leave_standard_streams(ends) != 0) return -1;
  *first_end = ends[0];
  *second_end = ends[1];
  return 0;
}

/// The maximum number of arguments and environment variables of cposix_spawn together.
enum { cposix_spawn_word_limit = 32 };

/// Starts a program (posix_spawn(3)); 0, or an errno.
///
/// `words` contains the path, the other arguments and then the environment, each ended by a zero byte. The child
/// reads from `input`, or from /dev/null if `input` is -1, and writes to the given descriptors. It leads its own
/// process group, blocks no signal and has the default action for every signal. This is C because pointers to
/// pointers are difficult in Swift, and because the sigset_t functions are macros on Darwin.
static inline int cposix_spawn(
    const char *words, size_t argument_count, size_t variable_count, int input, int output, int error_output,
    pid_t *process) {
  char *pointers[cposix_spawn_word_limit + 2];
  if (argument_count == 0 || argument_count + variable_count > cposix_spawn_word_limit) return E2BIG;
  char **next = pointers;
  char **environment = pointers + argument_count + 1;
  for (size_t index = 0; index < argument_count + variable_count; index++) {
    if (index == argument_count) *next++ = NULL;
    *next++ = (char *)words;
    words += strlen(words) + 1;
  }
  *next = NULL;
  if (variable_count == 0) environment = next;

  posix_spawn_file_actions_t actions;
  posix_spawnattr_t attributes;
  int error = posix_spawn_file_actions_init(&actions);
  if (error != 0) return error;
  error = posix_spawnattr_init(&attributes);
  if (error != 0) {
    posix_spawn_file_actions_destroy(&actions);
    return error;
  }
  sigset_t none, all;
  sigemptyset(&none);
  sigfillset(&all);
  sigdelset(&all, SIGKILL);
  sigdelset(&all, SIGSTOP);
  short flags = POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF;
#ifdef POSIX_SPAWN_CLOEXEC_DEFAULT
  flags |= POSIX_SPAWN_CLOEXEC_DEFAULT;
#endif
  error = input < 0 ? posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0)
                    : posix_spawn_file_actions_adddup2(&actions, input, STDIN_FILENO);
  if (error == 0
      && (error = posix_spawn_file_actions_adddup2(&actions, output, STDOUT_FILENO)) == 0
      && (error = posix_spawn_file_actions_adddup2(&actions, error_output, STDERR_FILENO)) == 0
      && (error = posix_spawnattr_setflags(&attributes, flags)) == 0
      && (error = posix_spawnattr_setpgroup(&attributes, 0)) == 0
      && (error = posix_spawnattr_setsigmask(&attributes, &none)) == 0
      && (error = posix_spawnattr_setsigdefault(&attributes, &all)) == 0) {
    error = posix_spawn(process, pointers[0], &actions, &attributes, pointers, environment);
  }
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&actions);
  return error;
}

/// The exit code in a status of waitpid(2), or -1 if a signal ended the process.
static inline int cposix_exit_code(int status) { return WIFEXITED(status) ? WEXITSTATUS(status) : -1; }

/// The flags with which sendmsg(2) reports a closed peer as EPIPE instead of SIGPIPE.
static inline int cposix_send_without_signal(void) {
#ifdef MSG_NOSIGNAL
  return MSG_NOSIGNAL;
#else
  return 0;
#endif
}

/// A mutex and a condition (pthread_mutex_lock(3), pthread_cond_wait(3)) at a stable address.
struct cposix_monitor {
  pthread_mutex_t mutex;
  pthread_cond_t condition;
};

/// Creates an unlocked mutex with a condition; NULL if out of memory.
static inline struct cposix_monitor *cposix_monitor_make(void) {
  struct cposix_monitor *monitor = (struct cposix_monitor *)malloc(sizeof *monitor);
  if (monitor == NULL) return NULL;
  if (pthread_mutex_init(&monitor->mutex, NULL) == 0) {
    pthread_condattr_t attributes;
    if (pthread_condattr_init(&attributes) == 0) {
#ifndef __APPLE__
      // A change of the system time must not extend a wait. Darwin uses a relative time instead.
      pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
#endif
      int error = pthread_cond_init(&monitor->condition, &attributes);
      pthread_condattr_destroy(&attributes);
      if (error == 0) return monitor;
    }
    pthread_mutex_destroy(&monitor->mutex);
  }
  free(monitor);
  return NULL;
}

static inline void cposix_monitor_free(struct cposix_monitor *monitor) {
  pthread_cond_destroy(&monitor->condition);
  pthread_mutex_destroy(&monitor->mutex);
  free(monitor);
}

static inline void cposix_monitor_lock(struct cposix_monitor *monitor) { pthread_mutex_lock(&monitor->mutex); }
static inline void cposix_monitor_unlock(struct cposix_monitor *monitor) { pthread_mutex_unlock(&monitor->mutex); }
static inline void cposix_monitor_wake_all(struct cposix_monitor *monitor) {
  pthread_cond_broadcast(&monitor->condition);
}

/// Unlocks the mutex, waits for a wake-up or the timeout, and locks it again. Spurious wake-ups are possible.
static inline void cposix_monitor_wait(struct cposix_monitor *monitor, long long milliseconds) {
  struct timespec time;
#ifdef __APPLE__
  time.tv_sec = (time_t)(milliseconds / 1000);
  time.tv_nsec = (long)(milliseconds % 1000 * 1000000);
  pthread_cond_timedwait_relative_np(&monitor->condition, &monitor->mutex, &time);
#else
  clock_gettime(CLOCK_MONOTONIC, &time);
  time.tv_sec += (time_t)(milliseconds / 1000);
  time.tv_nsec += (long)(milliseconds % 1000 * 1000000);
  if (time.tv_nsec >= 1000000000) {
    time.tv_nsec -= 1000000000;
    time.tv_sec++;
  }
  pthread_cond_timedwait(&monitor->condition, &monitor->mutex, &time);
#endif
}

/// Writes the path of the running executable and returns its length, or -1 if it is unknown (proc(5); dyld(3)).
static inline long cposix_executable_path(char *path, size_t capacity) {
#ifdef __APPLE__
  uint32_t size = (uint32_t)capacity;
  return _NSGetExecutablePath(path, &size) == 0 ? (long)strlen(path) : -1;
#else
  return (long)readlink("/proc/self/exe", path, capacity);
#endif
}

#endif
