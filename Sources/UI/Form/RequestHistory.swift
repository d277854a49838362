package import Basics
import Profiles

/// The user's earlier requests, which can be recalled.
package struct RequestHistory: Sendable, Equatable {
    package struct Entry: Sendable, Equatable {
        let method: String
        let target: String
        /// Empty for one of an earlier run: no file has a body.
        let body: Secret

        package init(method: String, target: String, body: Secret = Secret("")) {
            self.method = method
            self.target = target
            self.body = body
        }
    }

    static let limit = 50

    /// The newest last.
    private(set) var entries: [Entry]

    package init(_ entries: [Entry] = []) {
        self.entries = entries.suffix(Self.limit)
    }

    /// Adds a request, which is there once.
    mutating func add(_ request: CustomRequest) {
        let entry = Entry(method: request.method, target: request.target, body: request.body)
        entries.removeAll { $0 == entry }
        entries = (entries + [entry]).suffix(Self.limit)
    }
}
