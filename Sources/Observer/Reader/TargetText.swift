import Basics
import Profiles

/// The target of a request without what may be secret or varies.
struct TargetText {
    let shown: String
    let template: String
    /// The segments of the path that are secrets by the name before them, which an answer may repeat.
    let secrets: [Secret]

    private static let limit = 512
    private static let segmentLimit = 32
    private static let parameterLimit = 100

    /// - Parameters:
    ///   - request: The request.
    ///   - names: The fingerprints of the tokens in it, wherever they are.
    ///   - secrets: The other values that were sent or issued, which may be a part of something.
    ///   - recognition: The meanings of names.
    init(
        _ request: WireRequest,
        naming names: [String: Fingerprint],
        hiding secrets: SentSecrets,
        by recognition: Recognition
    ) {
        let hiding = TargetSecrets(names: names, sent: secrets, recognition: recognition)
        let (segments, query) = request.targetParts
        var path: [String] = []
        var templates: [String] = []
        var named: [Secret] = []
        var name: Substring = ""
        for (index, segment) in segments.enumerated() {
            let text = hiding.segment(segment, after: name)
            path.append(text)
            if text == TargetSecrets.hidden, recognition.paths.precedesSecret(name) {
                named.append(Secret(PercentEncoding.decode(segment, plusIsSpace: false)))
            }
            // Several may follow one name, such as those of a user and a token.
            if text == segment || !recognition.paths.precedesSecret(name) { name = segment }
            guard index < Self.segmentLimit else { continue }
            templates.append(text != segment || Self.varies(segment) ? ":id" : text)
        }
        self.secrets = named
        template = templates.joined(separator: "/").inOneLine(limit: Self.limit)
        let parameters = query?.prefix(Self.parameterLimit).map(hiding.parameter)
        var asked = parameters.map { "?" + $0.joined(separator: "&") } ?? ""
        if query?.count ?? 0 > Self.parameterLimit { asked += "&…" }
        shown = (path.joined(separator: "/") + asked).inOneLine(limit: Self.limit)
    }

    /// Whether a segment names one of many things.
    private static func varies(_ segment: Substring) -> Bool {
        guard !segment.isEmpty else { return false }
        if segment.utf8.allSatisfy(\.isDigit) || segment.isIdentifier { return true }
        return segment.utf8.count >= 8 && segment.utf8.contains(where: \.isDigit)
            && segment.utf8.allSatisfy { $0.hexDigitValue != nil }
    }
}

/// The parts of a target that may be shown.
///
/// Known secrets come first; what is not known is judged by the names that precede it, and by its
/// looks.
private struct TargetSecrets {
    let names: [String: Fingerprint]
    let sent: SentSecrets
    let recognition: Recognition

    private var known: KnownSecrets { sent.known }

    static let hidden = "…"
    /// The size of the longest value of a parameter that is shown, in bytes.
    private static let valueLimit = 40
    /// The longest value of a parameter as it is shown, in characters.
    private static let shownLimit = 64
    /// The size of the longest parameter without a value that is shown, in bytes.
    private static let bareLimit = 20

    /// Returns a segment of a path as it is shown.
    func segment(_ segment: Substring, after name: Substring) -> String {
        let text = PercentEncoding.decode(segment, plusIsSpace: false)
        if let fingerprint = fingerprint(of: text, as: segment) { return fingerprint }
        if segment.has(";"), segment.has("=") {
            return segment.parts(at: ";", keepsEmpty: true).map { part in
                part.has("=") ? parameter(part) : self.segment(part, after: name)
            }
            .joined(separator: ";")
        }
        let paths = recognition.paths
        if paths.precedesSecret(name), Self.looksLikeCode(text) || Self.looksDrawn(text) {
            return Self.hidden
        }
        if paths.precedesMailedSecret(name), !paths.isStep(text) { return Self.hidden }
        if isShortSecret(text) { return Self.hidden }
        let shown = known.hiding(in: String(segment))
        return shown == segment && Self.looksSecret(text) ? Self.hidden : shown
    }

