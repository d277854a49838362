package import Basics

/// Callers or requests wait for a token, the first of them since then, or no longer do.
package struct TokenAwaited: EventKind {
    var since: Moment?

    package init(since: Moment?) {
        self.since = since
    }
}

extension TokenAwaited {
    package static let name = "tokenAwaited"
    package static let summary = "Callers or requests wait for an access token, or no longer do."
    package static let fields: [EventField<TokenAwaited>] = [
        .time("since", "Since when the first of them waits.", isOptional: true) { $0.since?.now }
    ]

    package var kept: (any EventKind)? { nil }

    package func apply(to session: inout SessionSnapshot, in event: SessionEvent) {
        session.usersWaitSince = since
    }
}
