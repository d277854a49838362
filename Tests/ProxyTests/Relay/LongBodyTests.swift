import Basics
import Foundation
import TestSupport
import Testing

@testable import Proxy

private let gibibytes = ProcessInfo.processInfo.environment["AUTHTOP_PROXY_GIB"].flatMap(Int.init)

/// `AUTHTOP_PROXY_GIB=1` sends this many GiB through the proxy in each direction.
@Suite(
    "Proxy: long bodies",
    .enabled("AUTHTOP_PROXY_GIB is not set") { gibibytes != nil }
)
struct LongBodyTests {
    private static let part = (0..<(1 << 20)).map { UInt8(truncatingIfNeeded: $0 &* 31 ^ $0 >> 8) }

    @Test("a body of GiB passes in both directions, and memory stays flat")
    func both() async throws {
        let parts = try #require(gibibytes) << 10
        let size = parts << 20
        let before = try Self.residentMemory()
        try await withOrigin { connection in
            _ = try await connection.readHead()
            for number in 0..<parts {
                let part = try await connection.read(Self.part.count)
                #expect(part == Self.part, "part \(number)")
            }
            try await connection.write("HTTP/1.1 200 OK\r\nContent-Length: \(size)\r\n\r\n")
            for _ in 0..<parts { try await connection.write(Self.part) }
            _ = await connection.readToEnd()
        } body: { origin in
            try await withProxy(to: origin) { proxy in
                var client = try await RawConnection.connect(to: proxy)
                try await client.write(
                    "PUT / HTTP/1.1\r\nHost: a\r\nContent-Length: \(size)\r\n\r\n"
                )
                for _ in 0..<parts { try await client.write(Self.part) }
                _ = try await client.readHead()
                for number in 0..<parts {
                    let part = try await client.read(Self.part.count)
                    #expect(part == Self.part, "part \(number)")
                }
                await client.close()
            }
        }
        let grown = try Self.residentMemory() - before
        #expect(grown < 256 << 20, "\(grown >> 20) MiB for \(2 * size >> 30) GiB")
    }

    /// The most memory that this process has had so far, in bytes.
    private static func residentMemory() throws -> Int {
        let status = try String(contentsOfFile: "/proc/self/status", encoding: .utf8)
        let line = try #require(status.split(separator: "\n").first { $0.hasPrefix("VmHWM:") })
        let kibibytes = line.split(separator: " ").dropFirst().first ?? line.dropFirst(7)
        return try #require(Int(kibibytes.trimmingBlanks)) << 10
    }
}
