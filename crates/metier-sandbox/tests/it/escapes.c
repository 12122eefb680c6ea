// Attempts to get out. Every attempt is a few calls that return 1 when they got something they must
// not get, and 0 with errno when they were refused. Each runs in a process of its own, so that one
// that is killed does not take the others with it.
//
// usage: escapes walls|control OUTSIDE SKILL PROJECT VICTIM TCP UDP UNIX ABSTRACT
//   OUTSIDE   a directory the child must not reach; holds `secret` (with the word) and `file`
//   SKILL     a directory it may read; holds `file`
//   PROJECT   a directory it may write
//   VICTIM    a process of the same user outside, with TOKEN in its environment
//   TCP, UDP  ports on 127.0.0.1 where somebody listens
//   UNIX      the path of a datagram socket; ABSTRACT the name of a stream socket
// prints one line per attempt: class, name, blocked or ESCAPED or skipped, reason
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <linux/netlink.h>
#include <linux/seccomp.h>
#include <net/if.h>
#include <netinet/in.h>
#include <sched.h>
#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/inotify.h>
#include <sys/ipc.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/msg.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/sendfile.h>
#include <sys/shm.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/timex.h>
#include <sys/uio.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <sys/xattr.h>
#include <termios.h>
#include <time.h>
#include <unistd.h>
#include <utime.h>

static const char *OUTSIDE, *SKILL, *PROJECT, *UNIX_PATH, *ABSTRACT;
static int VICTIM, TCP_PORT, UDP_PORT;
static const char WORD[] = "s3cret-canary";

struct attempt { const char *class_, *name; int harmless; int (*run)(void); };
static struct attempt all[512];
static int count;
static void add(const char *c, const char *n, int h, int (*f)(void)) {
  all[count++] = (struct attempt){c, n, h, f};
}
#define GLUE2(a, b) a##b
#define GLUE(a, b) GLUE2(a, b)
// HARMLESS attempts may also be made without walls, to show that they are real.
#define HARMLESS 1
#define HARMFUL 0
#define ATTEMPT(class_, name, harmless, ...)                        \
  static int GLUE(run_, __LINE__)(void) { __VA_ARGS__ }             \
  __attribute__((constructor)) static void GLUE(add_, __LINE__)(void) { \
    add(class_, name, harmless, GLUE(run_, __LINE__));              \
  }
#define TRY(expression) return (long)(expression) >= 0;

static char *in(const char *directory, const char *name) {
  static char buffers[8][4096];
  static int next;
  char *b = buffers[next++ % 8];
  snprintf(b, 4096, "%s/%s", directory, name);
  return b;
}
static char *of(int pid, const char *name) {
  char p[64];
  snprintf(p, sizeof p, "/proc/%d", pid);
  return in(p, name);
}
static int holds(int fd, const char *word) {
  static char text[1 << 16];
  if (fd < 0) return 0;
  ssize_t n = read(fd, text, sizeof text - 1);
  if (n < 0) return 0;
  if (word == NULL) return n > 0;
  return memmem(text, n, word, strlen(word)) != NULL;
}
static int reads(const char *path, const char *word) { return holds(open(path, O_RDONLY), word); }
static int writes(const char *path) {
  int fd = open(path, O_WRONLY);
  return fd >= 0 && write(fd, "1", 1) == 1;
}
static int lists(const char *path) {
  DIR *d = opendir(path);
  if (!d) return 0;
  int n = 0;
  while (readdir(d)) n++;
  return n > 2;
}
static int makes(const char *path, int flags) {
  return open(path, O_WRONLY | O_CREAT | flags, 0644) >= 0;
}
static struct sockaddr_in at(int port) {
  struct sockaddr_in a = {.sin_family = AF_INET, .sin_port = htons(port)};
  a.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  return a;
}
static socklen_t unix_address(struct sockaddr_un *a, const char *name, int abstract) {
  memset(a, 0, sizeof *a);
  a->sun_family = AF_UNIX;
  strncpy(a->sun_path + abstract, name, sizeof a->sun_path - 2);
  return offsetof(struct sockaddr_un, sun_path) + abstract + strlen(name) + !abstract;
}
static int opens(int family, int type, int protocol) { return socket(family, type, protocol) >= 0; }

// ---- reading secrets
ATTEMPT("read", "open", HARMLESS, return reads(in(OUTSIDE, "secret"), WORD);)
ATTEMPT("read", "openat from the root", HARMLESS, int d = open("/", O_PATH | O_DIRECTORY);
        return holds(openat(d, in(OUTSIDE, "secret") + 1, O_RDONLY), WORD);)
ATTEMPT("read", "openat2", HARMLESS, uint64_t how[3] = {O_RDONLY, 0, 0};
        return holds(syscall(437, AT_FDCWD, in(OUTSIDE, "secret"), how, sizeof how), WORD);)
ATTEMPT("read", "dot-dot from the skill", HARMLESS, return reads(in(SKILL, "../outside/secret"), WORD);)
ATTEMPT("read", "dot-dot from the project", HARMLESS, return reads(in(PROJECT, "../outside/secret"), WORD);)
ATTEMPT("read", "dot-dot from a descriptor", HARMLESS, int d = open(SKILL, O_RDONLY | O_DIRECTORY);
        return holds(openat(d, "../outside/secret", O_RDONLY), WORD);)
ATTEMPT("read", "chdir out, then relative", HARMLESS, return chdir(OUTSIDE) == 0 && reads("secret", WORD);)
ATTEMPT("read", "descriptor of the directory", HARMLESS, int d = open(OUTSIDE, O_PATH | O_DIRECTORY);
        return holds(openat(d, "secret", O_RDONLY), WORD);)
ATTEMPT("read", "path descriptor reopened", HARMLESS, int d = open(in(OUTSIDE, "secret"), O_PATH);
        char p[64]; snprintf(p, sizeof p, "/proc/self/fd/%d", d); return d >= 0 && reads(p, WORD);)
ATTEMPT("read", "list the directory", HARMLESS, return lists(OUTSIDE);)
ATTEMPT("read", "mmap", HARMLESS, int f = open(in(OUTSIDE, "secret"), O_RDONLY);
        return f >= 0 && mmap(0, 4096, PROT_READ, MAP_PRIVATE, f, 0) != MAP_FAILED;)
ATTEMPT("read", "sendfile", HARMLESS, int f = open(in(OUTSIDE, "secret"), O_RDONLY);
        int o = open("/dev/null", O_WRONLY); return sendfile(o, f, NULL, 16) > 0;)
ATTEMPT("read", "execute", HARMLESS, execl(in(OUTSIDE, "program"), "program", NULL); return 0;)
ATTEMPT("read", "execute through the loader", HARMLESS, 
        execl("/lib64/ld-linux-x86-64.so.2", "ld", in(OUTSIDE, "program"), NULL); return 0;)
ATTEMPT("read", "password hashes", HARMFUL, return reads("/etc/shadow", NULL);)
ATTEMPT("read", "accounts of the machine", HARMLESS, return reads("/etc/passwd", "daemon");)
ATTEMPT("read", "sudo rules", HARMFUL, return reads("/etc/sudoers", NULL);)
ATTEMPT("read", "host keys", HARMFUL, return lists("/etc/ssh");)
ATTEMPT("read", "private certificates", HARMFUL, return lists("/etc/ssl/private");)
ATTEMPT("read", "logs", HARMLESS, return lists("/var/log");)
ATTEMPT("read", "run-time files", HARMLESS, return lists("/run");)
ATTEMPT("read", "kernel objects", HARMLESS, return lists("/sys/kernel");)
ATTEMPT("read", "other temporary files", HARMLESS, return access(OUTSIDE, X_OK) == 0 && lists(in(OUTSIDE, ".."));)
ATTEMPT("read", "watch for changes", HARMLESS, int i = inotify_init();
        TRY(inotify_add_watch(i, OUTSIDE, IN_ALL_EVENTS)))
ATTEMPT("read", "disk device", HARMFUL, return reads("/dev/vda", NULL) || reads("/dev/sda", NULL);)
ATTEMPT("read", "memory device", HARMFUL, return reads("/dev/mem", NULL) || reads("/dev/kmsg", NULL);)
ATTEMPT("read", "file by handle", HARMLESS, char h[256] = {0}; int m; *(unsigned *)h = 128;
        if (syscall(SYS_name_to_handle_at, AT_FDCWD, in(OUTSIDE, "secret"), h, &m, 0)) return 0;
        TRY(syscall(SYS_open_by_handle_at, open("/", O_RDONLY), h, O_RDONLY)))

// ---- writing outside
ATTEMPT("write", "open", HARMLESS, return writes(in(OUTSIDE, "file"));)
ATTEMPT("write", "append", HARMLESS, TRY(open(in(OUTSIDE, "file"), O_WRONLY | O_APPEND)))
ATTEMPT("write", "truncate on open", HARMLESS, TRY(open(in(OUTSIDE, "file"), O_WRONLY | O_TRUNC)))
ATTEMPT("write", "truncate read-only open", HARMLESS, TRY(open(in(OUTSIDE, "file"), O_RDONLY | O_TRUNC)))
ATTEMPT("write", "truncate by path", HARMLESS, TRY(truncate(in(OUTSIDE, "file"), 0)))
ATTEMPT("write", "create", HARMLESS, return makes(in(OUTSIDE, "new"), 0);)
ATTEMPT("write", "create exclusively", HARMLESS, return makes(in(OUTSIDE, "new2"), O_EXCL);)
ATTEMPT("write", "nameless file", HARMLESS, TRY(open(OUTSIDE, O_TMPFILE | O_WRONLY, 0600)))
ATTEMPT("write", "mkdir", HARMLESS, TRY(mkdir(in(OUTSIDE, "newdir"), 0755)))
ATTEMPT("write", "mkfifo", HARMLESS, TRY(mkfifo(in(OUTSIDE, "newfifo"), 0644)))
ATTEMPT("write", "device file", HARMLESS, TRY(mknod(in(OUTSIDE, "newdev"), S_IFCHR | 0666, 0x0103)))
ATTEMPT("write", "symlink", HARMLESS, TRY(symlink("x", in(OUTSIDE, "newlink"))))
ATTEMPT("write", "chmod", HARMLESS, TRY(chmod(in(OUTSIDE, "file"), 0777)))
ATTEMPT("write", "chmod of a path descriptor", HARMLESS, int f = open(in(OUTSIDE, "file"), O_PATH);
        char p[64]; snprintf(p, sizeof p, "/proc/self/fd/%d", f); TRY(chmod(p, 0777)))
