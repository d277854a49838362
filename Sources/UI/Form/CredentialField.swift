/// One thing that a login needs, and whether it is at hand; never its value.
package struct CredentialField: Sendable, Equatable {
    /// As the dialect calls it.
    var name: String
    /// Whether typing it must not be seen.
    var isSecret: Bool
    /// The source of its value, as text, or `nil` if there is no value.
    var origin: String?

    package init(name: String, isSecret: Bool, origin: String?) {
        self.name = name
        self.isSecret = isSecret
        self.origin = origin
    }

    /// `identity token`.
    var label: String { name.replacing("_", with: " ") }
}
