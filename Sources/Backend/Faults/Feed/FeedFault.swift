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