ATTEMPT("write", "fchmodat2", HARMLESS, TRY(syscall(452, AT_FDCWD, in(OUTSIDE, "file"), 0777, 0)))
ATTEMPT("write", "chown", HARMLESS, TRY(chown(in(OUTSIDE, "file"), getuid(), getgid())))
ATTEMPT("write", "lchown", HARMLESS, TRY(lchown(in(OUTSIDE, "file"), getuid(), getgid())))
ATTEMPT("write", "utime", HARMLESS, TRY(utime(in(OUTSIDE, "file"), NULL)))
ATTEMPT("write", "utimensat", HARMLESS, TRY(utimensat(AT_FDCWD, in(OUTSIDE, "file"), NULL, 0)))
ATTEMPT("write", "setxattr", HARMLESS, TRY(setxattr(in(OUTSIDE, "file"), "user.x", "1", 1, 0)))
ATTEMPT("write", "setxattrat", HARMLESS, struct { uint64_t v; uint32_t n, f; } a = {(uint64_t) "1", 1, 0};
        TRY(syscall(463, AT_FDCWD, in(OUTSIDE, "file"), 0, "user.y", &a, sizeof a)))
ATTEMPT("write", "unlink", HARMLESS, TRY(unlink(in(OUTSIDE, "doomed"))))
ATTEMPT("write", "rmdir", HARMLESS, TRY(rmdir(in(OUTSIDE, "empty"))))
ATTEMPT("write", "rename within", HARMFUL, TRY(rename(in(OUTSIDE, "file"), in(OUTSIDE, "file2"))))
ATTEMPT("write", "mmap shared", HARMLESS, int f = open(in(OUTSIDE, "file"), O_RDWR);
        return f >= 0 && mmap(0, 4096, PROT_WRITE, MAP_SHARED, f, 0) != MAP_FAILED;)
ATTEMPT("write", "fallocate", HARMLESS, int f = open(in(OUTSIDE, "file"), O_WRONLY); TRY(fallocate(f, 0, 0, 10)))
ATTEMPT("write", "skill: open", HARMLESS, return writes(in(SKILL, "file"));)
ATTEMPT("write", "skill: create", HARMLESS, return makes(in(SKILL, "new"), 0);)
ATTEMPT("write", "skill: truncate", HARMLESS, TRY(truncate(in(SKILL, "file"), 0)))
ATTEMPT("write", "skill: chmod", HARMLESS, TRY(chmod(in(SKILL, "file"), 0600)))
ATTEMPT("write", "skill: fchmod of a readable file", HARMLESS, TRY(fchmod(open(in(SKILL, "file"), O_RDONLY), 0600)))
ATTEMPT("write", "skill: fsetxattr of a readable file", HARMLESS,
        TRY(fsetxattr(open(in(SKILL, "file"), O_RDONLY), "user.x", "1", 1, 0)))
ATTEMPT("write", "skill: unlink", HARMLESS, TRY(unlink(in(SKILL, "doomed"))))
ATTEMPT("write", "skill: readable file reopened for writing", HARMLESS,
        int f = open(in(SKILL, "file"), O_RDONLY); char p[64];
        snprintf(p, sizeof p, "/proc/self/fd/%d", f); return f >= 0 && writes(p);)
ATTEMPT("write", "skill: flags through ioctl", HARMLESS, int f = open(in(SKILL, "file"), O_RDONLY);
        long flags = 0; TRY(ioctl(f, 0x40086602, &flags) == 0 ? 0 : -1))
ATTEMPT("write", "skill: project id through ioctl", HARMLESS, int f = open(in(SKILL, "file"), O_RDONLY);
        char a[28] = {0}; TRY(ioctl(f, 0x401c5820, a)))
ATTEMPT("write", "skill: time of the directory", HARMLESS, TRY(utimensat(AT_FDCWD, SKILL, NULL, 0)))
ATTEMPT("write", "programs", HARMFUL, return makes("/usr/bin/new-program", 0);)
ATTEMPT("write", "libraries", HARMFUL, return makes("/usr/lib/new.so", 0);)
ATTEMPT("write", "configuration", HARMFUL, return makes("/etc/new.conf", 0);)
ATTEMPT("write", "the root", HARMFUL, return makes("/new-file", 0);)
ATTEMPT("write", "a device that is no device", HARMFUL, return makes("/dev/new-file", 0);)
ATTEMPT("write", "variable files", HARMFUL, return makes("/var/tmp/new-file", 0);)
ATTEMPT("write", "accounts", HARMFUL, TRY(open("/etc/passwd", O_WRONLY)))
ATTEMPT("write", "a program", HARMFUL, TRY(open("/usr/bin/env", O_WRONLY)))

// ---- symbolic and hard links
ATTEMPT("links", "symlink in the private directory, read", HARMLESS, symlink(in(OUTSIDE, "secret"), "l1"); return reads("l1", WORD);)
ATTEMPT("links", "symlink in the private directory, write", HARMLESS, symlink(in(OUTSIDE, "file"), "l2"); return writes("l2");)
ATTEMPT("links", "symlink in the project, read", HARMLESS, symlink(in(OUTSIDE, "secret"), in(PROJECT, "l3")); return reads(in(PROJECT, "l3"), WORD);)
ATTEMPT("links", "symlink in the project, write", HARMLESS, symlink(in(OUTSIDE, "file"), in(PROJECT, "l4")); return writes(in(PROJECT, "l4"));)
ATTEMPT("links", "symlink in the skill", HARMLESS, return reads(in(SKILL, "link-out"), WORD);)
ATTEMPT("links", "directory symlink", HARMLESS, symlink(OUTSIDE, "l5"); return reads("l5/secret", WORD);)
ATTEMPT("links", "chain of symlinks", HARMLESS, symlink(OUTSIDE, "l6"); symlink("l6", "l7"); return reads("l7/secret", WORD);)
ATTEMPT("links", "relative symlink", HARMLESS, symlink("../outside/secret", in(PROJECT, "l8")); return reads(in(PROJECT, "l8"), WORD);)
ATTEMPT("links", "symlink through the root of a process", HARMLESS, symlink("/proc/self/root", "l9"); return reads(in("l9", in(OUTSIDE, "secret")), WORD);)
ATTEMPT("links", "hard link into the private directory", HARMLESS, link(in(OUTSIDE, "secret"), "h1"); return reads("h1", WORD);)
ATTEMPT("links", "hard link into the project", HARMLESS, TRY(link(in(OUTSIDE, "file"), in(PROJECT, "h2"))))
ATTEMPT("links", "hard link of a skill file into the project", HARMLESS, link(in(SKILL, "file"), in(PROJECT, "h3")); return writes(in(PROJECT, "h3"));)
ATTEMPT("links", "hard link of a descriptor", HARMLESS, int f = open(in(OUTSIDE, "secret"), O_PATH);
        TRY(linkat(f, "", AT_FDCWD, in(PROJECT, "h4"), AT_EMPTY_PATH)))
ATTEMPT("links", "rename into the project", HARMLESS, TRY(rename(in(OUTSIDE, "moved"), in(PROJECT, "m1"))))
ATTEMPT("links", "rename out of the project", HARMLESS, makes(in(PROJECT, "m2"), 0); TRY(rename(in(PROJECT, "m2"), in(OUTSIDE, "m2"))))
ATTEMPT("links", "exchange a directory", HARMFUL, mkdir(in(PROJECT, "m3"), 0755);
        TRY(syscall(SYS_renameat2, AT_FDCWD, in(PROJECT, "m3"), AT_FDCWD, OUTSIDE, 2)))
ATTEMPT("links", "move a skill directory into the project", HARMLESS, TRY(rename(in(SKILL, "directory"), in(PROJECT, "m4"))))
ATTEMPT("links", "rename the project away", HARMFUL, TRY(rename(PROJECT, in(PROJECT, "../elsewhere"))))

