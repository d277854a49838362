package import Basics

/// One way in which a feed fails, as a value with a name; see `Fault`.
package struct FeedFault: Sendable {
    typealias Effect = @Sendable (inout FeedDecision, inout SeededGenerator) -> Void

    /// The name, unique among these and those of `Fault`.
    package let name: String
    let summary: String
    package let parameter: FaultParameter?
    /// The moments at which it can fire.
    package let moments: Set<FeedMoment>
    let effect: Effect
    private let setting: (@Sendable (Double) -> FeedFault)?

    init(
        name: String,
        summary: String,
        parameter: FaultParameter? = nil,
        at moments: Set<FeedMoment>,
        effect: @escaping Effect,
        setting: (@Sendable (Double) -> FeedFault)? = nil
    ) {
        self.name = name
        self.summary = summary
        self.parameter = parameter
        self.moments = moments
        self.effect = effect
        self.setting = setting
    }

    /// Returns the fault with its parameter set, or unchanged if `value` is `nil`.
    package func set(to value: Double?) -> FeedFault {
        guard let value, let setting else { return self }
        return setting(value)
    }

    /// Every fault of a feed, in the order of the list.
    package static let all: [FeedFault] = [
        .feedRefuse, .feedCloseOnOpen, .feedClose, .feedSilent, .feedDuplicates, .feedExpiry,
    ]
}

/// A moment in the life of a feed's socket at which a fault can fire.
package enum FeedMoment: Sendable, Hashable {
    /// The client requests the upgrade, and its token is valid.
    case dialed
    /// The socket is open, and nothing has been sent yet.
    case opened
    /// A message is due.
    case message
    /// The access token that opened the socket has expired.
    case expired
}

/// What the server does at a moment of a feed, as changed by faults.
package struct FeedDecision: Sendable, Hashable {
    let moment: FeedMoment
    /// The status of the response in place of the upgrade, or `nil` for the upgrade.
    package var refusal: Int?
    package var close: FeedClose?
    /// Whether nothing is sent or read any more while the transport stays open.
    package var isFrozen = false
    /// The number of times the message is sent.
    package var copies = 1

    /// Computes the decision under faults.
    ///
    /// - Parameters:
    ///   - moment: The moment in the life of the feed.
    ///   - faults: The faults that fire now.
    ///   - random: The run's generator.
    package init(
        _ moment: FeedMoment,
        under faults: [FeedFault] = [],
        drawing random: inout SeededGenerator
    ) {
        self.moment = moment
        for fault in faults { fault.effect(&self, &random) }
    }
}

/// A close frame from the server.
package struct FeedClose: Sendable, Hashable {
    /// The close code; 1006 stands for the end of the transport without a close frame (RFC 6455
    /// section 7.4.1).
    package var code: UInt16
    package var reason: String

    package init(code: UInt16, reason: String) {
        self.code = code
        self.reason = reason
    }
}
