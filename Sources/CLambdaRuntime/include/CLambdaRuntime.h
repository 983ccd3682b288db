// The C part of LambdaRuntime: signal handlers, worker threads, and the trace variable.
//
// A handler may call only async-signal-safe functions (signal-safety(7)): no allocation, no lock, no Swift. Therefore
// the requests are prepared in advance, and the data about invocations is in slots: fixed memory, one slot for each
// worker.

#ifndef AUTHORIZER_CLAMBDARUNTIME_H
#define AUTHORIZER_CLAMBDARUNTIME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
  /// The maximum number of slots and workers (this project's limit). Each has one connection, and a second one in a
  /// crash: together half of the 1,024 descriptors of an environment
  /// (https://docs.aws.amazon.com/lambda/latest/dg/gettingstarted-limits.html).
  clambda_slot_limit = 256,
  /// The stack size of a worker in bytes (this project's choice). The JSON parser, the largest user, needs a fraction
  /// of it.
  clambda_worker_stack_size = 1024 * 1024,
  /// The maximum size of an ID in bytes; PendingInvocation.idByteLimit in Swift.
  clambda_id_byte_limit = 256,
  /// The total milliseconds for the connections and answers of a crash report (this project's choice). The caller
  /// waits.
  clambda_report_milliseconds = 100,
  /// The milliseconds from SIGTERM to the end if an invocation is open (this project's choice). Lambda sends SIGKILL
  /// 600 ms after SIGTERM
  /// (https://docs.aws.amazon.com/lambda/latest/dg/lambda-managed-instances-execution-environment.html).
  clambda_termination_milliseconds = 450,
  /// The milliseconds from SIGTERM to the end if no invocation is open (this project's choice). An event that was
  /// sent before SIGTERM has been received by then.
  clambda_arrival_milliseconds = 20,
};

/// Adds an address of the Runtime API for crash reports; only the first two are used.
void clambda_add_ipv4(uint32_t address_as_on_the_wire, uint16_t port);
void clambda_add_ipv6(const uint8_t address[16], uint16_t port);

/// Installs handlers for SIGILL, SIGTRAP, SIGSEGV, SIGBUS, SIGABRT, SIGFPE and SIGTERM. Call it once, on the main
/// thread, before other threads start.
///
/// `start` is the beginning of a POST request up to `init/error` or `invocation/`; `fields` is the part between its
/// target and the empty line. Both are copied.
///
/// Returns 0, or an errno.
int clambda_install(const void *start, size_t start_size, const void *fields, size_t fields_size);

/// Sets the slot of the calling thread, and a stack for its signal handlers. Returns 0, or an errno.
int clambda_enter_slot(int slot);

/// Call before the first request for an event: from now on a crash is not an initialization error.
void clambda_serve(void);

/// Records an open invocation, for which a crash is reported from now on. An `invocation_size` of 0 means no
/// invocation ID. IDs longer than clambda_id_byte_limit are ignored.
void clambda_hold(
    int slot, const void *request_id, size_t request_size, const void *invocation_id, size_t invocation_size);

/// Records that the invocation is answered. Returns whether SIGTERM was received.
bool clambda_release(int slot);

/// Whether any slot has an open invocation.
bool clambda_holds_any(void);

/// Ends the process with this status if SIGTERM was received and no invocation is open; otherwise returns. A worker
/// calls it at the end of its loop, since the other workers only wait for events.
void clambda_end_if_terminated(int status);

/// Starts a thread that calls `body`. Returns 0, or an errno. Call it on the main thread.
int clambda_start_worker(void (*body)(void *context), void *context);

/// Waits until all started threads have ended. Call it on the main thread.
void clambda_await_workers(void);

/// Waits; a signal may end the wait early.
void clambda_pause(int milliseconds);

/// Sets _X_AMZN_TRACE_ID without an allocation; empty for no trace, and for a trace of 1,024 bytes or more. Only for a
/// process with one worker, since all threads share the environment.
void clambda_set_trace(const void *trace, size_t size);

#endif
