package import Profiles

/// Why a feed socket was not opened, or why there is none.
package enum FeedCause: Sendable, Hashable, Codable {
    case closed(code: Int)
    case upgradeRefused(status: Int)
    /// The upgrade was not answered; `detail` is the transport's error.
    case unreachable(detail: String)
    /// The access token to dial with was replaced before the dial.
    case tokenReplaced
    /// The access token was refused, and has not been renewed yet.
    case awaitsRenewal
    /// The server refused the token in a message, which begins with these words.
    case refusedByMessage(words: String)
    /// What the profile expects under this name did not come within this many seconds.
    case unanswered(expectation: String, seconds: Double)
    /// No answer has brought a value that the profile sends with the feed's request.
    case missingCapture(CaptureReference)
    /// The value of the header of this name has a line break, or is not printable ASCII.
    case unusableHeader(name: String)

    package init(_ problem: RequestProblem) {
        switch problem {
        // No value is part of the path of a feed.
        case .missingCapture(let capture), .unusablePath(let capture):
            self = .missingCapture(capture)
        case .unusableHeader(let name): self = .unusableHeader(name: name)
        }
    }

    /// Whether the feed can be dialed once an answer has brought another value.
    package var awaitsValue: Bool {
        switch self {
        case .missingCapture, .unusableHeader: true
        case .closed, .upgradeRefused, .unreachable, .tokenReplaced, .awaitsRenewal,
            .refusedByMessage, .unanswered:
            false
        }
    }

    /// The cause as the field `cause` of an event has it.
    package enum Code: String, Sendable, Hashable, CaseIterable {
        case closed
        case upgradeRefused
        case unreachable
        case tokenReplaced
        case awaitsRenewal
        case refusedByMessage
        case unanswered
        case missingCapture
        case unusableHeader
    }

    package var code: Code {
        switch self {
        case .closed: .closed
        case .upgradeRefused: .upgradeRefused
        case .unreachable: .unreachable
        case .tokenReplaced: .tokenReplaced
        case .awaitsRenewal: .awaitsRenewal
        case .refusedByMessage: .refusedByMessage
        case .unanswered: .unanswered
        case .missingCapture: .missingCapture
        case .unusableHeader: .unusableHeader
        }
    }
}
