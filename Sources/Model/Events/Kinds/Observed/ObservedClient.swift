/// A program that sends requests, as far as they tell it from others.
package struct ObservedClient: Sendable, Hashable, Codable {
    /// Its address, without a port.
    package var peer: String
    /// The beginning of its `User-Agent`.
    package var userAgent: String?
    /// The `Origin` of a page.
    package var origin: String?
    /// The name that it gives itself in `X-Authtop-Client`.
    package var name: String?
    /// The process, if it is of this machine and was found.
    package var process: ClientProcess?

    package init(
        peer: String,
        userAgent: String? = nil,
        origin: String? = nil,
        name: String? = nil,
        process: ClientProcess? = nil
    ) {
        self.peer = peer
        self.userAgent = userAgent
        self.origin = origin
        self.name = name
        self.process = process
    }
}

extension ObservedClient: ObservedEvent {
    package static let name = "client"
    package static let summary = "A client takes part in an app's session for the first time."
    package static let fields: [EventField<ObservedClient>] = [
        .text("peer", "Its address.") { $0.peer },
        .text("userAgent", "The beginning of its `User-Agent`.", isOptional: true) {
            $0.userAgent
        },
        .text("origin", "The `Origin` of a page.", isOptional: true) { $0.origin },
        .text(
            "name",
            "The name that it gives itself in `X-Authtop-Client`.",
            isOptional: true
        ) { $0.name },
        .text("process", "The name of its program or script, on this machine.", isOptional: true) {
            $0.process?.name
        },
        .integer("pid", "Its process id when it was first seen.", isOptional: true) {
            $0.process?.id
        },
    ]

    package var kept: (any EventKind)? { nil }

    package func apply(to session: inout SessionSnapshot, in event: SessionEvent) {
        session.observed.update(self)
    }
}
