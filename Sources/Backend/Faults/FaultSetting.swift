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

/// When a fault acts.
package enum FaultState: Sendable, Hashable {
    case off
    /// Each time it can.
    case always
    /// The next so many times.
    case next(Int)
    /// Each time with this probability, over 0.
    case chance(Double)
}

/// How one fault is set: what a person writes as `delay:once:refresh:seconds=3`.
package struct FaultSetting: Sendable, Hashable {
    /// One of `KnownFault.all`.
    package let name: String
    package var state: FaultState
    /// Empty for every exchange in which the fault can show.
    package var kinds: Set<ExchangeKind>
    /// Of the fault's parameter; `nil` leaves it to the fault.
    package var value: Double?

    init(
        _ fault: KnownFault,
        _ state: FaultState,
        kinds: Set<ExchangeKind> = [],
        value: Double? = nil
    ) {
        name = fault.name
        self.state = state
        self.kinds = kinds
        self.value = value
    }

    /// Each fault off.
    package static var allOff: [FaultSetting] {
        KnownFault.all.map { FaultSetting($0, .off) }
    }
}

extension FaultState: CustomStringConvertible {
    package var description: String {
        switch self {
        case .off: "off"
        case .always: "on"
        case .next(1): "once"
        case .next(let count): "next=\(count)"
        case .chance(let probability): "p=\(probability)"
        }
    }
}

extension FaultSetting: CustomStringConvertible {
    /// As a person would write it.
    package var description: String {
        let parameter = KnownFault.named(name)?.parameter?.name.rawValue
        let value = value.flatMap { value in parameter.map { "\($0)=\(value.shortest)" } }
        let state = state == .always ? nil : state.description
        let kinds = ExchangeKind.allCases.filter(kinds.contains).map(\.rawValue)
        return ([name, state].compactMap(\.self) + kinds + [value].compactMap(\.self))
            .joined(separator: ":")
    }
}

extension Double {
    /// Without a fraction where there is none.
    var shortest: String {
        Int(exactly: self).map { String($0) } ?? String(self)
    }
}
