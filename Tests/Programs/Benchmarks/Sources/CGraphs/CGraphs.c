#include "CGraphs.h"

bool graphs_is_counting = false;
int64_t graphs_runs = 0;
int64_t graphs_calls = 0;

void graphs_begin_counting(void) {
    graphs_runs = 0;
    graphs_calls = 0;
    graphs_is_counting = true;
}

void graphs_end_counting(void) {
    graphs_is_counting = false;
}
