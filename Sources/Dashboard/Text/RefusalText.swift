package import Lifecycle

/// What is known of a refused refresh token, and what may have ended it.
package enum RefusalText {
    /// A refusal in one sentence: the server's words, the token's age, and what it leaves open.
    package static func sentence(_ evidence: RefusalEvidence) -> String {
        let said = evidence.message.map { ", \(quoted($0))" } ?? ""
        return "refresh token refused\(said): \(age(evidence)); \(summary(evidence))"
    }

    /// What a server said, as its own words.
    package static func quoted(_ message: String) -> String { "\"\(message)\"" }

    /// The token's age beside its stated life.
    package static func age(_ evidence: RefusalEvidence) -> String {
        let age = DurationFormatter.long(evidence.age)
        guard let lifetime = evidence.lifetime else {
            return "refused at the age of \(age); nothing states how long it lives"
        }
        return "refused at the age of \(age), of \(DurationFormatter.long(lifetime)) stated"
    }

    package static func text(_ cause: PossibleCause, _ evidence: RefusalEvidence) -> String {
        switch cause {
        case .answerLost:
            "a renewal whose answer was lost has spent it"
        case .spentByUse:
            "the last renewal has spent it, and brought no new one"
        case .expired:
            evidence.lifetime == nil
                ? "it has expired: nothing states how long it lives" : "it has expired"
        case .usedElsewhere:
            "another client used it, and the backend refuses the second use"
        case .revoked:
            "a logout elsewhere, a changed password or an administrator revoked it"
        case .forgotten:
            "the backend has lost its sessions, by a restart for instance"
        }
    }

    /// For a place with little room.
    package static func short(_ cause: PossibleCause) -> String {
        switch cause {
        case .answerLost: "spent by the lost renewal"
        case .spentByUse: "spent by the last renewal"
        case .expired: "expired"
        case .usedElsewhere: "used elsewhere"
        case .revoked: "revoked"
        case .forgotten: "forgotten"
        }
    }

    /// All possible causes in one line, marked as such.
    package static func summary(_ evidence: RefusalEvidence) -> String {
        let causes = evidence.possibleCauses.map(short)
        guard let last = causes.last, causes.count > 1 else {
            return causes.first.map { "cause: \($0)" } ?? "cause unknown"
        }
        return "possible: \(causes.dropLast().joined(separator: ", ")) or \(last)"
    }
}
