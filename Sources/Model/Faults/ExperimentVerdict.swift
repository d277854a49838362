/// What an experiment of authtop's own client has shown, by its evidence alone.
package enum ExperimentVerdict: Sendable, Hashable, Codable {
    /// The backend refused the access token; whether there is another possible cause than the one
    /// that the experiment is about: that a renewal has replaced the token, or that it has expired.
    case tokenRefused(status: Int, hasOtherCause: Bool = false)
    /// The backend accepted the access token; `secondsAfterEnd` if it had expired.
    case tokenAccepted(status: Int, secondsAfterEnd: Double?)
    /// The response does not depend on the token.
    case inconclusive(status: Int)
    /// There was no complete response.
    case unanswered
    /// The second use of a refresh token was refused, and the session could be renewed afterwards.
    case refusedAlone
    /// The second use of a refresh token was accepted, and the session lives on; whether both uses
    /// brought the same refresh token.
    case acceptedAgain(isSamePair: Bool)
    /// Both uses of a refresh token were accepted and brought different tokens, of which only one
    /// pair could be renewed afterwards.
    case onlyOneValid
    /// Both of two simultaneous uses of a refresh token were refused.
    case bothRefused
    /// The session could not be renewed afterwards; whether the second use of a refresh token was
    /// accepted, or `nil` if that is not known.
    case sessionRevoked(wasAccepted: Bool?)
    /// The feed received a message again after a time, in seconds; with the number of messages that
    /// are missing.
    case feedReturned(seconds: Double, missed: Int)
    /// The feed was open again after a time, in seconds, and received nothing since.
    case feedReturnedSilent(seconds: Double)
    /// The feed was not open again after a time, in seconds.
    case feedStayedAway(seconds: Double)
    /// Another process renewed first, or the vault or its lock could not be used.
    case notMade
    /// The session ended for another reason before the experiment showed anything.
    case interrupted

    /// The verdict as the field `verdict` of an event has it.
    enum Code: String, Sendable, Hashable, CaseIterable {
        case tokenRefused
        case tokenAccepted
        case inconclusive
        case unanswered
        case refusedAlone
        case acceptedAgain
        case onlyOneValid
        case bothRefused
        case sessionRevoked
        case feedReturned
        case feedReturnedSilent
        case feedStayedAway
        case notMade
        case interrupted
    }

    var code: Code {
        switch self {
        case .tokenRefused: .tokenRefused
        case .tokenAccepted: .tokenAccepted
        case .inconclusive: .inconclusive
        case .unanswered: .unanswered
        case .refusedAlone: .refusedAlone
        case .acceptedAgain: .acceptedAgain
        case .onlyOneValid: .onlyOneValid
        case .bothRefused: .bothRefused
        case .sessionRevoked: .sessionRevoked
        case .feedReturned: .feedReturned
        case .feedReturnedSilent: .feedReturnedSilent
        case .feedStayedAway: .feedStayedAway
        case .notMade: .notMade
        case .interrupted: .interrupted
        }
    }

    /// The status of the response that decided it.
    var status: Int? {
        switch self {
        case .tokenRefused(let status, _), .tokenAccepted(let status, _),
            .inconclusive(let status):
            status
        default: nil
        }
    }

    /// A time in seconds: since the token's end, or until the feed was open.
    var seconds: Double? {
        switch self {
        case .tokenAccepted(_, let seconds): seconds
        case .feedReturned(let seconds, _), .feedReturnedSilent(let seconds),
            .feedStayedAway(let seconds):
            seconds
        default: nil
        }
    }
}
