package import Basics

/// Statements about the end of a token contradict each other.
package struct ExpiryMismatch: EventKind {
    package var token: TokenKind
    package var readings: [Expiry.Reading]

    package init(token: TokenKind, readings: [Expiry.Reading]) {
        self.token = token
        self.readings = readings
    }
}

extension ExpiryMismatch {
    package static let name = "expiryMismatch"
    package static let summary = "What says when a token ends disagrees."
    package static let fields: [EventField<ExpiryMismatch>] = [
        .choice("token", "Which of the two tokens.") { $0.token },
        .list("readings", "Each source with the seconds that it gives the token.") {
            $0.readings.map { reading in
                [
                    "source": .string(reading.source.rawValue),
                    "seconds": .number(reading.stated),
                ]
            }
        },
    ]

    package var kept: (any EventKind)? { self }
    package var level: EventLevel { .warning }
    package var tone: EventTone { .warning }
}

package enum TokenKind: String, Sendable, Hashable, Codable, CaseIterable {
    case access
    case refresh
}
