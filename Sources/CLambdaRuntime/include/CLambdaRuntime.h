// The C half of LambdaRuntime: what signal handlers do, and the variable of the trace.
//
// A handler may call only what is async-signal-safe (signal-safety(7)): no allocation, no lock, nothing of Swift. So all
// that it sends is put together beforehand, and what it has to know of the invocations stands in lanes: fixed memory, one
// lane for each worker.

#ifndef AUTHORIZER_CLAMBDARUNTIME_H
#define AUTHORIZER_CLAMBDARUNTIME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
  /// Lanes, and so workers, at most: ours. Each has a connection, and in a crash another one: together half of the 1,024
  /// descriptors of an environment (https://docs.aws.amazon.com/lambda/latest/dg/gettingstarted-limits.html).
  clambda_lane_limit = 256,
  /// Bytes of a worker's stack: ours. The deepest parser, of JSON with 64 levels, takes a fraction of it.
  clambda_worker_stack_size = 1024 * 1024,
  /// Bytes of an id, at most; PendingInvocation.idByteLimit in Swift.
  clambda_id_byte_limit = 256,
  /// Milliseconds for the connections and answers of a crash report, all together: ours. The caller waits for it.
  clambda_report_milliseconds = 100,
  /// Milliseconds from SIGTERM to the end where an invocation is in hand: ours. Lambda kills 600 ms after SIGTERM
  /// (https://docs.aws.amazon.com/lambda/latest/dg/lambda-managed-instances-execution-environment.html).
  clambda_termination_milliseconds = 450,
  /// Milliseconds of these after which a process ends that has no invocation in hand: ours. An event that was sent before
  /// SIGTERM is in hand by then.
  clambda_arrival_milliseconds = 20,
};

/// An address of the Runtime API to which a crash report may go; the first two are kept.
void clambda_add_ipv4(uint32_t address_as_on_the_wire, uint16_t port);
void clambda_add_ipv6(const uint8_t address[16], uint16_t port);

/// Handles SIGILL, SIGTRAP, SIGSEGV, SIGBUS, SIGABRT, SIGFPE and SIGTERM from here on. For the main thread, before any
/// other is started; once.
///
/// `start` is what stands in a post before `init/error` or `invocation/`, `fields` what stands between its target and the
/// empty line. Both are copied.
///
/// Returns 0, or an errno.
int clambda_install(const void *start, size_t start_size, const void *fields, size_t fields_size);

/// Gives the calling thread a stack for handlers, and its lane. Returns 0, or an errno.
int clambda_enter_lane(int lane);

/// The first event is about to be asked for: a crash is no failure to start any more.
void clambda_serve(void);

/// An invocation is in hand: a crash from here on is reported for it. An `invocation_size` of 0 is no invocation id.
/// Longer ids than clambda_id_byte_limit are not taken.
void clambda_hold(
    int lane, const void *request_id, size_t request_size, const void *invocation_id, size_t invocation_size);

/// The invocation is answered. Returns whether SIGTERM came meanwhile.
bool clambda_release(int lane);

/// Whether any lane has an invocation in hand.
bool clambda_holds_any(void);

/// Ends the process with this status where SIGTERM came and no invocation is in hand; else returns. For a worker whose
/// loop has ended: the others wait for events that nobody will answer.
void clambda_end_if_terminated(int status);

/// Starts a thread that calls `body`. Returns 0, or an errno. For the main thread.
int clambda_start_worker(void (*body)(void *context), void *context);

/// Waits for the end of every thread that was started. For the main thread.
void clambda_await_workers(void);

/// Waits; a signal may cut it short.
void clambda_pause(int milliseconds);

/// Sets _X_AMZN_TRACE_ID without an allocation; empty for no trace, and for one of 1,024 bytes or more. The environment
/// belongs to the process: for a process of one worker only.
void clambda_set_trace(const void *trace, size_t size);

#endif
