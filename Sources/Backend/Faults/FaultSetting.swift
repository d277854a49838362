/// A fault of an exchange or of a feed.
package enum KnownFault: Sendable {
    case exchange(Fault)
    case feed(FeedFault)

    /// Every fault, in the order of the list.
    package static let all =
        Fault.all.map { KnownFault.exchange($0) } + FeedFault.all.map { KnownFault.feed($0) }

    static func named(_ name: String) -> KnownFault? {
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

    /// The exchanges that the fault can be restricted to.
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

/// When a fault fires.
package enum FaultState: Sendable, Hashable {
    case off
    /// Each time it can.
    case always
    /// The next `n` times.
    case next(Int)
    /// Each time with this probability, which is greater than 0.
    case chance(Double)
}

/// The setting of one fault, which the user writes as `delay:once:refresh:seconds=3`.
package struct FaultSetting: Sendable, Hashable {
    /// The name of one of `KnownFault.all`.
    package let name: String
    package var state: FaultState
    /// The exchanges that the fault is restricted to; if empty, every exchange that it can affect.
    var kinds: Set<ExchangeKind>
    /// The value of the fault's parameter, or `nil` to leave it to the fault.
    var value: Double?

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

    /// The settings that turn every fault off.
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
    /// The setting in the syntax that the user writes.
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
    /// The number without a fraction if it is whole.
    var shortest: String {
        Int(exactly: self).map { String($0) } ?? String(self)
    }
}
