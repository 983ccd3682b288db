// What the files of this target share.

#ifndef AUTHORIZER_CLAMBDARUNTIME_LANES_H
#define AUTHORIZER_CLAMBDARUNTIME_LANES_H

#include "CLambdaRuntime.h"

/// The ids of one invocation. Both can stand in a request as they are, and the request's in a JSON text too: PendingInvocation
/// has seen to it.
struct ids {
  size_t request_size, invocation_size;
  char request[clambda_id_byte_limit], invocation[clambda_id_byte_limit];
};

/// Copies the ids of the invocation in hand, also while another thread changes them; false where there is none.
bool clambda_copy_ids(int lane, struct ids *ids);

/// Ends the process as the signal does that nobody handles.
_Noreturn void clambda_end_by(int signal_number);

/// Gives the calling thread a stack for handlers.
int clambda_set_handler_stack(void);

/// Parts of a crash report; see CrashReport.c.
int clambda_prepare_report(const void *start, size_t start_size, const void *fields, size_t fields_size);
void clambda_on_crash(int signal_number);

/// The signals that say that this process is broken, and their names.
struct crash_signal {
  int number;
  const char *name;
};
enum { crash_signal_count = 6 };
extern const struct crash_signal clambda_crash_signals[crash_signal_count];

/// The lane of the calling thread; -1 where it has none.
extern _Thread_local volatile int clambda_own_lane;

/// Whether no event has been asked for yet.
bool clambda_is_starting(void);

#endif
