// Starts processes that want to stay, each in one of the ways a process leaves its parent, then says
// "ready" and waits (or, with `leave`, ends at once and leaves them behind).
//
// usage: tree child|setsid|double|setsid-double|daemon|stopped|subreaper|namespace|many stay|leave TOKEN [MARK]
// TOKEN is only there to find the processes by their command line. MARK is a file made after "ready"
// was said.
#define _GNU_SOURCE
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <unistd.h>

static int told[2];
static void stay(void) {
  for (int s = 1; s < 65; s++) signal(s, SIG_IGN);
  if (write(told[1], "x", 1) != 1) _exit(1);
  for (;;) pause();
}
static void fork_and(void (*then)(void)) { if (fork() == 0) { then(); _exit(0); } }
static void in_session(void) { setsid(); stay(); }
static void twice(void) { fork_and(stay); }
static void in_session_twice(void) { setsid(); fork_and(stay); }
static void as_daemon(void) {
  setsid();
  if (fork() != 0) _exit(0);
  if (chdir("/")) _exit(1);
  umask(0);
  int null = open("/dev/null", O_RDWR);
  for (int f = 0; f < 3; f++) dup2(null, f);
  stay();
}
static void stopped(void) { if (write(told[1], "x", 1) != 1) _exit(1); raise(SIGSTOP); for (;;) pause(); }
static void adopting(void) { prctl(PR_SET_CHILD_SUBREAPER, 1); fork_and(in_session_twice); for (;;) pause(); }

// Tries to hide in namespaces of its own, and stays whether that worked or not.
static void hiding(void) { if (unshare(CLONE_NEWUSER | CLONE_NEWPID) == 0 && fork() != 0) for (;;) pause(); stay(); }

int main(int argc, char **argv) {
  if (argc < 4 || pipe(told)) return 2;
  const char *way = argv[1];
  void (*how)(void) = !strcmp(way, "child") ? stay : !strcmp(way, "setsid") ? in_session : !strcmp(way, "double") ? twice
    : !strcmp(way, "setsid-double") ? in_session_twice : !strcmp(way, "daemon") ? as_daemon : !strcmp(way, "stopped") ? stopped : !strcmp(way, "namespace") ? hiding : !strcmp(way, "many") ? stay : adopting;
  int n = !strcmp(way, "many") ? 2000 : 3;
  for (int i = 0; i < n; i++) fork_and(how);
  char x;
  for (int i = 0; i < n; i++) if (read(told[0], &x, 1) != 1) return 3;
  printf("ready\n");
  fflush(stdout);
  if (argc > 4) close(open(argv[4], O_CREAT | O_WRONLY, 0600));
  if (!strcmp(argv[2], "leave")) return 0;
  for (;;) pause();
}
