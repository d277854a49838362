import Foundation

/// A disk of 64 KiB, mounted where a test wants it.
struct SmallDisk: Stoppable {
    /// What a program says of it when it is full.
    static let message = "No space left on device; make room on the disk"

    /// Root on a machine that lets it mount; else tests are shown as skipped.
    static var isPossible: Bool {
        get async {
            let path = "/tmp/authtop-\(UUID().uuidString.prefix(8).lowercased())"
            let disk = try? await SmallDisk(at: path)
            await disk?.stop()
            try? FileManager.default.removeItem(atPath: path)
            return disk != nil
        }
    }

    private let path: String

    init(at path: String) async throws {
        self.path = path
        try await Shell.run(
            "mkdir -p '\(path)' && mount -t tmpfs -o size=64k,mode=700 tmpfs '\(path)'"
        )
    }

    func fill() async throws { try await Shell.run("! cat /dev/zero >'\(path)/fill'") }

    func makeRoom() throws { try FileManager.default.removeItem(atPath: "\(path)/fill") }

    func stop() async { try? await Shell.run("umount -l '\(path)'") }
}
