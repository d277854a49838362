package import Basics

/// The estimate of the backend's clock has changed.
package struct SkewChanged: EventKind {
    package var offset: ServerOffset

    package init(_ offset: ServerOffset) {
        self.offset = offset
    }

    private enum CodingKeys: String, CodingKey {
        case offset = "_0"
    }
}

extension SkewChanged {
    package static let name = "skew"
    package static let summary = "What is known of the backend's clock changed."
    package static let fields: [EventField<SkewChanged>] = [
        .seconds("offsetLow", "It is ahead of ours by at least this.") { $0.offset.low },
        .seconds(
            "offsetHigh",
            "It is ahead of ours by at most this, if something tells how old a `Date` is.",
            isOptional: true
        ) { $0.offset.high },
    ]

    package static let isReported = false
    package var kept: (any EventKind)? { nil }
    package var level: EventLevel { .debug }

    package func apply(to session: inout SessionSnapshot, in event: SessionEvent) {
        session.serverOffset = offset
    }
}
