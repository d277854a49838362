import Basics

/// A backend's own message about a failure, made safe to show: short, on one line, without a token.
enum ServerMessage {
    /// The largest length of a message, in characters.
    static let lengthLimit = 200

    /// Finds the message at the given places of a body with names, the preferred one first, or in
    /// the title of a page; a message with a part of one of the response's tokens is not returned.
    static func find(
        in body: ResponseBody,
        at paths: [String],
        hiding secrets: KnownSecrets,
        of tokens: [String]
    ) -> String? {
        let found: String? =
            switch body {
            case .json(let json), .xml(let json):
                paths.lazy.flatMap { json.values(along: $0) }.compactMap(text).first
            case .html(let title): title
            case .text(let text): text
            case .empty, .tooLarge: nil
            }
        guard let found, !shares(String(found.prefix(2000)), with: tokens) else { return nil }
        return redacted(secrets.hiding(in: found, limit: 2000), of: tokens)
    }

    /// Returns the text on one line, without secrets and unnecessary spaces, cut to the limit.
    static func bounded(_ text: String, hiding secrets: KnownSecrets) -> String {
        bounded(secrets.hiding(in: text, limit: 2000))
    }

    private static func bounded(_ text: String) -> String {
        text.inOneLine(limit: 2000).parts(at: " ").joined(separator: " ")
            .inOneLine(limit: lengthLimit)
    }

    /// Returns the text of a value, or that of an error, as FastAPI sends it.
    private static func text(_ value: JSONValue?) -> String? {
        switch value {
        case .array(let elements): text(elements.first)
        case .object(let members): text(members["msg"] ?? members["message"])
        case .some(let value): value.displayText.flatMap { $0.isEmpty ? nil : $0 }
        case nil: nil
        }
    }

    private static func redacted(_ text: String, of tokens: [String]) -> String? {
        let line = text.split(whereSeparator: \.isWhitespace).map { word in
            looksLikeToken(word) ? KnownSecrets.hidden : String(word)
        }
        let message = bounded(line.joined(separator: " "))
        guard !message.isEmpty, !shares(message, with: tokens) else { return nil }
        return message
    }

    /// Returns whether a long word may be part of a token: it has a digit among its letters, more
    /// capitals than a CamelCase word, or is longer than words are.
    private static func looksLikeToken(_ word: Substring) -> Bool {
        let runs = word.utf8.split { !UnknownSecrets.isTokenCharacter($0) }
        return runs.contains { run in
            let capitals = run.count { (0x41...0x5A).contains($0) }
            let isMixed = capitals * 4 > run.count && capitals * 4 < run.count * 3
            return run.count >= 12
                && (run.contains(where: isDigit) || isMixed || run.count >= 40)
        }
    }

    /// Returns whether the message contains eight consecutive bytes of one of the tokens.
    private static func shares(_ message: String, with tokens: [String]) -> Bool {
        let pieces = Set(eightByteSequences(in: message))
        return tokens.contains { eightByteSequences(in: $0).contains(where: pieces.contains) }
    }

    /// Returns all sequences of eight bytes, each as one number.
    private static func eightByteSequences(in text: String) -> ArraySlice<UInt64> {
        var last: UInt64 = 0
        let numbers = text.utf8.map { byte in
            last = last << 8 | UInt64(byte)
            return last
        }
        return numbers.dropFirst(7)
    }

    private static func isDigit(_ byte: UInt8) -> Bool {
        (0x30...0x39).contains(byte)
    }
}