// ---- what /proc tells and takes
ATTEMPT("proc", "environment of a process outside", HARMLESS, return reads(of(VICTIM, "environ"), WORD);)
ATTEMPT("proc", "command line of a process outside", HARMLESS, return reads(of(VICTIM, "cmdline"), "sleep");)
ATTEMPT("proc", "memory of a process outside", HARMLESS, TRY(open(of(VICTIM, "mem"), O_RDWR)))
ATTEMPT("proc", "memory map of a process outside", HARMLESS, return reads(of(VICTIM, "maps"), NULL);)
ATTEMPT("proc", "descriptors of a process outside", HARMLESS, return lists(of(VICTIM, "fd"));)
ATTEMPT("proc", "root of a process outside", HARMLESS, return lists(of(VICTIM, "root"));)
ATTEMPT("proc", "working directory of a process outside", HARMLESS, return lists(of(VICTIM, "cwd/."));)
ATTEMPT("proc", "program of a process outside", HARMLESS, return reads(of(VICTIM, "exe"), NULL);)
ATTEMPT("proc", "status of a process outside", HARMLESS, return reads(of(VICTIM, "status"), NULL);)
ATTEMPT("proc", "list of processes outside", HARMLESS, struct stat s; return stat(of(VICTIM, "task"), &s) == 0 && lists("/proc");)
ATTEMPT("proc", "environment of the first process", HARMLESS, return reads("/proc/1/environ", NULL);)
ATTEMPT("proc", "root of the first process", HARMLESS, return reads(in("/proc/1/root", in(OUTSIDE, "secret")), WORD);)
ATTEMPT("proc", "memory of the first process", HARMFUL, TRY(open("/proc/1/mem", O_RDWR)))
ATTEMPT("proc", "environment of the parent", HARMFUL, return getppid() > 2 ? reads(of(getppid(), "environ"), "TOKEN") : 0;)
ATTEMPT("proc", "own root", HARMLESS, return reads(in("/proc/self/root", in(OUTSIDE, "secret")), WORD);)
ATTEMPT("proc", "own working directory upwards", HARMLESS, return reads(in("/proc/self/cwd/../../../../..", in(OUTSIDE, "secret")), WORD);)
ATTEMPT("proc", "core pattern", HARMFUL, TRY(open("/proc/sys/kernel/core_pattern", O_WRONLY)))
ATTEMPT("proc", "highest process id", HARMFUL, return writes("/proc/sys/kernel/pid_max");)
ATTEMPT("proc", "module loader", HARMFUL, TRY(open("/proc/sys/kernel/modprobe", O_WRONLY)))
ATTEMPT("proc", "system request key", HARMFUL, TRY(open("/proc/sysrq-trigger", O_WRONLY)))
ATTEMPT("proc", "kernel memory", HARMFUL, TRY(open("/proc/kcore", O_RDONLY)))
ATTEMPT("proc", "kernel symbols", HARMLESS, return reads("/proc/kallsyms", NULL);)
ATTEMPT("proc", "kernel messages", HARMFUL, TRY(open("/proc/kmsg", O_RDONLY)))
ATTEMPT("proc", "kernel configuration", HARMLESS, return reads("/proc/sys/kernel/random/boot_id", NULL);)
ATTEMPT("proc", "keys", HARMLESS, TRY(open("/proc/keys", O_RDONLY)))
ATTEMPT("proc", "mounts of the machine", HARMLESS, return reads(of(VICTIM, "mountinfo"), NULL);)
ATTEMPT("proc", "connections of the machine", HARMLESS, return reads(of(VICTIM, "net/tcp"), "0100007F");)
ATTEMPT("proc", "own id map", HARMFUL, return writes("/proc/self/uid_map");)
ATTEMPT("proc", "survival of a process outside", HARMFUL, return writes(of(VICTIM, "oom_score_adj"));)
ATTEMPT("proc", "drop caches", HARMFUL, return writes("/proc/sys/vm/drop_caches");)
ATTEMPT("proc", "control groups", HARMFUL, TRY(open("/sys/fs/cgroup/cgroup.procs", O_WRONLY)) )

// ---- sockets of every family
ATTEMPT("sockets", "TCP to the machine", HARMLESS, struct sockaddr_in a = at(TCP_PORT); TRY(connect(socket(AF_INET, SOCK_STREAM, 0), (void *)&a, sizeof a)))
ATTEMPT("sockets", "TCP fast open", HARMLESS, struct sockaddr_in a = at(TCP_PORT); TRY(sendto(socket(AF_INET, SOCK_STREAM, 0), "x", 1, MSG_FASTOPEN | MSG_NOSIGNAL, (void *)&a, sizeof a)))
ATTEMPT("sockets", "TCP over IPv6", HARMLESS, struct sockaddr_in6 a = {.sin6_family = AF_INET6, .sin6_port = htons(TCP_PORT)};
        inet_pton(AF_INET6, "::ffff:127.0.0.1", &a.sin6_addr); TRY(connect(socket(AF_INET6, SOCK_STREAM, 0), (void *)&a, sizeof a)))
ATTEMPT("sockets", "multipath TCP", HARMLESS, struct sockaddr_in a = at(TCP_PORT); TRY(connect(socket(AF_INET, SOCK_STREAM, 262), (void *)&a, sizeof a)))
ATTEMPT("sockets", "listen on TCP", HARMLESS, int s = socket(AF_INET, SOCK_STREAM, 0); TRY(listen(s, 1)))
ATTEMPT("sockets", "bind TCP", HARMLESS, struct sockaddr_in a = at(0); TRY(bind(socket(AF_INET, SOCK_STREAM, 0), (void *)&a, sizeof a)))
ATTEMPT("sockets", "UDP to the machine", HARMLESS, struct sockaddr_in a = at(UDP_PORT); TRY(sendto(socket(AF_INET, SOCK_DGRAM, 0), WORD, 13, 0, (void *)&a, sizeof a)))
ATTEMPT("sockets", "UDP connected", HARMLESS, struct sockaddr_in a = at(UDP_PORT); int s = socket(AF_INET, SOCK_DGRAM, 0); return connect(s, (void *)&a, sizeof a) == 0 && send(s, WORD, 13, 0) == 13;)
ATTEMPT("sockets", "UDP to a name server", HARMFUL, struct sockaddr_in a = at(53); inet_pton(AF_INET, "192.0.2.1", &a.sin_addr); TRY(sendto(socket(AF_INET, SOCK_DGRAM, 0), WORD, 13, 0, (void *)&a, sizeof a)))
ATTEMPT("sockets", "UDP over IPv6", HARMLESS, return opens(AF_INET6, SOCK_DGRAM, 0);)
ATTEMPT("sockets", "UDP-Lite", HARMLESS, return opens(AF_INET, SOCK_DGRAM, 136);)
ATTEMPT("sockets", "SCTP", HARMLESS, return opens(AF_INET, SOCK_STREAM, 132);)
ATTEMPT("sockets", "echo", HARMLESS, return opens(AF_INET, SOCK_DGRAM, IPPROTO_ICMP) || opens(AF_INET6, SOCK_DGRAM, IPPROTO_ICMPV6);)
ATTEMPT("sockets", "raw IP", HARMLESS, return opens(AF_INET, SOCK_RAW, IPPROTO_RAW);)
ATTEMPT("sockets", "raw IPv6", HARMLESS, return opens(AF_INET6, SOCK_RAW, IPPROTO_RAW);)
ATTEMPT("sockets", "packets", HARMLESS, return opens(AF_PACKET, SOCK_RAW, htons(3)) || opens(AF_PACKET, SOCK_DGRAM, htons(3));)
ATTEMPT("sockets", "netlink routes", HARMLESS, return opens(AF_NETLINK, SOCK_RAW, NETLINK_ROUTE);)
ATTEMPT("sockets", "netlink device events", HARMLESS, return opens(AF_NETLINK, SOCK_DGRAM, NETLINK_KOBJECT_UEVENT);)
ATTEMPT("sockets", "netlink audit", HARMLESS, return opens(AF_NETLINK, SOCK_RAW, NETLINK_AUDIT);)
ATTEMPT("sockets", "virtual machine", HARMLESS, return opens(AF_VSOCK, SOCK_STREAM, 0);)
ATTEMPT("sockets", "kernel cryptography", HARMLESS, return opens(AF_ALG, SOCK_SEQPACKET, 0);)
ATTEMPT("sockets", "bluetooth", HARMLESS, return opens(AF_BLUETOOTH, SOCK_RAW, 1);)
ATTEMPT("sockets", "CAN bus", HARMLESS, return opens(AF_CAN, SOCK_RAW, 1);)
ATTEMPT("sockets", "TIPC", HARMLESS, return opens(AF_TIPC, SOCK_RDM, 0);)
ATTEMPT("sockets", "express data path", HARMLESS, return opens(AF_XDP, SOCK_RAW, 0);)
ATTEMPT("sockets", "SMC", HARMLESS, return opens(AF_SMC, SOCK_STREAM, 0);)
ATTEMPT("sockets", "key management", HARMLESS, return opens(AF_KEY, SOCK_RAW, 2);)
ATTEMPT("sockets", "every other family", HARMFUL, int n = 0; for (int f = 2; f < 64; f++) for (int t = 1; t < 6; t++) n += opens(f, t, 0); return n > 0;)
ATTEMPT("sockets", "unix by path", HARMLESS, struct sockaddr_un a; socklen_t l = unix_address(&a, UNIX_PATH, 0); TRY(sendto(socket(AF_UNIX, SOCK_DGRAM, 0), WORD, 13, 0, (void *)&a, l)))
ATTEMPT("sockets", "unix abstract", HARMLESS, struct sockaddr_un a; socklen_t l = unix_address(&a, ABSTRACT, 1); TRY(connect(socket(AF_UNIX, SOCK_STREAM, 0), (void *)&a, l)))
ATTEMPT("sockets", "unix listening", HARMLESS, struct sockaddr_un a; socklen_t l = unix_address(&a, "metier-escape", 1); TRY(bind(socket(AF_UNIX, SOCK_STREAM, 0), (void *)&a, l)))
ATTEMPT("sockets", "datagram pair aimed at a path", HARMLESS, int p[2]; if (socketpair(AF_UNIX, SOCK_DGRAM, 0, p)) return 0;
        struct sockaddr_un a; socklen_t l = unix_address(&a, UNIX_PATH, 0); TRY(sendto(p[0], WORD, 13, 0, (void *)&a, l)))
ATTEMPT("sockets", "datagram pair turned to a path", HARMLESS, int p[2]; if (socketpair(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0, p)) return 0;
        struct sockaddr_un a; socklen_t l = unix_address(&a, UNIX_PATH, 0); TRY(connect(p[0], (void *)&a, l)))
ATTEMPT("sockets", "stream pair turned to a name", HARMLESS, int p[2]; if (socketpair(AF_UNIX, SOCK_STREAM, 0, p)) return 0;
        struct sockaddr_un a; socklen_t l = unix_address(&a, ABSTRACT, 1); TRY(connect(p[0], (void *)&a, l)))
