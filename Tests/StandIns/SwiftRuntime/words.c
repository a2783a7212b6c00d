// A program for .ci/cross: what CSafeKVO says of threads and executors is right on a machine for which Swift's runtime is not at hand.
// Functions of this file stand in for that runtime.

#include "CSafeKVO.h"

#include <stdio.h>

#if !defined(__wasi__)
#include <pthread.h>
#endif

struct executor {
    void *identity;
    uintptr_t implementation;
};

static struct executor asked;
static uint64_t asked_flags;

__attribute__((swiftcall)) bool swift_task_isCurrentExecutorWithFlags(struct executor executor, uint64_t flags) {
    asked = executor;
    asked_flags = flags;
    return executor.implementation == 8;
}

__attribute__((swiftcall)) struct executor swift_task_getMainExecutor(void) {
    return (struct executor){.identity = &asked, .implementation = 9};
}

bool swift_isDeallocating(const void *object) {
    return object == &asked;
}

__attribute__((swiftcall)) struct safekvo_extents _swift_getSwiftClassInstanceExtents(const void *type) {
    return (struct safekvo_extents){.negative = 1, .positive = 2};
}

static int failures = 0;

static void expect(bool is_right, const char *what) {
    if (!is_right) {
        printf("wrong: %s\n", what);
        failures++;
    }
}

#if !defined(__wasi__)

struct seen {
    uintptr_t number, number_again, batch;
    bool is_on_main_actor;
};

static void *see(void *result) {
    struct seen *seen = result;
    seen->batch = safekvo_batch();
    safekvo_set_batch((uintptr_t)result);
    seen->number = safekvo_thread();
    seen->number_again = safekvo_thread();
    seen->is_on_main_actor = safekvo_is_on_main_actor();
    return 0;
}

static void expect_words_of_threads(void) {
    enum { count = 8 };
    struct seen seen[count] = {0};
    // One after the other, so that a thread is likely to begin in the memory of one that has ended.
    for (int index = 0; index < count; index++) {
        pthread_t thread;
        if (pthread_create(&thread, 0, see, &seen[index]) != 0) {
            expect(false, "a thread starts");
            return;
        }
        pthread_join(thread, 0);
        expect(seen[index].number != 0 && seen[index].number == seen[index].number_again, "a thread keeps its number");
        expect(seen[index].number != safekvo_thread(), "the main thread has a number of its own");
        expect(seen[index].batch == 0, "a thread begins without a batch");
        expect(!seen[index].is_on_main_actor, "another thread is not the main thread");
        for (int other = 0; other < index; other++) {
            expect(seen[index].number != seen[other].number, "no thread has the number of another");
        }
    }
    expect(asked.identity == &asked && asked.implementation == 9 && asked_flags == 0, "the main executor was asked for");
}

#endif

int main(void) {
    safekvo_set_batch(7);
#if !defined(__wasi__)
    expect_words_of_threads();
#endif
    expect(safekvo_batch() == 7 && safekvo_has_batch() && !safekvo_is_recording(), "a word keeps its value");
    expect(safekvo_is_on_main_actor(), "the main thread is the main actor's");
    expect(safekvo_is_current_executor(7, 8), "the answer of the runtime is passed on");
    expect((uintptr_t)asked.identity == 7 && asked.implementation == 8 && asked_flags == 0, "an executor has two words");
    expect(safekvo_is_deallocating(&asked) && !safekvo_is_deallocating(&failures), "the runtime knows what is being deallocated");
    expect(safekvo_instance_size(&asked) == 2, "the size is the second of two words");
    char name[8];
    expect(!safekvo_property_name(&asked, 0, name, sizeof name), "without reflection no property has a name");
    if (failures == 0) {
        printf("right, with pointers of %d bits\n", (int)sizeof(void *) * 8);
    }
    return failures == 0 ? 0 : 1;
}
