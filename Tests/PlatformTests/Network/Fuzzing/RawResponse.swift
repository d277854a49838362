import Basics

/// The bytes that a server sends to one request, and how: valid, mutated by the grammar of
/// HTTP/1.1, by the byte, or random.
struct RawResponse: Sendable {
    enum Ending: Sendable {
        case close
        case reset
        /// Waits for the next request.
        case keepOpen
    }

    private(set) var pieces: [ArraySlice<UInt8>]
    private(set) var ending = Ending.close

    /// Everything follows from the number of the request and the seed of the run.
    init(number: UInt64, seed: UInt64) {
        var random = SeededGenerator(seed: seed &+ number &* 0x9E37_79B9_7F4A_7C15)
        var draft = AnswerDraft(&random)
        let choice = random.next() % 20
        for _ in 0..<(choice < 4 ? 0 : 1 + random.next() % 2) { draft.mutate(&random) }
        var bytes = choice == 0 ? Self.noise(600, &random) : draft.bytes
        if choice > 16 { Self.mutate(&bytes, &random) }
        pieces = Self.cut(bytes, &random)
        switch random.next() % 400 {
        case 0..<40: ending = .reset
        case 40: ending = .keepOpen
        default: if choice < 4, choice > 0, draft.hasEnd { ending = .keepOpen }
        }
    }

    static func noise(_ limit: Int, _ random: inout SeededGenerator) -> [UInt8] {
        (0..<Int.random(in: 0..<limit, using: &random)).map { _ in
            UInt8(truncatingIfNeeded: random.next())
        }
    }

    static func mutate(_ bytes: inout [UInt8], _ random: inout SeededGenerator) {
        for _ in 0..<(1 + random.next() % 4) where !bytes.isEmpty {
            let place = bytes.indices.randomElement(using: &random) ?? 0
            let end = min(bytes.count, place + Int.random(in: 0..<40, using: &random))
            switch random.next() % 6 {
            case 0: bytes[place] ^= 1 << UInt8(random.next() % 8)
            case 1: bytes[place] = [0, 9, 10, 13, 32, 58, 255].randomElement(using: &random) ?? 0
            case 2: bytes.insert(contentsOf: noise(20, &random), at: place)
            case 3: bytes.removeSubrange(place..<end)
            case 4: bytes.insert(contentsOf: Array(bytes[place..<end]), at: place)
            default: bytes.removeSubrange(place...)
            }
        }
    }

    static func cut(
        _ bytes: [UInt8],
        _ random: inout SeededGenerator
    ) -> [ArraySlice<UInt8>] {
        let isFine = bytes.count < 200 && random.next() % 50 == 0
        let count = isFine ? bytes.count : Int(random.next() % 4)
        var cuts = isFine ? Array(bytes.indices) : []
        while cuts.count < count, !bytes.isEmpty {
            cuts.append(bytes.indices.randomElement(using: &random) ?? 0)
        }
        let edges = [0] + cuts.sorted() + [bytes.count]
        return zip(edges, edges.dropFirst()).map { bytes[$0..<$1] }.filter { !$0.isEmpty }
    }
}

/// A response in its parts, each of which can be spoilt.
private struct AnswerDraft {
    private static let statuses = [
        "000", "001", "042", "099", "100", "101", "102", "199", "204", "205", "301", "304", "401",
        "600", "999", "1000", "99", "-1", "2e2", "", "20 0", "٢٠٠",
    ]
    private static let versions = [
        "HTTP/0.9", "HTTP/1.0", "HTTP/1.10", "HTTP/2.0", "HTTP/3", "HTTP/9.9", "http/1.1", "ICY",
        "SIP/2.0", "HTTP/1.1\t", "",
    ]
    private static let reasons = ["", "OK\u{0}", "é☃", "\u{1B}[31m", "a\rb", "OK\r\n\r\n"]
    private static let lengths = [
        "", "-1", "+2", "2, 2", "2,3", "0x2", "18446744073709551615", "9223372036854775808",
        "99999999999999999999", " 2 ", "0", "1000000", "2\u{0}",
    ]
    private static let codings = [
        "gzip", "identity", "chunked, chunked", "gzip, chunked", "xchunked", "chunked;q=1",
        "CHUNKED", "", "chunked\r\nTransfer-Encoding: chunked",
    ]
    private static let lines = [
        "X: a\u{0}b", "X\u{0}: y", ": y", "X : y", " X: y", "X", "X: a\rb", "\tfolded", "X:",
        "Connection: close", "Connection: keep-alive", "Connection: Upgrade\r\nUpgrade: websocket",
        "Upgrade: h2c", "Date: never", "Set-Cookie: a=b; Expires=x", "Retry-After: -1",
        "Content-Encoding: gzip", "Trailer: X", "é: ü", "X: \u{1B}]0;x\u{7}", "",
        "Sec-WebSocket-Accept: AAAAAAAAAAAAAAAAAAAAAAAAAAA=",
    ]
    private static let sizes = [
        "x", "-1", "FFFFFFFFFFFFFFFF", "11111111111111111", "0", "2;ext=\"a\"", "2 ;", " 2", "",
        "2\u{0}", "00000000000000000002",
    ]
    /// A fixed key's, so that a dial may succeed.
    private static let acceptance = [
        "Upgrade: websocket", "Connection: Upgrade",
        "Sec-WebSocket-Accept: ICX+Yqv66kxgM0FcWaLWlFLwTAI=",
    ]

