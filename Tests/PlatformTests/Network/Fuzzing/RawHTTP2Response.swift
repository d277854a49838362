import Basics

/// The frames that a server sends to one request, and how: valid, mutated by the grammar of HTTP/2,
/// by the byte, or random.
struct RawHTTP2Response: Sendable {
    let answer: RawHTTP2Server.Answer

    /// Everything follows from the number of the request and the seed of the run.
    init(number: UInt64, seed: UInt64, stream: UInt32) {
        var random = SeededGenerator(seed: seed &+ number &* 0x9E37_79B9_7F4A_7C15)
        var draft = FramesDraft(stream, &random)
        let choice = random.next() % 20
        for _ in 0..<(choice < 3 ? 0 : 1 + random.next() % 3) { draft.mutate(&random) }
        var bytes = choice == 3 ? RawResponse.noise(600, &random) : draft.bytes
        if choice > 16 { RawResponse.mutate(&bytes, &random) }
        let ending: RawResponse.Ending =
            switch random.next() % 200 {
            case 0..<20: .reset
            case 20: .keepOpen
            default: choice < 3 ? .keepOpen : .close
            }
        answer = .init(pieces: RawResponse.cut(bytes, &random), ending: ending)
    }

    /// The beginning of a connection: SETTINGS, most of them valid.
    static func greeting(number: Int, seed: UInt64) -> [UInt8] {
        var random = SeededGenerator(seed: seed ^ UInt64(number) &* 0xBF58_476D_1CE4_E5B9)
        guard random.next() % 4 == 0 else { return HTTP2Bytes.settings }
        let pairs = (0..<random.next() % 6).flatMap { _ in FramesDraft.validSetting(&random) }
        return HTTP2Bytes.frame(.settings, pairs)
    }
}

/// A response in its frames, each of which can be spoilt.
private struct FramesDraft {
    private static let statuses = [
        "-1", "", "1000", "1999", "100", "101", "103", "199", "+200", "099", "600", "999", "99999",
        "20", "2e2", " 200", "2٠0", "200", "204", "304", "401", "503",
    ]
    private static let fields = [
        (":status", "200"), (":status", "100"), (":path", "/"), (":", ""), (":x", "y"), ("", ""),
        ("X-A", "b"), ("a b", "c"), ("connection", "close"), ("transfer-encoding", "chunked"),
        ("te", "gzip"), ("upgrade", "h2c"), ("content-length", "2"), ("content-length", "-1"),
        ("content-length", "99999999999999999999"), ("content-length", "0"), ("a", "b\r\nc: d"),
        ("a", "\u{0}"), ("a", "\u{1B}[31m"), ("é", "ü"), ("content-encoding", "gzip"),
        ("set-cookie", "a=b"), ("retry-after", "-1"), ("date", "never"), ("host", "x"),
    ]
    private static let numbers: [UInt32] = [
        0, 1, 2, 3, 9, 100, 16_383, 16_384, 65_535, 65_536, 16_777_215, 16_777_216, 0x7FFF_FFFE,
        0x7FFF_FFFF, 0x8000_0000, .max,
    ]

    private let stream: UInt32
    private var frames: [[UInt8]]

    init(_ stream: UInt32, _ random: inout SeededGenerator) {
        self.stream = stream
        let text = String(repeating: "{}", count: Int(random.next() % 40))
        let status = ["200", "200", "401", "503"].randomElement(using: &random) ?? "200"
        frames = [HTTP2Bytes.headers(stream, [":status": status, "content-type": "text/plain"])]
        switch random.next() % 5 {
        case 0:
            frames = [HTTP2Bytes.headers(stream, [":status": "204"], endsStream: true)]
        case 1:
            frames.append(HTTP2Bytes.data(stream, text, endsStream: false))
            frames.append(HTTP2Bytes.headers(stream, ["x": "y"], endsStream: true))
        case 2:
            frames.insert(HTTP2Bytes.headers(stream, [":status": "103", "link": "x"]), at: 0)
            frames.append(HTTP2Bytes.data(stream, text))
        case 3:
            frames += (0..<random.next() % 30).map { _ in
                HTTP2Bytes.data(stream, "{}", endsStream: false)
            }
            frames.append(HTTP2Bytes.data(stream, ""))
        default:
            frames.append(HTTP2Bytes.data(stream, text))
        }
    }

    var bytes: [UInt8] { Array(frames.joined()) }

