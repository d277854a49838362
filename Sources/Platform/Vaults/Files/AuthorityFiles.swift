import Client
package import Model

/// The files of the certificate authority of a proxy, of mode 0600.
package struct AuthorityFiles {
    private static let key = "authority.key"
    private static let certificate = "authority.pem"
    private static let limit = 16 << 10

    private let folder: String
    /// Makes the name of a temporary file unique.
    private let mark: String

    /// - Parameters:
    ///   - folder: The folder of the records.
    ///   - mark: Something that no other process has, such as its id.
    package init(folder: String, mark: String) {
        self.folder = folder
        self.mark = mark
    }

    /// Of the key, with its certificate.
    package var keyPath: String { "\(folder)/\(Self.key)" }

    /// Of the certificate alone.
    package var certificatePath: String { "\(folder)/\(Self.certificate)" }

    /// Returns what is stored, or `nil`.
    package func read() throws(VaultProblem) -> String? {
        guard let folder = try PrivateFolder.open(folder) else { return nil }
        return try folder.read(Self.key, limit: Self.limit).map {
            String(decoding: $0, as: UTF8.self)
        }
    }

    /// Stores a key with its certificate, unless another process has been faster.
    ///
    /// - Parameter pem: Both, in PEM format.
    /// - Returns: The stored authority.
    /// - Throws: If it cannot be stored.
    package func create(_ pem: String) throws(VaultProblem) -> String {
        let folder = try PrivateFolder.make(folder)
        try folder.create(Self.key, with: Array(pem.utf8), mark: mark)
        return try folder.read(Self.key, limit: Self.limit)
            .map { String(decoding: $0, as: UTF8.self) } ?? pem
    }

    /// Puts the certificate alone beside the key, for those who are to trust it.
    package func publish(_ certificate: String) throws(VaultProblem) {
        let folder = try PrivateFolder.make(folder)
        let bytes = Array(certificate.utf8)
        guard try folder.read(Self.certificate, limit: Self.limit) != bytes else { return }
        try folder.replace(Self.certificate, with: bytes, draft: mark) { _ in }
    }

    /// The files with the certificates that programs trust during one run.
    package enum RunFile: String, CaseIterable, Sendable {
        case pem
        case keyStore = "p12"
    }

    package func path(of file: RunFile) -> String { "\(folder)/\(name(of: file))" }

    private func name(of file: RunFile) -> String { "forward-\(mark).\(file.rawValue)" }

    package func write(_ bytes: [UInt8], to file: RunFile) throws(VaultProblem) {
        let folder = try PrivateFolder.make(folder)
        try folder.replace(name(of: file), with: bytes, draft: mark) { _ in }
    }

    /// Removes the files of the run.
    package func removeRun() throws(VaultProblem) {
        guard let folder = try PrivateFolder.open(folder) else { return }
        for file in RunFile.allCases { try folder.remove(name(of: file)) }
    }

    /// Removes both files.
    ///
    /// - Returns: Whether there was a key.
    /// - Throws: If a file cannot be removed.
    package func remove() throws(VaultProblem) -> Bool {
        guard let folder = try PrivateFolder.open(folder) else { return false }
        let exists = folder.identity(of: Self.key) != nil
        try folder.remove(Self.key)
        try folder.remove(Self.certificate)
        return exists
    }
}
