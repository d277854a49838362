import Basics
import FoundationEssentials
import Model
import Profiles

/// One pair of tokens of a family, and where it came from.
struct TokenGeneration: Sendable {
    /// Counts from 1 along each line of descent.
    let number: Int
    /// Counts from 0 among the pairs with this number.
    let branch: Int
    let kind: TokenLink.Kind
    /// The exchange that brought it, or that presented it first.
    let exchange: Int
    /// The refresh token that was exchanged for it.
    let parent: Fingerprint?
    /// The pair as it is announced.
    var pair: PairDescription
    /// The deliveries: the client, and the first time and connection.
    var deliveries: [Delivery] = []

    /// The first acceptance of its access token after the stated end.
    var outlived: (exchange: Int, late: Double)?

    struct Delivery: Sendable, Hashable {
        let client: ObservedClient
        let connection: Int
        let at: Instant

        /// Whether the connection is known to be that of a request.
        func isByConnection(of exchange: ObservedExchange) -> Bool {
            exchange.request.connection == connection && connection > 0
        }
    }

    private static let deliveryLimit = 32

    /// Adds a delivery, unless it is another one over the same connection; the first of all stays.
    mutating func add(_ delivery: Delivery) {
        let isKnown = deliveries.contains {
            $0.client == delivery.client && $0.connection == delivery.connection
        }
        guard !isKnown else { return }
        if deliveries.count >= Self.deliveryLimit { deliveries.remove(at: 1) }
        deliveries.append(delivery)
    }

    var access: TokenDescription? { pair.access }
    var refresh: Fingerprint? { pair.refresh?.fingerprint }

    /// `a`, `b`, …, or `nil` for the first pair with its number.
    var branchName: String? {
        guard branch > 0 else { return nil }
        return String(UnicodeScalar(UInt8(ascii: "a") + UInt8(min(branch, 25))))
    }

    /// Whether its access token is for the same audience and scope as an older one: one refresh
    /// token can obtain tokens for several audiences.
    func isSuccessor(of older: TokenDescription) -> Bool {
        guard let newer = access else { return true }
        return newer.isForSame(as: older)
    }

    /// When it was delivered to a client first, or to any client.
    func deliveredAt(to client: ObservedClient? = nil) -> Instant? {
        deliveries.filter { client == nil || $0.client == client }.map(\.at).min()
    }
}

extension TokenDescription {
    /// The claims that state what a token is good for (RFC 9068 section 2.2).
    private static let purposeClaims = ["aud"] + Scopes.claims

    /// The time until the end that it states itself, in seconds, by a clock that is not the backend's; `nil`
    /// if it states none.
    func timeLeft(byOwnClock now: Date) -> Double? {
        claims["exp"]?.numberValue.map { $0 - now.timeIntervalSince1970 }
    }

    /// Whether it is for the same audience and scope as another one, as far as both say so.
    func isForSame(as other: TokenDescription?) -> Bool {
        Self.purposeClaims.allSatisfy { claims[$0] == other?.claims[$0] }
    }
}
