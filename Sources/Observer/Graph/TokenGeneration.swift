package import Basics
package import Model

/// One pair of tokens of a family, and where it came from.
package struct TokenGeneration: Sendable {
    /// Counts from 1 along each line of descent.
    package let number: Int
    /// Counts from 0 among the pairs with this number.
    package let branch: Int
    package let kind: TokenLink.Kind
    /// The exchange that brought it, or that presented it first.
    package let exchange: Int
    /// The refresh token that was exchanged for it.
    package let parent: Fingerprint?
    package internal(set) var access: TokenDescription?
    package internal(set) var refreshToken: TokenDescription?
    /// Whether the refresh token is a new one.
    package let isRotated: Bool
    /// When the request for it was sent.
    package let sentAt: Moment
    package internal(set) var accessDeadline: Deadline?
    package internal(set) var refreshDeadline: Deadline?
    /// To whom it was delivered, and when and over which connection first.
    package internal(set) var deliveries: [Delivery] = []

    package struct Delivery: Sendable, Hashable {
        package let client: ObservedClient
        package let connection: Int
        package let at: Instant
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

    package var refresh: Fingerprint? { refreshToken?.fingerprint }

    /// `a`, `b`, …, or `nil` for the first pair with its number.
    package var branchName: String? {
        guard branch > 0 else { return nil }
        return String(UnicodeScalar(UInt8(ascii: "a") + UInt8(min(branch, 25))))
    }

    /// Whether its access token is for the same audience and scope as an older one: one refresh
    /// token may buy tokens for several.
    package func isSuccessor(of older: TokenDescription) -> Bool {
        guard let newer = access else { return true }
        return ["aud", "scope", "scp"].allSatisfy { newer.claims[$0] == older.claims[$0] }
    }

    /// When it was delivered to a client first, or to any client.
    package func deliveredAt(to client: ObservedClient? = nil) -> Instant? {
        deliveries.filter { client == nil || $0.client == client }.map(\.at).min()
    }
}
