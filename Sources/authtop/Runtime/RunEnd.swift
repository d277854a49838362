import Dashboard
import Lifecycle

/// Why a dashboard command is over.
enum RunEnd: Sendable, Equatable {
    /// `--for` is over.
    case timeUp
    /// The person left.
    case quit
    case loginFailed(RefreshFailure)
    case sessionEnded(SignedOutReason)
    case interrupted(signal: Int32)
    /// Nobody reads the output any more.
    case outputClosed
    case abruptError
}

extension RunEnd {
    /// What an event means for a run that nobody watches.
    init?(_ event: SessionEvent) {
        switch event.kind {
        case .loginFailed(let failure): self = .loginFailed(failure)
        case .signedOut(let reason): self = .sessionEnded(reason)
        default: return nil
        }
    }

    /// Leaves the program as the end asks for; returns when all is well, and for a session that a
    /// person ended.
    func settle(profile: String, state: SessionState) throws(CommandFailure) {
        switch self {
        case .quit, .outputClosed, .sessionEnded(.user), .sessionEnded(.everywhere): return
        case .interrupted(let signal): ProgramExit.leave(128 + signal)
        case .abruptError:
            throw CommandFailure(.notSo, "ended by an error, as asked")
        case .loginFailed(let failure): throw Self.failure(of: failure, profile: profile)
        case .sessionEnded(let reason):
            throw CommandFailure(
                .notSo,
                "\(profile): the session ended: \(ReasonText.text(reason))"
            )
        case .timeUp:
            switch state {
            case .signedOut(.user), .signedOut(.everywhere), .signingOut: return
            case .signedOut(let reason):
                throw CommandFailure(.notSo, "\(profile): \(ReasonText.sentence(reason))")
            case .cold, .signingIn:
                throw CommandFailure(.unreachable, "\(profile): not signed in in time")
            case .vaultUnavailable(let problem):
                throw CommandFailure(.unreachable, "\(profile): \(problem.message)")
            case .fresh, .renewing, .retrying, .blocked, .offline, .unknown, .draining: return
            }
        }
    }

    /// A login that failed, as text and with its exit code.
    static func failure(of failure: RefreshFailure, profile: String) -> CommandFailure {
        let status = failure.status.map { " (\($0))" } ?? ""
        let message = "\(profile): login failed\(status): \(CauseText().text(failure))"
        switch failure.kind {
        case .heldBack, .notSent, .unknown, .transient: return CommandFailure(.unreachable, message)
        case .clientFault: return CommandFailure(.badInput, message)
        case .refused: return CommandFailure(.notSo, message)
        }
    }
}

/// Why a command ends without having done what was asked, in one line, with its exit code.
struct CommandFailure: Error {
    enum Exit: Int32, CaseIterable {
        /// What was asked about is not so: the session ended, the credentials are refused.
        case notSo = 1
        case badInput = 2
        case unreachable = 3
    }

    let exit: Exit
    let message: String

    init(_ exit: Exit, _ message: String) {
        self.exit = exit
        self.message = message
    }
}
