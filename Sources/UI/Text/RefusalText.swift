import Basics
package import Model
import Profiles

/// The evidence about a refused refresh token, and the possible causes of its end.
package enum RefusalText {
    /// A refusal in one sentence: the server's words, the token's age, and what it leaves open.
    package static func sentence(_ evidence: RefusalEvidence) -> String {
        let said = evidence.message.map { ", \(quoted($0))" } ?? ""
        return "refresh token refused\(said): \(age(evidence)); \(summary(evidence))"
    }

    /// A server's message as a quotation.
    package static func quoted(_ message: String) -> String { "\"\(message)\"" }

    /// The server's words after the result of a request, or `nil` if it said nothing: `: "jwt expired"`,
    /// or ` to /login`.
    static func answer(_ exchange: Exchange, limit: Int = 200) -> String? {
        guard let words = exchange.serverWords?.inOneLine(limit: limit) else { return nil }
        return isRedirect(exchange) ? " \(words)" : ": \(quoted(words))"
    }

    /// The server's words, quoted unless they are the address that it redirects to.
    static func said(_ words: String, in exchange: Exchange) -> String {
        isRedirect(exchange) ? words : quoted(words)
    }

    private static func isRedirect(_ exchange: Exchange) -> Bool {
        (300..<400).contains(exchange.status ?? 0)
    }

    /// The token's age beside its stated life.
    static func age(_ evidence: RefusalEvidence) -> String {
        let age = DurationFormatter.long(evidence.age)
        guard let lifetime = evidence.lifetime else {
            return "refused at the age of \(age); nothing usable states how long it lives"
        }
        let isApproximate = evidence.source?.dependsOnClocks ?? false
        return "refused at \(self.age(evidence.age, of: lifetime, isApproximate))"
    }

    /// `20 s of 5 h 33 m, 5 h 32 m before its stated end`; `≈` marks what depends on the clocks.
    static func age(_ age: Double, of lifetime: Double, _ isApproximate: Bool = false) -> String {
        let left = lifetime - age
        let mark = ExpiryText.mark(isApproximate)
        let end =
            left >= 0
            ? "\(mark)\(DurationFormatter.long(left)) before its stated end"
            : "\(mark)\(DurationFormatter.long(-left)) after its stated end"
        let whole = mark + DurationFormatter.long(lifetime)
        return "\(DurationFormatter.long(age)) of \(whole), \(end)"
    }

    /// `refused at 20 s of 5 h 33 m: expires_in is probably in milliseconds`, the longest way
    /// first; `place` is where the lifetime is stated.
    static func early(_ refusal: EarlyRefusal, place: String) -> [String] {
        let age = DurationFormatter.long(refusal.age)
        let mark = ExpiryText.mark(refusal.isApproximate)
        let fact = "refused at \(age) of \(mark)\(DurationFormatter.long(refusal.lifetime))"
        switch refusal.milliseconds {
        case .unlikely: return [fact]
        case .possible:
            return ["\(fact): \(place) may be in milliseconds", "\(fact): milliseconds?", fact]
        case .probable:
            return [
                "\(fact): \(place) is probably in milliseconds", "\(fact): probably milliseconds",
                fact,
            ]
        }
    }

    static func text(_ cause: PossibleCause, _ evidence: RefusalEvidence) -> String {
        switch cause {
        case .answerLost:
            "a renewal whose answer was lost has spent it"
        case .spentByUse:
            "the last renewal has spent it, and brought no new one"
        case .expired:
            evidence.lifetime == nil
                ? "it has expired: nothing usable states how long it lives" : "it has expired"
        case .inactive:
            "the session was not used for longer than the backend allows"
        case .sessionEnded:
            "the session has reached the longest life that the backend allows"
        case .usedElsewhere:
            "another client used it, and the backend refuses the second use"
        case .revoked:
            "a logout elsewhere, a changed password or an administrator revoked it"
        case .forgotten:
            "the backend has lost its sessions, by a restart for instance"
        case .experiment:
            "an experiment used a refresh token twice, and the backend ends the session then"
        case .lifetimeMisread:
            evidence.source?.isWithoutZone == true
                ? "it has expired, if its stated end is in another time zone"
                : "it has expired, if its stated life is in milliseconds"
        }
    }

    /// For a place with little room.
    static func short(_ cause: PossibleCause) -> String {
        switch cause {
        case .answerLost: "spent, \(MissingAnswerText.lost)"
        case .spentByUse: "spent by the last renewal"
        case .expired: "expired"
        case .inactive: "unused for too long"
        case .sessionEnded: "at the session's longest life"
        case .usedElsewhere: "used elsewhere"
        case .revoked: "revoked"
        case .forgotten: "forgotten"
        case .lifetimeMisread: "expired, if its end is misread"
        case .experiment: "an experiment"
        }
    }

    /// All possible causes in one line, marked as such.
    static func summary(_ evidence: RefusalEvidence) -> String {
        let causes = evidence.possibleCauses.map(short)
        guard let last = causes.last, causes.count > 1 else {
            return causes.first.map { "cause: \($0)" } ?? "cause unknown"
        }
        return "possible: \(causes.dropLast().joined(separator: ", ")) or \(last)"
    }
}
