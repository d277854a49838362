import Foundation
import Glibc
import Testing

/// Another program: what it prints, and its end.
struct TestProcess {
    /// Line by line.
    let lines: AsyncStream<String>
    private let process = Process()

    init(_ path: String, _ arguments: [String], folder: URL? = nil) throws {
        let output = Pipe()
        process.executableURL = URL(filePath: path)
        process.arguments = arguments
        process.currentDirectoryURL = folder
        process.standardOutput = output
        process.standardError = output
        let (lines, continuation) = AsyncStream.makeStream(of: String.self)
        self.lines = lines
        try process.run()
        Self.read(output.fileHandleForReading, into: continuation)
    }

    func stop() {
        process.terminate()
    }

    /// Runs a program to its end.
    ///
    /// - Parameters:
    ///   - path: Of the program.
    ///   - arguments: For it.
    ///   - folder: To run it in.
    /// - Throws: When it fails, with what it printed.
    static func run(_ path: String, _ arguments: [String], folder: URL? = nil) async throws {
        let process = try TestProcess(path, arguments, folder: folder)
        var said: [String] = []
        for await line in process.lines { said.append(line) }
        process.process.waitUntilExit()
        try #require(process.process.terminationStatus == 0, "\(path): \(said)")
    }

    /// On a thread of its own, for reading blocks.
    private static func read(
        _ handle: FileHandle,
        into lines: AsyncStream<String>.Continuation
    ) {
        Thread.detachNewThread {
            var unread: [UInt8] = []
            var part = [UInt8](repeating: 0, count: 4096)
            while true {
                let count = Glibc.read(handle.fileDescriptor, &part, part.count)
                if count < 0, errno == EINTR { continue }
                guard count > 0 else { break }
                unread += part.prefix(count)
                while let end = unread.firstIndex(of: UInt8(ascii: "\n")) {
                    lines.yield(String(decoding: unread[..<end], as: UTF8.self))
                    unread.removeSubrange(...end)
                }
            }
            lines.finish()
        }
    }
}
