/// Secrets that a server may repeat, and the search for them in what it sends.
///
/// Every text from a server passes through `hiding(in:)` before it becomes part of an event, an
/// error, a log line or a screen. Each occurrence of a secret is replaced by a mark. Secrets are
/// found in each of these forms, and in any mixture of the escapes, nested up to three deep:
///
/// * unchanged;
/// * percent-encoded, in whole or in part, with `+` for a space;
/// * escaped as in JSON (RFC 8259 section 7);
/// * escaped as in HTML, with named and numeric references;
/// * in base64 of either alphabet, at any offset within a group of three bytes, and as part of
///   `Basic` credentials, which are form-encoded first (RFC 6749 section 2.3.1);
/// * in hexadecimal;
/// * backwards, if it has at least 16 characters, all of ASCII.
///
/// A secret of fewer than four bytes in UTF-8 is found only as a whole word, unchanged or in one of
/// these forms. A text that contains one is withheld as a whole, because a mark in its place would
/// reveal the word. In hexadecimal it is found only if it takes four digits or more, since fewer
/// are indistinguishable from other numbers. A secret that consists of whitespace alone is not
/// searched for.
///
/// The program's own messages must not pass through it: if a password were one of their words, its
/// absence would reveal the password.
package struct KnownSecrets: Sendable {
    /// A value without any secrets.
    package static let none = KnownSecrets()

    /// The replacement for a text that contains a secret too short to be marked.
    static let withheld = "‹withheld›"
    /// The mark for a secret that has no name.
    package static let hidden = "‹hidden›"

    /// The size, in bytes, from which a secret is replaced wherever it occurs.
    package static let shortest = 4
    /// The forms of removed secrets from which the index is made from those that are left.
    private static let removedLimit = 1_024

    private struct Entry: Sendable {
        let mark: String
        let forms: [SecretForm]
        /// Empty unless parts are looked for.
        let runs: [SecretDigest]
        let hasBlank: Bool
    }

    /// By digests: the secrets themselves are not kept, but for short ones.
    private var entries: [SecretDigest: Entry] = [:]
    private var index = SecretIndex()
    /// `nil` unless parts of secrets are looked for.
    private var parts: SecretParts?
    private var short: Set<Secret> = []
    /// Whether a secret contains a space, which some forms write as `+`.
    private var hasBlank = false
    /// Names tokens by their fingerprints; without it they are all called `‹hidden›`.
    private let fingerprinter: Fingerprinter?

    /// - Parameters:
    ///   - fingerprinter: Names the tokens.
    ///   - findsParts: Whether parts of secrets are replaced, too, in texts without escapes.
    package init(fingerprinter: Fingerprinter? = nil, findsParts: Bool = false) {
        self.fingerprinter = fingerprinter
        parts = findsParts ? SecretParts() : nil
        for mark in [Self.withheld, Self.hidden] { index.add(.mark(mark), for: mark) }
    }

    package func contains(_ secret: Secret) -> Bool { entries[SecretDigest(secret)] != nil }

    /// Adds a secret.
    ///
    /// - Parameters:
    ///   - secret: The secret; one that is already known keeps its mark.
    ///   - name: The kind of secret, such as `password`, or `nil` for a token, which is named by
    ///     its fingerprint.
    package mutating func add(_ secret: Secret, named name: String? = nil) {
        let digest = SecretDigest(secret)
        guard entries[digest] == nil else { return }
        let text = secret.reveal()
        guard text.utf8.contains(where: { !Self.isBlank($0) }) else { return }
        let mark = mark(of: secret, named: name)
        let isShort = secret.byteCount < Self.shortest
        let forms = isShort ? [] : SecretForm.all(of: text) + [.mark(mark)]
        let entry = Entry(
            mark: mark,
            forms: forms,
            runs: parts == nil ? [] : SecretParts.runs(of: text),
            hasBlank: text.utf8.contains(where: Self.isBlank)
        )
        if isShort { short.insert(secret) }
        add(entry, for: digest)
    }

    private mutating func add(_ entry: Entry, for digest: SecretDigest) {
        entries[digest] = entry
        for form in entry.forms { index.add(form, for: entry.mark) }
        parts?.add(entry.runs)
        hasBlank = hasBlank || entry.hasBlank
    }

    package mutating func remove(_ secrets: some Sequence<SecretDigest>) {
        var isChanged = false
        for secret in secrets {
            guard let entry = entries.removeValue(forKey: secret) else { continue }
            isChanged = true
            for form in entry.forms { index.remove(form, for: entry.mark) }
        }
        guard isChanged else { return }
        let left = entries
        if !short.isEmpty { short = short.filter { left[SecretDigest($0)] != nil } }
        hasBlank = left.values.contains(where: \.hasBlank)
        // Runs may be those of several secrets, and the index keeps a trace of each that has gone.
        guard parts != nil || index.removedForms > Self.removedLimit else { return }
        let remaining = short
        self = KnownSecrets(fingerprinter: fingerprinter, findsParts: parts != nil)
        short = remaining
        for (digest, entry) in left { add(entry, for: digest) }
    }

    /// Returns these secrets and more, such as the tokens of the response that is being read.
    package func adding(_ secrets: some Sequence<Secret>) -> KnownSecrets {
        var all = self
        for secret in secrets { all.add(secret) }
        return all
    }

    /// Returns these secrets, and those of others that a text can contain: no form of a secret is shorter
    /// than the secret.
    package func adding(_ secrets: some Sequence<Secret>, in text: String) -> KnownSecrets {
        let size = parts == nil ? text.utf8.count : .max
        return adding(secrets.filter { $0.byteCount <= size })
    }

    private func mark(of secret: Secret, named name: String?) -> String {
        if let name {
            let letters = name.utf8.prefix(30).map { $0.isAlphanumeric ? $0 : 0x20 }
            return "‹\(String(decoding: letters, as: UTF8.self))›"
        }
        return fingerprinter?.fingerprint(of: secret).description ?? Self.hidden
    }

    private static func isBlank(_ byte: UInt8) -> Bool { byte <= 0x20 }
}

