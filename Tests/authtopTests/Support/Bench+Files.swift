import FoundationEssentials

extension Bench {
    /// Writes a file below the home folder.
    @discardableResult
    func write(_ text: String, to name: String) throws -> String {
        let url = URL(filePath: home).appending(path: name)
        try FileManager.default.createDirectory(
            at: url.deletingLastPathComponent(),
            withIntermediateDirectories: true
        )
        try Data(text.utf8).write(to: url)
        return home + "/" + name
    }
}
