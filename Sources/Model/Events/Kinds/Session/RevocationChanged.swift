/// The progress of notifying the backend of a logout.
package struct RevocationChanged: EventKind {
    package var phase: RevocationPhase

    package init(_ phase: RevocationPhase) {
        self.phase = phase
    }

    private enum CodingKeys: String, CodingKey {
        case phase = "_0"
    }
}

extension RevocationChanged {
    package static let name = "revocation"
    package static let summary = "How far telling the backend of a logout has come."
    package static let fields: [EventField<RevocationChanged>] = [
        .choice("phase", "How far.") { $0.phase }
    ]

    package var kept: (any EventKind)? { self }
    package var tone: EventTone {
        switch phase {
        case .expired, .noRefreshToken, .noAccessToken, .noCapturedValue: .warning
        case .pending, .done, .anonymous, .notKnown, .notOffered: .plain
        }
    }
    package var isNotice: Bool {
        switch phase {
        case .pending, .expired: false
        case .done, .anonymous, .notKnown, .notOffered, .noRefreshToken, .noAccessToken,
            .noCapturedValue:
            true
        }
    }

    package func apply(to session: inout SessionSnapshot, in event: SessionEvent) {
        session.problems.revocation = phase
    }
}

package enum RevocationPhase: String, Sendable, Hashable, Codable, CaseIterable {
    case pending
    /// The backend confirmed it.
    case done
    /// The backend acknowledged a request that does not identify the session.
    case anonymous
    /// The backend does not know the token, or no longer does.
    case notKnown
    /// The refresh token expired before the backend could be notified.
    case expired
    /// The dialect has no endpoint for it.
    case notOffered
    /// Its request needs the refresh token, and there is none, or none any more.
    case noRefreshToken
    /// Its request needs a live access token, and that has ended.
    case noAccessToken
    /// Its request sends a captured value again, and no answer has brought it.
    case noCapturedValue
}
