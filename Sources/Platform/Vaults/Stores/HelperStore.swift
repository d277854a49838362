import Basics
import Client
import FoundationEssentials
import Model

/// A store that uses a credential helper, with the protocol of `docker-credential-*`: the commands
/// `store`, `get` and `erase`, with JSON on the standard streams.
///
/// A stamp file beside the locks records that there is a record, because some helpers report "not
/// found" if their keyring is locked. It changes with each write, so that other processes notice.
struct HelperStore: RecordStore {
    /// The maximum length of the input line in bytes; the helpers written in Go read at most 65536.
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
    ///   - location: The profile and backend of the record.
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
        else { throw VaultProblem(message: "\(tool.name): its answer is not JSON with a secret") }
        // The response of `pass` for an unknown entry.
        if secret.isEmpty, json["Username"]?.stringValue?.isEmpty != false { return nil }
        guard let data = Data(base64Encoded: secret) else {
            throw VaultProblem(
                message: "\(description): is not an authtop record; erase it and log in again"
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
            throw VaultProblem(message: "\(tool.name): did not store the record")
        }
    }

    /// Returns `false`, since a helper manages its records itself.
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
