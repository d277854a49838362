import FoundationEssentials
import Lifecycle
import Tokens

/// A credential helper, by the protocol that `docker-credential-*` speak: `store`, `get` and
/// `erase`, with JSON on the standard streams.
///
/// A stamp beside the locks says that there is a record: some helpers say "not found" where their
/// keyring is locked. It changes with each write, so that others notice.
struct HelperStore: RecordStore {
    /// What goes in on one line; the helpers in Go read no longer one than 65536 bytes.
    private static let lineLimit = 60_000
    static let stampSuffix = ".stamp"
    private static let user = "authtop"
    private static let notFound = ["credentials not found", "is not in the password store"]

    private let tool: Tool
    private let folder: String
    private let url: String
    let watched: String

    /// - Parameters:
    ///   - tool: The helper.
    ///   - location: Whose record.
    init(tool: Tool, location: VaultLocation) {
        self.tool = tool
        folder = location.folder
        url = "https://authtop.invalid/\(location.stem)"
        watched = "\(location.stem).\(tool.name)\(Self.stampSuffix)"
    }

    var description: String { "\(tool.name), \(url)" }
    var kind: String { "encrypted in \(tool.name)" }

    func read() throws(VaultProblem) -> [UInt8]? {
        let answer = try tool.run(["get"], input: Array(url.utf8))
        guard answer.status == 0 else {
            guard Self.notFound.contains(where: { answer.message.contains($0) }) else {
                throw VaultProblem(.locked, message: "\(tool.name): \(answer.message)")
            }
            guard try !isStored else { throw missing }
            return nil
        }
        guard let json = JSONValue(parsing: answer.output), let secret = json["Secret"]?.stringValue
        else { throw VaultProblem(message: "\(tool.name): its answer is no JSON with a secret") }
        // What `pass` answers for what it does not know.
        if secret.isEmpty, json["Username"]?.stringValue?.isEmpty != false { return nil }
        guard let data = Data(base64Encoded: secret) else {
            throw VaultProblem(
                message: "\(description): is no record of authtop; erase it to log in anew"
            )
        }
        return Array(data)
    }

    func replace(
        with bytes: [UInt8],
        in folder: borrowing PrivateFolder,
        announce: (FileIdentity) -> Void
    ) throws(VaultProblem) {
        let credential: JSONValue = [
            "ServerURL": .string(url), "Username": .string(Self.user),
            "Secret": .string(Data(bytes).base64EncodedString()),
        ]
        let line = Array(credential.serialized.utf8)
        guard line.count <= Self.lineLimit else {
            throw VaultProblem(
                message: "the record is too large for a credential helper: \(line.count) bytes, at "
                    + "most \(Self.lineLimit); use --vault file"
            )
        }
        let answer = try tool.run(["store"], input: line + [UInt8(ascii: "\n")])
        guard answer.status == 0 else {
            throw VaultProblem(.locked, message: "\(tool.name): \(answer.message)")
        }
        try folder.replace(watched, with: Array(tool.name.utf8), announce: announce)
        guard try read() == bytes else {
            throw VaultProblem(message: "\(tool.name): did not keep what it was given")
        }
    }

    /// A helper keeps its records itself.
    func overwrite(
        with bytes: [UInt8],
        in folder: borrowing PrivateFolder
    ) throws(VaultProblem) -> Bool {
        false
    }

    func erase(in folder: borrowing PrivateFolder) throws(VaultProblem) {
        if try read() != nil {
            let answer = try tool.run(["erase"], input: Array(url.utf8))
            guard answer.status == 0 else {
                throw VaultProblem(.locked, message: "\(tool.name): \(answer.message)")
            }
        }
        try folder.remove(watched)
    }

    private var isStored: Bool {
        get throws(VaultProblem) {
            guard let opened = try PrivateFolder.open(folder) else { return false }
            return opened.identity(of: watched) != nil
        }
    }

    private var missing: VaultProblem {
        VaultProblem(
            .locked,
            message:
                "\(tool.name) finds no record where one was stored: unlock its keyring; if you "
                + "erased it, remove \(folder)/\(watched), too"
        )
    }
}
