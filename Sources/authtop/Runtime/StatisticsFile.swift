import Glibc
import Lifecycle
import Tokens
import Vaults

/// What the last run that watched a session counted, beside the session's record: no secrets.
struct StatisticsFile: Sendable {
    private static let sizeLimit = 64 * 1024
    private let path: String

    init(_ site: VaultSite) {
        path = "\(site.folder)/\(site.stem).statistics"
    }

    /// Replaces the file as a whole.
    ///
    /// Nobody is told when that fails: the session does not depend on it.
    ///
    /// - Parameters:
    ///   - json: One flat object.
    ///   - family: Of the session that was counted.
    func write(_ json: String, family: String) {
        guard case .object(var members)? = JSONValue(parsing: Array(json.utf8)) else { return }
        members["family"] = .string(family)
        let bytes = Array((JSONValue.object(members).serialized + "\n").utf8)
        let draft = "\(path).\(getpid())"
        unlink(draft)
        let descriptor = open(draft, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { return }
        let count = Glibc.write(descriptor, bytes, bytes.count)
        close(descriptor)
        guard count == bytes.count, rename(draft, path) == 0 else {
            unlink(draft)
            return
        }
    }

    /// What was counted for a session; empty where there is nothing, or of another session.
    func read(family: String) -> [String: JSONValue] {
        let descriptor = open(path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC)
        guard descriptor >= 0 else { return [:] }
        defer { close(descriptor) }
        var bytes = [UInt8](repeating: 0, count: Self.sizeLimit)
        let count = Glibc.read(descriptor, &bytes, bytes.count)
        guard case .object(var members)? = JSONValue(parsing: Array(bytes.prefix(max(0, count)))),
            members.removeValue(forKey: "family") == .string(family)
        else { return [:] }
        members["statisticsAt"] = members.removeValue(forKey: "at")
        members["session"] = nil
        return members
    }
}
