import Basics
package import Stores

/// The folders that have stores, or may get one, and the names in them that matter.
package struct StorePlaces: Sendable {
    private var names: [String: Set<KeyPattern>] = [:]

    package init() {}

    package var folders: Set<String> { Set(names.keys) }

    package mutating func insert(_ name: KeyPattern, in folder: String) {
        names[folder.isEmpty ? "/" : folder, default: []].insert(name)
    }

    /// Returns whether a change at a path may change what is stored.
    ///
    /// - Parameter path: Of a file or a folder that was written, made, replaced or removed.
    /// - Returns: Whether it may be a store, or one of its folders.
    package func concerns(_ path: String) -> Bool {
        // What is in the root has two slashes.
        let path = path.begins(with: "//") ? String(path.utf8.dropFirst()) ?? path : path
        let (folder, name) = Self.parts(of: path)
        if names[folder]?.contains(where: { $0.matches(name) }) == true { return true }
        return names.keys.contains { $0 == path || $0.begins(with: "\(path)/") }
    }

    /// Splits a path into that of its folder and its name.
    static func parts(of path: String) -> (folder: String, name: String) {
        guard let slash = path.utf8.lastIndex(of: UInt8(ascii: "/")) else { return ("/", path) }
        let name = String(path[path.utf8.index(after: slash)...])
        return (slash == path.startIndex ? "/" : String(path[..<slash]), name)
    }
}
