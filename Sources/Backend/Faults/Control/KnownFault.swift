/// A fault of either sort, as far as it is listed and switched.
package enum KnownFault: Sendable {
    case exchange(Fault)
    case feed(FeedFault)

    /// In the order of the list.
    package static let all =
        Fault.all.map { KnownFault.exchange($0) } + FeedFault.all.map { KnownFault.feed($0) }

    package static func named(_ name: String) -> KnownFault? {
        all.first { $0.name == name }
    }

    package var name: String {
        switch self {
        case .exchange(let fault): fault.name
        case .feed(let fault): fault.name
        }
    }

    package var summary: String {
        switch self {
        case .exchange(let fault): fault.summary
        case .feed(let fault): fault.summary
        }
    }

    /// What it may be restricted to.
    package var kinds: [ExchangeKind] {
        switch self {
        case .exchange(let fault): fault.kinds
        case .feed: [.feed]
        }
    }

    package var parameter: FaultParameter? {
        switch self {
        case .exchange(let fault): fault.parameter
        case .feed(let fault): fault.parameter
        }
    }
}
