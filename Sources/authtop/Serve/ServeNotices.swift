import Basics
import Model
import Profiles
import Proxy
import Synchronization
import UI

/// Tells the user what is worth knowing of the requests that are served: each message once.
final class ServeNotices: Sendable {
    /// The refusals that are told; further ones are only counted.
    private static let limit = 64

    fileprivate struct State {
        var served = 0
        var repeated = 0
        var refused = 0
        var told: Set<String> = []
        /// Those of them whose number has a limit.
        var messages = 0
    }

    private let state = Mutex(State())

    func record(_ notice: ServingNotice) {
        let message = state.withLock { state -> String? in
            state.count(notice)
            guard let message = notice.message else { return nil }
            if case .replaced = notice {
                return state.told.insert(message).inserted ? message : nil
            }
            // Any program of the machine can have requests refused.
            guard state.messages < Self.limit, state.told.insert(message).inserted else {
                return nil
            }
            state.messages += 1
            return state.messages < Self.limit
                ? message : message + "; further such messages are not told"
        }
        if let message { StandardError.write("authtop: \(message.visibleInOneLine)") }
    }

    /// What has been served, as a sentence.
    var summary: String {
        let state = state.withLock { $0 }
        var parts = ["\(CountFormatter.count(state.served, "request")) answered"]
        if state.repeated > 0 { parts.append("\(state.repeated) sent twice") }
        if state.refused > 0 { parts.append("\(state.refused) refused") }
        return parts.joined(separator: ", ")
    }
}

extension ServeNotices.State {
    fileprivate mutating func count(_ notice: ServingNotice) {
        switch notice {
        case .served: served += 1
        case .repeated: repeated += 1
        case .refused: refused += 1
        case .notRepeated, .replaced: break
        }
    }
}

extension ServingNotice {
    /// The message for the user, or `nil` if there is nothing to tell.
    fileprivate var message: String? {
        switch self {
        case .served, .repeated: nil
        case .refused(let reason): reason
        case .replaced(let name):
            "the field \(name) of requests is replaced by that of the session"
        case .notRepeated(let method, let path):
            "\(method) \(path.inOneLine(limit: 80)) was refused with its token, and is not sent once "
                + "more: its body is longer than 1 MiB"
        }
    }
}

/// Lines for a user at a terminal: what happens to the session.
struct ServeDisplay: Sendable {
    let clock: ClockFormatter

    func show(_ event: SessionEvent) {
        guard let text = text(event) else { return }
        let wall = event.moment.wall
        _ = StandardOutput.write("\(clock.when(wall, now: wall))  \(text.visibleInOneLine)")
    }

    private func text(_ event: SessionEvent) -> String? {
        if let issued = event.kind as? TokensIssued {
            let left = issued.pair.usableUntil.map { $0.seconds(since: event.moment.now) }
            let end = left.map { ", usable for \(DurationFormatter.long($0))" } ?? ""
            return "token of generation \(event.generation)\(end)"
        }
        if let failed = event.kind as? RefreshFailed {
            return "renewal failed: \(FailureText.full(failed.failure))"
        }
        return nil
    }
}
