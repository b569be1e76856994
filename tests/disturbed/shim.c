// A disk or a share that misbehaves, put under a process by LD_PRELOAD.
//
// DISTURB=what:after:path   disturbs files whose path holds `path`, from byte `after` on:
//   full   the disk is full once so many bytes were written      (ENOSPC)
//   gone   the share goes away once so many bytes were written   (EIO)
//   lie    one bit of that byte of the file arrives changed      (no error)
//   eio    reading at or beyond that byte of the file fails      (EIO)
//   stale  the same                                              (ESTALE)
//   crash  whoever reads at or beyond that byte dies             (SIGSEGV)
// DISTURB_LOG=file with DISTURB=log:0:path notes every change of such files and folders, in order.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#define NEXT(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))

static char setting[PATH_MAX];  // the one that `written` counts for
static long written;

// Return whether a path is disturbed as `what`; `after` from the setting.
static int is_hit(const char *what, const char *path, long *after) {
    const char *now = getenv("DISTURB");
    size_t n = strlen(what);
    if (!now || strncmp(now, what, n) || now[n] != ':') return 0;
    if (strcmp(now, setting)) {
        snprintf(setting, sizeof setting, "%s", now);
        written = 0;
    }
    const char *second = strchr(now + n + 1, ':');
    *after = atol(now + n + 1);
    return second && strstr(path, second + 1) != NULL;
}

static char *path_of(int fd, char *buffer) {
    char link[64];
    snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    ssize_t n = readlink(link, buffer, PATH_MAX - 1);
    buffer[n > 0 ? n : 0] = 0;
    return buffer;
}

// ---- what is noted: a letter, numbers and names in a line, then the bytes of a write ----

