import Dashboard
import Tokens

/// The body of an answer, fit for a terminal: bounded, its controls visible, its secrets replaced.
struct ResponseText {
    /// In bytes.
    static let limit = 64 * 1024

    let body: [UInt8]
    let secrets: KnownSecrets

    var lines: [String] {
        guard !body.isEmpty else { return [] }
        guard let text = String(validating: body, as: UTF8.self) else {
            return ["(\(CountFormatter.grouped(body.count)) bytes that are no text)"]
        }
        // As a whole: what is cut could no longer be told.
        let known = secrets.hiding(in: text)
        let shown = known.utf8.count > Self.limit ? Self.prefix(of: known) : known
        var lines = shown.split(separator: "\n", omittingEmptySubsequences: false).map { line in
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

    /// Takes out what may be a web token, and what is too long to be read, such as an image.
    ///
    /// The redactor's patterns look at a run of such characters again from each of them.
    private static func withoutLongRuns(_ line: Substring) -> String {
        var text = ""
        var rest = line
        while let first = rest.first {
            let run = rest.prefix { isRunCharacter($0) == isRunCharacter(first) }
            text += isRunCharacter(first) ? shortened(run) : String(run)
            rest = rest[run.endIndex...]
        }
        return text
    }

    private static let longestRun = 200

    private static func isRunCharacter(_ character: Character) -> Bool {
        character.isASCII
            && (character.isLetter || character.isNumber || "_-.+/=".contains(character))
    }

    private static func shortened(_ run: Substring) -> String {
        guard run.utf8.count > longestRun else { return String(run) }
        let parts = run.split(separator: ".", omittingEmptySubsequences: false)
        if parts.count == 3, parts[0].utf8.count >= 8, parts[1].utf8.count >= 8 {
            return Redactor.mark
        }
        return "‹\(CountFormatter.grouped(run.utf8.count)) characters›"
    }

    /// As the dashboard shows it: pictures in place of controls.
    private static func visible(_ line: String) -> String {
        let plain = line.replacing("\t", with: " ").replacing("\r", with: "")
        return Glyphs(plain).map(\.text).joined()
    }
}
