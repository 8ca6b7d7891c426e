/* Starts a program and ends it, with all that it has started, when its owner is gone: `supervisor.hpp` is the owner's
   side. A process of its own, because a killed owner cannot clean up, and because PR_SET_PDEATHSIG reaches neither what
   the program starts nor an owner whose thread ends.

   supervise CONTROL MEMORY LEFTOVERS PROGRAM [ARGUMENT]...
   CONTROL: the descriptor of a socket. Events go out on it; its end is the order to kill everything.
   MEMORY: [B] that the program and what it has started may take together; 0 for no limit.
   LEFTOVERS: "kill" or "await" what the program leaves running when it ends.
   It ends as the program did. */

#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* As in supervisor.cpp. */
enum event_kind { started, not_started, ended, over_memory };
struct event {
  int32_t kind;
  int32_t value;
};

enum { memory_interval = 250 /* [ms] */, most_processes = 1 << 15, kill_rounds = 3000 };

struct process {
  pid_t id;
  pid_t parent;
  uint64_t pages; /* in memory */
  bool is_ours;
};

static struct process processes[most_processes];
static int control;
static pid_t program; /* 0 once it has ended: its number may then be another's */

static void send_event(enum event_kind kind, int value) {
  const struct event event = {kind, value};
  if (send(control, &event, sizeof(event), MSG_NOSIGNAL) < 0)
    return; /* the owner is gone: poll says so next */
}

/* From the process group, 5, to the size, 23, in proc(5). */
#define SKIPPED_FIELDS "%*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s "

/* "12 (name) S 1 ...": the name may hold anything. */
static bool read_process(const char* number, struct process* process) {
  char path[64], text[1024];
  snprintf(path, sizeof(path), "/proc/%.20s/stat", number);
  const int file = open(path, O_RDONLY | O_CLOEXEC);
  if (file < 0) return false;
  const ssize_t size = read(file, text, sizeof(text) - 1);
  close(file);
  if (size <= 0) return false;
  text[size] = '\0';
  const char* at = strrchr(text, ')');
  int parent = 0;
  long long pages = 0;
  if (at == NULL || sscanf(at + 1, " %*c %d " SKIPPED_FIELDS "%lld", &parent, &pages) != 2) return false;
  process->id = (pid_t)atoi(number);
  process->parent = (pid_t)parent;
  process->pages = pages > 0 ? (uint64_t)pages : 0;
  process->is_ours = false;
  return true;
}

static int list_processes(void) {
  DIR* folder = opendir("/proc");
  if (folder == NULL) return 0;
  int count = 0;
  for (const struct dirent* entry; count < most_processes && (entry = readdir(folder)) != NULL;) {
    if (entry->d_name[0] >= '1' && entry->d_name[0] <= '9' && read_process(entry->d_name, &processes[count]))
      ++count;
  }
  closedir(folder);
  return count;
}

static bool is_our_child(const struct process* process, int count) {
  if (process->parent == getpid()) return true;
  for (int i = 0; i < count; ++i) {
    if (processes[i].is_ours && processes[i].id == process->parent) return true;
  }
  return false;
}

/* [B] that everything started here has in memory. */
static uint64_t memory_taken(void) {
  const int count = list_processes();
  const uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE);
  uint64_t sum = 0;
  for (bool found = true; found;) {
    found = false;
    for (int i = 0; i < count; ++i) {
      if (processes[i].is_ours || !is_our_child(&processes[i], count)) continue;
      processes[i].is_ours = found = true;
      sum += processes[i].pages * page;
    }
  }
  return sum;
}

/* Kills the program and every descendant: children of a killed process become children of this one and are
   killed in the next round. */
static void kill_all(void) {
  if (program > 0) kill(program, SIGKILL);
  for (int round = 0; round < kill_rounds; ++round) {
    pid_t gone;
    do gone = waitpid(-1, NULL, WNOHANG);
    while (gone > 0);
    if (gone < 0 && errno == ECHILD) return;
    const int count = list_processes();
    for (int i = 0; i < count; ++i) {
      if (processes[i].parent == getpid()) kill(processes[i].id, SIGKILL);
    }
    nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
  }
}

static _Noreturn void end_as(int status) {
  if (WIFEXITED(status)) _exit(WEXITSTATUS(status));
  const int number = WTERMSIG(status);
  setrlimit(RLIMIT_CORE, &(struct rlimit){0, 0}); /* the program's own is written already */
  signal(number, SIG_DFL);
  sigset_t only;
  sigemptyset(&only);
  sigaddset(&only, number);
  sigprocmask(SIG_UNBLOCK, &only, NULL);
  raise(number);
  _exit(128 + number);
}

