import Basics
package import Client
package import Model
import Profiles

/// The answer of a simulated backend to a dial of the feed.
package enum FeedScenario: Sendable {
    /// The profile has no feed.
    case none
    /// 404: the backend has none.
    case absent
    indirect case served(ServedFeed)

    /// A socket that is open costs a step every 20 s at least, so only systems whose tokens are
    /// renewed about as often can afford one, in seconds; with shorter-lived ones, a socket waits for
    /// a token longer than it lives.
    package static let lifetimes = 5.0...120.0

    package var served: ServedFeed? {
        if case .served(let feed) = self { feed } else { nil }
    }

    /// The machine's knowledge of it.
    package var configuration: FeedConfiguration? {
        switch self {
        case .none: nil
        case .absent: FeedConfiguration(following: .overlap, asksSince: true)
        case .served(let feed):
            FeedConfiguration(
                following: feed.following,
                asksSince: feed.asksSince,
                script: FeedScript(says: [FeedSay("{access}", on: .renewal)])
            )
        }
    }
}

/// The service of a feed by a backend.
package struct ServedFeed: Sendable {
    /// The response to a dial whose token is not accepted.
    package enum Refusal: Sendable {
        case status(Int)
        /// The upgrade, and then a close frame with this code.
        case close(UInt16)
    }

    package var following: FeedFollowing
    /// Whether the backend sends what came since the last message of a client.
    package var asksSince: Bool
    /// Between two messages of a user, in seconds.
    package var period: Double
    package var refusal: Refusal
    /// The code with which a socket is closed when its token expires, or `nil` if it is left open.
    package var expiryCode: UInt16?
    /// The probability that a fault acts at each moment of a socket, and the faults.
    package var faultRate = 0.0
    package var faults: [Fault] = []
    /// The probability that a socket is cut when the network goes away; one that is not cut stalls.
    package var cuts = 0.5
}

extension Scenario {
    /// Last of all draws, so that the rest of a seed does not depend on it.
    mutating func drawFeed(_ random: inout SeededGenerator) {
        guard FeedScenario.lifetimes.contains(accessLifetime),
            Int.random(in: 0..<4, using: &random) > 0
        else {
            feed = Bool.random(using: &random) ? .absent : .none
            return
        }
        let followings: [FeedFollowing] = [
            .overlap, .overlap, .overlap, .restart, .keep, .message,
        ]
        let refusals: [ServedFeed.Refusal] = [.status(401), .status(403), .close(4401)]
        var served = ServedFeed(
            following: followings.drawn(&random),
            asksSince: Int.random(in: 0..<4, using: &random) > 0,
            period: accessLifetime * random.uniform(0.2...1.5),
            refusal: refusals.drawn(&random),
            expiryCode: [nil, 4401, 1008].drawn(&random)
        )
        if kind.isRough {
            served.faultRate = [0, 0.01, 0.05, 0.2].drawn(&random)
            served.faults = Fault.ofFeed.map { $0.drawn(&random) }
        }
        feed = .served(served)
    }
}

extension Fault {
    /// With another parameter than usual as often as not.
    fileprivate func drawn(_ random: inout SeededGenerator) -> Fault {
        guard let parameter = parameters.first, Bool.random(using: &random) else { return self }
        switch parameter.name {
        case .seconds, .count, .hangs: return self
        case .status: return set(to: [400, 401, 403, 404, 429, 500, 503].drawn(&random))
        case .code:
            return set(
                to: [1000, 1001, 1006, 1008, 1009, 1011, 1013, 3000, 4003, 4409, 4429]
                    .drawn(&random)
            )
        }
    }
}
