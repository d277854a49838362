/// A request that the proxy refused because it named another server.
package struct MisdirectedRequest: Sendable, Hashable, Codable {
    /// The host that it named, in one line and bounded.
    package var host: String
    /// Whether its target named the host, as those for a proxy to every server do, and not its `Host`.
    package var isURL: Bool
    /// Whether it would be served if the host was allowed.
    package var isAllowable: Bool
    /// The number of such requests so far, whatever they named.
    package var count: Int

    package init(host: String, isURL: Bool, isAllowable: Bool, count: Int) {
        self.host = host
        self.isURL = isURL
        self.isAllowable = isAllowable
        self.count = count
    }

    /// The option that would let it in, or `nil` if none does.
    package var option: String? { isAllowable ? "--allow-host=\(host)" : nil }
}

extension MisdirectedRequest: ObservedEvent {
    package static let name = "misdirected"
    package static let summary =
        "The proxy refused a request with 421, because it named another server."
    package static let fields: [EventField<MisdirectedRequest>] = [
        .text("host", "The server that it named.") { $0.host },
        .flag("isURL", "Whether its target named it, and not its `Host`.") { $0.isURL },
        .text("option", "What would let it in, if anything does.", isOptional: true) {
            $0.option
        },
        .integer(
            "count",
            "How many requests were refused so far, whatever they named; told within a minute if "
                + "not at once."
        ) { $0.count },
    ]

    package var kept: (any EventKind)? { self }
    package var level: EventLevel { .warning }
    package var tone: EventTone { .warning }
    package var isNotice: Bool { true }

    package func apply(to book: inout SessionBook, in event: SessionEvent) {
        book.misdirected = self
    }
}