    private var interim: [String] = []
    private var version = "HTTP/1.1"
    private var status: String
    private var reason = "OK"
    private var headers: [String]
    private var body: String
    /// Whether the client can tell where it ends while the connection lasts.
    private(set) var hasEnd = true
    private var lineEnd = "\r\n"
    private var extra = ""

    init(_ random: inout SeededGenerator) {
        let text = String(repeating: "{}", count: Int(random.next() % 40))
        status = ["200", "200", "401", "503", "204"].randomElement(using: &random) ?? "200"
        headers = ["Content-Type: application/json", "Date: Sun, 06 Nov 1994 08:49:37 GMT"]
        switch random.next() % 4 {
        case 0:
            headers.append("Transfer-Encoding: chunked")
            let size = String(text.utf8.count, radix: 16)
            body = (text.isEmpty ? "" : "\(size)\r\n\(text)\r\n") + "0\r\n\r\n"
        case 1:
            body = text
            hasEnd = false
        case 2:
            status = "101"
            headers = Self.acceptance
            body = "\u{1}\u{2}hi"
        default:
            headers.append("Content-Length: \(text.utf8.count)")
            body = text
        }
    }

    var bytes: [UInt8] {
        let head = ["\(version) \(status) \(reason)"] + headers
        let text = head.map { $0 + lineEnd }.joined() + lineEnd + body + extra
        return Array((interim.joined() + text).utf8)
    }

    mutating func mutate(_ random: inout SeededGenerator) {
        switch random.next() % 15 {
        case 0: status = pick(Self.statuses, &random)
        case 1: status = String(String(1000 + random.next() % 1000).dropFirst())
        case 2: version = pick(Self.versions, &random)
        case 3: reason = pick(Self.reasons, &random)
        case 4:
            let line = "HTTP/1.1 \(pick(["100", "102", "103", "101", "199", "000"], &random)) X"
            interim = Array(repeating: "\(line)\r\n\r\n", count: Int(random.next() % 40))
        case 5: headers.append("Content-Length: " + pick(Self.lengths, &random))
        case 6:
            headers.removeAll { $0.hasPrefix("Content-Length") }
            headers.append("Content-Length: " + pick(Self.lengths, &random))
        case 7: headers.append("Transfer-Encoding: " + pick(Self.codings, &random))
        case 8: headers.insert(pick(Self.lines, &random), at: 0)
        case 9: headers.append(pick(Self.lines, &random))
        case 10: headers += (0..<(random.next() % 300)).map { "X-\($0): y" }
        case 11:
            // Rarely, because it is slow.
            let isLong = random.next() % 20 == 0
            headers.append("X: " + String(repeating: "y", count: isLong ? 70_000 : 700))
        case 12:
            headers.append("Transfer-Encoding: chunked")
            body = "\(pick(Self.sizes, &random))\r\n{}\r\n0\r\n\(pick(Self.lines, &random))\r\n\r\n"
        case 13: extra = pick(["HTTP/1.1 200 OK\r\n\r\n", "HTTP/1.1 2", "\r\n", "xx"], &random)
        default: lineEnd = pick(["\n", "\r", "\r\r\n", "\n\n"], &random)
        }
    }

    private func pick(_ choices: [String], _ random: inout SeededGenerator) -> String {
        choices.randomElement(using: &random) ?? ""
    }
}