ATTEMPT("sockets", "family with high bits", HARMLESS, TRY(syscall(SYS_socket, 0x100000000L | AF_INET, SOCK_STREAM, 0)))
ATTEMPT("sockets", "ring of calls", HARMLESS, char p[120] = {0}; TRY(syscall(SYS_io_uring_setup, 4, p)))
#ifdef __x86_64__
static long x32(long nr, long a, long b, long c) {
  long r; __asm__ volatile("syscall" : "=a"(r) : "a"(nr | 0x40000000L), "D"(a), "S"(b), "d"(c) : "rcx", "r11", "memory");
  if (r < 0) { errno = -r; return -1; } return r;
}
static long i386(long nr, long a, long b, long c) {
  long r; __asm__ volatile("int $0x80" : "=a"(r) : "a"(nr), "b"(a), "c"(b), "d"(c) : "memory", "r8", "r9", "r10", "r11");
  if ((int)r < 0) { errno = -(int)r; return -1; } return r;
}
ATTEMPT("sockets", "through the x32 entry", HARMLESS, TRY(x32(41, AF_INET, SOCK_STREAM, 0)))
ATTEMPT("sockets", "through the 32-bit entry", HARMLESS, TRY(i386(359, AF_INET, SOCK_STREAM, 0)))
ATTEMPT("sockets", "through the old 32-bit multiplexer", HARMLESS,
        int *low = mmap(0, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_32BIT, -1, 0);
        low[0] = AF_INET; low[1] = SOCK_STREAM; low[2] = 0; TRY(i386(102, 1, (long)low, 0)))
ATTEMPT("kernel", "x32 entry", HARMLESS, TRY(x32(39, 0, 0, 0)))
ATTEMPT("kernel", "32-bit entry", HARMLESS, TRY(i386(20, 0, 0, 0)))
ATTEMPT("kernel", "ports by level", HARMFUL, TRY(syscall(SYS_iopl, 3)))
ATTEMPT("kernel", "ports by permission", HARMFUL, TRY(syscall(SYS_ioperm, 0x80, 1, 1)))
ATTEMPT("kernel", "segment table", HARMLESS, char b[64]; TRY(syscall(SYS_modify_ldt, 0, b, sizeof b)))
#endif

// ---- signals and settings of processes outside
ATTEMPT("signals", "is it there", HARMLESS, TRY(kill(VICTIM, 0)))
ATTEMPT("signals", "kill", HARMFUL, TRY(kill(VICTIM, SIGKILL)))
ATTEMPT("signals", "stop", HARMFUL, TRY(kill(VICTIM, SIGSTOP)))
ATTEMPT("signals", "its group", HARMFUL, TRY(kill(-VICTIM, SIGTERM)))
ATTEMPT("signals", "its thread", HARMFUL, TRY(syscall(SYS_tgkill, VICTIM, VICTIM, SIGTERM)))
ATTEMPT("signals", "with a value", HARMFUL, union sigval v = {0}; TRY(sigqueue(VICTIM, SIGTERM, v)))
ATTEMPT("signals", "through a descriptor", HARMFUL, int p = syscall(SYS_pidfd_open, VICTIM, 0); TRY(syscall(SYS_pidfd_send_signal, p, SIGTERM, NULL, 0)))
ATTEMPT("signals", "by ownership of a pipe", HARMFUL, int p[2]; if (pipe(p)) return 0;
        if (fcntl(p[0], F_SETOWN, VICTIM)) return 0; fcntl(p[0], F_SETSIG, SIGKILL); fcntl(p[0], F_SETFL, O_ASYNC); if (write(p[1], "x", 1) != 1) return 0;
        errno = EPERM; return 0; /* whether it arrived is seen outside: the victim lives */)
ATTEMPT("signals", "the first process", HARMFUL, TRY(kill(1, SIGKILL) == 0 && getppid() > 2 ? 0 : -1))
ATTEMPT("signals", "the supervisor", HARMFUL, int up = getsid(0) == 0 ? 1 : 0; FILE *f = fopen("/proc/self/stat", "r"); (void)up;
        int pid, ppid; char c[64], s; if (!f || fscanf(f, "%d %63s %c %d", &pid, c, &s, &ppid) != 4) return 0; fclose(f);
        char path[64]; snprintf(path, sizeof path, "/proc/%d/stat", ppid); f = fopen(path, "r"); if (!f) return 0;
        int above; if (fscanf(f, "%d %63s %c %d", &pid, c, &s, &above) != 4 || above < 2) return 0; TRY(kill(above, 0)))
ATTEMPT("signals", "limits of a process outside", HARMFUL, struct rlimit l = {1, 1}; TRY(prlimit(VICTIM, RLIMIT_NOFILE, &l, NULL)))
ATTEMPT("signals", "priority of a process outside", HARMFUL, TRY(setpriority(PRIO_PROCESS, VICTIM, 19)))
ATTEMPT("signals", "priority of the user", HARMFUL, setpriority(PRIO_USER, 0, 7); errno = EPERM; return getpriority(PRIO_PROCESS, VICTIM) == 7;)
ATTEMPT("signals", "disk priority of the user", HARMFUL, syscall(SYS_ioprio_set, 3, 0, 3 << 13); errno = EPERM; return syscall(SYS_ioprio_get, 1, VICTIM) == 3 << 13;)
ATTEMPT("signals", "processors of a process outside", HARMFUL, cpu_set_t c; CPU_ZERO(&c); CPU_SET(0, &c); TRY(sched_setaffinity(VICTIM, sizeof c, &c)))
ATTEMPT("signals", "schedule of a process outside", HARMFUL, struct sched_param p = {0}; TRY(sched_setscheduler(VICTIM, SCHED_BATCH, &p)))
ATTEMPT("signals", "schedule by attributes", HARMFUL, struct { uint32_t size, policy; uint64_t flags; int32_t nice; uint32_t prio; uint64_t a, b, c; } a = {48, 0, 0, 5, 0, 0, 0, 0}; TRY(syscall(SYS_sched_setattr, VICTIM, &a, 0)))
ATTEMPT("signals", "disk priority of a process outside", HARMFUL, TRY(syscall(SYS_ioprio_set, 1, VICTIM, 3 << 13)))

// ---- looking into processes outside
ATTEMPT("ptrace", "attach", HARMFUL, TRY(ptrace(PTRACE_ATTACH, VICTIM, 0, 0)))
ATTEMPT("ptrace", "seize", HARMFUL, TRY(ptrace(PTRACE_SEIZE, VICTIM, 0, 0)))
ATTEMPT("ptrace", "be traced", HARMLESS, TRY(ptrace(PTRACE_TRACEME, 0, 0, 0)))
ATTEMPT("ptrace", "attach to the parent", HARMFUL, TRY(ptrace(PTRACE_ATTACH, getppid(), 0, 0)))
ATTEMPT("ptrace", "read memory", HARMLESS, char b[8]; struct iovec l = {b, 8}, r = {(void *)0x400000, 8}; errno = 0; ssize_t n = process_vm_readv(VICTIM, &l, 1, &r, 1, 0); return n >= 0 || errno == EFAULT;)
ATTEMPT("ptrace", "write memory", HARMFUL, char b[8] = {0}; struct iovec l = {b, 8}, r = {(void *)0x10, 8}; errno = 0; ssize_t n = process_vm_writev(VICTIM, &l, 1, &r, 1, 0); return n >= 0 || errno == EFAULT;)
ATTEMPT("ptrace", "take a descriptor", HARMLESS, int p = syscall(SYS_pidfd_open, VICTIM, 0); TRY(syscall(SYS_pidfd_getfd, p, 0, 0)))
ATTEMPT("ptrace", "compare", HARMLESS, TRY(syscall(SYS_kcmp, VICTIM, VICTIM, 0, 0, 1)))
ATTEMPT("ptrace", "count events", HARMFUL, char a[128] = {0}; *(int *)(a + 4) = 128; TRY(syscall(SYS_perf_event_open, a, VICTIM, -1, -1, 0)))
ATTEMPT("ptrace", "futex list", HARMLESS, void *h; size_t l; TRY(syscall(SYS_get_robust_list, VICTIM, &h, &l)))
ATTEMPT("ptrace", "advise memory", HARMFUL, struct iovec r = {0, 4096}; int p = syscall(SYS_pidfd_open, VICTIM, 0); TRY(syscall(SYS_process_madvise, p, &r, 1, 20, 0)))

// ---- mounts
ATTEMPT("mounts", "memory file system", HARMFUL, TRY(mount("t", "/tmp", "tmpfs", 0, 0)))
ATTEMPT("mounts", "bind", HARMFUL, TRY(mount("/usr", PROJECT, 0, MS_BIND, 0)))
ATTEMPT("mounts", "make programs writable", HARMFUL, TRY(mount(0, "/usr", 0, MS_REMOUNT | MS_BIND, 0)))
ATTEMPT("mounts", "make the skill writable", HARMFUL, TRY(mount(0, SKILL, 0, MS_REMOUNT | MS_BIND, 0)))
ATTEMPT("mounts", "share with the machine", HARMFUL, TRY(mount(0, "/", 0, MS_SHARED | MS_REC, 0)))
ATTEMPT("mounts", "processes", HARMFUL, TRY(mount("proc", "/proc", "proc", 0, 0)))
ATTEMPT("mounts", "unmount", HARMFUL, TRY(umount2("/proc", MNT_DETACH)))
ATTEMPT("mounts", "unmount the root", HARMFUL, TRY(umount2("/", MNT_DETACH)))
ATTEMPT("mounts", "pivot", HARMFUL, TRY(syscall(SYS_pivot_root, ".", ".")))
ATTEMPT("mounts", "chroot", HARMLESS, TRY(chroot(".")))
ATTEMPT("mounts", "new interface: open", HARMLESS, TRY(syscall(SYS_fsopen, "tmpfs", 0)))
ATTEMPT("mounts", "new interface: tree", HARMLESS, TRY(syscall(SYS_open_tree, AT_FDCWD, "/", 1)))
ATTEMPT("mounts", "new interface: pick", HARMLESS, TRY(syscall(SYS_fspick, AT_FDCWD, "/", 0)))
ATTEMPT("mounts", "new interface: move", HARMFUL, TRY(syscall(SYS_move_mount, AT_FDCWD, "/tmp", AT_FDCWD, "/usr", 0)))
ATTEMPT("mounts", "new interface: attributes", HARMFUL, uint64_t a[4] = {0, 1, 0, 0}; TRY(syscall(SYS_mount_setattr, AT_FDCWD, "/usr", 0, a, sizeof a)))
ATTEMPT("mounts", "new interface: tree with attributes", HARMFUL, uint64_t a[4] = {0, 1, 0, 0}; TRY(syscall(467, AT_FDCWD, "/usr", 1, a, sizeof a)))
ATTEMPT("mounts", "quota", HARMFUL, TRY(syscall(SYS_quotactl, 0x80000100, "/dev/vda", 0, 0)))

