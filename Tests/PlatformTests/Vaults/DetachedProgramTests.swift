import Foundation
import Glibc
import TestSupport
import Testing

@testable import Platform

@Suite("A program that outlives this one")
struct DetachedProgramTests {
    @Test("has no descriptor of this process, such as the socket on which its redirect is awaited")
    func descriptors() async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString).path
        try FileManager.default.createDirectory(
            atPath: folder,
            withIntermediateDirectories: false
        )
        defer { try? FileManager.default.removeItem(atPath: folder) }
        // Without close-on-exec, as sockets of NIO are.
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        try #require(descriptor >= 0)
        defer { close(descriptor) }
        let script = """
            if [ -e /proc/$$/fd/\(descriptor) ]; then echo open; else echo closed; fi >$1/draft
            mv $1/draft $1/result
            """
        let isStarted = DetachedProgram.start(
            "sh",
            ["-c", script, "sh", folder],
            variables: ["PATH": "/usr/bin:/bin"]
        )
        #expect(isStarted)
        let result = try await eventually("its result") {
            try? String(contentsOfFile: "\(folder)/result", encoding: .utf8)
        }
        #expect(result == "closed\n")
    }
}
