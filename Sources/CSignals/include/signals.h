// Signals that are acted on by whoever waits for something, and not by their handlers, which only
// note them; and the process groups that a terminal sends them to.
//
// No header of the system is included here: Swift would take its types for this module's.
#pragma once

/// Catches the signals that ask the process to end or to continue, and SIGTSTP where that is asked
/// for; those that somebody else has taken over, or ignores, stay theirs.
void cs_catch(int catches_stops);

/// Gives back what was caught, unless somebody else has taken it over meanwhile.
void cs_release(void);

/// Takes over SIGINT, SIGTERM and SIGHUP until the process ends (SIGHUP not under `nohup`), and returns
/// a descriptor that each of them writes one byte to, its number. None is lost, however early it comes.
int cs_watch(void);

/// Readable when a signal came; emptied by `cs_drain`.
int cs_wake_descriptor(void);
void cs_drain(void);

/// How often the process was continued, and asked to stop, so far.
int cs_continued(void);
int cs_stops(void);

/// The signal that asked the process to end; 0 when none did.
int cs_asked_to_end(void);

/// Stops the job as Ctrl-Z does, and returns 1 once it runs again; 0 where no shell could continue
/// it, so that it was not stopped.
int cs_stop(void);

/// Ends the process as if the signal had never been caught.
void cs_die_of(int number) __attribute__((noreturn));

/// Makes a process group the one that the terminal's keys go to, be we in the foreground or not.
void cs_set_foreground(int terminal, int group);

enum cs_state { CS_RUNS, CS_STOPPED, CS_EXITED, CS_SIGNALED };

/// How a child stands, looked at without waiting; `value` is its exit code or signal.
enum cs_state cs_look_at(int child, int *value);
