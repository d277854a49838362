import Foundation
import Observer
import Proxy
import TestSupport
import Testing

/// Bodies that Python has compressed.
@Suite("Proxy: what is seen of a body with a coding", .timeLimit(.minutes(20)))
struct CompressionTests {
    private static let document = #"{"access_token":"eyJ-made-up","expires_in":60}"#

    /// Returns what Python makes of an expression.
    private static func bytes(_ expression: String) async throws -> [UInt8] {
        let file = FileManager.default.temporaryDirectory
            .appendingPathComponent("authtop-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: file) }
        try await Program.run(
            Program.python,
            [
                "-c",
                "import gzip, sys, zlib; text = sys.argv[2].encode(); "
                    + "open(sys.argv[1], 'wb').write(\(expression))",
                file.path, document,
            ]
        )
        return Array(try Data(contentsOf: file))
    }

    /// Sends an answer with a body through a proxy, piece by piece, and returns what was seen of it.
    private static func seen(_ body: [UInt8], coding: String, pieces: Int) async throws -> [UInt8] {
        let seen = RecordedTraffic()
        try await withOrigin { connection in
            _ = try await connection.readHead()
            try await connection.write(
                "HTTP/1.1 200 OK\r\nContent-Encoding: \(coding)\r\n"
                    + "Content-Length: \(body.count)\r\n\r\n"
            )
            let size = max(1, body.count / pieces)
            for start in stride(from: 0, to: body.count, by: size) {
                try await connection.write(Array(body[start..<min(start + size, body.count)]))
            }
            _ = await connection.readToEnd()
        } body: { origin in
            try await withProxy(to: origin, seen: seen) { proxy in
                var client = try await RawConnection.connect(to: proxy)
                try await client.write(
                    "GET / HTTP/1.1\r\nHost: a\r\nAccept-Encoding: gzip, deflate\r\n\r\n"
                )
                _ = try await client.readHead()
                #expect(try await client.read(body.count) == body, "the app gets other bytes")
                await client.close()
                try await eventually("the end of the answer") {
                    seen.words.contains("1 answered \(body.count)") ? true : nil
                }
            }
        }
        return seen.all.flatMap { input -> [UInt8] in
            if case .responseBody(let bytes) = input.kind { bytes } else { [] }
        }
    }

    @Test(
        "it is decompressed, however it comes",
        arguments: [
            ("gzip", "gzip.compress(text)"), ("x-gzip", "gzip.compress(text)"),
            ("GZip, identity", "gzip.compress(text)"), ("deflate", "zlib.compress(text)"),
            ("deflate", "zlib.compress(text)[2:-4]"), ("gzip", "gzip.compress(text) + b'more'"),
        ],
        [1, 20]
    )
    func decompressed(body: (coding: String, expression: String), pieces: Int) async throws {
        let bytes = try await Self.bytes(body.expression)
        let seen = try await Self.seen(bytes, coding: body.coding, pieces: pieces)
        #expect(String(decoding: seen, as: UTF8.self) == Self.document)
    }

    @Test(
        "what cannot be read is not, and is passed on nevertheless",
        arguments: [
            ("br", "text"), ("gzip, gzip", "gzip.compress(gzip.compress(text))"),
            ("gzip", "text"), ("gzip", "b''"),
        ]
    )
    func unreadable(coding: String, expression: String) async throws {
        let bytes = try await Self.bytes(expression)
        #expect(try await Self.seen(bytes, coding: coding, pieces: 1).isEmpty)
    }

    @Test(
        "of a cut or damaged body, the beginning is seen",
        arguments: ["[:-30]", "[:-8] + b'x' * 8"]
    )
    func damaged(end: String) async throws {
        let bytes = try await Self.bytes("gzip.compress(text * 400, 0)\(end)")
        let seen = try await Self.seen(bytes, coding: "gzip", pieces: 3)
        let whole = Array(String(repeating: Self.document, count: 400).utf8)
        #expect(!seen.isEmpty)
        #expect(whole.starts(with: seen))
    }

    @Test("of a bomb, no more is seen than of any other body")
    func bomb() async throws {
        let bytes = try await Self.bytes("gzip.compress(bytes(1 << 28), 1)")
        let seen = try await Self.seen(bytes, coding: "gzip", pieces: 4)
        #expect(seen == [UInt8](repeating: 0, count: TrafficInput.bodyLimit))
    }
}
