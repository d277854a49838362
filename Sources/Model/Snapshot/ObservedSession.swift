import Basics

/// What is known of a session that an app has, besides what is known of any session.
package struct ObservedSession: Sendable, Equatable {
    package static let clientLimit = 64
    static let linkLimit = 256

    package private(set) var standing: ObservedStanding?
    private(set) var standingSince: Moment?
    /// In the order in which they were first seen.
    package private(set) var clients: [ObservedClient] = []
    /// Where its pairs come from, the oldest first.
    package private(set) var links: [TokenLink] = []

    init() {}

    mutating func note(_ client: ObservedClient) {
        guard !clients.contains(client), clients.count < Self.clientLimit else { return }
        clients.append(client)
    }

    mutating func note(_ standing: ObservedStanding, at moment: Moment) {
        self.standing = standing
        standingSince = moment
    }

    mutating func note(_ link: TokenLink) {
        links = links.suffix(Self.linkLimit - 1) + [link]
    }
}
