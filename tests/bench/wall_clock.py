"""A wall clock that jumps, for the programs of a soak alone.

The machine's clock belongs to everybody, so it is left as it is. A small library, compiled by `cc` and preloaded, adds to it what a
file says that all these programs have mapped. Times of files stay the machine's: next to a clock that jumps they are of the future
or of the past. Monotonic clocks are not touched.
"""
import mmap
import shutil
import struct
import subprocess
from pathlib import Path

SOURCE = r"""
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

static const int64_t none = 0;
static const volatile int64_t *ahead = &none;

__attribute__((constructor)) static void map_file(void) {
    const char *path = getenv("SOAK_CLOCK");
    int file = path ? open(path, O_RDONLY | O_CLOEXEC) : -1;
    void *mapped = file < 0 ? MAP_FAILED : mmap(0, sizeof none, PROT_READ, MAP_SHARED, file, 0);
    if (file >= 0) close(file);
    if (mapped != MAP_FAILED) ahead = mapped;
}

int clock_gettime(clockid_t id, struct timespec *at) {
    int failed = syscall(SYS_clock_gettime, id, at);
    if (!failed && (id == CLOCK_REALTIME || id == CLOCK_REALTIME_COARSE)) at->tv_sec += *ahead;
    return failed;
}

int gettimeofday(struct timeval *at, void *zone) {
    (void)zone;
    struct timespec now;
    int failed = clock_gettime(CLOCK_REALTIME, &now);
    if (!failed && at) { at->tv_sec = now.tv_sec; at->tv_usec = now.tv_nsec / 1000; }
    return failed;
}

time_t time(time_t *at) {
    struct timespec now;
    time_t seconds = clock_gettime(CLOCK_REALTIME, &now) ? (time_t)-1 : now.tv_sec;
    if (at) *at = seconds;
    return seconds;
}
"""


class WallClock:
    """The library and the file; `environment` is what makes a program use them."""

    def __init__(self, folder):
        folder = Path(folder)
        source, library, self.file = folder / "clock.c", folder / "clock.so", folder / "clock.offset"
        source.write_text(SOURCE)
        self.file.write_bytes(bytes(8))
        subprocess.run(["cc", "-O1", "-shared", "-fPIC", "-o", library, source], check=True, capture_output=True)
        self.environment = {"LD_PRELOAD": str(library), "SOAK_CLOCK": str(self.file)}
        with open(self.file, "r+b") as file:
            self.mapped = mmap.mmap(file.fileno(), 8)

    @staticmethod
    def can_be_made():
        return shutil.which("cc") is not None

    def set_ahead(self, seconds):
        """From now on the programs' wall clock is so many seconds ahead of the machine's, or behind it."""
        self.mapped[:8] = struct.pack("=q", seconds)
