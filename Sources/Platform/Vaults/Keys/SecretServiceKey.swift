import Basics
import Client
import Model

/// The key in the Secret Service, such as GNOME Keyring, accessed through `secret-tool`.
///
/// Only the key is stored there: the tool silently truncates values longer than 8192 bytes.
struct SecretServiceKey: VaultKeySource {
    static let attributes = ["application", "authtop", "purpose", "vault-key"]

    private let tool: Tool?
    private let folder: String
    private let time: any Timekeeper

    /// - Parameters:
    ///   - tool: The tool, or `nil` if it is not installed.
    ///   - folder: The folder of the lock that keeps two processes from creating two keys.
    ///   - time: The clock for waiting for that lock.
    init(tool: Tool?, folder: String, time: any Timekeeper) {
        self.tool = tool
        self.folder = folder
        self.time = time
    }

    var place: KeyPlace { .secretService }
    var description: String { "the Secret Service" }
    var protection: String {
        "protects your files while the keyring is locked, not against programs that run as you"
    }
    var notice: String? { nil }

    /// Whether a service responds, locked or not.
    ///
    /// The check does not unlock anything.
    var isReachable: Bool {
        guard let tool, let answer = try? tool.run(["search"] + Self.attributes) else {
            return false
        }
        return answer.status == 0 || answer.message.isEmpty
    }

    func existing() throws(VaultProblem) -> VaultKey? {
        let tool = try installed()
        var answer = try tool.run(["lookup"] + Self.attributes)
        defer { answer.output.wipe() }
        guard answer.output.isEmpty else { return try key(answer.output) }
        guard answer.status != 0, answer.message.isEmpty else {
            throw problem("cannot be asked", answer.message)
        }
        // A locked keyring responds like one without the key; only a search distinguishes them.
        let found = try tool.run(["search"] + Self.attributes)
        guard found.output.isEmpty else {
            throw VaultProblem(
                .locked,
                message: "the keyring that has the key is locked: unlock it"
            )
        }
        return nil
    }

    func create() throws(VaultProblem) -> VaultKey {
        let opened = try PrivateFolder.make(folder)
        let lock = try RecordLock.take("\(KeyFile.name).lock", in: opened, time: time)
        defer { withExtendedLifetime(lock) {} }
        if let key = try existing() { return key }
        let tool = try installed()
        let new = VaultKey()
        var bytes = new.bytes
        defer { bytes.wipe() }
        let arguments = ["store", "--label", "authtop: key of stored sessions"] + Self.attributes
        let answer = try tool.run(arguments, input: Array(bytes.hexadecimal.utf8))
        guard answer.status == 0 else { throw problem("did not accept the key", answer.message) }
        guard let kept = try existing(), kept.name == new.name else {
            throw problem("did not keep the key", "")
        }
        return kept
    }

    /// Does nothing: records in other folders of this user use the same key.
    func remove() {}

    private func installed() throws(VaultProblem) -> Tool {
        guard let tool else {
            throw VaultProblem(
                .locked,
                message: "the key is in the Secret Service, which is reached through secret-tool: "
                    + "install it (libsecret-tools)"
            )
        }
        return tool
    }

    private func key(_ output: [UInt8]) throws(VaultProblem) -> VaultKey {
        var bytes: [UInt8] = []
        var digits = output[...]
        while let high = digits.first?.hexDigitValue,
            let low = digits.dropFirst().first?.hexDigitValue
        {
            bytes.append(high << 4 | low)
            digits = digits.dropFirst(2)
        }
        guard let key = VaultKey(wiping: &bytes) else {
            throw VaultProblem(message: "the Secret Service has an invalid key for authtop")
        }
        return key
    }

    private func problem(_ what: String, _ message: String) -> VaultProblem {
        let reason = message.isEmpty ? "" : ": \(message)"
        return VaultProblem(.locked, message: "the Secret Service \(what)\(reason)")
    }
}
