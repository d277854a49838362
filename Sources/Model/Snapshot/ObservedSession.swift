import Basics

/// The state of a session that an app has, besides what is known of any session.
package struct ObservedSession: Sendable, Equatable {
    package static let clientLimit = 64
    static let linkLimit = 256

    package private(set) var status: ObservedStatus?
    /// In the order in which they were first seen.
    package private(set) var clients: [ObservedClient] = []
    /// Where its pairs come from, the oldest first.
    package private(set) var links: [TokenLink] = []

    init() {}

    mutating func update(_ client: ObservedClient) {
        guard !clients.contains(client), clients.count < Self.clientLimit else { return }
        clients.append(client)
    }

    mutating func update(_ status: ObservedStatus) {
        self.status = status
    }

    mutating func update(_ link: TokenLink) {
        links = links.suffix(Self.linkLimit - 1) + [link]
    }
}
