import Basics
import Profiles
import UI

/// The body of a response for a terminal: bounded, with visible control characters, and with
/// secrets replaced.
struct ResponseText {
    /// The maximum size in bytes.
    static let limit = 64 * 1024

    let body: [UInt8]
    let secrets: KnownSecrets
    /// Names of secrets that are not known.
    var names = Recognition.builtIn.secrets

    var lines: [String] {
        guard !body.isEmpty else { return [] }
        guard let text = String(validating: body, as: UTF8.self) else {
            return ["(\(CountFormatter.grouped(body.count)) bytes that are not text)"]
        }
        // In the whole text, since a truncated secret would not be recognized.
        let known = secrets.hiding(in: text)
        let shown = known.utf8.count > Self.limit ? Self.prefix(of: known) : known
        let unnamed = UnknownSecrets.hidingNamed(in: shown, by: names)
        var lines = unnamed.parts(at: "\n", keepsEmpty: true).map { line in
            Self.visible(Redactor.redacted(Self.withoutLongRuns(line)))
        }
        if lines.last?.isEmpty == true { lines.removeLast() }
        let rest = known.utf8.count - shown.utf8.count
        if rest > 0 { lines.append("(\(CountFormatter.grouped(rest)) more bytes)") }
        return lines
    }

    private static func prefix(of text: String) -> String {
        String(decoding: text.utf8.prefix(limit), as: UTF8.self)
    }

    /// Removes what may be a JWT, and what is too long to read, such as an image.
    ///
    /// The redactor's patterns would search a run of such characters again from each of its
    /// characters.
    private static func withoutLongRuns(_ line: Substring) -> String {
        var text = ""
        var rest = line.unicodeScalars
        while let first = rest.first {
            let run = rest.prefix { isPartOfRun($0) == isPartOfRun(first) }
            text += isPartOfRun(first) ? shortened(Substring(run)) : String(run)
            rest = rest[run.endIndex...]
        }
        return text
    }

    private static let longestRun = 200

    private static func isPartOfRun(_ scalar: Unicode.Scalar) -> Bool {
        UInt8(exactly: scalar.value).map { $0.isAlphanumeric || "_-.+/=".utf8.contains($0) }
            ?? false
    }

    private static func shortened(_ run: Substring) -> String {
        guard run.utf8.count > longestRun else { return String(run) }
        let parts = run.parts(at: ".", keepsEmpty: true)
        if parts.count == 3, parts[0].utf8.count >= 8, parts[1].utf8.count >= 8 {
            return Redactor.mark
        }
        return "‹\(CountFormatter.grouped(run.utf8.count)) characters›"
    }

    /// Returns the line as the dashboard shows it, with symbols in place of control characters.
    private static func visible(_ line: String) -> String {
        let plain = line.replacing(bytes: "\t", with: " ").replacing(bytes: "\r", with: "")
        return Glyphs(plain).map(\.text).joined()
    }
}