static void note(const char *line, const void *data, size_t n) {
    static int log = -1;
    const char *name = getenv("DISTURB_LOG");
    if (!name) return;
    if (log < 0) log = NEXT(open)(name, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
    struct iovec parts[2] = {{(void *)line, strlen(line)}, {(void *)data, n}};
    if (writev(log, parts, 2) < 0) abort();
}

static unsigned long number_of(int fd) {
    struct stat found;
    return fstat(fd, &found) ? 0 : found.st_ino;
}

static void note_path(char letter, const char *path, const char *other) {
    char line[3 * PATH_MAX], here[PATH_MAX] = "";
    long unused;
    if (path[0] != '/' && getcwd(here, sizeof here)) strcat(here, "/");
    if (!is_hit("log", path[0] == '/' ? path : here, &unused)) return;
    snprintf(line, sizeof line, "%c\t%s%s\t%s\n", letter, path[0] == '/' ? "" : here, path, other);
    note(line, "", 0);
}

static void note_file(char letter, int fd, long at, const void *data, size_t n) {
    char path[PATH_MAX], line[128];
    long unused;
    if (!is_hit("log", path_of(fd, path), &unused)) return;
    snprintf(line, sizeof line, "%c\t%lu\t%ld\t%zu\n", letter, number_of(fd), at, n);
    note(line, data, n);
}

static void note_new(int fd, const char *path) {
    char other[32];
    snprintf(other, sizeof other, "%lu", number_of(fd));
    note_path('C', path, other);
}

// ---- writing ----

static ssize_t put(int fd, const void *data, size_t n, long at, int placed) {
    char path[PATH_MAX];
    long after;
    path_of(fd, path);
    for (int k = 0; k < 2; k++)
        if (is_hit(k ? "gone" : "full", path, &after)) {
            if (written >= after) {
                errno = k ? EIO : ENOSPC;
                return -1;
            }
            if (n > (size_t)(after - written)) n = after - written;
            written += n;
        }
    char *copy = NULL;
    if (is_hit("lie", path, &after) && at <= after && after < at + (long)n) {
        copy = malloc(n);
        memcpy(copy, data, n);
        copy[after - at] ^= 4;
    }
    const void *given = copy ? copy : data;
    ssize_t done = placed ? NEXT(pwrite64)(fd, given, n, at) : NEXT(write)(fd, given, n);
    free(copy);
    if (done > 0) note_file('W', fd, at, data, done);
    return done;
}

ssize_t write(int fd, const void *data, size_t n) {
    int before = errno;
    long at = fd > 2 ? lseek(fd, 0, SEEK_CUR) : -1;
    if (at >= 0 && fcntl(fd, F_GETFL) & O_APPEND) at = lseek(fd, 0, SEEK_END);
    errno = before;
    return at < 0 ? NEXT(write)(fd, data, n) : put(fd, data, n, at, 0);
}

ssize_t pwrite64(int fd, const void *data, size_t n, off64_t at) { return put(fd, data, n, at, 1); }
ssize_t pwrite(int fd, const void *data, size_t n, off_t at) { return put(fd, data, n, at, 1); }

// ---- reading ----

static int fails(int fd, long at, size_t n) {
    char path[PATH_MAX];
    long after;
    path_of(fd, path);
    for (int k = 0; k < 2; k++)
        if (is_hit(k ? "stale" : "eio", path, &after) && at + (long)n > after) {
            errno = k ? ESTALE : EIO;
            return 1;
        }
    if (is_hit("crash", path, &after) && at + (long)n > after) kill(getpid(), SIGSEGV);
    return 0;
}

ssize_t read(int fd, void *out, size_t n) {
    int before = errno;
    long at = fd > 2 ? lseek(fd, 0, SEEK_CUR) : -1;
    errno = before;
    return at >= 0 && fails(fd, at, n) ? -1 : NEXT(read)(fd, out, n);
}

ssize_t pread64(int fd, void *out, size_t n, off64_t at) {
    return fails(fd, at, n) ? -1 : NEXT(pread64)(fd, out, n, at);
}
ssize_t pread(int fd, void *out, size_t n, off_t at) { return pread64(fd, out, n, at); }

// ---- names, sizes, and what is on the disk for certain ----

static int opened(int (*open_it)(const char *, int, ...), const char *path, int flags, mode_t mode) {
    int is_new = flags & O_CREAT && access(path, F_OK);
    int fd = open_it(path, flags, mode);
    if (fd >= 0 && is_new) note_new(fd, path);
    if (fd >= 0 && !is_new && flags & O_TRUNC) note_file('T', fd, 0, "", 0);
    return fd;
}

#define MODE(flags) va_list rest; va_start(rest, flags); mode_t mode = flags & O_CREAT ? va_arg(rest, mode_t) : 0; va_end(rest)

int open(const char *path, int flags, ...) { MODE(flags); return opened(NEXT(open), path, flags, mode); }
int open64(const char *path, int flags, ...) { MODE(flags); return opened(NEXT(open64), path, flags, mode); }

int ftruncate64(int fd, off64_t size) {
    int done = NEXT(ftruncate64)(fd, size);
    if (!done) note_file('T', fd, size, "", 0);
    return done;
}
int ftruncate(int fd, off_t size) { return ftruncate64(fd, size); }

int fsync(int fd) {
    int done = NEXT(fsync)(fd);
    if (!done) note_file('S', fd, 0, "", 0);
    return done;
}
int fdatasync(int fd) { return fsync(fd); }

int rename(const char *from, const char *to) {
    int done = NEXT(rename)(from, to);
    if (!done) note_path('R', from, to);
    return done;
}

int unlink(const char *path) {
    int done = NEXT(unlink)(path);
    if (!done) note_path('U', path, "");
    return done;
}

int link(const char *from, const char *to) {
    int done = NEXT(link)(from, to);
    if (!done) note_path('L', from, to);
    return done;
}

int mkdir(const char *path, mode_t mode) {
    int done = NEXT(mkdir)(path, mode);
    if (!done) note_path('M', path, "");
    return done;
}

int rmdir(const char *path) {
    int done = NEXT(rmdir)(path);
    if (!done) note_path('U', path, "");
    return done;
}

int unlinkat(int folder, const char *name, int flags) {
    char path[2 * PATH_MAX] = "";
    if (name[0] != '/' && folder != AT_FDCWD) strcat(path_of(folder, path), "/");
    strncat(path, name, PATH_MAX - 1);
    int done = NEXT(unlinkat)(folder, name, flags);
    if (!done) note_path('U', path, "");
    return done;
}
