// Takes as much as it gets of one thing, and says how much that was.
//
// usage: bombs forks|threads|memory|shared|tree|churn|file|files|nameless|hidden|descriptors|cpu|cpu-ignoring|flood|deep|bomb
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static const size_t MIB = 1 << 20;
static char block[1 << 20];
static void *idle(void *x) { for (;;) pause(); return x; }
static void touch(char *p, size_t n) { for (size_t i = 0; i < n; i += 4096) p[i] = 1; }
// A process that the user's count leaves no room for just now comes later.
static pid_t insist(void) { pid_t p; while ((p = fork()) < 0) usleep(1000); return p; }
static long fill(int f) { long n = 0; while (write(f, block, sizeof block) == (ssize_t)sizeof block) n++; return n; }

int main(int argc, char **argv) {
  if (argc < 2) return 2;
  const char *what = argv[1];
  long n = 0;
  char name[64];
  if (!strcmp(what, "forks")) {
    for (;;) { pid_t p = fork(); if (p == 0) for (;;) pause(); if (p < 0) break; if (++n > 20000) break; }
  } else if (!strcmp(what, "threads")) {
    pthread_t t; pthread_attr_t a; pthread_attr_init(&a); pthread_attr_setstacksize(&a, 65536);
    while (pthread_create(&t, &a, idle, NULL) == 0 && n < 20000) n++;
  } else if (!strcmp(what, "memory")) {
    for (;;) { char *p = malloc(16 * MIB); if (!p) break; touch(p, 16 * MIB); n += 16; if (n > 8192) break; }
  } else if (!strcmp(what, "shared")) {
    for (;;) { char *p = mmap(0, 16 * MIB, PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0); if (p == MAP_FAILED) break; touch(p, 16 * MIB); n += 16; if (n > 8192) break; }
  } else if (!strcmp(what, "tree")) {
    for (int i = 0; i < 24; i++) if (insist() == 0) { char *p = malloc(128 * MIB); if (p) touch(p, 128 * MIB); for (;;) pause(); }
    for (;;) pause();
  } else if (!strcmp(what, "churn")) {
    // Memory that grows while orphans end all the time, so that whoever watches is never idle.
    for (int i = 0; i < 2; i++) if (insist() == 0) for (;;) { pid_t p = insist(); if (p == 0) { if (fork() == 0) _exit(0); _exit(0); } waitpid(p, NULL, 0); }
    for (int i = 0; i < 24; i++) { if (insist() == 0) { char *p = malloc(64 * MIB); if (p) touch(p, 64 * MIB); for (;;) pause(); } usleep(20000); }
    for (;;) pause();
  } else if (!strcmp(what, "file")) {
    signal(SIGXFSZ, SIG_IGN);
    for (int i = 0; i < 64; i++) { snprintf(name, sizeof name, "f%d", i); long m = fill(open(name, O_CREAT | O_WRONLY, 0600)); n += m; if (m == 0) break; usleep(60000); }
  } else if (!strcmp(what, "files")) {
    for (;;) { snprintf(name, sizeof name, "n%ld", n); int f = open(name, O_CREAT | O_WRONLY, 0600); if (f < 0) break; close(f); if (++n > 200000) break; if (n % 1000 == 0) usleep(20000); }
  } else if (!strcmp(what, "nameless")) {
    signal(SIGXFSZ, SIG_IGN);
    for (int i = 0; i < 64; i++) { int f = open("u", O_CREAT | O_WRONLY, 0600); unlink("u"); long m = fill(f); n += m; if (m == 0) break; usleep(60000); }
  } else if (!strcmp(what, "hidden")) {
    signal(SIGXFSZ, SIG_IGN); mkdir("d", 0300);
    for (int i = 0; i < 64; i++) { snprintf(name, sizeof name, "d/f%d", i); long m = fill(open(name, O_CREAT | O_WRONLY, 0600)); n += m; if (m == 0) break; usleep(60000); }
  } else if (!strcmp(what, "one-file")) {
    n = fill(open("big", O_CREAT | O_WRONLY, 0600));
  } else if (!strcmp(what, "descriptors")) {
    while (open("/dev/null", O_RDONLY) >= 0 && n < 100000) n++;
  } else if (!strcmp(what, "cpu")) {
    for (;;) n++;
  } else if (!strcmp(what, "cpu-ignoring")) {
    signal(SIGXCPU, SIG_IGN);
    for (;;) n++;
  } else if (!strcmp(what, "flood")) {
    long mib = argc > 2 ? atol(argv[2]) : 0;
    memset(block, 'x', sizeof block);
    for (long i = 0; mib == 0 || i < mib; i++) for (size_t done = 0; done < sizeof block;) { ssize_t w = write(1, block + done, sizeof block - done); if (w <= 0) return 1; done += w; }
    return 0;
  } else if (!strcmp(what, "deep")) {
    for (n = 0; n < 5000 && mkdir("d", 0700) == 0 && chdir("d") == 0; n++) close(open("f", O_CREAT | O_WRONLY, 0));
    mkdir("closed", 0);
  } else if (!strcmp(what, "bomb")) {
    for (;;) { if (fork() < 0) usleep(100); }
  }
  printf("%ld\n", n);
  return 0;
}
