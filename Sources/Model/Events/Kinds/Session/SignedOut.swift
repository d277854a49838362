/// The session ended, or there is none.
package struct SignedOut: EventKind {
    package var reason: SignedOutReason

    package init(_ reason: SignedOutReason) {
        self.reason = reason
    }

    private enum CodingKeys: String, CodingKey {
        case reason = "_0"
    }
}

extension SignedOut {
    package static let name = "signedOut"
    package static let summary = "The session ended, or there is none."
    package static let fields: [EventField<SignedOut>] = [.choice("reason", "Why.") { $0.reason }]

    package static let isLasting = true
    package var kept: (any EventKind)? { self }
    package var level: EventLevel {
        switch reason {
        case .user, .everywhere: .info
        case .never, .endedElsewhere, .refreshExpired, .sessionExpired, .accessExpired, .revoked,
            .lostRotation, .consumeWithoutReturn, .anotherUser, .deletedExternally, .replaced,
            .gaveUp, .renewedTokenRefused, .experiment:
            .error
        }
    }
    package var tone: EventTone { reason.isWanted ? .plain : .bad }
    package var condition: NotificationCondition? { reason.isWanted ? nil : .sessionEnded }
    package var endNews: SessionEndNews? { .over }
    package var lifelineMark: LifelineMark? {
        reason == .never ? nil : reason.isWanted ? .ended : .died
    }

    package func apply(to session: inout SessionSnapshot, in event: SessionEvent) {
        session.end(reason, at: event.moment)
    }

    package func apply(to statistics: inout SessionStatistics, in event: SessionEvent) {
        statistics.end(at: event.moment)
    }
}
