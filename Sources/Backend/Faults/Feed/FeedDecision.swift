package import Timekeeping

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
