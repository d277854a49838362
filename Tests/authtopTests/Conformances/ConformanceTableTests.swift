import Foundation
import TestSupport
import Testing

@Suite("The table of conformances", .programs)
struct ConformanceTableTests {
    @Test("answers as the runtime does, for types of every kind and all protocols")
    func answersOfTheRuntime() async throws {
        let folder = URL(filePath: #filePath).deletingLastPathComponent()
        let table = folder.appending(path: "../../../Sources/CRuntime/conformances.c")
        let built = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
        try FileManager.default.createDirectory(at: built, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: built) }
        let object = built.appending(path: "conformances.o").path
        let program = built.appending(path: "pairs").path
        let wrapped = ["", "2", "Common", "WithExecutionContext"].flatMap {
            ["-Xlinker", "--wrap=swift_conformsToProtocol\($0)"]
        }
        try await Program.run(
            "/usr/bin/env",
            ["clang", "-O2", "-Wall", "-Wextra", "-Werror", "-c", table.path, "-o", object]
        )
        try await Program.run(
            "/usr/bin/env",
            ["swiftc", "-O", "-static-stdlib", "-use-ld=lld", object] + wrapped
                + ["-import-objc-header", folder.appending(path: "records.h").path]
                + [folder.appending(path: "pairs.swift").path, "-o", program]
        )
        try await Program.run(program, [])
    }
}
