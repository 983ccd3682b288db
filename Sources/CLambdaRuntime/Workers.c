// The threads of a process with several workers.

#include "WorkerSlots.h"

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <stdlib.h>

static pthread_t threads[clambda_slot_limit];
static int thread_count;

struct start {
  void (*body)(void *context);
  void *context;
};

static void *run(void *argument) {
  struct start start = *(struct start *)argument;
  free(argument);
  start.body(start.context);
  return NULL;
}

int clambda_start_worker(void (*body)(void *context), void *context) {
  if (thread_count == clambda_slot_limit) return EAGAIN;
  struct start *start = malloc(sizeof *start);
  if (start == NULL) return ENOMEM;
  *start = (struct start){body, context};
  pthread_attr_t attributes;
  int error = pthread_attr_init(&attributes);
  if (error == 0) {
    error = pthread_attr_setstacksize(&attributes, clambda_worker_stack_size);
    if (error == 0) error = pthread_create(&threads[thread_count], &attributes, run, start);
    pthread_attr_destroy(&attributes);
  }
  if (error == 0) thread_count++;
  else free(start);
  return error;
}

void clambda_await_workers(void) {
  for (int index = 0; index < thread_count; index++) pthread_join(threads[index], NULL);
  thread_count = 0;
}

void clambda_pause(int milliseconds) { poll(NULL, 0, milliseconds); }
