package import Basics

/// The state of an app's session, as far as its traffic shows it.
package enum ObservedStatus: Sendable, Hashable, Codable {
    /// It had begun before the run: neither its login nor its expiries were seen.
    case joined
    /// With the end of its access token, or `nil` if that is unknown.
    case live(until: Instant?)
    /// This exchange is renewing it.
    case renewing(exchange: Int)
    /// Its access token was refused in this exchange, and the app has not renewed it yet.
    case refused(exchange: Int)
    /// Its access token has ended.
    case expired
    case ended(ObservedEnd)

    /// The code of the state, as the field `standing` of an event has it.
    package enum Code: String, Sendable, Hashable, CaseIterable {
        case joined
        case live
        case renewing
        case refused
        case expired
        case ended
    }

    package var code: Code {
        switch self {
        case .joined: .joined
        case .live: .live
        case .renewing: .renewing
        case .refused: .refused
        case .expired: .expired
        case .ended: .ended
        }
    }

    /// How it ended, or `nil` if it has not.
    package var end: ObservedEnd? {
        if case .ended(let end) = self { end } else { nil }
    }

    /// The exchange that it depends on, or `nil` if it depends on none.
    var exchange: Int? {
        switch self {
        case .renewing(let exchange), .refused(let exchange): exchange
        case .joined, .live, .expired, .ended: nil
        }
    }
}

extension ObservedStatus: ObservedEvent {
    package static let name = "standing"
    package static let summary = "What an app's session amounts to has changed."
    package static let fields: [EventField<ObservedStatus>] = [
        .choice("standing", "What it amounts to.") { $0.code },
        .time("until", "When its access token ends, if known.", isOptional: true) {
            if case .live(let until) = $0 { until } else { nil }
        },
        .integer("exchange", "The exchange that it depends on.", isOptional: true) {
            $0.exchange
        },
        .choice("reason", "How the session ended.", isOptional: true) { $0.end },
    ]

    package static let isLasting = true
    package var kept: (any EventKind)? { nil }
    package var condition: NotificationCondition? {
        end?.isWanted ?? true ? nil : .sessionEnded
    }

    package func apply(to session: inout SessionSnapshot, in event: SessionEvent) {
        session.observed.update(self)
    }
}

/// The end of a session, as far as its traffic shows it.
package enum ObservedEnd: String, Sendable, Hashable, Codable, CaseIterable {
    /// The backend acknowledged a logout.
    case logout
    /// Its newest refresh token was refused for good.
    case refreshRefused
    /// A spent refresh token was used again, and the newest tokens are refused since.
    case reuseDetected
    /// Its client logged in again.
    case replaced
    /// The last of its tokens has ended.
    case expired
    /// Nothing was heard of it for long.
    case silent

    /// Whether it is no failure: the user, or the app, wants it, or it may not be an end at all.
    package var isWanted: Bool {
        switch self {
        case .logout, .replaced, .silent: true
        case .refreshRefused, .reuseDetected, .expired: false
        }
    }
}
