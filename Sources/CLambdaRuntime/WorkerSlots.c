#include "WorkerSlots.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <unistd.h>

struct slot {
  /// Odd while an invocation is open. Each change increments it, so that a reader can detect a change during its read.
  atomic_uint step;
  struct ids ids;
};

static struct slot slots[clambda_slot_limit];
static atomic_bool serves;
static atomic_bool terminates;
_Thread_local volatile int clambda_own_slot = -1;

void clambda_serve(void) { atomic_store_explicit(&serves, true, memory_order_release); }

bool clambda_is_starting(void) { return !atomic_load_explicit(&serves, memory_order_acquire); }

void clambda_hold(
    int slot, const void *request_id, size_t request_size, const void *invocation_id, size_t invocation_size) {
  if (slot < 0 || slot >= clambda_slot_limit) return;
  struct slot *own = &slots[slot];
  unsigned step = atomic_load_explicit(&own->step, memory_order_relaxed);
  if (step % 2 == 1 || request_size > clambda_id_byte_limit || invocation_size > clambda_id_byte_limit) return;
  // A reader must see the end of the previous invocation before it sees any byte of this one.
  atomic_thread_fence(memory_order_release);
  memcpy(own->ids.request, request_id, request_size);
  if (invocation_size > 0) memcpy(own->ids.invocation, invocation_id, invocation_size);
  own->ids.request_size = request_size;
  own->ids.invocation_size = invocation_size;
  atomic_store_explicit(&own->step, step + 1, memory_order_release);
}

bool clambda_release(int slot) {
  if (slot >= 0 && slot < clambda_slot_limit) {
    unsigned step = atomic_load_explicit(&slots[slot].step, memory_order_relaxed);
    // Sequentially consistent with the load of `terminates`, since the SIGTERM handler uses the opposite order.
    if (step % 2 == 1) atomic_store(&slots[slot].step, step + 1);
  }
  return atomic_load(&terminates);
}

bool clambda_holds_any(void) {
  for (int slot = 0; slot < clambda_slot_limit; slot++) {
    if (atomic_load(&slots[slot].step) % 2 == 1) return true;
  }
  return false;
}

void clambda_end_if_terminated(int status) {
  // As in the SIGTERM handler: of two workers that release their last invocations, the later one sees both releases.
  if (atomic_load(&terminates) && !clambda_holds_any()) _exit(status);
}

bool clambda_copy_ids(int slot, struct ids *ids) {
  struct slot *other = &slots[slot];
  // An invocation that ends during the copy needs no report, but the next one may need one, so the copy is retried.
  for (int attempt = 0; attempt < 3; attempt++) {
    unsigned before = atomic_load_explicit(&other->step, memory_order_acquire);
    if (before % 2 == 0) return false;
    memcpy(ids, &other->ids, sizeof *ids);
    atomic_thread_fence(memory_order_acquire);
    if (atomic_load_explicit(&other->step, memory_order_relaxed) == before) return true;
  }
  return false;
}

void clambda_end_by(int signal_number) {
  struct sigaction action;
  memset(&action, 0, sizeof action);
  action.sa_handler = SIG_DFL;
  sigaction(signal_number, &action, NULL);
  sigset_t unblocked;
  sigemptyset(&unblocked);
  sigaddset(&unblocked, signal_number);
  pthread_sigmask(SIG_UNBLOCK, &unblocked, NULL);
  raise(signal_number);
  // The first process of a namespace is not terminated by a signal that it sends to itself (pid_namespaces(7)).
  _exit(128 + signal_number);
}

/// Schedules a SIGALRM. setitimer(2) is a plain system call on Linux and Darwin, though POSIX does not list it as
/// async-signal-safe; timer_settime(2), which is listed, does not exist on Darwin.
static void alarm_after(int milliseconds) {
  struct itimerval limit = {.it_value = {.tv_usec = milliseconds * 1000}};
  setitimer(ITIMER_REAL, &limit, NULL);
}

