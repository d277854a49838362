// Signals whose handlers only record them, so that the waiting code acts on them, and the
// process groups that a terminal sends them to.
//
// No system header is included here, because Swift would import its types as this module's.
#pragma once

/// Catches the signals that terminate or continue the process, and SIGTSTP if `catches_stops`
/// is not 0; signals that are ignored or handled elsewhere are left alone.
void cs_catch(int catches_stops);

/// Restores the previous handlers, except where another handler was installed in the meantime.
void cs_release(void);

/// Catches SIGINT, SIGTERM and SIGHUP until the process ends (SIGHUP not under `nohup`), and
/// returns a descriptor from which each is read as one byte, its number. None is lost.
int cs_watch(void);

/// Returns a descriptor that becomes readable when a signal arrives; `cs_drain` empties it.
int cs_wake_descriptor(void);
void cs_drain(void);

/// Return how often the process was continued, and asked to stop, so far.
int cs_continued(void);
int cs_stops(void);

/// Returns the signal that asked the process to terminate, or 0 if there was none.
int cs_asked_to_end(void);

/// Stops the job as Ctrl-Z does, and returns 1 when it continues; returns 0 without stopping if
/// no shell could continue it.
int cs_stop(void);

/// Makes a write to a pipe without a reader fail, in place of ending the process, unless SIGPIPE is
/// ignored already; programs that it starts have the default again.
void cs_outlive_readers(void);

/// Returns the signals that this process ignores, one bit each: bit n for signal n.
unsigned long cs_ignored(void);

/// Passes signals on to a child: SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGUSR1 and SIGUSR2.
///
/// The child is in this process's group, so that what the terminal sends reaches it anyway; only
/// what another process sends is passed on. What arrives between `cs_relay_begin` and
/// `cs_relay_to` is passed on by the latter. Those among `ignored` are ignored, as the child's are.
/// Ends with `cs_relay_end`, which must precede the child's being waited for.
void cs_relay_begin(unsigned long ignored);
void cs_relay_to(int child);
void cs_relay_end(void);

/// Terminates the process as if the signal had never been caught.
void cs_die_of(int number) __attribute__((noreturn));

/// Makes a process group the terminal's foreground group, even from the background.
void cs_set_foreground(int terminal, int group);

enum cs_state { CS_RUNS, CS_STOPPED, CS_EXITED, CS_SIGNALED };

/// Returns the state of a child without waiting; `value` is its exit code or signal.
enum cs_state cs_look_at(int child, int *value);
