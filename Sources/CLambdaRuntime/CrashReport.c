// The crash report of a process: one line on standard error, and a POST to /error for each open invocation, or to
// /init/error before the first event. It never posts a response and contains no part of an event: it knows only the
// IDs.
//
// Each POST uses a new connection. The worker's connection may contain half a request or an unread answer.

#include "WorkerSlots.h"

#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

const struct crash_signal clambda_crash_signals[crash_signal_count] = {
    {SIGILL, "SIGILL"}, {SIGTRAP, "SIGTRAP"}, {SIGSEGV, "SIGSEGV"},
    {SIGBUS, "SIGBUS"}, {SIGABRT, "SIGABRT"}, {SIGFPE, "SIGFPE"},
};

union address {
  struct sockaddr any;
  struct sockaddr_in ipv4;
  struct sockaddr_in6 ipv6;
};

static struct {
  union address address;
  socklen_t size;
} addresses[2];
static int address_count;

struct text {
  const char *bytes;
  size_t size;
};

static struct text start, fields;
/// The end of the request for each signal: the length, the empty line and the body.
static struct {
  char bytes[192];
  size_t size;
} endings[crash_signal_count];
/// The part of the log line between the time and the request ID, for each signal.
static struct {
  char bytes[128];
  size_t size;
} lines[crash_signal_count];

#define TEXT(literal) ((struct text){literal, sizeof literal - 1})

// MARK: Preparation

void clambda_add_ipv4(uint32_t address, uint16_t port) {
  if (address_count == 2) return;
  struct sockaddr_in *ipv4 = &addresses[address_count].address.ipv4;
  ipv4->sin_family = AF_INET;
  ipv4->sin_port = htons(port);
  ipv4->sin_addr.s_addr = address;
#ifdef __APPLE__
  ipv4->sin_len = sizeof *ipv4;
#endif
  addresses[address_count++].size = sizeof *ipv4;
}

void clambda_add_ipv6(const uint8_t address[16], uint16_t port) {
  if (address_count == 2) return;
  struct sockaddr_in6 *ipv6 = &addresses[address_count].address.ipv6;
  ipv6->sin6_family = AF_INET6;
  ipv6->sin6_port = htons(port);
  memcpy(&ipv6->sin6_addr, address, 16);
#ifdef __APPLE__
  ipv6->sin6_len = sizeof *ipv6;
#endif
  addresses[address_count++].size = sizeof *ipv6;
}

static int keep(struct text *text, const void *bytes, size_t size) {
  char *copy = malloc(size);
  if (copy == NULL) return ENOMEM;
  memcpy(copy, bytes, size);
  *text = (struct text){copy, size};
  return 0;
}

int clambda_prepare_report(const void *start_bytes, size_t start_size, const void *field_bytes, size_t fields_size) {
  if (keep(&start, start_bytes, start_size) != 0 || keep(&fields, field_bytes, fields_size) != 0) return ENOMEM;
  for (int index = 0; index < crash_signal_count; index++) {
    const char *name = clambda_crash_signals[index].name;
    char body[128];
    int size = snprintf(
        body, sizeof body, "{\"errorMessage\":\"the function crashed: %s\",\"errorType\":\"Runtime.Crash\"}", name);
    endings[index].size = (size_t)snprintf(
        endings[index].bytes, sizeof endings[index].bytes, "Content-Length: %d\r\n\r\n%s", size, body);
    lines[index].size = (size_t)snprintf(
        lines[index].bytes, sizeof lines[index].bytes,
        "\",\"level\":\"FATAL\",\"message\":\"the function crashed: %s\",\"errorType\":\"Runtime.Crash\"", name);
  }
  return 0;
}

// MARK: In the signal handler

static long long now_in_milliseconds(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (long long)time.tv_sec * 1000 + time.tv_nsec / 1000000;
}

/// Calls poll(2) until the deadline at most. Returns whether an event occurred.
static bool wait_until(long long deadline, struct pollfd *watched, nfds_t count) {
  while (true) {
    long long left = deadline - now_in_milliseconds();
    int ready = poll(watched, count, left > 0 ? (int)left : 0);
    if (ready >= 0 || errno != EINTR) return ready > 0;
  }
}