static void on_time_up(int signal_number) {
  (void)signal_number;
  static atomic_bool is_last;
  int error = errno;
  // No invocation is open, so the process can end. Workers are only waiting for the next event.
  if (!clambda_holds_any()) _exit(0);
  if (atomic_exchange(&is_last, true)) clambda_end_by(SIGTERM);
  alarm_after(clambda_termination_milliseconds - clambda_arrival_milliseconds);
  errno = error;
}

static void on_termination(int signal_number) {
  (void)signal_number;
  int error = errno;
  // The time starts with the first signal; further signals must not extend it. An event may have arrived that no slot
  // has recorded yet, in the kernel's buffer or in the reader's, so slots are not checked here.
  if (!atomic_exchange(&terminates, true)) alarm_after(clambda_arrival_milliseconds);
  errno = error;
}

static int handle(int signal_number, void (*handler)(int), int flags) {
  struct sigaction action;
  memset(&action, 0, sizeof action);
  action.sa_handler = handler;
  action.sa_flags = SA_ONSTACK | flags;
  sigemptyset(&action.sa_mask);
  return sigaction(signal_number, &action, NULL) == 0 ? 0 : errno;
}

/// The size in bytes of a handler's stack (this project's choice). A handler needs less than 4 KiB, a signal frame up
/// to 11 KiB with AMX (https://docs.kernel.org/arch/x86/elf_auxvec.html, AT_MINSIGSTKSZ).
enum { handler_stack_size = 64 * 1024 };

int clambda_set_handler_stack(void) {
  static _Thread_local bool is_set;
  if (is_set) return 0;
  stack_t stack;
  memset(&stack, 0, sizeof stack);
  stack.ss_size = handler_stack_size;
  // Never freed: no other worker is started after a worker ends.
  stack.ss_sp = malloc(handler_stack_size);
  if (stack.ss_sp == NULL) return ENOMEM;
  if (sigaltstack(&stack, NULL) == 0) {
    is_set = true;
    return 0;
  }
  int error = errno;
  free(stack.ss_sp);
  return error;
}

int clambda_enter_slot(int slot) {
  clambda_own_slot = slot < clambda_slot_limit ? slot : -1;
  return clambda_set_handler_stack();
}

int clambda_install(const void *start, size_t start_size, const void *fields, size_t fields_size) {
  int error = clambda_prepare_report(start, start_size, fields, fields_size);
  if (error == 0) error = clambda_set_handler_stack();
  // SA_NODEFER: a second crash must reach its handler, which ends the process.
  for (int index = 0; index < crash_signal_count && error == 0; index++) {
    error = handle(clambda_crash_signals[index].number, clambda_on_crash, SA_NODEFER);
  }
  if (error == 0) error = handle(SIGALRM, on_time_up, SA_RESTART);
  if (error == 0) error = handle(SIGTERM, on_termination, SA_RESTART);
  if (error != 0) return error;
  // A process inherits the signal mask of its parent (sigprocmask(2)).
  sigset_t handled;
  sigemptyset(&handled);
  for (int index = 0; index < crash_signal_count; index++) {
    sigaddset(&handled, clambda_crash_signals[index].number);
  }
  sigaddset(&handled, SIGALRM);
  sigaddset(&handled, SIGTERM);
  return pthread_sigmask(SIG_UNBLOCK, &handled, NULL);
}

/// The argument of putenv(3), which makes this array part of the environment.
static char trace_variable[17 + 1024] = "_X_AMZN_TRACE_ID=";

void clambda_set_trace(const void *trace, size_t size) {
  static bool is_set;
  enum { name_size = 17 };
  if (size >= sizeof trace_variable - name_size) size = 0;
  if (size == 0 && !is_set) return;
  // setenv(3) of glibc never frees old values, so this array is overwritten instead.
  if (size > 0) memcpy(trace_variable + name_size, trace, size);
  trace_variable[name_size + size] = 0;
  if (!is_set) is_set = putenv(trace_variable) == 0;
}
