package import Timekeeping

/// One way in which a feed fails, as a value with a name: see `Fault`.
package struct FeedFault: Sendable {
    package typealias Effect = @Sendable (inout FeedDecision, inout SeededGenerator) -> Void

    /// Unique among these and those of `Fault`.
    package let name: String
    package let summary: String
    package let parameter: FaultParameter?
    /// When it can act.
    package let moments: Set<FeedMoment>
    package let effect: Effect
    private let setting: (@Sendable (Double) -> FeedFault)?

    package init(
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

    /// The fault with its parameter chosen; without one, as it is.
    package func set(to value: Double?) -> FeedFault {
        guard let value, let setting else { return self }
        return setting(value)
    }

    /// Every fault of a feed, in the order in which it is listed.
    package static let all: [FeedFault] = [
        .feedRefuse, .feedCloseOnOpen, .feedClose, .feedSilent, .feedDuplicates, .feedExpiry,
    ]
}

/// A moment in the life of a feed's socket at which a fault can act.
package enum FeedMoment: Sendable, Hashable {
    /// The client asks for the upgrade, and its token is good.
    case dialled
    /// The socket is open, and nothing was sent yet.
    case opened
    /// A message is due.
    case message
    /// The access token that opened the socket has expired.
    case expired
}

/// What a server is about to do at such a moment, and what faults make of it.
package struct FeedDecision: Sendable, Hashable {
    package let moment: FeedMoment
    /// The status that is answered in place of the upgrade.
    package var refusal: Int?
    package var close: FeedClose?
    /// From now on nothing is sent and nothing read, though the transport stays open.
    package var isFrozen = false
    /// How often the message is sent.
    package var copies = 1

    /// A turn under faults.
    ///
    /// - Parameters:
    ///   - moment: When it is.
    ///   - faults: Those that act now.
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

/// A close frame of the server's.
package struct FeedClose: Sendable, Hashable {
    /// 1006 stands for the end of the transport without a close frame (RFC 6455 section 7.4.1).
    package var code: UInt16
    package var reason: String

    package init(code: UInt16, reason: String) {
        self.code = code
        self.reason = reason
    }
}
