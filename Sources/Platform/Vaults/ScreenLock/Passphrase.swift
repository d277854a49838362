package import Basics
import Client
import Crypto
import CryptoExtras
import FoundationEssentials
package import Model

/// The passphrase that unlocks the screen, as a salted scrypt hash (RFC 7914).
package struct Passphrase: Sendable {
    /// The minimum length, in characters.
    package static let shortest = 8

    /// One of the parameter sets of OWASP's Password Storage Cheat Sheet: 32 MiB, parallelism 3.
    private static let usual = Cost(rounds: 1 << 15, blockSize: 8, parallelism: 3)
    private static let saltSize = 16
    private static let hashSize = 32

    struct Cost: Sendable, Hashable {
        var rounds: Int
        var blockSize: Int
        var parallelism: Int

        /// Whether a check takes an acceptable amount of memory and time.
        var isAcceptable: Bool {
            rounds > 1 && rounds & (rounds - 1) == 0 && (1...32).contains(blockSize)
                && (1...16).contains(parallelism) && rounds <= 1 << 20
                && rounds * blockSize <= 1 << 21
        }
    }

    private let cost: Cost
    private let salt: [UInt8]
    private let hash: [UInt8]

    /// Hashes a new passphrase with a random salt; takes about as long as a check.
    package init(hashing passphrase: Secret) async throws(VaultProblem) {
        let cost = Self.usual
        let salt = SymmetricKey(size: .bits128).withUnsafeBytes { Array($0) }
        self.cost = cost
        self.salt = salt
        hash = try await Self.hash(passphrase, salt, cost)
    }

    /// Returns whether the passphrase matches; runs on a separate thread, because the hash is slow
    /// on purpose.
    package func matches(_ passphrase: Secret) async throws(VaultProblem) -> Bool {
        let other = try await Self.hash(passphrase, salt, cost)
        guard other.count == hash.count else { return false }
        return zip(hash, other).reduce(0) { $0 | ($1.0 ^ $1.1) } == 0
    }

    private static func hash(
        _ passphrase: Secret,
        _ salt: [UInt8],
        _ cost: Cost
    ) async throws(VaultProblem) -> [UInt8] {
        try await BlockingQueue().run { () throws(VaultProblem) in
            var bytes = Array(passphrase.reveal().utf8)
            defer { bytes.wipe() }
            let key = try? KDF.Scrypt.deriveKey(
                from: bytes,
                salt: salt,
                outputByteCount: hashSize,
                rounds: cost.rounds,
                blockSize: cost.blockSize,
                parallelism: cost.parallelism
            )
            guard let key else {
                throw VaultProblem(message: "the passphrase cannot be checked: not enough memory")
            }
            return key.withUnsafeBytes { Array($0) }
        }
    }
}

extension Passphrase {
    /// The hash as it is stored; the passphrase cannot be derived from it.
    var json: JSONValue {
        [
            "scrypt": [
                "n": .number(Double(cost.rounds)), "r": .number(Double(cost.blockSize)),
                "p": .number(Double(cost.parallelism)),
            ],
            "salt": .string(Base64URL.encode(salt)),
            "hash": .string(Base64URL.encode(hash)),
        ]
    }

    /// Parses a stored hash; `nil` if anything in it is invalid.
    init?(_ json: JSONValue?) {
        func count(_ name: String) -> Int? {
            json?["scrypt"]?[name]?.numberValue.flatMap { Int(exactly: $0) }
        }
        guard let rounds = count("n"), let blockSize = count("r"), let parallelism = count("p"),
            let salt = json?["salt"]?.stringValue.flatMap({ Base64URL.decode($0) }),
            let hash = json?["hash"]?.stringValue.flatMap({ Base64URL.decode($0) })
        else { return nil }
        let cost = Cost(rounds: rounds, blockSize: blockSize, parallelism: parallelism)
        guard cost.isAcceptable, salt.count == Self.saltSize, hash.count == Self.hashSize else {
            return nil
        }
        self.cost = cost
        self.salt = salt
        self.hash = hash
    }
}

/// The file of the hash, of mode 0600, in the state folder.
package struct PassphraseFile: Sendable {
    private static let name = "passphrase"
    private static let sizeLimit = 4096

    private let folder: String

    /// - Parameter folder: The state folder.
    package init(folder: String) {
        self.folder = folder
    }

    package var path: String { "\(folder)/\(Self.name)" }

    /// Returns the stored hash, or `nil` if no passphrase was set.
    ///
    /// - Throws: If the file is damaged, or other users can read it.
    package func read() throws(VaultProblem) -> Passphrase? {
        guard let opened = try PrivateFolder.open(folder),
            let bytes = try opened.read(Self.name, limit: Self.sizeLimit)
        else { return nil }
        guard let passphrase = Passphrase(JSONValue(parsing: bytes)) else {
            throw VaultProblem(message: "\(path): damaged; remove it to set another passphrase")
        }
        return passphrase
    }

    package func write(_ passphrase: Passphrase) throws(VaultProblem) {
        let opened = try PrivateFolder.make(folder)
        let bytes = Array((passphrase.json.serialized + "\n").utf8)
        try opened.replace(Self.name, with: bytes) { _ in }
    }
}
