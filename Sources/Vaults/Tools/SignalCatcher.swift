internal import CSignals
import Glibc
import Synchronization

/// Keeps signals from ending or stopping the process before it has cleaned up: a terminal without
/// an echo, a program that it has started.
///
/// Whoever waits looks at what came. Signals that somebody else has taken over, or ignores, stay
/// theirs.
package enum SignalCatcher {
    /// How many wait: programs may run at the same time.
    private static let waiting = Mutex(0)

    /// - Parameter catchesStops: Whether Ctrl-Z waits for `stop` as well.
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

    /// Takes over the signals that ask the process to end, until it does (SIGHUP not under
    /// `nohup`): each is a byte with its number to read here.
    package static func watch() -> Int32 { cs_watch() }

    /// Readable when a signal came; emptied by `drain`.
    package static var wakeDescriptor: Int32 { cs_wake_descriptor() }

    package static func drain() { cs_drain() }

    /// Waits until there is something to read.
    ///
    /// - Returns: False when a signal came first.
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

    /// How often the process was continued so far.
    package static var continuations: Int32 { cs_continued() }

    /// How often it was asked to stop.
    package static var stops: Int32 { cs_stops() }

    /// The signal that asked the process to end, such as SIGINT.
    package static var askedToEnd: Int32? {
        let number = cs_asked_to_end()
        return number == 0 ? nil : number
    }

    /// Stops the job, and returns when it runs again; false where no shell could continue it, so
    /// that it was not stopped.
    package static func stop() -> Bool { cs_stop() != 0 }

    /// Ends the process as the signal would have done.
    package static func die(of signal: Int32) -> Never { cs_die_of(signal) }
}
