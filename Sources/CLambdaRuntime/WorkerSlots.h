// Shared declarations of this target.

#ifndef AUTHORIZER_CLAMBDARUNTIME_WORKERSLOTS_H
#define AUTHORIZER_CLAMBDARUNTIME_WORKERSLOTS_H

#include "CLambdaRuntime.h"

/// The IDs of one invocation. Both need no escape in a request, and the request ID needs none in JSON:
/// PendingInvocation has validated them.
struct ids {
  size_t request_size, invocation_size;
  char request[clambda_id_byte_limit], invocation[clambda_id_byte_limit];
};

/// Copies the IDs of the open invocation, also while another thread changes them; false if there is none.
bool clambda_copy_ids(int slot, struct ids *ids);

/// Ends the process by the default action of the signal.
_Noreturn void clambda_end_by(int signal_number);

/// Sets a stack for signal handlers of the calling thread.
int clambda_set_handler_stack(void);

/// Parts of a crash report; see CrashReport.c.
int clambda_prepare_report(const void *start, size_t start_size, const void *fields, size_t fields_size);
void clambda_on_crash(int signal_number);

/// The signals that mean a crash, and their names.
struct crash_signal {
  int number;
  const char *name;
};
enum { crash_signal_count = 6 };
extern const struct crash_signal clambda_crash_signals[crash_signal_count];

/// The slot of the calling thread; -1 if it has none.
extern _Thread_local volatile int clambda_own_slot;

/// Whether no event has been requested yet.
bool clambda_is_starting(void);

#endif