    /// Returns a parameter of a query, or of a segment, as it is shown.
    func parameter(_ text: Substring) -> String {
        guard let (name, value) = text.halves(at: "=") else { return bare(text) }
        return bare(name) + "=" + self.value(value, of: name)
    }

    private func value(_ written: Substring, of name: Substring) -> String {
        let text = PercentEncoding.decode(written, plusIsSpace: true)
        if let fingerprint = fingerprint(of: text, as: written) { return fingerprint }
        let decoded = PercentEncoding.decode(name, plusIsSpace: true)
        let isSecret = recognition.credentials.isSecret(decoded)
        guard !isSecret, !isShortSecret(text) else {
            return written.isEmpty ? "" : Self.hidden
        }
        let shown = known.hiding(in: text)
        let isLong = text.utf8.count > Self.valueLimit
        if shown == text, isLong || Self.looksSecret(text) { return Self.hidden }
        return shown.replacing(bytes: " ", with: "+").inOneLine(limit: Self.shownLimit)
    }

    /// Returns a name, or a parameter that is nothing else, as it is shown: a word.
    private func bare(_ written: Substring) -> String {
        let text = PercentEncoding.decode(written, plusIsSpace: true)
        if let fingerprint = fingerprint(of: text, as: written) { return fingerprint }
        let isWord =
            text.utf8.count <= Self.bareLimit && !Self.looksLikeCode(text)
            || recognition.credentials.isSecret(text) && text.utf8.count <= Self.valueLimit
        return isWord ? known.hiding(in: String(written)) : Self.hidden
    }

    private func fingerprint(of text: String, as written: Substring) -> String? {
        (names[text] ?? names[String(written)])?.description
    }

    /// Whether a text is a secret of an exchange before, too short to be looked for in others, and no
    /// word.
    private func isShortSecret(_ text: String) -> Bool {
        text.utf8.count < TokenNames.shortestToken && Self.looksLikeCode(text)
            && sent.hasSeen(Secret(text))
    }

    /// Whether letters are drawn at random: no word has five consonants in a row.
    private static func looksDrawn(_ text: String) -> Bool {
        guard text.utf8.count >= TokenNames.shortestToken, text.utf8.allSatisfy(\.isLetter)
        else { return false }
        let vowels = Set("aeiouy".utf8)
        return text.utf8.split { vowels.contains($0.asciiLowercased) }.contains { $0.count >= 5 }
    }

    /// Whether a text is long and mixed, as the tokens of links are.
    private static func looksSecret(_ text: String) -> Bool {
        guard text.utf8.count >= 20, !text.isIdentifier else { return false }
        let hasBoth = text.utf8.contains(where: \.isDigit) && text.utf8.contains(where: \.isLetter)
        return hasBoth || UnknownSecrets.looksLikeToken(Array(text.utf8)[...])
    }

    /// Whether a text where a code may be is no word: it has digits, or capital letters within it.
    ///
    /// The version of an interface is a word.
    private static func looksLikeCode(_ text: String) -> Bool {
        let bytes = Array(text.utf8)
        let capitals = bytes.dropFirst().count { $0.isLetter && $0.asciiLowercased != $0 }
        if capitals * 3 >= max(bytes.count, 3) { return true }
        guard bytes.contains(where: \.isDigit) else { return false }
        return !(bytes.count <= 4 && bytes[0].asciiLowercased == UInt8(ascii: "v"))
    }
}

extension StringProtocol {
    /// Whether the text is a UUID in hexadecimal (RFC 9562).
    ///
    /// By hand, since every segment of every request is asked, and making a regular expression
    /// takes longer than all the rest of reading a request.
    fileprivate var isIdentifier: Bool {
        guard utf8.count == 36 else { return false }
        let dashes: Set = [8, 13, 18, 23]
        return utf8.enumerated().allSatisfy { place, byte in
            dashes.contains(place) ? byte == UInt8(ascii: "-") : byte.hexDigitValue != nil
        }
    }
}
