import Foundation

/// A disk of 64 KiB, mounted where a test wants it.
struct SmallDisk: Stoppable {
    /// What a program says of it when it is full.
    static let words = "No space left on device; make room on the disk"

    /// Root on a machine that lets it mount; else tests are shown as skipped.
    static let isPossible: Bool = {
        let path = "/tmp/authtop-\(UUID().uuidString.prefix(8).lowercased())"
        guard let disk = try? SmallDisk(at: path) else { return false }
        disk.unmount()
        return (try? FileManager.default.removeItem(atPath: path)) != nil
    }()

    private let path: String

    init(at path: String) throws {
        self.path = path
        try Self.run(
            "mkdir -p '\(path)' && mount -t tmpfs -o size=64k,mode=700 tmpfs '\(path)'"
        )
    }

    func fill() throws { try Self.run("! cat /dev/zero >'\(path)/fill'") }

    func makeRoom() throws { try FileManager.default.removeItem(atPath: "\(path)/fill") }

    func stop() async { unmount() }

    private func unmount() { try? Self.run("umount -l '\(path)'") }

    private static func run(_ line: String) throws {
        let shell = Process()
        shell.executableURL = URL(filePath: "/bin/sh")
        shell.arguments = ["-c", line]
        shell.standardError = FileHandle.nullDevice
        try shell.run()
        shell.waitUntilExit()
        guard shell.terminationStatus == 0 else { throw NeverCame(what: line, evidence: "") }
    }
}
