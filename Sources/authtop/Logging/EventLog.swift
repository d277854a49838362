import Lifecycle
import Logging

/// Writes events down, as the lines that `--json` prints, each with a level.
struct EventLog: Sendable {
    let logger: Logger

    func note(_ event: SessionEvent) {
        let level = event.kind.level
        guard logger.logLevel <= level else { return }
        logger.log(level: level, "\(EventLine.text(of: event))")
    }

    /// What is no event of a session.
    func note(_ message: String) {
        logger.info("\(message)")
    }
}

extension SessionEvent.Kind {
    fileprivate var level: Logger.Level {
        switch self {
        case .feed(.message), .feed(.ping): .trace
        case .request, .feed, .skew, .probe, .sessions: .debug
        case .loginFailed, .refreshFailed, .expiryMismatch, .noProgress, .protocolError, .unsaved,
            .circuitBreakerOpened, .draining, .actionRejected, .dropped:
            .warning
        case .signedOut(.user), .signedOut(.everywhere): .info
        case .signedOut: .error
        default: .info
        }
    }
}