/// Connects to the first address that accepts a connection before the deadline; -1 if none does.
static int connect_before(long long deadline) {
  for (int index = 0; index < address_count; index++) {
    int descriptor = socket(addresses[index].address.any.sa_family, SOCK_STREAM, 0);
    if (descriptor < 0) continue;
    fcntl(descriptor, F_SETFL, O_NONBLOCK);
#ifdef SO_NOSIGPIPE
    int on = 1;
    setsockopt(descriptor, SOL_SOCKET, SO_NOSIGPIPE, &on, sizeof on);
#endif
    if (connect(descriptor, &addresses[index].address.any, addresses[index].size) == 0) return descriptor;
    if (errno == EINPROGRESS || errno == EINTR) {
      struct pollfd connected = {.fd = descriptor, .events = POLLOUT};
      int error = 0;
      socklen_t size = sizeof error;
      if (wait_until(deadline, &connected, 1)
          && getsockopt(descriptor, SOL_SOCKET, SO_ERROR, &error, &size) == 0 && error == 0) {
        return descriptor;
      }
    }
    close(descriptor);
  }
  return -1;
}

/// Sends the texts with one system call; the empty buffer of a new socket has room for all of them.
static void send_all(int descriptor, const struct text *texts, int count) {
  struct iovec parts[12];
  for (int index = 0; index < count; index++) {
    parts[index] = (struct iovec){(void *)texts[index].bytes, texts[index].size};
  }
  struct msghdr message;
  memset(&message, 0, sizeof message);
  message.msg_iov = parts;
  message.msg_iovlen = (size_t)count;
#ifdef MSG_NOSIGNAL
  int flags = MSG_NOSIGNAL;
#else
  int flags = 0;
#endif
  while (sendmsg(descriptor, &message, flags) < 0 && errno == EINTR) continue;
}

/// Sends a POST over a new connection; `ids` is NULL for /init/error. Returns the connection, or -1.
static int post(int signal_index, const struct ids *ids, long long deadline) {
  int descriptor = connect_before(deadline);
  if (descriptor < 0) return -1;
  struct text texts[12] = {start};
  int count = 1;
  if (ids == NULL) {
    texts[count++] = TEXT("init/error");
  } else {
    texts[count++] = TEXT("invocation/");
    texts[count++] = (struct text){ids->request, ids->request_size};
    texts[count++] = TEXT("/error");
  }
  texts[count++] = fields;
  if (ids != NULL && ids->invocation_size > 0) {
    texts[count++] = TEXT("Lambda-Runtime-Invocation-Id: ");
    texts[count++] = (struct text){ids->invocation, ids->invocation_size};
    texts[count++] = TEXT("\r\n");
  }
  texts[count++] = TEXT("Lambda-Runtime-Function-Error-Type: Runtime.Crash\r\nConnection: close\r\n");
  texts[count++] = (struct text){endings[signal_index].bytes, endings[signal_index].size};
  send_all(descriptor, texts, count);
  return descriptor;
}

static void write_digits(char *text, int count, long long number) {
  for (int place = count - 1; place >= 0; place--) {
    text[place] = (char)('0' + number % 10);
    number /= 10;
  }
}

/// Writes the time in the form 2026-11-21T10:00:00.000Z (RFC 3339, UTC). gmtime_r(3) is not async-signal-safe.
static void write_timestamp(char text[24]) {
  memcpy(text, "0000-00-00T00:00:00.000Z", 24);
  struct timespec now;
  if (clock_gettime(CLOCK_REALTIME, &now) != 0 || now.tv_sec < 0) return;
  long long second = now.tv_sec % 86400;
  // Years begin in March, so that the leap day is the last day; 400 years have 146,097 days. There are 719,468 days
  // between March 1 of the year 0 and 1970.
  long long day = now.tv_sec / 86400 + 719468;
  long long era = day / 146097;
  long long day_of_era = day % 146097;
  long long year_of_era = (day_of_era - day_of_era / 1460 + day_of_era / 36524 - day_of_era / 146096) / 365;
  long long day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
  long long month_from_march = (5 * day_of_year + 2) / 153;
  long long month = month_from_march < 10 ? month_from_march + 3 : month_from_march - 9;
  write_digits(text, 4, era * 400 + year_of_era + (month <= 2 ? 1 : 0));
  write_digits(text + 5, 2, month);
  write_digits(text + 8, 2, day_of_year - (153 * month_from_march + 2) / 5 + 1);
  write_digits(text + 11, 2, second / 3600);
  write_digits(text + 14, 2, second / 60 % 60);
  write_digits(text + 17, 2, second % 60);
  write_digits(text + 20, 3, now.tv_nsec / 1000000);
}

