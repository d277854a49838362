/// The use of a token, as its place and name suggest, or as a profile says.
package enum TokenRole: String, Sendable, Hashable, Codable, CaseIterable {
    case access
    case refresh
    /// A cookie that is both.
    case session
    /// An id token (OpenID Connect Core 1.0 section 2).
    case id
    /// A text that may be a token: one only if it is known as one.
    case unknown
}
