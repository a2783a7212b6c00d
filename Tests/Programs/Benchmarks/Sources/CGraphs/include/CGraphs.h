// Counts that any getter and any handler can add to: it costs a load and a branch while nobody counts.

#ifndef CGRAPHS_H
#define CGRAPHS_H

#include <stdbool.h>
#include <stdint.h>

/// True while somebody counts.
extern bool graphs_is_counting;

/// Runs of getters while somebody counted.
extern int64_t graphs_runs;

/// Calls of handlers while somebody counted.
extern int64_t graphs_calls;

/// Begins to count from zero.
void graphs_begin_counting(void);

/// Stops counting.
void graphs_end_counting(void);

/// Notes a run of a getter.
static inline __attribute__((always_inline)) void graphs_note_run(void) {
    if (__builtin_expect(graphs_is_counting, false)) graphs_runs++;
}

/// Notes a call of a handler.
static inline __attribute__((always_inline)) void graphs_note_call(void) {
    if (__builtin_expect(graphs_is_counting, false)) graphs_calls++;
}

/// The runs since counting began.
static inline int64_t graphs_counted_runs(void) { return graphs_runs; }

/// The calls since counting began.
static inline int64_t graphs_counted_calls(void) { return graphs_calls; }

#endif