/// Writes the line with one call, so that it is one event of the log. Returns whether standard error accepted it
/// before the deadline: a full pipe must not delay the end of the process. (A pipe with room accepts PIPE_BUF bytes
/// at once, pipe(7), and the line is shorter. writev(2) is a plain system call on Linux and Darwin, though POSIX does
/// not list it as async-signal-safe.) The line needs a timestamp: without one, Lambda's level filter handles a JSON
/// line as INFO (https://docs.aws.amazon.com/lambda/latest/dg/monitoring-cloudwatchlogs-log-level.html).
static bool write_line(int signal_index, const struct ids *ids, long long deadline) {
  struct pollfd standard_error = {.fd = STDERR_FILENO, .events = POLLOUT};
  if (!wait_until(deadline, &standard_error, 1)) return false;
  char timestamp[24];
  write_timestamp(timestamp);
  struct iovec parts[6] = {
      {(void *)"{\"timestamp\":\"", 14},
      {timestamp, sizeof timestamp},
      {lines[signal_index].bytes, lines[signal_index].size},
  };
  int count = 3;
  if (ids != NULL) {
    parts[count++] = (struct iovec){(void *)",\"requestId\":\"", 14};
    parts[count++] = (struct iovec){(void *)ids->request, ids->request_size};
    parts[count++] = (struct iovec){(void *)"\"}\n", 3};
  } else {
    parts[count++] = (struct iovec){(void *)"}\n", 2};
  }
  while (writev(STDERR_FILENO, parts, count) < 0 && errno == EINTR) continue;
  return true;
}

/// Waits until every server has answered or closed the connection, at most until the deadline. The answers are ignored.
static void await_answers(struct pollfd *watched, nfds_t count, long long deadline) {
  nfds_t open = count;
  while (open > 0 && wait_until(deadline, watched, count)) {
    for (nfds_t index = 0; index < count; index++) {
      if (watched[index].revents == 0) continue;
      // poll(2) ignores negative descriptors. The connection is closed at the end of the process.
      watched[index].fd = -1;
      watched[index].revents = 0;
      open--;
    }
  }
}

static void report(int signal_index) {
  long long now = now_in_milliseconds();
  long long deadline = now + clambda_report_milliseconds;
  struct ids own, ids;
  int own_slot = clambda_own_slot;
  const struct ids *named = own_slot >= 0 && clambda_copy_ids(own_slot, &own) ? &own : NULL;
  bool is_written = write_line(signal_index, named, now);

  struct pollfd watched[clambda_slot_limit];
  nfds_t count = 0;
  if (clambda_is_starting()) {
    int descriptor = post(signal_index, NULL, deadline);
    if (descriptor >= 0) watched[count++] = (struct pollfd){.fd = descriptor, .events = POLLIN};
  }
  for (int slot = 0; slot < clambda_slot_limit; slot++) {
    if (!clambda_copy_ids(slot, &ids)) continue;
    int descriptor = post(signal_index, &ids, deadline);
    if (descriptor >= 0) watched[count++] = (struct pollfd){.fd = descriptor, .events = POLLIN};
  }
  await_answers(watched, count, deadline);
  if (!is_written) write_line(signal_index, named, deadline);
}

void clambda_on_crash(int signal_number) {
  static atomic_bool is_reported;
  static _Thread_local volatile sig_atomic_t reports;
  // The handler itself has crashed.
  if (reports) clambda_end_by(signal_number);
  if (atomic_exchange(&is_reported, true)) {
    // Another thread reports all invocations, including this thread's, and then ends the process.
    while (true) pause();
  }
  reports = 1;
  for (int index = 0; index < crash_signal_count; index++) {
    if (clambda_crash_signals[index].number == signal_number) report(index);
  }
  clambda_end_by(signal_number);
}
