import Foundation

/// The end of its programs at a point.
extension StoredSession {
    private var arm: String { "\(home)/arm" }
    private var hit: String { "\(home)/hit" }

    /// The variables that make a program kill itself once it is armed.
    func shim(at point: KillPoint) async throws -> [String: String] {
        try disarm()
        return try await KillShim.variables(
            at: point.rawValue,
            of: guide.refreshPath,
            arm: arm,
            hit: hit
        )
    }

    /// The variables that make a logout kill itself.
    func shim(at point: LogoutKillPoint, of path: String) async throws -> [String: String] {
        try disarm()
        return try await KillShim.variables(at: point.rawValue, of: path, arm: nil, hit: hit)
    }

    func armKill() throws { try Data().write(to: URL(filePath: arm)) }

    /// The point at which the last program killed itself; `nil`: nowhere.
    var pointHit: String? {
        FileManager.default.contents(atPath: hit).map { String(decoding: $0, as: UTF8.self) }
    }

    private func disarm() throws {
        for file in [arm, hit] where FileManager.default.fileExists(atPath: file) {
            try FileManager.default.removeItem(atPath: file)
        }
    }
}
