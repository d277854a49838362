import Basics

/// One extension in `Sec-WebSocket-Extensions` (RFC 6455 section 9.1).
struct ExtensionOffer: Equatable {
    /// The most extensions, and parameters of one, that are read.
    private static let limit = 32

    let name: String
    private(set) var parameters: [(name: String, value: String?)] = []

    static func == (left: Self, right: Self) -> Bool {
        left.name == right.name && left.parameters.elementsEqual(right.parameters, by: ==)
    }

    /// Parses the values of all headers of the name, which form one list.
    static func parse(_ values: [String]) throws(ExtensionProblem) -> [ExtensionOffer] {
        var offers: [ExtensionOffer] = []
        var scanner = Scanner(values.joined(separator: ","))
        while true {
            scanner.skipSpaces()
            if scanner.isAtEnd { return offers }
            // Empty elements of a list are allowed (RFC 9110 section 5.6.1).
            if scanner.skip(",") { continue }
            guard offers.count < limit,
                var offer = scanner.token().map({ ExtensionOffer(name: $0) })
            else { throw malformed }
            while scanner.skip(";") {
                guard offer.parameters.count < limit, let name = scanner.token() else {
                    throw malformed
                }
                guard scanner.skip("=") else {
                    offer.parameters.append((name, nil))
                    continue
                }
                guard let value = scanner.quotedToken() ?? scanner.token() else { throw malformed }
                offer.parameters.append((name, value))
            }
            offers.append(offer)
            guard scanner.isAtEnd || scanner.skip(",") else { throw malformed }
        }
    }

    private static let malformed = ExtensionProblem("a malformed Sec-WebSocket-Extensions")

    private init(name: String) {
        self.name = name
    }
}

/// Reads the header from left to right; spaces may surround each part.
private struct Scanner {
    private let bytes: [UInt8]
    private var index = 0

    init(_ text: String) {
        bytes = Array(text.utf8)
    }

    var isAtEnd: Bool { index == bytes.count }

    mutating func skipSpaces() {
        while index < bytes.count, bytes[index] == 0x20 || bytes[index] == 0x09 { index += 1 }
    }

    mutating func skip(_ character: Unicode.Scalar) -> Bool {
        skipSpaces()
        guard index < bytes.count, bytes[index] == UInt8(ascii: character) else { return false }
        index += 1
        skipSpaces()
        return true
    }

    mutating func token() -> String? {
        let start = index
        while index < bytes.count, bytes[index].isTokenByte { index += 1 }
        guard index > start else { return nil }
        let token = String(decoding: bytes[start..<index], as: UTF8.self)
        skipSpaces()
        return token
    }

    /// A quoted string, whose content has to be a token.
    mutating func quotedToken() -> String? {
        let start = index
        guard index < bytes.count, bytes[index] == UInt8(ascii: "\"") else { return nil }
        index += 1
        guard let token = token(), index < bytes.count, bytes[index] == UInt8(ascii: "\"") else {
            index = start
            return nil
        }
        index += 1
        skipSpaces()
        return token
    }
}