extension KnownSecrets {
    /// Returns the text with its secrets replaced by marks.
    package func hiding(in text: String) -> String {
        entries.isEmpty ? text : hiding(in: text, isCut: false)
    }

    /// Returns the beginning of a text, at most `limit` characters, with its secrets replaced by
    /// marks, including one that the cut truncates.
    package func hiding(in text: String, limit: Int) -> String {
        // Every character has at least one byte.
        guard text.utf8.count > limit,
            let end = text.index(text.startIndex, offsetBy: limit, limitedBy: text.endIndex),
            end < text.endIndex
        else { return hiding(in: text) }
        guard !entries.isEmpty else { return String(text[..<end]) }
        return hiding(in: String(text[..<Self.withoutBegunEscape(text[..<end])]), isCut: true)
    }

    /// Returns the value with the secrets in its strings, keys and numbers replaced by marks.
    package func hiding(in value: JSONValue) -> JSONValue {
        guard !entries.isEmpty else { return value }
        switch value {
        case .null, .bool: return value
        case .string(let text): return .string(hiding(in: text))
        case .integer, .number:
            guard let text = value.displayText else { return value }
            let shown = hiding(in: text)
            return shown == text ? value : .string(shown)
        case .array(let elements): return .array(elements.map(hiding))
        case .object(let members): return .object(hiding(in: members))
        }
    }

    package func hiding(in members: [String: JSONValue]) -> [String: JSONValue] {
        guard !entries.isEmpty else { return members }
        return Dictionary(
            members.map { (hiding(in: $0.key), hiding(in: $0.value)) },
            uniquingKeysWith: { first, _ in first }
        )
    }

    private func hiding(in text: String, isCut: Bool) -> String {
        var text = text
        var found = Occurrences()
        let isWithheld = text.withUTF8 { bytes in
            defer { parts?.search(in: bytes, &found) }
            guard short.isEmpty else { return search(Array(bytes), isCut, &found) }
            // Nearly every text contains no escapes and is searched in place.
            var isEscaped = index.search(in: bytes, isCut: isCut, &found)
            if hasBlank, !isEscaped { isEscaped = bytes.contains(UInt8(ascii: "+")) }
            return isEscaped ? search(Array(bytes), isCut, &found) : false
        }
        if isWithheld { return Self.withheld }
        return found.isEmpty ? text : found.replaced(in: text)
    }

    /// Searches the text, and each of its unescaped readings if it contains escapes.
    ///
    /// - Returns: Whether the text must be withheld.
    private func search(_ bytes: [UInt8], _ isCut: Bool, _ found: inout Occurrences) -> Bool {
        for reading in EscapedText.readings(of: bytes, plusIsBlank: hasBlank) {
            var occurrences = Occurrences()
            _ = reading.bytes.withUnsafeBufferPointer {
                index.search(in: $0, isCut: isCut, &occurrences)
            }
            found.add(occurrences, by: reading)
            if !short.isEmpty, hasShort(in: reading.bytes) { return true }
        }
        return false
    }

    private func hasShort(in bytes: [UInt8]) -> Bool {
        let texts = [bytes] + EncodedRuns.decoded(in: bytes)
        return short.contains { secret in
            secret.withBytes { secret in
                texts.contains { EncodedRuns.holdsWord(secret, in: $0) }
            }
        }
    }

    /// Returns the end of a text without the escape at its end, which may be truncated.
    private static func withoutBegunEscape(_ text: Substring) -> String.Index {
        let mark = text.suffix(12).unicodeScalars.lastIndex { "%&\\".unicodeScalars.contains($0) }
        return mark ?? text.endIndex
    }
}

extension KnownSecrets: CustomStringConvertible, CustomReflectable {
    package var description: String { "‹secrets›" }
    package var customMirror: Mirror { Mirror(self, children: [(label: String?, value: Any)]()) }
}
