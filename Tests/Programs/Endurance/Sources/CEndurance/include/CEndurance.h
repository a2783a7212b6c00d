// What Swift has no words for: the memory and the processor time of this process, and threads with a small stack.

#ifndef CENDURANCE_H
#define CENDURANCE_H

#include <stdint.h>

/// The bytes of heap in use, as malloc counts them.
int64_t endurance_heap(void);

/// The bytes of this process that are in memory.
int64_t endurance_resident(void);

/// The seconds of processor time that this process has used.
double endurance_processor_time(void);

/// Returns free memory to the system, as far as malloc can.
void endurance_trim(void);

/// Makes this process print each line at once, also into a file.
void endurance_print_lines(void);

/// Calls a function on a new thread with a stack of the given size, and returns when the thread has ended.
///
/// Returns zero, or an error number if there is no such thread.
int endurance_run_on_stack(uint64_t bytes, void (*function)(void *), void *argument);

#endif
