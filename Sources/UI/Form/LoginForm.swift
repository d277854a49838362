import Basics

/// The credentials of a login as they are typed.
///
/// A value that is known already is shown by where it comes from, and what is typed takes its
/// place. Secrets are held as such, and drawn as bullets.
struct LoginForm: EditableForm, Sendable, Equatable {
    struct Entry: Sendable, Equatable {
        let field: CredentialField
        var typed = Secret("")

        var isMissing: Bool { typed.isEmpty && field.origin == nil }
    }

    /// The longest value, in UTF-8 bytes: tokens are pasted too.
    static let sizeLimit = 64 * 1024

    private(set) var entries: [Entry]
    private(set) var focus: Int

    /// Begins where something is missing, else at the first secret: that one was mistyped unseen.
    init(_ fields: [CredentialField]) {
        entries = fields.map { Entry(field: $0) }
        focus =
            entries.firstIndex(where: \.isMissing) ?? fields.firstIndex(where: \.isSecret) ?? 0
    }

    var isAtEnd: Bool { focus == entries.count - 1 }

    /// The typed values, by name; the others are left as they are known.
    var values: [String: Secret] {
        entries.reduce(into: [:]) { values, entry in
            if !entry.typed.isEmpty { values[entry.field.name] = entry.typed }
        }
    }

    /// Moves the focus to the first field without a value.
    ///
    /// - Returns: The label of the field, or `nil` if all fields have a value.
    mutating func seekMissing() -> String? {
        guard let missing = entries.firstIndex(where: \.isMissing) else { return nil }
        focus = missing
        return entries[missing].field.label
    }

    mutating func move(by steps: Int) {
        guard !entries.isEmpty else { return }
        focus = (focus + steps + entries.count) % entries.count
    }

    mutating func change(_ body: (inout String) -> Void) {
        guard entries.indices.contains(focus) else { return }
        var text = entries[focus].typed.reveal()
        body(&text)
        entries[focus].typed = Secret(text)
    }
}
