package import Tokens

/// What the last run that watched a session counted, beside the session's record: no secrets.
package struct StatisticsFile: Sendable {
    static let suffix = ".statistics"
    private static let sizeLimit = 64 * 1024

    private let file: DataFile

    package init(_ location: VaultLocation) {
        file = DataFile(location.stem + Self.suffix, in: location.folder)
    }

    package var path: String { file.path }
    package var isThere: Bool { file.writtenAt != nil }

    /// Replaces the file as a whole.
    ///
    /// Nobody is told when that fails: the session does not depend on it.
    ///
    /// - Parameters:
    ///   - json: One flat object.
    ///   - family: Of the session that was counted.
    package func write(_ json: String, family: String) {
        guard case .object(var members)? = JSONValue(parsing: Array(json.utf8)) else { return }
        members["family"] = .string(family)
        file.write(.object(members))
    }

    /// What was counted for a session; empty where there is nothing, or of another session.
    package func read(family: String) -> [String: JSONValue] {
        guard case .object(var members)? = content,
            members.removeValue(forKey: "family") == .string(family)
        else { return [:] }
        members["statisticsAt"] = members.removeValue(forKey: "at")
        members["login"] = nil
        return members
    }

    /// All of it, whichever session it is of.
    package var content: JSONValue? { file.read(limit: Self.sizeLimit) }
}
