import Basics

/// The names in a document, which are shown: none with a token in it.
extension StoredSessionReader {
    private static let textLimit = 80

    /// Claims that name a user, the most readable first.
    private static let userClaims = ["email", "preferred_username", "upn", "unique_name", "name"]

    func user(of token: JSONWebToken?, hiding secrets: [Secret]) -> String? {
        guard let token else { return nil }
        return Self.userClaims.lazy.compactMap { token.claims[$0]?.stringValue }
            .first { !$0.isEmpty }
            .flatMap { Self.bounded($0, hiding: secrets) }
    }

    /// Returns the text at the first place that has one.
    ///
    /// - Parameters:
    ///   - paths: The places.
    ///   - entry: The entry of a session.
    ///   - name: The name of its file without its ending.
    ///   - secrets: The tokens of the session: a text that has one is not shown.
    ///   - isPublic: Whether its words are no tokens, however they look: the identifier of a client is no
    ///     secret (RFC 6749 section 2.2).
    /// - Returns: The text in one line.
    func text(
        _ paths: [DocumentPath],
        _ entry: DocumentPath.Match,
        _ name: String,
        hiding secrets: [Secret],
        isPublic: Bool = false
    ) -> String? {
        for path in paths {
            let text = path.value(in: entry, file: name)?.displayText ?? ""
            guard !text.isEmpty else { continue }
            let shown = isPublic || path.isFileName ? text : withFingerprints(in: text)
            return Self.bounded(shown, hiding: secrets)
        }
        return nil
    }

    /// Returns a text with the fingerprints of the words in it that may be tokens.
    private func withFingerprints(in text: String) -> String {
        func isOfWord(_ byte: UInt8) -> Bool {
            byte.isAlphanumeric || Self.separators.contains(byte)
        }
        var result = ""
        var rest = Substring(text).utf8
        while !rest.isEmpty {
            let gap = rest.prefix { !isOfWord($0) }
            result += String(Substring(gap))
            rest = rest.dropFirst(gap.count)
            let word = rest.prefix(while: isOfWord)
            rest = rest.dropFirst(word.count)
            let text = String(Substring(word))
            result +=
                Self.mayBeToken(text)
                ? "\(fingerprinter.fingerprint(of: Secret(text)))" : text
        }
        return result
    }

    private static let separators: [UInt8] = [UInt8(ascii: "_"), UInt8(ascii: "-")]

    /// Returns whether a word may be a token, as where a URL has one in place of the user.
    ///
    /// Names are long because they consist of several words: a long one without separators is no name,
    /// and neither are letters of both cases and digits in one.
    static func mayBeToken(_ word: String) -> Bool {
        guard word.utf8.count >= 20 else { return false }
        return word.utf8.split(whereSeparator: separators.contains).contains { part in
            let hasDigits = part.contains(where: \.isDigit)
            let hasLetters = part.contains(where: \.isLetter)
            let hasBothCases =
                part.contains { $0.isLetter && $0 & 0x20 == 0 }
                && part.contains { $0.isLetter && $0 & 0x20 != 0 }
            return part.count >= 24 || part.count >= 12 && hasDigits && hasLetters
                || part.count >= 4 && hasDigits && hasBothCases
        }
    }

    static func list(_ value: JSONValue?) -> String? {
        guard case .array(let elements)? = value else { return nil }
        return elements.prefix(8).compactMap(\.displayText).joined(separator: " ")
    }

    /// A text of a file in one line, or `nil` if one of its tokens is in it.
    static func bounded(_ text: String, hiding secrets: [Secret]) -> String? {
        let isToken = secrets.contains { secret in
            secret.byteCount <= text.utf8.count && text.containsBytes(of: secret.reveal())
        }
        guard !isToken else { return nil }
        return text.inOneLine(limit: textLimit)
    }
}