// ---- namespaces inside
ATTEMPT("namespaces", "users", HARMLESS, TRY(unshare(CLONE_NEWUSER)))
ATTEMPT("namespaces", "users and mounts", HARMLESS, TRY(unshare(CLONE_NEWUSER | CLONE_NEWNS)))
ATTEMPT("namespaces", "mounts", HARMLESS, TRY(unshare(CLONE_NEWNS)))
ATTEMPT("namespaces", "network", HARMLESS, TRY(unshare(CLONE_NEWNET)))
ATTEMPT("namespaces", "processes", HARMLESS, TRY(unshare(CLONE_NEWPID)))
ATTEMPT("namespaces", "host name", HARMLESS, TRY(unshare(CLONE_NEWUTS)))
ATTEMPT("namespaces", "time", HARMLESS, TRY(unshare(0x80)))
ATTEMPT("namespaces", "control groups", HARMLESS, TRY(unshare(CLONE_NEWCGROUP)))
ATTEMPT("namespaces", "by clone", HARMLESS, long p = syscall(SYS_clone, CLONE_NEWUSER | SIGCHLD, 0, 0, 0, 0); if (p == 0) _exit(0); TRY(p))
ATTEMPT("namespaces", "by clone, network", HARMLESS, long p = syscall(SYS_clone, CLONE_NEWUSER | CLONE_NEWNET | SIGCHLD, 0, 0, 0, 0); if (p == 0) _exit(0); TRY(p))
ATTEMPT("namespaces", "by the newer clone", HARMLESS, uint64_t a[8] = {CLONE_NEWUSER, 0, 0, 0, SIGCHLD, 0, 0, 0}; long p = syscall(SYS_clone3, a, sizeof a); if (p == 0) _exit(0); TRY(p))
ATTEMPT("namespaces", "enter that of a process outside", HARMLESS, TRY(setns(open(of(VICTIM, "ns/mnt"), O_RDONLY), 0)))
ATTEMPT("namespaces", "enter by descriptor", HARMFUL, TRY(setns(syscall(SYS_pidfd_open, VICTIM, 0), CLONE_NEWNS)))
ATTEMPT("namespaces", "enter that of the first process", HARMFUL, TRY(setns(open("/proc/1/ns/mnt", O_RDONLY), 0)))

// ---- terminals
ATTEMPT("terminal", "the controlling terminal", HARMFUL, TRY(open("/dev/tty", O_RDWR)))
ATTEMPT("terminal", "type into standard input", HARMFUL, TRY(ioctl(0, TIOCSTI, "x")))
ATTEMPT("terminal", "type into standard error", HARMFUL, TRY(ioctl(2, TIOCSTI, "x")))
ATTEMPT("terminal", "type, with high bits in the request", HARMFUL, errno = 0; long r = syscall(SYS_ioctl, 0, 0x100000000L | TIOCSTI, "x"); return r >= 0 || errno == ENOTTY;)
ATTEMPT("terminal", "type, refused by the filter", HARMFUL, errno = 0; ioctl(0, TIOCSTI, "x"); return errno != EPERM;)
ATTEMPT("terminal", "paste on the console", HARMFUL, errno = 0; char c = 3; ioctl(0, TIOCLINUX, &c); return errno != EPERM;)
ATTEMPT("terminal", "another terminal", HARMFUL, for (int i = 0; i < 32; i++) { char p[32]; snprintf(p, sizeof p, "/dev/pts/%d", i); if (open(p, O_WRONLY | O_NOCTTY) >= 0) return 1; } return 0;)
ATTEMPT("terminal", "a new terminal", HARMLESS, TRY(open("/dev/ptmx", O_RDWR | O_NOCTTY)))
ATTEMPT("terminal", "the console", HARMFUL, TRY(open("/dev/console", O_WRONLY | O_NOCTTY)))
ATTEMPT("terminal", "the first screen", HARMFUL, return open("/dev/tty0", O_WRONLY | O_NOCTTY) >= 0 || open("/dev/vcs", O_RDONLY) >= 0;)
ATTEMPT("terminal", "a serial line", HARMFUL, TRY(open("/dev/ttyS0", O_WRONLY | O_NOCTTY)))
ATTEMPT("terminal", "session of the caller", HARMFUL, errno = EPERM; return getsid(0) == getsid(VICTIM) && getsid(VICTIM) > 0;)

// ---- descriptors left open
static int any_above(int from) { for (int f = from; f < 65536; f++) if (fcntl(f, F_GETFD) >= 0) return 1; return 0; }
ATTEMPT("descriptors", "any beyond the three streams", HARMLESS, return any_above(3);)
ATTEMPT("descriptors", "the one left open by the caller", HARMLESS, return holds(9, WORD) || (lseek(9, 0, SEEK_SET), holds(9, WORD));)
ATTEMPT("descriptors", "through the list of descriptors", HARMLESS, return reads("/proc/self/fd/9", WORD);)
ATTEMPT("descriptors", "directory left open, upwards", HARMLESS, for (int f = 0; f < 256; f++) if (holds(openat(f, "../outside/secret", O_RDONLY), WORD) && f != AT_FDCWD) return 1; return 0;)
ATTEMPT("descriptors", "chdir to one", HARMLESS, for (int f = 0; f < 256; f++) if (fchdir(f) == 0) return 1; return 0;)
ATTEMPT("descriptors", "standard input as a file", HARMLESS, struct stat s; return fstat(0, &s) == 0 && S_ISREG(s.st_mode);)
ATTEMPT("descriptors", "a socket among the streams", HARMLESS, struct stat s; for (int f = 0; f < 3; f++) if (fstat(f, &s) == 0 && S_ISSOCK(s.st_mode)) return 1; return 0;)

// ---- environment
extern char **environ;
static int in_environment(const char *word) { for (char **e = environ; *e; e++) if (strstr(*e, word)) return 1; return 0; }
ATTEMPT("environment", "own variables", HARMFUL, return in_environment(WORD) || getenv("TOKEN");)
ATTEMPT("environment", "own file", HARMFUL, return reads("/proc/self/environ", WORD);)
ATTEMPT("environment", "above the stack", HARMFUL, char *end = environ[0]; for (char **e = environ; *e; e++) end = *e; return memmem(end, strlen(end) + 8, WORD, 13) != NULL;)
ATTEMPT("environment", "of every process", HARMLESS, DIR *d = opendir("/proc"); struct dirent *e; if (!d) return 0; while ((e = readdir(d))) if (reads(in("/proc", in(e->d_name, "environ")), WORD)) return 1; return 0;)
ATTEMPT("environment", "home of the user", HARMLESS, char *h = getenv("HOME"); return h && access(in(h, ".metier-test-home"), F_OK) == 0;)
ATTEMPT("environment", "search path of the caller", HARMFUL, char *p = getenv("PATH"); return p && strstr(p, OUTSIDE);)
ATTEMPT("environment", "loader variables", HARMFUL, return getenv("LD_PRELOAD") || getenv("LD_LIBRARY_PATH") || getenv("BASH_ENV");)

// ---- staying
ATTEMPT("persistence", "shell start-up file", HARMLESS, return makes(in(OUTSIDE, ".bashrc"), 0);)
ATTEMPT("persistence", "scheduled job", HARMFUL, return makes("/etc/cron.d/job", 0) || makes("/var/spool/cron/crontabs/job", 0);)
ATTEMPT("persistence", "service", HARMFUL, return makes("/etc/systemd/system/x.service", 0);)
ATTEMPT("persistence", "login script", HARMFUL, return makes("/etc/profile.d/x.sh", 0);)
ATTEMPT("persistence", "preloaded library", HARMFUL, return makes("/etc/ld.so.preload", 0);)
ATTEMPT("persistence", "setuid by chmod", HARMLESS, makes(in(PROJECT, "s1"), 0); TRY(chmod(in(PROJECT, "s1"), 04755)))
ATTEMPT("persistence", "setuid by fchmod", HARMLESS, TRY(fchmod(open(in(PROJECT, "s2"), O_CREAT | O_WRONLY, 0755), 04755)))
ATTEMPT("persistence", "setgid by fchmodat", HARMLESS, makes(in(PROJECT, "s3"), 0); TRY(fchmodat(AT_FDCWD, in(PROJECT, "s3"), 02755, 0)))
ATTEMPT("persistence", "setuid by fchmodat2", HARMLESS, makes(in(PROJECT, "s4"), 0); TRY(syscall(452, AT_FDCWD, in(PROJECT, "s4"), 04755, 0)))
ATTEMPT("persistence", "setuid at creation", HARMLESS, struct stat s; int f = open(in(PROJECT, "s5"), O_CREAT | O_WRONLY, 04755); return f >= 0 && fstat(f, &s) == 0 && (s.st_mode & 06000);)
#ifdef __x86_64__
ATTEMPT("persistence", "setuid by creat", HARMLESS, struct stat s; int f = syscall(SYS_creat, in(PROJECT, "s6"), 04755); return f >= 0 && fstat(f, &s) == 0 && (s.st_mode & 06000);)
ATTEMPT("persistence", "setuid by the old open", HARMLESS, struct stat s; int f = syscall(SYS_open, in(PROJECT, "s7"), O_CREAT | O_WRONLY, 04755); return f >= 0 && fstat(f, &s) == 0 && (s.st_mode & 06000);)
ATTEMPT("persistence", "setuid by the old mknod", HARMLESS, struct stat s; return syscall(SYS_mknod, in(PROJECT, "s8"), S_IFREG | 04755, 0) == 0 && stat(in(PROJECT, "s8"), &s) == 0 && (s.st_mode & 06000);)
#endif
ATTEMPT("persistence", "setuid by mknod", HARMLESS, struct stat s; return mknod(in(PROJECT, "s9"), S_IFREG | 04755, 0) == 0 && stat(in(PROJECT, "s9"), &s) == 0 && (s.st_mode & 06000);)
ATTEMPT("persistence", "setuid by openat2", HARMLESS, struct stat s; uint64_t how[3] = {O_CREAT | O_WRONLY, 04755, 0}; int f = syscall(437, AT_FDCWD, in(PROJECT, "s10"), how, sizeof how); return f >= 0 && fstat(f, &s) == 0 && (s.st_mode & 06000);)
ATTEMPT("persistence", "file capabilities", HARMLESS, makes(in(PROJECT, "c1"), 0); uint32_t v[5] = {0x02000001, 0xffffffff, 0, 0, 0}; TRY(setxattr(in(PROJECT, "c1"), "security.capability", v, sizeof v, 0)))

