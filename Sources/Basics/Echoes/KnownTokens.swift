/// Tokens that were seen, found again wherever a text presents one: after a scheme, in quotes, among
/// parameters, percent-encoded, escaped as in JSON, or in base64.
///
/// One pass over a text finds those that stand in it as they are: eight bytes select the candidates,
/// whose digests are compared then. Only a text that may encode something is decoded. The tokens
/// themselves are not kept.
package struct KnownTokens: Sendable {
    /// The size of the shortest token, in bytes.
    package static let shortest = 8
    /// As many are kept; half of them go when there are more.
    private static let limit = 1 << 16
    /// The size from which no word is taken for a token, in bytes.
    private static let longestWord = 16
    /// The size of the beginning of a text that is searched, in bytes.
    private static let textLimit = 64 * 1024
    /// The most decodings that one text is searched in; only a hostile text has more.
    private static let readingLimit = 48
    private static let depthLimit = 3
    /// The size of the shortest run that is decoded, in bytes.
    private static let shortestRun = 12

    private struct Entry: Sendable {
        let head: UInt64
        let count: Int
        let digest: SecretDigest
    }

    /// The size of the longest token with these first eight bytes: all JWTs begin alike, and a place is
    /// compared once for all of one size.
    ///
    /// Tables of numbers, since a token that had memory of its own would keep the pages around it.
    private var longest: [UInt64: Int32] = [:]
    /// The smaller sizes, the largest first, where there are several.
    private var smaller: [UInt64: [Int32]] = [:]
    private var digests: Set<SecretDigest> = []
    private var order: [Entry] = []
    /// One bit for each pair of bytes with which a token begins.
    private var pairs = [UInt64](repeating: 0, count: 1024)

    package init() {}

    package var isEmpty: Bool { order.isEmpty }

    /// Adds a token, unless it is too short to be told from other words.
    package mutating func add(_ token: Secret) {
        guard (Self.shortest...Self.textLimit).contains(token.byteCount) else { return }
        let head = token.withBytes { Self.head($0.bindMemory(to: UInt8.self), 0) }
        let entry = Entry(head: head, count: token.byteCount, digest: SecretDigest(token))
        guard insert(entry) else { return }
        order.append(entry)
        guard order.count > Self.limit else { return }
        order.removeFirst(Self.limit / 2)
        (longest, smaller, digests) = ([:], [:], [])
        pairs = [UInt64](repeating: 0, count: 1024)
        for entry in order { _ = insert(entry) }
    }

    /// Whether a text as a whole is a token.
    package func contains(_ token: Secret) -> Bool {
        token.byteCount >= Self.shortest && digests.contains(SecretDigest(token))
    }

    /// - Returns: Whether it is a new one.
    private mutating func insert(_ entry: Entry) -> Bool {
        guard digests.insert(entry.digest).inserted else { return false }
        let pair = Int(entry.head & 0xFFFF)
        pairs[pair >> 6] |= 1 << UInt64(pair & 63)
        let count = Int32(entry.count)
        guard let most = longest[entry.head] else {
            longest[entry.head] = count
            return true
        }
        longest[entry.head] = max(most, count)
        let other = min(most, count)
        guard other < max(most, count) else { return true }
        var others = smaller[entry.head] ?? []
        let place = others.firstIndex { $0 <= other } ?? others.count
        guard place == others.count || others[place] != other else { return true }
        others.insert(other, at: place)
        smaller[entry.head] = others
        return true
    }

    /// Returns the tokens in a text, each once.
    package func tokens(in text: String) -> [Secret] {
        guard !isEmpty, text.utf8.count >= Self.shortest else { return [] }
        // In two steps: as an array, the beginning of a text is copied byte by byte.
        return tokens(in: Array(Array(text.utf8).prefix(Self.textLimit)))
    }

    /// Returns the tokens in bytes, each once.
    ///
    /// - Parameters:
    ///   - bytes: The bytes.
    ///   - isBinary: Whether what stands around a token is no text, such as its length.
    /// - Returns: The tokens.
    package func tokens(in bytes: [UInt8], isBinary: Bool = false) -> [Secret] {
        guard !isEmpty, bytes.count >= Self.shortest else { return [] }
        var found: [Secret] = []
        var readings = [bytes]
        var level = 0..<1
        for depth in 0...Self.depthLimit {
            for index in level {
                let reading = readings[index]
                let ranges = search(reading, isBinary: isBinary)
                for range in ranges {
                    let token = Secret(String(decoding: reading[range], as: UTF8.self))
                    if !found.contains(token) { found.append(token) }
                }
                guard depth < Self.depthLimit, !isBinary else { continue }
                for next in Self.decodings(of: reading, besides: ranges)
                where readings.count < Self.readingLimit && !readings.contains(next) {
                    readings.append(next)
                }
            }
            level = level.upperBound..<readings.count
        }
        return found
    }

    /// Returns where tokens stand in a text as they are, and as whole words.
    private func search(_ bytes: [UInt8], isBinary: Bool) -> [Range<Int>] {
        var ranges: [Range<Int>] = []
        bytes.withUnsafeBufferPointer { bytes in
            var place = 0
            while place + Self.shortest <= bytes.count {
                let pair = Int(bytes[place]) | Int(bytes[place + 1]) << 8
                guard pairs[pair >> 6] & (1 << UInt64(pair & 63)) != 0,
                    let count = size(at: place, in: bytes, isBinary: isBinary)
                else {
                    place += 1
                    continue
                }
                ranges.append(place..<(place + count))
                place += count
            }
        }
        return ranges
    }

    /// Returns the size of the longest token at a place, or `nil` if there is none.
    private func size(
        at place: Int,
        in bytes: UnsafeBufferPointer<UInt8>,
        isBinary: Bool
    ) -> Int? {
        let head = Self.head(bytes, place)
        guard let most = longest[head] else { return nil }
        if holds(Int(most), at: place, in: bytes, isBinary: isBinary) { return Int(most) }
        return smaller[head]?
            .first { holds(Int($0), at: place, in: bytes, isBinary: isBinary) }
            .map(Int.init)
    }

    private func holds(
        _ count: Int,
        at place: Int,
        in bytes: UnsafeBufferPointer<UInt8>,
        isBinary: Bool
    ) -> Bool {
        let end = place + count
        guard end <= bytes.count else { return false }
        if !isBinary {
            let isLong = count >= Self.longestWord
            if place > 0, Self.isPart(bytes[place - 1], orOneOf: isLong ? [] : [0x2D, 0x5F]) {
                return false
            }
            // More of a longer token follows, unless it is the full stop of a sentence.
            if end < bytes.count,
                Self.isPart(bytes[end], orOneOf: [0x2B, 0x2D, 0x2E, 0x5F, 0x7E]),
                !(end + 1 == bytes.count && bytes[end] == UInt8(ascii: "."))
            {
                return false
            }
        }
        let text = UnsafeRawBufferPointer(UnsafeBufferPointer(rebasing: bytes[place..<end]))
        return digests.contains(SecretDigest(text))
    }

    /// Whether a byte beside a token says that it is a part of something longer.
    private static func isPart(_ byte: UInt8, orOneOf marks: [UInt8]) -> Bool {
        byte.isAlphanumeric || marks.contains(byte)
    }

    private static func head(_ bytes: UnsafeBufferPointer<UInt8>, _ start: Int) -> UInt64 {
        (0..<8).reduce(0) { $0 | UInt64(bytes[start + $1]) << UInt64($1 * 8) }
    }

    // MARK: - Encodings

    /// Returns what a text means if its escapes are resolved, and what its runs of base64 hold.
    private static func decodings(of bytes: [UInt8], besides ranges: [Range<Int>]) -> [[UInt8]] {
        var decodings: [[UInt8]] = []
        if bytes.contains(where: { [0x25, 0x26, 0x5C].contains($0) }) {
            decodings = EscapedText.readings(of: bytes, plusIsBlank: false).dropFirst().map(\.bytes)
        }
        var start = 0
        while start < bytes.count {
            guard isBase64(bytes[start]) else {
                start += 1
                continue
            }
            let end = bytes[start...].firstIndex { !isBase64($0) } ?? bytes.count
            let run = start..<end
            start = end
            guard run.count >= shortestRun, !ranges.contains(where: { $0.overlaps(run) }),
                !isPartOfWebToken(run, in: bytes)
            else { continue }
            var parts = [bytes[run]]
            // A word may precede it, as in `header-…`.
            if let dash = bytes[run].firstIndex(of: UInt8(ascii: "-")) {
                parts.append(bytes[(dash + 1)..<run.upperBound])
            }
            for part in parts where part.count >= shortestRun && part.count % 4 != 1 {
                decodings += EncodedRuns.decoded(in: Array(part)).filter { $0.count >= shortest }
            }
        }
        return decodings
    }

    private static func isBase64(_ byte: UInt8) -> Bool {
        byte.isAlphanumeric || [0x2B, 0x2D, 0x2F, 0x5F].contains(byte)
    }

    /// Whether a run is the header or the claims of a JWT, which present no token.
    private static func isPartOfWebToken(_ run: Range<Int>, in bytes: [UInt8]) -> Bool {
        let dot = UInt8(ascii: ".")
        let isBesideDot =
            run.lowerBound > 0 && bytes[run.lowerBound - 1] == dot
            || run.upperBound < bytes.count && bytes[run.upperBound] == dot
        return isBesideDot && bytes[run].starts(with: "eyJ".utf8)
    }
}
