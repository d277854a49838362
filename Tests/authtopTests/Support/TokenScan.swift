import Foundation

/// Finds tokens in what a run left behind, in any form in which they could be taken from there.
struct TokenScan {
    enum Form: String, CaseIterable, Sendable {
        case text
        case base64
        case base64URL
        case hexadecimal
        /// The token's own base64url: a JWT's signature, or all of an opaque one.
        case raw
    }

    /// The change to it before it was written down.
    enum Disguise: String, CaseIterable, Sendable {
        case none
        case reversed
        case split
        case splitAndReversed
    }

    /// This many bytes of a token say too much.
    static let length = TokenHarvest.length

    /// By their first eight bytes, which makes a look at each place of a large file cheap.
    private var needles: [UInt64: Set<Needle>] = [:]

    private struct Needle: Hashable {
        let bytes: [UInt8]
        let form: Form
    }

    init(_ tokens: Set<String>) {
        for token in tokens {
            let bytes = Array(token.utf8)
            add(bytes, as: .text, windows: Self.length)
            for skipped in 0..<3 {
                let whole = Data(bytes.dropFirst(skipped).prefix((bytes.count - skipped) / 3 * 3))
                let text = whole.base64EncodedString()
                add(Array(text.utf8), as: .base64, windows: Self.length / 3 * 4)
                let other = text.replacing("+", with: "-").replacing("/", with: "_")
                add(Array(other.utf8), as: .base64URL, windows: Self.length / 3 * 4)
            }
            add(Self.hexadecimal(bytes), as: .hexadecimal, windows: Self.length * 2)
            add(Self.raw(token), as: .raw, windows: Self.length)
        }
    }

    /// The forms in which a part of a token is there.
    func forms(in content: Data) -> Set<Form> {
        let whole = [UInt8](content)
        let joined = whole.filter { !" \t\r\n\\".utf8.contains($0) }
        var found: Set<Form> = []
        for bytes in [whole, joined] {
            found.formUnion(look(in: bytes))
            found.formUnion(look(in: bytes.reversed()))
        }
        return found
    }

    func forms(in text: String) -> Set<Form> { forms(in: Data(text.utf8)) }

    /// A token as it would be written down in a form.
    static func written(_ token: String, as form: Form, _ disguise: Disguise) -> Data {
        let bytes = Array("words \(token) words".utf8)
        var written: [UInt8] =
            switch form {
            case .text: bytes
            case .base64: Array(Data(bytes).base64EncodedString().utf8)
            case .base64URL:
                Array(
                    Data(bytes).base64EncodedString().replacing("+", with: "-")
                        .replacing("/", with: "_").replacing("=", with: "").utf8
                )
            case .hexadecimal: hexadecimal(bytes).map { $0 >= 97 ? $0 - 32 : $0 }
            case .raw: raw(token)
            }
        if disguise == .reversed || disguise == .splitAndReversed { written.reverse() }
        if disguise == .split || disguise == .splitAndReversed {
            written = Array(written.map { [$0] }.joined(separator: [13, 10]))
        }
        return Data(written)
    }

    private mutating func add(_ bytes: [UInt8], as form: Form, windows length: Int) {
        guard bytes.count >= length else { return }
        for start in 0...(bytes.count - length) {
            let window = Array(bytes[start..<(start + length)])
            needles[Self.head(window[...]), default: []].insert(Needle(bytes: window, form: form))
        }
    }

    /// Hexadecimal digits are sought as small letters.
    private func look(in bytes: [UInt8]) -> Set<Form> {
        var found: Set<Form> = []
        let small = bytes.map { (65...70).contains($0) ? $0 + 32 : $0 }
        for (content, isSmall) in [(bytes, false), (small, true)]
        where content.count >= Self.length {
            var head = content.prefix(7).reduce(0 as UInt64) { $0 << 8 | UInt64($1) }
            for start in 0...(content.count - 8) {
                head = head << 8 | UInt64(content[start + 7])
                found.formUnion(
                    (needles[head] ?? []).lazy.filter { needle in
                        (needle.form == .hexadecimal) == isSmall
                            && content[start...].starts(with: needle.bytes)
                    }.map(\.form)
                )
            }
        }
        return found
    }

    private static func head(_ bytes: ArraySlice<UInt8>) -> UInt64 {
        bytes.prefix(8).reduce(0) { $0 << 8 | UInt64($1) }
    }

    private static func hexadecimal(_ bytes: [UInt8]) -> [UInt8] {
        let digits = Array("0123456789abcdef".utf8)
        return bytes.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }
    }

    private static func raw(_ token: String) -> [UInt8] {
        let part = token.split(separator: ".").last.map(String.init) ?? token
        let text = part.replacing("-", with: "+").replacing("_", with: "/")
        let whole = text.prefix(text.count / 4 * 4)
        return Data(base64Encoded: String(whole)).map { [UInt8]($0) } ?? []
    }
}