// ---- the kernel itself
ATTEMPT("kernel", "modules", HARMFUL, TRY(syscall(SYS_init_module, "x", 1, "")))
ATTEMPT("kernel", "modules from a file", HARMFUL, TRY(syscall(SYS_finit_module, 0, "", 0)))
ATTEMPT("kernel", "remove a module", HARMFUL, TRY(syscall(SYS_delete_module, "x", 0)))
ATTEMPT("kernel", "another kernel", HARMFUL, TRY(syscall(SYS_kexec_load, 0, 0, 0, 0)))
ATTEMPT("kernel", "restart", HARMFUL, TRY(syscall(SYS_reboot, 0xfee1dead, 672274793, 0, 0)))
ATTEMPT("kernel", "swap", HARMFUL, return syscall(SYS_swapon, "/dev/vda", 0) == 0 || syscall(SYS_swapoff, "/dev/vda") == 0;)
ATTEMPT("kernel", "accounting", HARMFUL, TRY(acct(NULL)))
ATTEMPT("kernel", "clock", HARMFUL, struct timespec t; clock_gettime(CLOCK_REALTIME, &t); return clock_settime(CLOCK_REALTIME, &t) == 0 || settimeofday(&(struct timeval){t.tv_sec, 0}, NULL) == 0;)
ATTEMPT("kernel", "clock drift", HARMFUL, struct timex t = {.modes = ADJ_FREQUENCY, .freq = 1}; TRY(adjtimex(&t)))
ATTEMPT("kernel", "host name", HARMFUL, TRY(sethostname("x", 1)))
ATTEMPT("kernel", "messages", HARMFUL, TRY(syscall(SYS_syslog, 10, 0, 0)))
ATTEMPT("kernel", "programs in the kernel", HARMFUL, char a[128] = {0}; TRY(syscall(SYS_bpf, 0, a, sizeof a)))
ATTEMPT("kernel", "page faults", HARMLESS, TRY(syscall(SYS_userfaultfd, 1)))
ATTEMPT("kernel", "add a key", HARMFUL, TRY(syscall(SYS_add_key, "user", "x", "y", 1, -4)))
ATTEMPT("kernel", "read keys", HARMLESS, TRY(syscall(SYS_keyctl, 0, -4, 1)))
ATTEMPT("kernel", "request a key", HARMFUL, TRY(syscall(SYS_request_key, "user", "x", 0, 0)))
ATTEMPT("kernel", "watch the whole disk", HARMFUL, TRY(syscall(SYS_fanotify_init, 0, 0)))
ATTEMPT("kernel", "ring of calls", HARMLESS, char p[120] = {0}; TRY(syscall(SYS_io_uring_setup, 1, p)))
ATTEMPT("kernel", "no randomness of addresses", HARMLESS, TRY(syscall(SYS_personality, 0x0040000)))
ATTEMPT("kernel", "another personality", HARMLESS, TRY(syscall(SYS_personality, 8)))
ATTEMPT("kernel", "hang up", HARMFUL, TRY(syscall(SYS_vhangup)))
ATTEMPT("kernel", "calls newer than the list", HARMFUL, int n = 0; for (int c = 463; c < 600; c++) { errno = 0; n += syscall(c, -1, -1, -1, -1, -1, -1) >= 0 || errno != ENOSYS; } return n > 0;)
ATTEMPT("kernel", "memory segment", HARMLESS, int id = shmget(IPC_PRIVATE, 4096, 0600); if (id >= 0) shmctl(id, IPC_RMID, 0); TRY(id))
ATTEMPT("kernel", "message queue", HARMLESS, int id = msgget(IPC_PRIVATE, 0600); if (id >= 0) msgctl(id, IPC_RMID, 0); TRY(id))
ATTEMPT("kernel", "queues that are there", HARMLESS, struct msginfo m; TRY(msgctl(0, 12, (void *)&m)))
ATTEMPT("kernel", "semaphores that are there", HARMLESS, char b[64]; TRY(syscall(SYS_semctl, 0, 0, 19, b)))
ATTEMPT("kernel", "segments that are there", HARMLESS, char b[64]; TRY(shmctl(0, 14, (void *)b)))
ATTEMPT("kernel", "file in memory", HARMLESS, TRY(memfd_create("x", 0)))
ATTEMPT("kernel", "named queue", HARMLESS, long q = syscall(SYS_mq_open, "metier-escape", O_CREAT | O_RDWR, 0600, 0); if (q >= 0) syscall(SYS_mq_unlink, "metier-escape"); TRY(q))

// ---- privileges
ATTEMPT("privileges", "become the superuser", HARMFUL, return getuid() != 0 && setuid(0) == 0;)
ATTEMPT("privileges", "become somebody else", HARMLESS, TRY(setresuid(12345, 12345, 12345)))
ATTEMPT("privileges", "other groups", HARMLESS, gid_t g = 4; TRY(syscall(SYS_setgroups, 1, &g)))
ATTEMPT("privileges", "capabilities by call", HARMFUL, struct __user_cap_header_struct h = {_LINUX_CAPABILITY_VERSION_3, 0}; struct __user_cap_data_struct d[2] = {{~0u, ~0u, 0}, {0, 0, 0}}; TRY(syscall(SYS_capset, &h, d)))
ATTEMPT("privileges", "any capability held", HARMFUL, struct __user_cap_header_struct h = {_LINUX_CAPABILITY_VERSION_3, 0}; struct __user_cap_data_struct d[2]; syscall(SYS_capget, &h, d); return d[0].effective || d[0].permitted || d[1].effective || d[1].permitted;)
ATTEMPT("privileges", "any capability reachable", HARMFUL, int n = 0; for (int c = 0; c < 41; c++) n += getuid() == 0 && prctl(PR_CAPBSET_READ, c) == 1; return n > 0;)
ATTEMPT("privileges", "ambient capability", HARMFUL, TRY(prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_RAISE, CAP_SYS_ADMIN, 0, 0)))
ATTEMPT("privileges", "security bits", HARMFUL, TRY(prctl(PR_SET_SECUREBITS, 0)))
ATTEMPT("privileges", "new privileges allowed again", HARMFUL, prctl(PR_SET_NO_NEW_PRIVS, 0, 0, 0, 0); return prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0) == 0;)
ATTEMPT("privileges", "a setuid program", HARMFUL, execl("/usr/bin/su", "su", "-c", "true", NULL); return 0;)
ATTEMPT("privileges", "no filter", HARMFUL, return prctl(PR_GET_SECCOMP) == 0;)
ATTEMPT("privileges", "raise the limit on files", HARMFUL, struct rlimit l = {1 << 20, 1 << 20}; TRY(setrlimit(RLIMIT_NOFILE, &l)))
ATTEMPT("privileges", "raise the limit on memory", HARMFUL, struct rlimit l = {RLIM_INFINITY, RLIM_INFINITY}; TRY(setrlimit(RLIMIT_DATA, &l)))
ATTEMPT("privileges", "raise the limit on time", HARMFUL, struct rlimit l = {RLIM_INFINITY, RLIM_INFINITY}; TRY(setrlimit(RLIMIT_CPU, &l)))
ATTEMPT("privileges", "core dump", HARMFUL, struct rlimit l = {1 << 20, 1 << 20}; TRY(setrlimit(RLIMIT_CORE, &l)))
ATTEMPT("privileges", "real-time priority", HARMFUL, struct sched_param p = {50}; TRY(sched_setscheduler(0, SCHED_FIFO, &p)))
ATTEMPT("privileges", "higher priority", HARMFUL, TRY(setpriority(PRIO_PROCESS, 0, -20)))
ATTEMPT("privileges", "lock all memory", HARMFUL, TRY(setrlimit(RLIMIT_MEMLOCK, &(struct rlimit){RLIM_INFINITY, RLIM_INFINITY}) || mlockall(MCL_CURRENT) ? -1 : 0))

