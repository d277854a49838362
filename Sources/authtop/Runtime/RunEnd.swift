import Client
import Model
import UI

/// The reason why a dashboard command ended.
enum RunEnd: Sendable, Equatable {
    /// The time of `--for` is over.
    case timeUp
    /// The user quit.
    case quit
    /// The user quit the program, from whatever screen this was opened.
    case quitAtOnce
    case loginFailed(RefreshFailure)
    case sessionEnded(SignedOutReason)
    case interrupted(signal: Int32)
    /// The output was closed.
    case outputClosed
    case abruptError
    /// Another run has the sessions of the users now.
    case sessionsLost(String)
}

extension RunEnd {
    /// Returns the end that an event causes in a run without a user, or `nil` if none.
    init?(_ event: SessionEvent) {
        if let failure = (event.kind as? LoginFailed)?.failure {
            self = .loginFailed(failure)
        } else if let reason = (event.kind as? SignedOut)?.reason {
            self = .sessionEnded(reason)
        } else {
            return nil
        }
    }

    /// Whether an event causes an end, or takes one back.
    static func isDecided(by event: SessionEvent) -> Bool {
        if event.kind is TokensIssued { true } else { RunEnd(event) != nil }
    }

    /// Throws the failure for this end, or exits the process if a signal interrupted it; returns if
    /// neither applies, as for a session that the user ended.
    func settle(profile: String, state: SessionState) throws(CommandFailure) {
        switch self {
        case .quit, .quitAtOnce, .outputClosed, .sessionEnded(.user), .sessionEnded(.everywhere):
            return
        case .interrupted(let signal): ProgramExit.leave(128 + signal)
        case .sessionsLost(let text): throw CommandFailure(.unreachable, "--users: \(text)")
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
                throw CommandFailure(.unreachable, "\(profile): not logged in in time")
            case .vaultUnavailable(let problem):
                throw CommandFailure(.unreachable, "\(profile): \(problem.message)")
            case .fresh, .renewing, .retrying, .blocked, .expired, .unknown, .draining: return
            }
        }
    }

    /// Returns the failure for a failed login, with its message and exit code.
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

/// The reason why a command failed, on one line, with its exit code.
struct CommandFailure: Error {
    enum Exit: Int32, CaseIterable {
        /// The answer is negative: the session ended, the credentials were rejected.
        case notSo = 1
        case badInput = 2
        case unreachable = 3
        /// There was nothing that could be judged.
        case notJudged = 4
    }

    let exit: Exit
    private let text: String
    /// The words of the command that helps, or `nil` if there is none.
    private var remedy: [String]?

    /// - Parameters:
    ///   - exit: The exit code.
    ///   - text: The problem.
    ///   - remedy: The words of the command that helps, after `authtop`; the last is the profile.
    init(_ exit: Exit, _ text: String, run remedy: [String]? = nil) {
        self.exit = exit
        self.text = text
        self.remedy = remedy
    }

    var message: String {
        remedy.map { "\(text); run: \(ShellWord.line(["authtop"] + $0))" } ?? text
    }

    /// Returns the failure with the command that helps as this command line chooses the profile.
    func repeating(_ arguments: ProfileArguments) -> CommandFailure {
        var failure = self
        if let words = remedy { failure.remedy = arguments.completing(words) }
        return failure
    }
}

extension [CommandFailure] {
    /// The number of failures that are written.
    private static var writtenLimit: Int { 20 }

    /// Does something, and notes why it failed, if it does.
    mutating func collect(_ body: () throws(CommandFailure) -> Void) {
        do throws(CommandFailure) {
            try body()
        } catch {
            append(error)
        }
    }

    /// Writes all of them but the worst, and of very many only the first.
    ///
    /// - Throws: The worst, if there is one.
    func settle() throws(CommandFailure) {
        guard let worst = self.min(by: { $0.exit.rawValue < $1.exit.rawValue }) else { return }
        let others = filter { $0.message != worst.message }
        for failure in others.prefix(Self.writtenLimit) {
            StandardError.write("authtop: \(failure.message)")
        }
        if others.count > Self.writtenLimit {
            let rest = CountFormatter.count(others.count - Self.writtenLimit, "other")
            StandardError.write("authtop: and \(rest)")
        }
        throw worst
    }
}
