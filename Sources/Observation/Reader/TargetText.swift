import Dialects
import Tokens

/// The target of a request without what may be secret or varies.
struct TargetText {
    let shown: String
    let template: String

    private static let limit = 512

    /// - Parameters:
    ///   - request: The request.
    ///   - names: The fingerprints of the tokens in it.
    init(_ request: WireRequest, naming names: [String: Fingerprint]) {
        let segments = request.path.split(separator: "/", omittingEmptySubsequences: false)
        let shownPath = segments.map { Self.isSecret($0) ? "…" : String($0) }
            .joined(separator: "/")
        template = segments.prefix(32).map { Self.varies($0) ? ":id" : String($0) }
            .joined(separator: "/").inOneLine(limit: Self.limit)
        let asked = request.target { name, value in
            if let fingerprint = names[value] { return fingerprint.description }
            let isSecret = TokenNames.isSecret(name) || value.utf8.count > 40
            return isSecret ? "…" : PercentText.shown(value)
        }
        let query = asked.firstIndex(of: "?").map { asked[$0...] } ?? ""
        shown = (shownPath + query).inOneLine(limit: Self.limit)
    }

    /// Whether a segment is long and mixed, as the tokens of links are.
    private static func isSecret(_ segment: Substring) -> Bool {
        segment.utf8.count >= 20 && segment.contains(where: \.isNumber)
            && segment.contains(where: \.isLetter) && !isIdentifier(segment)
    }

    /// Whether a segment is a UUID in hexadecimal (RFC 9562).
    ///
    /// By hand, since every segment of every request is asked, and making a regular expression
    /// takes longer than all the rest of reading a request.
    private static func isIdentifier(_ segment: Substring) -> Bool {
        guard segment.utf8.count == 36 else { return false }
        let dashes: Set = [8, 13, 18, 23]
        return segment.utf8.enumerated().allSatisfy { place, byte in
            dashes.contains(place)
                ? byte == UInt8(ascii: "-") : Character(UnicodeScalar(byte)).isHexDigit
        }
    }

    /// Whether a segment names one of many things.
    private static func varies(_ segment: Substring) -> Bool {
        guard !segment.isEmpty else { return false }
        if segment.allSatisfy(\.isNumber) || isIdentifier(segment) || isSecret(segment) {
            return true
        }
        return segment.utf8.count >= 8 && segment.contains(where: \.isNumber)
            && segment.allSatisfy(\.isHexDigit)
    }
}

/// The value of a parameter as it is shown.
private enum PercentText {
    static func shown(_ value: String) -> String {
        value.replacing(" ", with: "+").inOneLine(limit: 64)
    }
}
