import Basics
import HTTPTypes

/// Validation of a request's first line.
///
/// A valid target is sent exactly as written; AsyncHTTPClient would encode other characters in its
/// own way, and a WebSocket server would receive them unencoded.
package enum RequestSyntax {
    /// Returns whether the text is a path with an optional query of RFC 3986 characters, in which
    /// every `%` is followed by two hex digits.
    package static func isTarget(_ text: String) -> Bool {
        text.utf8.first == UInt8(ascii: "/") && isEncoded(text, besides: "/?:@")
    }

    /// Returns whether the text is a target without a query.
    package static func isPath(_ text: String) -> Bool {
        text.utf8.first == UInt8(ascii: "/") && isEncoded(text, besides: "/:@")
    }

    /// Returns whether the text is a token (RFC 9110 section 5.6.2), such as a method, or the name
    /// of a header or a cookie.
    package static func isToken(_ text: String) -> Bool {
        HTTPField.Name(text) != nil
    }

    private static func isEncoded(_ text: String, besides others: String) -> Bool {
        var bytes = text.utf8.makeIterator()
        while let byte = bytes.next() {
            if byte == UInt8(ascii: "%") {
                guard bytes.next()?.hexDigitValue != nil, bytes.next()?.hexDigitValue != nil
                else { return false }
            } else {
                guard
                    isAlphanumeric(byte) || "-._~!$&'()*+,;=".utf8.contains(byte)
                        || others.utf8.contains(byte)
                else { return false }
            }
        }
        return true
    }

    private static func isAlphanumeric(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"): true
        default: (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
        }
    }
}

/// The fixed query of a path in every request.
///
/// It is not secret: targets are shown and logged.
struct FixedQuery: Sendable, Hashable {
    static let none = FixedQuery("")

    /// The query, percent-encoded, without the question mark.
    let text: String

    init(_ text: String) {
        self.text = text
    }

    /// The first value under each name.
    var items: [String: String] { FormEncoding.decode(text) }

    /// Returns the target: the path, this query, and other parameters.
    func target(_ path: String, and others: [String] = []) -> String {
        let parts = (text.isEmpty ? [] : [text]) + others
        return parts.isEmpty ? path : path + "?" + parts.joined(separator: "&")
    }

    /// Returns whether the request has all of these parameters, possibly among others.
    func isPart(of request: WireRequest) -> Bool {
        let found = request.queryItems
        return items.allSatisfy { found[$0.key] == $0.value }
    }
}
