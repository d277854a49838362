import Foundation
import Glibc

/// A program that runs beside the test.
struct Command {
    let process = Process()
    private let output = Pipe()

    /// Starts a line of shell.
    init(_ line: String, variables: [String: String]? = nil) throws {
        if let variables { process.environment = variables }
        process.executableURL = URL(filePath: "/bin/sh")
        process.arguments = ["-c", line]
        process.standardOutput = output
        process.standardError = FileHandle.nullDevice
        process.standardInput = FileHandle.nullDevice
        try process.run()
    }

    /// Waits for something that it prints.
    func said() -> String {
        String(decoding: output.fileHandleForReading.availableData, as: UTF8.self)
    }

    /// Waits for its end.
    @discardableResult
    func status() -> Int32 {
        process.waitUntilExit()
        return process.terminationStatus
    }

    func kill() {
        Glibc.kill(process.processIdentifier, SIGKILL)
        process.waitUntilExit()
    }
}
