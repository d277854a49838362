import Foundation
import TestSupport
import Testing

@Suite("The manual page", .programs)
struct ManualPageTests {
    private static let path = URL(filePath: #filePath).deletingLastPathComponent()
        .appending(path: "../../../assets/authtop.1").standardizedFileURL
        .path(percentEncoded: false)

    @Test("is what the program says of its commands, and its keys")
    func page() async throws {
        try await withBench { bench in
            let program = try bench.authtop(["--experimental-dump-help"])
            #expect(try await program.ended() == .exit(0))
            let dump = try JSONDecoder().decode(
                CommandDump.self,
                from: Data(program.output.text.utf8)
            )
            let page = ManualPage(dump.command).text
            let written = try? String(contentsOfFile: Self.path, encoding: .utf8)
            if ProcessInfo.processInfo.environment["UPDATE_PAGES"] == "1", written != page {
                try page.write(toFile: Self.path, atomically: true, encoding: .utf8)
            }
            #expect(written == page, "UPDATE_PAGES=1 writes it again")
        }
    }

    @Test("is formatted without a warning")
    func warnings() async throws {
        try await withBench { bench in
            let program = bench.keep(
                try Program(
                    "/usr/bin/env",
                    ["groff", "-Kutf8", "-man", "-Tutf8", "-wall", "-z", Self.path],
                    environment: bench.environment
                )
            )
            #expect(try await program.ended() == .exit(0))
            #expect(program.errors.text.isEmpty, "\(program.errors.text)")
        }
    }
}