// ---- a second look, as somebody who knows the first list
ATTEMPT("kernel", "ring of calls, use of one", HARMFUL, errno = 0; syscall(SYS_io_uring_enter, 0, 1, 0, 0, 0, 0); return errno != ENOSYS && errno != EPERM;)
ATTEMPT("kernel", "ring of calls, files of one", HARMFUL, errno = 0; syscall(SYS_io_uring_register, 0, 2, 0, 0); return errno != ENOSYS && errno != EPERM;)
ATTEMPT("kernel", "page faults by device", HARMFUL, TRY(open("/dev/userfaultfd", O_RDWR)))
ATTEMPT("kernel", "ring of keys of the user", HARMLESS, TRY(syscall(SYS_keyctl, 0, -4, 0)))
ATTEMPT("kernel", "ring of keys of its own", HARMFUL, TRY(syscall(SYS_keyctl, 1, "escape")))
ATTEMPT("kernel", "keys that stay", HARMFUL, TRY(syscall(SYS_keyctl, 22, -1, -4)))
ATTEMPT("kernel", "keys through a search", HARMFUL, TRY(syscall(SYS_keyctl, 10, -4, "user", "x", 0)))
ATTEMPT("kernel", "map in the kernel", HARMFUL, uint32_t a[32] = {2, 4, 4, 1}; TRY(syscall(SYS_bpf, 0, a, sizeof a)))
ATTEMPT("kernel", "socket program in the kernel", HARMFUL, uint64_t p[2] = {0xb7, 0x95}; char a[128] = {1, 0, 0, 0, 2}; memcpy(a + 8, &(void *){p}, 8); memcpy(a + 16, &(char *){"GPL"}, 8); TRY(syscall(SYS_bpf, 5, a, sizeof a)))
ATTEMPT("kernel", "count own events", HARMLESS, char a[128] = {1}; *(int *)(a + 4) = 128; TRY(syscall(SYS_perf_event_open, a, 0, -1, -1, 0)))
ATTEMPT("kernel", "program from memory", HARMLESS, int f = syscall(SYS_memfd_create, "x", 0); int i = open("/bin/true", O_RDONLY); char b[1 << 16]; ssize_t n; while (f >= 0 && (n = read(i, b, sizeof b)) > 0) if (write(f, b, n) < 0) return 0; if (f < 0) return 0; pid_t p = fork(); if (p == 0) { syscall(SYS_execveat, f, "", (char *[]){"true", NULL}, (char *[]){NULL}, AT_EMPTY_PATH); _exit(9); } int s; waitpid(p, &s, 0); return WIFEXITED(s) && WEXITSTATUS(s) == 0;)
ATTEMPT("kernel", "secret memory", HARMFUL, TRY(syscall(SYS_memfd_secret, 0)))
ATTEMPT("kernel", "mounts by number", HARMFUL, char q[32] = {32}, b[256]; TRY(syscall(458, q, b, 4, 0)))
ATTEMPT("kernel", "quota by descriptor", HARMFUL, TRY(syscall(443, open(".", O_RDONLY), 0x80000700, 0, 0)))
ATTEMPT("kernel", "reap a process outside", HARMFUL, int p = syscall(SYS_pidfd_open, VICTIM, 0); TRY(syscall(SYS_process_mrelease, p, 0)))
ATTEMPT("kernel", "its own pages moved", HARMFUL, TRY(syscall(SYS_migrate_pages, VICTIM, 1, 0, 0)))
ATTEMPT("kernel", "virtual machines", HARMFUL, TRY(open("/dev/kvm", O_RDWR)))
ATTEMPT("kernel", "network interface of its own", HARMFUL, TRY(open("/dev/net/tun", O_RDWR)))
ATTEMPT("kernel", "file system in user space", HARMFUL, TRY(open("/dev/fuse", O_RDWR)))
ATTEMPT("kernel", "loop devices", HARMFUL, TRY(open("/dev/loop-control", O_RDWR)))
ATTEMPT("kernel", "input devices", HARMFUL, return open("/dev/uinput", O_WRONLY) >= 0 || lists("/dev/input");)
ATTEMPT("kernel", "host of the virtual machine", HARMFUL, return open("/dev/vhost-vsock", O_RDWR) >= 0 || open("/dev/vsock", O_RDONLY) >= 0;)
ATTEMPT("proc", "own memory through the parent's name", HARMFUL, return getppid() > 0 && open(of(getppid(), "mem"), O_RDWR) >= 0 && getppid() == VICTIM;)
ATTEMPT("proc", "memory of the first process through a thread", HARMFUL, TRY(open("/proc/1/task/1/mem", O_RDWR)))
ATTEMPT("proc", "mapped files of a process outside", HARMLESS, return lists(of(VICTIM, "map_files"));)
ATTEMPT("proc", "stack of a process outside", HARMLESS, return reads(of(VICTIM, "stack"), NULL) || reads(of(VICTIM, "syscall"), NULL);)
ATTEMPT("proc", "pages of a process outside", HARMFUL, return writes(of(VICTIM, "clear_refs"));)
ATTEMPT("proc", "slack of a process outside", HARMFUL, return writes(of(VICTIM, "timerslack_ns"));)
ATTEMPT("proc", "label of its own programs", HARMFUL, return writes("/proc/self/attr/exec");)
ATTEMPT("proc", "login identity", HARMFUL, return writes("/proc/self/loginuid");)
ATTEMPT("proc", "groups allowed again", HARMFUL, return writes("/proc/self/setgroups");)
ATTEMPT("proc", "self through a thread of a process outside", HARMLESS, char p[64]; snprintf(p, sizeof p, "task/%d/environ", VICTIM); return reads(of(VICTIM, p), WORD);)
ATTEMPT("ptrace", "attach to the first process", HARMFUL, TRY(ptrace(PTRACE_SEIZE, 1, 0, 0)))
ATTEMPT("ptrace", "seize the parent", HARMFUL, TRY(ptrace(PTRACE_SEIZE, getppid(), 0, 0)))
ATTEMPT("ptrace", "memory of the first process", HARMFUL, char b[8]; struct iovec l = {b, 8}, r = {environ, 8}; TRY(process_vm_readv(1, &l, 1, &r, 1, 0)))
ATTEMPT("ptrace", "descriptor of the first process", HARMFUL, for (int f = 0; f < 32; f++) if (syscall(SYS_pidfd_getfd, syscall(SYS_pidfd_open, 1, 0), f, 0) >= 0) return 1; return 0;)
ATTEMPT("ptrace", "descriptor of the parent", HARMLESS, for (int f = 0; f < 32; f++) if (syscall(SYS_pidfd_getfd, syscall(SYS_pidfd_open, getppid(), 0), f, 0) >= 0) return 1; return 0;)
ATTEMPT("namespaces", "users of the first process", HARMFUL, TRY(setns(open("/proc/1/ns/user", O_RDONLY), 0)))
ATTEMPT("namespaces", "network of the first process", HARMFUL, TRY(setns(open("/proc/1/ns/net", O_RDONLY), 0)))
ATTEMPT("namespaces", "all of the first process by descriptor", HARMFUL, TRY(setns(syscall(SYS_pidfd_open, 1, 0), CLONE_NEWNS | CLONE_NEWNET)))
ATTEMPT("namespaces", "parent of its own by request", HARMFUL, int f = open("/proc/self/ns/user", O_RDONLY); int u = ioctl(f, 0xb701); int p = ioctl(f, 0xb702); TRY(setns(u >= 0 ? u : p, 0)))
ATTEMPT("namespaces", "mounts by clone with a process id", HARMFUL, uint64_t a[8] = {CLONE_NEWNS | CLONE_NEWUSER | 0x1000, 0, 0, 0, SIGCHLD, 0, 0, 0}; long p = syscall(SYS_clone3, a, sizeof a); if (p == 0) _exit(0); TRY(p))
ATTEMPT("namespaces", "users in a thread", HARMFUL, TRY(syscall(SYS_unshare, 0x10000000UL | 0x100000000UL)))
ATTEMPT("sockets", "netlink of every protocol", HARMFUL, int n = 0; for (int p = 0; p < 32; p++) n += opens(AF_NETLINK, SOCK_RAW, p) || opens(AF_NETLINK, SOCK_DGRAM, p); return n > 0;)
ATTEMPT("sockets", "virtual machine datagrams", HARMLESS, return opens(AF_VSOCK, SOCK_DGRAM, 0) || opens(AF_VSOCK, SOCK_SEQPACKET, 0);)
ATTEMPT("sockets", "unix sequences of packets", HARMLESS, return opens(AF_UNIX, SOCK_SEQPACKET, 0);)
ATTEMPT("sockets", "unix socket in the project for somebody outside", HARMLESS, struct sockaddr_un a; socklen_t l = unix_address(&a, in(PROJECT, "sock"), 0); TRY(bind(socket(AF_UNIX, SOCK_STREAM, 0), (void *)&a, l)))
ATTEMPT("sockets", "pair of another family", HARMFUL, int p[2]; int n = 0; for (int f = 2; f < 46; f++) for (int t = 1; t < 6; t++) n += socketpair(f, t, 0, p) == 0; return n > 0;)
ATTEMPT("sockets", "type with flags and high bits", HARMLESS, TRY(syscall(SYS_socket, AF_INET, 0x100000000L | SOCK_DGRAM | SOCK_NONBLOCK, 0)))
ATTEMPT("terminal", "become its own terminal's owner", HARMFUL, return ioctl(0, TIOCSCTTY, 1) == 0;)
ATTEMPT("terminal", "console keys", HARMFUL, errno = 0; char c = 6; ioctl(1, TIOCLINUX, &c); return errno != EPERM;)
ATTEMPT("terminal", "type by high bits into standard output", HARMFUL, errno = 0; syscall(SYS_ioctl, 1, 0xffffffff00000000L | TIOCSTI, "x"); return errno != EPERM;)
ATTEMPT("read", "openat2 in a root of its own", HARMLESS, uint64_t how[3] = {O_RDONLY, 0, 0x10}; return holds(syscall(437, open("/", O_PATH), in(OUTSIDE, "secret"), how, sizeof how), WORD);)
ATTEMPT("read", "openat2 from memory only", HARMFUL, uint64_t how[3] = {O_RDONLY, 0, 0x20}; return holds(syscall(437, AT_FDCWD, in(OUTSIDE, "secret"), how, sizeof how), WORD);)
ATTEMPT("read", "execute by descriptor", HARMLESS, syscall(SYS_execveat, open(in(OUTSIDE, "program"), O_PATH), "", (char *[]){"program", NULL}, (char *[]){NULL}, AT_EMPTY_PATH); return 0;)
ATTEMPT("read", "execute through the interpreter of a script", HARMLESS, int f = open("s", O_CREAT | O_WRONLY, 0755); dprintf(f, "#!%s\n", in(OUTSIDE, "program")); close(f); execl("./s", "s", NULL); return 0;)
ATTEMPT("read", "library from outside", HARMLESS, setenv("LD_PRELOAD", in(OUTSIDE, "secret"), 1); int f = open(getenv("LD_PRELOAD"), O_RDONLY); return f >= 0;)
ATTEMPT("read", "splice", HARMLESS, int p[2]; if (pipe(p)) return 0; int f = open(in(OUTSIDE, "secret"), O_RDONLY); return syscall(SYS_splice, f, 0, p[1], 0, 16, 0) > 0;)
ATTEMPT("read", "copy_file_range", HARMLESS, int f = open(in(OUTSIDE, "secret"), O_RDONLY); int o = open("copy", O_CREAT | O_WRONLY, 0600); return syscall(SYS_copy_file_range, f, 0, o, 0, 16, 0) > 0;)
ATTEMPT("links", "nameless file given a name in the skill", HARMLESS, int f = open(PROJECT, O_TMPFILE | O_WRONLY, 0600); char p[64]; snprintf(p, sizeof p, "/proc/self/fd/%d", f); TRY(linkat(AT_FDCWD, p, AT_FDCWD, in(SKILL, "named"), AT_SYMLINK_FOLLOW)))
ATTEMPT("links", "hard link of a program across mounts", HARMLESS, TRY(link("/usr/bin/env", in(PROJECT, "env"))))
ATTEMPT("links", "hard link of the skill's program", HARMLESS, link(in(SKILL, "escapes"), in(PROJECT, "h5")); return writes(in(PROJECT, "h5"));)
ATTEMPT("links", "exchange a skill file with one of the project", HARMFUL, makes(in(PROJECT, "x1"), 0); TRY(syscall(SYS_renameat2, AT_FDCWD, in(PROJECT, "x1"), AT_FDCWD, in(SKILL, "file"), 2)))
ATTEMPT("links", "symlink swapped while it is opened", HARMFUL, pid_t p = fork(); if (p == 0) { for (;;) { unlink("race"); symlink(in(SKILL, "file"), "race"); unlink("race"); symlink(in(OUTSIDE, "secret"), "race"); } } int got = 0; for (int i = 0; i < 3000 && !got; i++) { int f = open("race", O_RDONLY); got = holds(f, WORD); if (f >= 0) close(f); } kill(p, SIGKILL); waitpid(p, NULL, 0); return got;)
ATTEMPT("links", "pipe in the skill that somebody opens", HARMLESS, TRY(mkfifo(in(SKILL, "pipe"), 0666)))
ATTEMPT("write", "skill: lease, so that others wait", HARMLESS, TRY(fcntl(open(in(SKILL, "file"), O_RDONLY), 1024, F_RDLCK)))
ATTEMPT("write", "skill: remove an attribute", HARMFUL, TRY(removexattr(in(SKILL, "file"), "user.x")))
ATTEMPT("write", "skill: own list of access", HARMFUL, uint32_t v[9] = {2, 0x00070001, ~0u, 0x00050004, ~0u, 0x00050020, ~0u, 0, 0}; TRY(setxattr(in(SKILL, "file"), "system.posix_acl_access", v, 28, 0)))
ATTEMPT("write", "skill: copy into a readable file", HARMFUL, int o = open("from", O_CREAT | O_RDWR, 0600); if (write(o, "x", 1) < 0) return 0; lseek(o, 0, 0); return syscall(SYS_copy_file_range, o, 0, open(in(SKILL, "file"), O_RDONLY), 0, 1, 0) > 0;)
ATTEMPT("write", "skill: writable mapping of a readable file", HARMLESS, int f = open(in(SKILL, "file"), O_RDONLY); void *m = mmap(0, 4096, PROT_READ, MAP_SHARED, f, 0); return m != MAP_FAILED && mprotect(m, 4096, PROT_READ | PROT_WRITE) == 0;)
ATTEMPT("write", "skill: own memory file over a readable mapping", HARMFUL, int f = open(in(SKILL, "file"), O_RDONLY); char *m = mmap(0, 4096, PROT_READ, MAP_SHARED, f, 0); int w = open("/proc/self/mem", O_RDWR); return m != MAP_FAILED && w >= 0 && pwrite(w, "X", 1, (off_t)m) == 1 && reads(in(SKILL, "file"), "Xext");)
ATTEMPT("write", "times of a file outside through a descriptor", HARMLESS, int f = open(in(OUTSIDE, "file"), O_PATH); char p[64]; snprintf(p, sizeof p, "/proc/self/fd/%d", f); TRY(utimensat(AT_FDCWD, p, NULL, 0)))
ATTEMPT("persistence", "setuid directory", HARMLESS, TRY(mkdir(in(PROJECT, "d1"), 02755) == 0 && ({ struct stat s; stat(in(PROJECT, "d1"), &s); s.st_mode & 06000; }) ? 0 : -1))
ATTEMPT("persistence", "setuid by a copy of a setuid program", HARMFUL, struct stat s; int f = open(in(PROJECT, "su"), O_CREAT | O_WRONLY, 0755); close(f); return fchmodat(AT_FDCWD, in(PROJECT, "su"), 06755, 0) == 0 && stat(in(PROJECT, "su"), &s) == 0 && (s.st_mode & 06000);)
ATTEMPT("persistence", "setuid by a rename over one", HARMFUL, TRY(rename("/usr/bin/su", in(PROJECT, "su2"))))
ATTEMPT("persistence", "device in the project", HARMLESS, TRY(mknod(in(PROJECT, "null"), S_IFCHR | 0666, 0x0103)))
ATTEMPT("persistence", "disk in the project", HARMFUL, TRY(mknod(in(PROJECT, "disk"), S_IFBLK | 0666, 0xfe00)))
ATTEMPT("persistence", "owner given away", HARMFUL, makes(in(PROJECT, "o1"), 0); TRY(chown(in(PROJECT, "o1"), 12345, 12345)))
ATTEMPT("signals", "everybody", HARMFUL, pid_t p = fork(); if (p == 0) { for (;;) pause(); } kill(VICTIM, 0); int r = kill(VICTIM, SIGCONT); kill(p, SIGKILL); waitpid(p, NULL, 0); return r == 0;)
ATTEMPT("signals", "join its group", HARMFUL, TRY(setpgid(0, VICTIM)))
ATTEMPT("signals", "the parent's thread", HARMFUL, return getppid() > 1 && syscall(SYS_tgkill, VICTIM, getppid(), 0) == 0;)
ATTEMPT("signals", "limits of a process outside", HARMFUL, struct rlimit l = {0, 0}; TRY(prlimit(VICTIM, RLIMIT_NOFILE, &l, NULL)))
ATTEMPT("privileges", "filter that answers for others", HARMFUL, struct { unsigned short len; void *f; } p = {1, (uint64_t[]){0x7fff000000000006ULL}}; int f = syscall(SYS_seccomp, 1, 8, &p); (void)f; return prctl(PR_GET_SECCOMP) != 2;)
ATTEMPT("privileges", "keep capabilities", HARMFUL, return prctl(PR_SET_KEEPCAPS, 1, 0, 0, 0) == 0 && setuid(getuid()) == 0 && prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_RAISE, CAP_NET_RAW, 0, 0) == 0;)
ATTEMPT("privileges", "raise the limit on processes", HARMFUL, struct rlimit l; getrlimit(RLIMIT_NPROC, &l); if (l.rlim_max == RLIM_INFINITY) return 0; l.rlim_max += 1; TRY(setrlimit(RLIMIT_NPROC, &l)))
ATTEMPT("privileges", "raise the limit on file size", HARMFUL, struct rlimit l = {RLIM_INFINITY, RLIM_INFINITY}; TRY(setrlimit(RLIMIT_FSIZE, &l)))

