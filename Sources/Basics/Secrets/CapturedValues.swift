/// The values of answers that requests send again, such as a CSRF token, by the names that a
/// profile gives them.
///
/// They belong to a pair of tokens, and are as secret as those.
package struct CapturedValues: Sendable, Hashable {
    package static let none = CapturedValues()

    package private(set) var values: [String: Secret]

    package init(_ values: [String: Secret] = [:]) {
        self.values = values
    }

    /// The name of the private key that the pair is bound to (RFC 9449), which no profile can give
    /// to a value of its own.
    package static let proofKeyName = "dpop-key"

    /// The private key that the pair is bound to, or `nil` if it is bound to none.
    package var proofKey: Secret? { values[Self.proofKeyName] }

    var isEmpty: Bool { values.isEmpty }

    package subscript(name: String) -> Secret? { values[name] }

    /// Returns those that have one of the names.
    package func limited(to names: Set<String>) -> CapturedValues {
        CapturedValues(values.filter { names.contains($0.key) })
    }

    /// Returns the values after an answer: one that it does not mention is kept.
    package func applying(_ change: CaptureChange) -> CapturedValues {
        let left = values.filter { !change.deleted.contains($0.key) }
        return CapturedValues(left.merging(change.values) { _, new in new })
    }
}

/// An answer's statement about the values that a profile captures.
package struct CaptureChange: Sendable, Hashable {
    package static let none = CaptureChange()

    package var values: [String: Secret] = [:]
    /// The names of those whose cookies the answer deletes.
    package var deleted: Set<String> = []
}
