/* The least work that finds skills on this kernel: what `discover` is measured against.
 *
 *     cc -O2 -pthread -o floor floor.c
 *     floor DIR -w flat|walk -t THREADS -p 0|1 -r REPEATS
 *
 * flat: list DIR, then open, read 4096 bytes of and close NAME/SKILL.md for each subdirectory.
 * walk: the same at any depth, but every directory is opened and listed to see whether it holds
 *       SKILL.md, which is what a walker does that lists before it opens.
 * -p 1 also finds `name:` and `description:` between the fences and copies both out.
 * Prints one JSON line on standard error with the best of REPEATS runs in one process. No result
 * is kept, sorted, checked or hashed: a program that does those things cannot be faster.
 */
#define _GNU_SOURCE
#include <dirent.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

enum { PAGE = 4096, LIST = 1 << 16, MAX_THREADS = 16, MAX_LEVELS = 16, PIECE = 64 };

struct entry {
    uint64_t inode;
    int64_t next;
    unsigned short size;
    unsigned char type;
    char name[];
};

struct worker {
    char page[PAGE];
    char *list[MAX_LEVELS];
    char *out;
    size_t out_used, out_size, skills;
};

static int want_walk, want_parse, threads = 1, repeats = 1, top;
static char *names;            /* the subdirectories of DIR, one after the other */
static size_t *starts, count;  /* where each name starts */
static atomic_size_t next_piece;

static void *need(void *memory)
{
    if (!memory) { perror("memory"); exit(1); }
    return memory;
}

static void copy_out(struct worker *w, const char *text, size_t size)
{
    if (w->out_used + size > w->out_size) {
        w->out_size = 2 * (w->out_used + size) + LIST;
        w->out = need(realloc(w->out, w->out_size));
    }
    memcpy(w->out + w->out_used, text, size);
    w->out_used += size;
}

static void copy_line(struct worker *w, const char *at, const char *end, const char *key)
{
    size_t key_size = strlen(key);
    while (at < end) {
        const char *stop = memchr(at, '\n', (size_t)(end - at));
        if (!stop) stop = end;
        if ((size_t)(stop - at) > key_size && !memcmp(at, key, key_size)) {
            copy_out(w, at + key_size, (size_t)(stop - at) - key_size);
            return;
        }
        at = stop + 1;
    }
}

static void take(struct worker *w, int directory, const char *path)
{
    int fd = openat(directory, path, O_RDONLY | O_CLOEXEC);
    if (fd < 0) return;
    ssize_t size = read(fd, w->page, PAGE);
    close(fd);
    if (size < 0) return;
    w->skills++;
    if (!want_parse || size < 8 || memcmp(w->page, "---\n", 4)) return;
    const char *end = memmem(w->page + 4, (size_t)size - 4, "\n---", 4);
    if (!end) return;
    copy_line(w, w->page + 4, end, "name:");
    copy_line(w, w->page + 4, end, "description:");
}

static void walk(struct worker *w, int parent, const char *name, int level)
{
    if (level == MAX_LEVELS) return;
    int fd = openat(parent, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);
    if (fd < 0) return;
    if (!w->list[level]) w->list[level] = need(malloc(LIST));
    char *list = w->list[level];
    long size;
    int is_skill = 0;
    while (!is_skill && (size = syscall(SYS_getdents64, fd, list, LIST)) > 0) {
        for (long at = 0; at < size; at += ((struct entry *)(list + at))->size)
            is_skill |= !strcmp(((struct entry *)(list + at))->name, "SKILL.md");
        for (long at = 0; !is_skill && at < size; at += ((struct entry *)(list + at))->size) {
            struct entry *e = (struct entry *)(list + at);
            if (e->type == DT_DIR && e->name[0] != '.') walk(w, fd, e->name, level + 1);
        }
    }
    if (is_skill) take(w, fd, "SKILL.md");
    close(fd);
}

static void *work(void *argument)
{
    struct worker *w = argument;
    char path[512];
    for (;;) {
        size_t start = atomic_fetch_add(&next_piece, PIECE);
        if (start >= count) return 0;
        for (size_t i = start; i < start + PIECE && i < count; i++) {
            const char *name = names + starts[i];
            if (want_walk) {
                walk(w, top, name, 0);
            } else if (snprintf(path, sizeof path, "%s/SKILL.md", name) < (int)sizeof path) {
                take(w, top, path);
            }
        }
    }
}

static void list_top(const char *root)
{
    static char list[LIST];
    static size_t names_size, starts_size;
    size_t used = 0;
    long size;
    top = open(root, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (top < 0) { perror(root); exit(1); }
    count = 0;
    while ((size = syscall(SYS_getdents64, top, list, LIST)) > 0) {
        for (long at = 0; at < size; at += ((struct entry *)(list + at))->size) {
            struct entry *e = (struct entry *)(list + at);
            if (e->type != DT_DIR || e->name[0] == '.') continue;
            size_t length = strlen(e->name) + 1;
            if (used + length > names_size)
                names = need(realloc(names, names_size = 2 * (used + length) + LIST));
            if (count == starts_size)
                starts = need(realloc(starts, (starts_size = 2 * count + 1024) * sizeof *starts));
            memcpy(names + used, e->name, length);
            starts[count++] = used;
            used += length;
        }
    }
}

static double now(clockid_t clock)
{
    struct timespec t;
    clock_gettime(clock, &t);
    return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

int main(int argc, char **argv)
{
    static struct worker workers[MAX_THREADS];
    pthread_t ids[MAX_THREADS];
    int option;
    if (argc < 2) return 2;
    optind = 2;
    while ((option = getopt(argc, argv, "w:t:p:r:")) != -1) {
        if (option == 'w') want_walk = !strcmp(optarg, "walk");
        else if (option == 't') threads = atoi(optarg);
        else if (option == 'p') want_parse = atoi(optarg);
        else if (option == 'r') repeats = atoi(optarg);
        else return 2;
    }
    if (threads < 1 || threads > MAX_THREADS || repeats < 1) return 2;
    double best = 0, best_cpu = 0;
    size_t skills = 0;
    for (int run = 0; run < repeats; run++) {
        double start = now(CLOCK_MONOTONIC), start_cpu = now(CLOCK_PROCESS_CPUTIME_ID);
        list_top(argv[1]);
        atomic_store(&next_piece, 0);
        for (int i = 0; i < threads; i++) workers[i].skills = workers[i].out_used = 0;
        for (int i = 1; i < threads; i++) pthread_create(&ids[i], 0, work, &workers[i]);
        work(&workers[0]);
        for (int i = 1; i < threads; i++) pthread_join(ids[i], 0);
        close(top);
        double took = now(CLOCK_MONOTONIC) - start;
        double cpu = now(CLOCK_PROCESS_CPUTIME_ID) - start_cpu;
        if (run == 0 || took < best) best = took;
        if (run == 0 || cpu < best_cpu) best_cpu = cpu;
        skills = 0;
        for (int i = 0; i < threads; i++) skills += workers[i].skills;
    }
    double per = skills ? (double)skills : 1;
    fprintf(stderr, "{\"skills\":%zu,\"best_ns_per_skill\":%.0f,\"best_cpu_ns_per_skill\":%.0f}\n",
            skills, best / per, best_cpu / per);
    return 0;
}
