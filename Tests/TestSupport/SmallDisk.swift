import Foundation

/// A disk of 64 KiB, mounted where a test wants it.
package struct SmallDisk: Sendable {
    /// The message of a program when it is full.
    package static let message = "No space left on device; make room on the disk"

    /// Root on a machine that lets it mount; else tests are shown as skipped.
    package static var isPossible: Bool {
        get async {
            let path = "/tmp/authtop-\(UUID().uuidString.prefix(8).lowercased())"
            let disk = try? await SmallDisk(at: path)
            await disk?.stop()
            try? FileManager.default.removeItem(atPath: path)
            return disk != nil
        }
    }

    private let path: String

    package init(at path: String) async throws {
        self.path = path
        try await Program.shell(
            "mkdir -p '\(path)' && mount -t tmpfs -o size=64k,mode=700 tmpfs '\(path)'"
        )
    }

    package func fill() async throws { try await Program.shell("! cat /dev/zero >'\(path)/fill'") }

    package func makeRoom() throws { try FileManager.default.removeItem(atPath: "\(path)/fill") }

    package func stop() async { try? await Program.shell("umount -l '\(path)'") }
}