    mutating func mutate(_ random: inout SeededGenerator) {
        let place = frames.indices.randomElement(using: &random) ?? 0
        let gap = Int(random.next() % UInt64(frames.count + 1))
        switch random.next() % 19 {
        case 0:
            frames[0] = HTTP2Bytes.headers(stream, [":status": Self.pick(Self.statuses, &random)])
        case 1:
            let status = Self.pick(Self.statuses, &random)
            frames.insert(HTTP2Bytes.headers(stream, [":status": status]), at: gap)
        case 2:
            let status = Self.pick(["100", "102", "103", "101", "199", "1"], &random)
            let interim = HTTP2Bytes.headers(stream, [":status": status])
            frames.insert(
                contentsOf: Array(repeating: interim, count: Int(random.next() % 40)),
                at: 0
            )
        case 3, 4: frames.insert(oddHeaders(&random), at: gap)
        case 5, 6, 7: frames.insert(control(&random), at: gap)
        case 8:
            let count = [2, 30, 300].randomElement(using: &random) ?? 2
            let frame = random.next() % 2 == 0 ? control(&random) : frames[place]
            frames.insert(contentsOf: Array(repeating: frame, count: count), at: gap)
        case 9: frames.remove(at: place)
        case 10: frames.shuffle(using: &random)
        case 11: spoil(place, at: 4, with: UInt8(truncatingIfNeeded: random.next()))
        case 12: spoil(place, at: 3, with: UInt8(random.next() % 16))
        case 13: spoil(place, at: 2, with: UInt8(truncatingIfNeeded: random.next()))
        case 14: spoil(place, at: 8, with: UInt8(random.next() % 8))
        case 15: frames.insert(rawBlock(&random), at: gap)
        case 16: frames.insert(padded(&random), at: gap)
        case 17: frames += split(&random)
        default:
            let size = Int(random.next() % 3) * 9000
            frames.append(HTTP2Bytes.data(stream, String(repeating: "x", count: size)))
        }
        if frames.isEmpty { frames = [HTTP2Bytes.settings] }
    }

    /// SETTINGS that a server may send (RFC 9113, section 6.5.2).
    static func validSetting(_ random: inout SeededGenerator) -> [UInt8] {
        let name = UInt8(random.next() % 10)
        let value: UInt32 =
            switch name {
            case 2: 0
            // Without streams, and without a window, a request waits for its deadline.
            case 3: 1 + UInt32(random.next() % 200)
            case 4: 1000 + UInt32(random.next() % 0x7FFF_0000)
            case 5: 16_384 + UInt32(random.next() % 16_000_000)
            case 8: UInt32(random.next() % 2)
            default: numbers.randomElement(using: &random) ?? 0
            }
        return [0, name] + HTTP2Bytes.bytes(value)
    }

    private static func pick(_ choices: [String], _ random: inout SeededGenerator) -> String {
        choices.randomElement(using: &random) ?? ""
    }

    private func number(_ random: inout SeededGenerator) -> UInt32 {
        Self.numbers.randomElement(using: &random) ?? 0
    }

    private func someStream(_ random: inout SeededGenerator) -> UInt32 {
        [0, stream, stream, stream + 1, stream + 2, 2, .max].randomElement(using: &random) ?? 0
    }

    private mutating func spoil(_ place: Int, at index: Int, with byte: UInt8) {
        guard frames[place].indices.contains(index) else { return }
        frames[place][index] = byte
    }

    private func oddHeaders(_ random: inout SeededGenerator) -> [UInt8] {
        var fields = random.next() % 2 == 0 ? [(key: ":status", value: "200")] : []
        let isMany = random.next() % 10 == 0
        for number in 0..<(isMany ? random.next() % 400 : 1 + random.next() % 3) {
            let field = Self.fields.randomElement(using: &random) ?? ("", "")
            fields.append(isMany ? ("x-\(number)", "y") : field)
        }
        if random.next() % 10 == 0 {
            let size = Int(random.next() % 20_000)
            fields.append(("x", String(repeating: "y", count: size)))
        }
        let block = HTTP2Bytes.block(fields)
        let flags: UInt8 = random.next() % 3 == 0 ? 5 : 4
        return HTTP2Bytes.frame(.headers, flags: flags, stream: stream, block)
    }

