package import Basics
package import Profiles

/// The evidence about a refresh token at the moment of its refusal.
package struct RefusalEvidence: Sendable, Hashable, Codable {
    /// Seconds since the request was sent from which its life counts.
    package var age: Double
    /// The stated lifetime, in seconds, or `nil` if none is stated.
    package var lifetime: Double?
    /// The source of `lifetime`.
    package var source: ExpirySource?
    /// The number of times that it may have been sent before without a usable answer on record.
    package var sendsWithoutAnswer: Int
    /// The possible causes of its end, the likeliest first: those that the evidence does not rule
    /// out.
    package var possibleCauses: [PossibleCause]
    /// The backend's message: bounded, on one line, and without a token.
    package var message: String?

    package init(
        age: Double,
        lifetime: Double?,
        source: ExpirySource? = nil,
        sendsWithoutAnswer: Int,
        possibleCauses: [PossibleCause],
        message: String? = nil
    ) {
        self.age = age
        self.lifetime = lifetime
        self.source = source
        self.sendsWithoutAnswer = sendsWithoutAnswer
        self.possibleCauses = possibleCauses
        self.message = message
    }
}

/// A possible cause for which the backend refuses a refresh token.
package enum PossibleCause: String, Sendable, Hashable, Codable, CaseIterable {
    /// A renewal without a usable answer spent it.
    case answerLost
    /// The last renewal spent it and returned no new one.
    case spentByUse
    /// It has expired: as stated, or possibly, because no lifetime is stated.
    case expired
    /// The session was not used for longer than the backend allows, as the backend says.
    case inactive
    /// The session has reached the longest life that the backend allows, as the backend says.
    case sessionEnded
    /// Another client used it; the backend refuses the second use.
    case usedElsewhere
    /// A logout elsewhere, a change of the password, or an administrator.
    case revoked
    /// The backend has lost its sessions, or another instance of it answers.
    case forgotten
    /// Its life is over, because the stated one is in another unit or time zone than was read.
    case lifetimeMisread
    /// An experiment has used a refresh token twice, and the backend ends the session then.
    case experiment
}

extension PossibleCause {
    /// Returns the causes that a refusal names, or all that the evidence leaves open if it names
    /// none.
    ///
    /// - Parameters:
    ///   - open: The causes that the evidence does not rule out.
    ///   - stated: The refusal's statement about the refresh token.
    /// - Returns: The causes, the likeliest first.
    package static func among(
        _ open: [PossibleCause],
        given stated: [RefusalCause]
    ) -> [PossibleCause] {
        guard !stated.isEmpty else { return open }
        let causes = stated.flatMap { cause -> [PossibleCause] in
            switch cause {
            case .expired: return [.expired]
            case .inactive: return [.inactive]
            case .sessionEnded: return [.sessionEnded]
            case .revoked: return [.revoked]
            case .used:
                let uses = open.filter { [.answerLost, .spentByUse, .usedElsewhere].contains($0) }
                return uses.isEmpty ? [.usedElsewhere] : uses
            case .unknown:
                let spent = open.filter { [.answerLost, .spentByUse].contains($0) }
                return spent + [.revoked, .forgotten]
            }
        }
        return causes.reduce(into: []) { if !$0.contains($1) { $0.append($1) } }
    }
}

extension SignedOutReason {
    /// Creates the reason that a refusal states, or `nil` if what it says allows several.
    package init?(_ stated: [RefusalCause]) {
        switch Set(stated) {
        case [.expired]: self = .refreshExpired
        case [.revoked]: self = .revoked
        case let causes
        where !causes.isEmpty && causes.isSubset(of: [.expired, .inactive, .sessionEnded]):
            self = .sessionExpired
        default: return nil
        }
    }
}
