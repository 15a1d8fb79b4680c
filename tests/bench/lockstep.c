/* Threads that take turns by the nodes that they have searched: the same search each time, however busy the machine. */

#include <semaphore.h>
#include <stdint.h>

#define MAX_THREADS 256

static sem_t turns[MAX_THREADS];
static volatile int takes_part[MAX_THREADS];
static int count;
static int64_t turn_nodes;
static __thread int own = -1;
static __thread int64_t until;

static int next_thread(void)
{
    for (int i = 1; i < count; i++)
        if (takes_part[(own + i) % count])
            return (own + i) % count;
    return own;
}

static void wait_for_turn(void)
{
    while (sem_wait(&turns[own]) != 0)
        ;
}

/* Give the first turn to the calling thread, number 0; the other threads are expected to enter. */
void lockstep_begin(int threads, int64_t nodes)
{
    count = threads;
    turn_nodes = until = nodes;
    own = 0;
    for (int i = 0; i < threads; i++) {
        sem_init(&turns[i], 0, 0);
        takes_part[i] = 1;
    }
}

/* Take part with this number, from the thread's first turn on. */
void lockstep_enter(int thread)
{
    own = thread;
    until = turn_nodes;
    wait_for_turn();
}

/* Pass the turn on for good. */
void lockstep_leave(void)
{
    int next = next_thread();
    takes_part[own] = 0;
    if (next != own)
        sem_post(&turns[next]);
    own = -1;
}

/* Pass the turn on, and wait for the next one, where the calling thread has searched as many nodes as a turn has. */
int64_t lockstep_step(int64_t nodes)
{
    int next;
    if (own < 0 || nodes < until)
        return 0;
    while (until <= nodes)
        until += turn_nodes;
    next = next_thread();
    if (next != own) {
        sem_post(&turns[next]);
        wait_for_turn();
    }
    return 0;
}
