package import Basics

/// The beginning of a body that is plain text or JSON, without secrets.
package struct BodyExcerpt: Sendable, Hashable, Codable {
    /// The longest one, in characters.
    package static let limit = 4_096

    /// The media type that it is said to have, such as `application/json`.
    package var type: String
    /// On one line.
    package var text: String
    /// Whether more of the body came than is in `text`.
    package var isCut: Bool

    /// Returns `nil` for what is no text, or may contain files, and for an empty body.
    ///
    /// - Parameters:
    ///   - body: The body, or the beginning of it.
    ///   - type: Its `Content-Type`, or `nil` if there is none.
    ///   - secrets: The secrets that may be repeated in it.
    ///   - names: Names of other secrets.
    package init?(
        _ body: [UInt8],
        type: String?,
        hiding secrets: KnownSecrets,
        by names: SecretNames
    ) {
        guard !body.isEmpty, Self.isText(type) else { return nil }
        let hider = UnknownSecrets(known: secrets, names: names)
        self.type = Self.mediaType(type) ?? "text/plain"
        (text, isCut) = hider.hiding(
            in: body,
            limit: Self.limit,
            ofAnyKind: true,
            mayBeSecret: true
        )
    }

    /// Whether a body of this `Content-Type` is plain text or JSON.
    ///
    /// In forms, XML and other notations, values that are named like secrets are not recognized.
    package static func isText(_ type: String?) -> Bool {
        guard let type = mediaType(type) else { return false }
        return type == "text/plain" || type.containsBytes(of: "json")
    }

    /// The type without its parameters.
    private static func mediaType(_ type: String?) -> String? {
        guard let type else { return nil }
        let name = type.part(before: ";").trimmingBlanks.asciiLowercased
        return name.isEmpty ? nil : name.inOneLine(limit: 80)
    }
}
