internal import CSignals
import Glibc
import Synchronization

/// Keeps signals from ending or stopping the process before it has cleaned up, for example while
/// the terminal's echo is off or a program is running.
///
/// The code that waits checks which signals have arrived. Signals that are ignored or handled
/// elsewhere are left alone.
package enum SignalCatcher {
    /// The number of active users, since several programs may run at the same time.
    private static let waiting = Mutex(0)

    /// Makes a write to a pipe without a reader fail, in place of ending the process.
    ///
    /// The signal is caught and not ignored, since programs that this one starts would ignore it, too.
    package static func outliveReaders() { cs_outlive_readers() }

    /// - Parameter catchesStops: Whether Ctrl-Z is also deferred until `stop` is called.
    package static func begin(catchesStops: Bool) {
        waiting.withLock { count in
            if count == 0 { cs_catch(catchesStops ? 1 : 0) }
            count += 1
        }
    }

    package static func end() {
        waiting.withLock { count in
            count -= 1
            if count == 0 { cs_release() }
        }
    }

    /// Catches the signals that terminate the process, until it ends (SIGHUP not under `nohup`),
    /// and returns a descriptor from which each can be read as a byte with its number.
    package static func watch() -> Int32 { cs_watch() }

    /// A descriptor that becomes readable when a signal arrives; `drain` empties it.
    static var wakeDescriptor: Int32 { cs_wake_descriptor() }

    static func drain() { cs_drain() }

    /// Waits until the descriptor is readable.
    ///
    /// - Returns: `false` if a signal arrived first.
    package static func waitToRead(from descriptor: Int32) -> Bool {
        var waits = [
            pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0),
            pollfd(fd: wakeDescriptor, events: Int16(POLLIN), revents: 0),
        ]
        while poll(&waits, 2, -1) < 0, errno == EINTR {}
        guard waits[1].revents == 0 else {
            drain()
            return false
        }
        return true
    }

    /// The number of times the process has been continued.
    package static var continuations: Int32 { cs_continued() }

    /// The number of times the process was asked to stop.
    package static var stops: Int32 { cs_stops() }

    /// The signal that asked the process to terminate, such as SIGINT, or `nil` if there was none.
    package static var askedToEnd: Int32? {
        let number = cs_asked_to_end()
        return number == 0 ? nil : number
    }

    /// Stops the job, and returns when it continues; returns `false` if it was not stopped because
    /// no shell could continue it.
    package static func stop() -> Bool { cs_stop() != 0 }

    /// Terminates the process as the signal would have done.
    package static func die(of signal: Int32) -> Never { cs_die_of(signal) }
}
