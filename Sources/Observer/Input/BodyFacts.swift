/// The fields of a request's body, without the values that may be secret.
package struct BodyFacts: Sendable, Hashable, Codable {
    package enum Format: String, Sendable, Hashable, Codable, CaseIterable {
        case json
        case form
    }

    /// The value of a field.
    enum Value: Sendable, Hashable, Codable {
        /// A token, which is also among the tokens that the request presents.
        case token
        /// A value that a user or a client knows, or is known by.
        case credential
        /// A word of the protocol, such as the kind of a grant.
        case text(String)
        /// Several of them.
        case texts([String])
        /// `true` or `false`, which are no secret.
        case flag(Bool)
        case other
    }

    struct Field: Sendable, Hashable, Codable {
        /// The keys that lead to it, joined by dots.
        var path: String
        var value: Value
    }

    static let fieldLimit = 24

    var format: Format
    var fields: [Field]
}