static void wake(int number) {
  (void)number;
}

static const int owners_signals[] = {SIGINT, SIGQUIT, SIGHUP, SIGTERM, SIGCHLD};
enum { owners_signal_count = sizeof(owners_signals) / sizeof(owners_signals[0]) };

/* Signals of the terminal are the owner's to judge: its end ends this. */
static void take_signals(struct sigaction* before, sigset_t* mask_before) {
  for (int i = 0; i < owners_signal_count; ++i) {
    struct sigaction action = {.sa_handler = owners_signals[i] == SIGCHLD ? wake : SIG_IGN};
    sigaction(owners_signals[i], &action, &before[i]);
  }
  sigset_t child;
  sigemptyset(&child);
  sigaddset(&child, SIGCHLD);
  sigprocmask(SIG_BLOCK, &child, mask_before);
}

static _Noreturn void become(char** command, int report, pid_t supervisor, const struct sigaction* signals,
                             const sigset_t* mask) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != supervisor) _exit(127);
  close(control);
  for (int i = 0; i < owners_signal_count; ++i) sigaction(owners_signals[i], &signals[i], NULL);
  sigprocmask(SIG_SETMASK, mask, NULL);
  execvp(command[0], command);
  const int error = errno;
  (void)!write(report, &error, sizeof(error));
  _exit(127);
}

/* The program holds the only ends of its pipes that are open here. */
static void let_go_of_streams(void) {
  const int nothing = open("/dev/null", O_RDWR | O_CLOEXEC);
  if (nothing < 0) return;
  for (int standard = 0; standard <= 2; ++standard) dup2(nothing, standard);
  if (nothing > 2) close(nothing);
}

static void start(char** command, sigset_t* mask) {
  struct sigaction signals[owners_signal_count];
  take_signals(signals, mask);
  prctl(PR_SET_CHILD_SUBREAPER, 1);
  int report[2];
  const pid_t self = getpid();
  int error = 0;
  program = -1;
  if (pipe2(report, O_CLOEXEC) == 0) program = fork();
  if (program < 0) {
    error = errno;
  } else if (program == 0) {
    become(command, report[1], self, signals, mask);
  } else {
    close(report[1]);
    if (read(report[0], &error, sizeof(error)) != sizeof(error)) error = 0;
    close(report[0]);
  }
  if (error != 0) {
    send_event(not_started, error);
    _exit(127);
  }
  send_event(started, program);
  let_go_of_streams();
}

static int64_t milliseconds(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

/* Returns when the program has ended, and all that it has left where this waits for it. */
static int supervise(uint64_t memory, bool kills_leftovers, sigset_t mask) {
  int status = 0;
  bool has_ended = false;
  int64_t next_look = milliseconds() + memory_interval;
  sigdelset(&mask, SIGCHLD);
  for (;;) {
    for (;;) {
      int its = 0;
      const pid_t gone = waitpid(-1, &its, WNOHANG);
      if (!has_ended && gone == program) {
        has_ended = true;
        program = 0;
        status = its;
        send_event(ended, its);
        if (kills_leftovers) kill_all();
      }
      if (gone < 0 && errno == ECHILD && has_ended) return status;
      if (gone <= 0) break;
    }
    struct pollfd owner = {control, POLLIN, 0};
    const struct timespec wait = {.tv_nsec = memory_interval * 1000000L};
    const int ready = ppoll(&owner, 1, memory > 0 ? &wait : NULL, &mask);
    bool is_over = false;
    if (ready <= 0 && memory > 0 && milliseconds() >= next_look) {
      is_over = memory_taken() > memory;
      next_look = milliseconds() + memory_interval;
    }
    if (is_over) send_event(over_memory, 0);
    if (!is_over && ready <= 0) continue;
    kill_all();
    return SIGKILL;
  }
}

int main(int count, char** values) {
  if (count < 5) {
    fputs("supervise CONTROL MEMORY LEFTOVERS PROGRAM [ARGUMENT]...: started by Tilescope\n", stderr);
    return 2;
  }
  control = atoi(values[1]);
  fcntl(control, F_SETFD, FD_CLOEXEC);
  sigset_t mask;
  start(values + 4, &mask);
  end_as(supervise(strtoull(values[2], NULL, 10), strcmp(values[3], "kill") == 0, mask));
}
