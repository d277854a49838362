/// What is missing in what is shown of an app's traffic, because there was too much of it.
package struct Omission: Sendable, Hashable, Codable {
    package enum Subject: String, Sendable, Hashable, Codable, CaseIterable {
        /// Requests that passed and were not read.
        case requests
        /// Parts of bodies, and messages of sockets, that passed and were not read.
        case parts
        /// What rules found after the largest number of findings.
        case findings
        /// Scorecards of experiments.
        case scorecards
        /// Names of tests.
        case tests
    }

    package var subject: Subject
    /// How many there were so far.
    package var count: Int

    package init(_ subject: Subject, count: Int) {
        self.subject = subject
        self.count = count
    }
}

/// A request that the proxy refused because it named another server.
package struct MisdirectedRequest: Sendable, Hashable, Codable {
    /// The host that it named, in one line and bounded.
    package var host: String
    /// Whether its target named the host, as those for a proxy to every server do, and not its `Host`.
    package var isURL: Bool
    /// Whether it would be served if the host was allowed.
    package var isAllowable: Bool
    /// How many such requests there were so far, whatever they named.
    package var count: Int

    package init(host: String, isURL: Bool, isAllowable: Bool, count: Int) {
        self.host = host
        self.isURL = isURL
        self.isAllowable = isAllowable
        self.count = count
    }

    /// What would let it in, or `nil` if nothing does.
    package var option: String? { isAllowable ? "--allow-host=\(host)" : nil }
}