    private func control(_ random: inout SeededGenerator) -> [UInt8] {
        switch random.next() % 12 {
        case 0:
            let pairs = (0..<random.next() % 4).flatMap { _ in
                [0, UInt8(random.next() % 10)] + HTTP2Bytes.bytes(number(&random))
            }
            return HTTP2Bytes.frame(.settings, flags: UInt8(random.next() % 2), pairs)
        case 1: return HTTP2Bytes.frame(.settings, Self.validSetting(&random))
        case 2:
            let length = [8, 8, 8, 0, 7, 9].randomElement(using: &random) ?? 8
            let payload = [UInt8](repeating: 1, count: length)
            return HTTP2Bytes.frame(.ping, flags: UInt8(random.next() % 2), payload)
        case 3, 4:
            return HTTP2Bytes.windowUpdate(someStream(&random), by: number(&random))
        case 5:
            let text = String(repeating: "x", count: Int(random.next() % 300))
            let code = UInt32(random.next() % 16)
            return HTTP2Bytes.goAway(last: someStream(&random), code: code, text)
        case 6:
            let code = HTTP2Bytes.bytes(UInt32(random.next() % 16))
            return HTTP2Bytes.frame(.reset, stream: someStream(&random), code)
        case 7:
            let payload = HTTP2Bytes.bytes(someStream(&random)) + [16]
            return HTTP2Bytes.frame(.priority, stream: someStream(&random), payload)
        case 8:
            let request = HTTP2Bytes.block([
                (":method", "GET"), (":path", "/"), (":scheme", "https"), (":authority", "x"),
            ])
            let payload = HTTP2Bytes.bytes(someStream(&random)) + request
            return HTTP2Bytes.frame(.pushPromise, flags: 4, stream: someStream(&random), payload)
        case 9: return HTTP2Bytes.frame(.continuation, flags: 4, stream: someStream(&random))
        case 10:
            let payload = RawResponse.noise(60, &random)
            let kinds: [HTTP2Bytes.Kind] = [.alternativeService, .origin, .unknown]
            let kind = kinds.randomElement(using: &random) ?? .unknown
            return HTTP2Bytes.frame(kind, stream: someStream(&random), payload)
        default: return HTTP2Bytes.answer(someStream(&random))
        }
    }

    /// Headers in the compressed forms: indices, changes of the table's size, Huffman's code.
    private func rawBlock(_ random: inout SeededGenerator) -> [UInt8] {
        var block: [UInt8] = random.next() % 2 == 0 ? [0x88] : []
        for _ in 0..<(1 + random.next() % 4) {
            switch random.next() % 5 {
            case 0: block.append(0x80 | UInt8(random.next() % 128))
            case 1: block += [0x20 | UInt8(random.next() % 32), UInt8(random.next() % 128)]
            case 2: block += [0x40, 1, 0x78, 0x83] + RawResponse.noise(6, &random)
            case 3: block += [0x3F] + Array(repeating: 0xFF, count: Int(random.next() % 12)) + [0]
            default: block += RawResponse.noise(20, &random)
            }
        }
        return HTTP2Bytes.frame(.headers, flags: 4, stream: stream, block)
    }

    private func padded(_ random: inout SeededGenerator) -> [UInt8] {
        let length = UInt8(truncatingIfNeeded: random.next())
        let payload = [length] + Array("{}".utf8) + [UInt8](repeating: 0, count: Int(length))
        let kept =
            random.next() % 3 == 0 ? Int(random.next() % UInt64(payload.count)) : payload.count
        let kind: HTTP2Bytes.Kind = random.next() % 3 == 0 ? .headers : .data
        return HTTP2Bytes.frame(kind, flags: 8, stream: stream, Array(payload.prefix(kept)))
    }

    /// A head in several frames, sometimes with another frame in between.
    private func split(_ random: inout SeededGenerator) -> [[UInt8]] {
        let block = HTTP2Bytes.block([(":status", "200"), ("content-type", "text/plain")])
        let count = Int(random.next() % 12)
        var parts = [HTTP2Bytes.frame(.headers, stream: stream, Array(block.prefix(9)))]
        parts += Array(repeating: HTTP2Bytes.frame(.continuation, stream: stream), count: count)
        if random.next() % 3 == 0 { parts.append(control(&random)) }
        let rest = Array(block.dropFirst(9))
        return parts + [HTTP2Bytes.frame(.continuation, flags: 4, stream: stream, rest)]
    }
}