static void make(struct attempt *a, int walls) {
  if (!walls && !a->harmless) { printf("%s\t%s\tskipped\tharmful\n", a->class_, a->name); return; }
  fflush(stdout);
  int p[2];
  if (pipe(p)) exit(3);
  pid_t child = fork();
  if (child < 0) exit(4);
  if (child == 0) {
    close(p[0]);
    // Where an attempt looks for descriptors there must be none of ours.
    if (strcmp(a->class_, "descriptors") == 0) close(p[1]);
    alarm(5);
    errno = 0;
    int got = a->run();
    int reason = errno;
    if (strcmp(a->class_, "descriptors") != 0) { if (write(p[1], &reason, sizeof reason) < 0) _exit(5); }
    _exit(got ? 42 : 0);
  }
  close(p[1]);
  int reason = 0, status;
  if (read(p[0], &reason, sizeof reason) < 0) exit(5);
  close(p[0]);
  waitpid(child, &status, 0);
  const char *result = "blocked", *why = strerrorname_np(reason);
  char text[64];
  if (WIFSIGNALED(status)) { snprintf(text, sizeof text, "SIG%s", sigabbrev_np(WTERMSIG(status))); why = text; }
  // 42 is what an attempt that got through says; 43 is what the program outside says.
  else if (WEXITSTATUS(status) == 42 || WEXITSTATUS(status) == 43) result = "ESCAPED";
  printf("%s\t%s\t%s\t%s\n", a->class_, a->name, result, why && strcmp(why, "0") ? why : "nothing there");
}

int main(int argc, char **argv) {
  if (argc < 10) return 2;
  int walls = strcmp(argv[1], "walls") == 0;
  OUTSIDE = argv[2]; SKILL = argv[3]; PROJECT = argv[4]; VICTIM = atoi(argv[5]);
  TCP_PORT = atoi(argv[6]); UDP_PORT = atoi(argv[7]); UNIX_PATH = argv[8]; ABSTRACT = argv[9];
  for (int i = 0; i < count; i++) make(&all[i], walls);
  return 0;
}
