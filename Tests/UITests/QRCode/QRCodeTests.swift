import Foundation
import TestSupport
import Testing

@testable import UI

@Suite("A QR code")
struct QRCodeTests {
    /// One text for each version, which is the longest that fits into it.
    private static let longest = [17, 32, 53, 78, 106, 134, 154, 192, 230, 271].map { count in
        String(
            "https://example.com/device?user_code=WDJB-MJHT&".padding(
                toLength: count,
                withPad: "abcdefghijklmnopqrstuvwxyz0123456789",
                startingAt: 0
            )
        )
    }

    @Test("is as large as its text requires")
    func size() {
        #expect(Self.longest.map { QRCode($0)?.size } == (1...10).map { 17 + 4 * $0 })
        #expect(QRCode(String(repeating: "x", count: 272)) == nil)
    }

    @Test("each row of half blocks is as wide as the code with its margin")
    func rows() throws {
        let code = try #require(QRCode("https://example.com/device"))
        #expect(code.size == 25)
        #expect(code.rows.count == 15)
        #expect(code.rows.allSatisfy { $0.count == 29 })
        #expect(code.rows.first == String(repeating: "█", count: 29))
    }

    @Test(
        "is read by zbarimg, whichever version it has",
        .enabled("zbar-tools is not installed") {
            (try? await Program.run("/usr/bin/zbarimg", ["--version"])) != nil
        },
        arguments: longest + ["https://example.com/device?user_code=WDJB-MJHT", "é€😀"]
    )
    func decoded(text: String) async throws {
        let code = try #require(QRCode(text))
        let path = FileManager.default.temporaryDirectory
            .appending(path: "qr-\(UUID().uuidString).pgm").path(percentEncoded: false)
        defer { try? FileManager.default.removeItem(atPath: path) }
        try Self.picture(of: code).write(toFile: path, atomically: true, encoding: .utf8)
        let reader = try Program(
            "/usr/bin/zbarimg",
            ["--quiet", "--raw", "--nodbus", "-Sdisable", "-Sqrcode.enable", path]
        )
        #expect(try await reader.ended() == .exit(0), "\(reader.errors.text)")
        #expect(reader.output.lines == [text])
    }

    /// The code as a picture (PGM) with four pixels for each module, and a margin.
    private static func picture(of code: QRCode) -> String {
        let scale = 4
        let range = -4 * scale..<(code.size + 4) * scale
        func module(_ pixel: Int) -> Int { Int((Double(pixel) / Double(scale)).rounded(.down)) }
        let rows = range.map { row in
            range.map { column in
                code.isDark(column: module(column), row: module(row)) ? "0" : "255"
            }
            .joined(separator: " ")
        }
        return "P2 \(range.count) \(range.count) 255\n" + rows.joined(separator: "\n") + "\n"
    }
}
