import Foundation
import Glibc
import Lifecycle
import Testing
import Timekeeping
import Vaults

/// A stored session, with a vault of its own, whose programs are killed.
struct KilledSession: Sendable {
    /// The two tokens of an answer, by their fingerprints.
    struct Pair: Hashable, Sendable {
        let access: String?
        let refresh: String?
    }

    let bench: Bench
    let guide: Guide
    let sandbox: Sandbox
    private let home: String

    /// Logs in.
    ///
    /// - Parameters:
    ///   - bench: Where the sandbox keeps what makes its fingerprints.
    ///   - guide: Whose backend.
    ///   - sandbox: The backend.
    ///   - name: Of its folder.
    /// - Throws: When there is no session then.
    init(on bench: Bench, guide: Guide, sandbox: Sandbox, name: String) async throws {
        self.bench = bench
        self.guide = guide
        self.sandbox = sandbox
        home = "\(bench.home)/\(name)"
        try FileManager.default.createDirectory(
            atPath: folder,
            withIntermediateDirectories: true,
            attributes: [.posixPermissions: 0o700]
        )
        // The same fingerprints as the sandbox's.
        try FileManager.default.copyItem(
            atPath: "\(bench.home)/state/authtop/salt",
            toPath: "\(folder)/salt"
        )
        let login = try act("login", credentials: guide.credentials)
        try #require(try await login.ended() == .exit(0), "\(login.errors.text)")
    }

    private var folder: String { "\(home)/authtop" }
    private var arm: String { "\(home)/arm" }
    private var hit: String { "\(home)/hit" }
    private var base: String { "http://127.0.0.1:\(sandbox.port)/\(guide.rawValue)" }

    // MARK: - Programs

    /// Starts a command that needs nothing of a person but what it is given.
    func act(
        _ command: String,
        _ arguments: String...,
        credentials: [String: String] = [:],
        dyingAt shim: [String: String] = [:]
    ) throws -> Program {
        try bench.authtop(
            [command, guide.rawValue, "--base-url", base] + arguments,
            with: ["XDG_STATE_HOME": home].merging(credentials) { $1 }.merging(shim) { $1 }
        )
    }

    /// Starts to watch the session, without what a login would take.
    func watch(
        credentials: [String: String] = [:],
        dyingAt shim: [String: String] = [:]
    ) throws -> Watch {
        let program = try bench.authtop(
            [
                "watch", guide.rawValue, "--base-url", base, "--json", "--for", "120s", "--every",
                "500ms",
            ],
            with: ["XDG_STATE_HOME": home].merging(credentials) { $1 }.merging(shim) { $1 }
        )
        return Watch(program: program, story: Story(program.output))
    }

    // MARK: - Its end at a point

    /// What makes a program kill itself once it is armed.
    func shim(at point: KillPoint) throws -> [String: String] {
        try disarm()
        return try KillShim.variables(
            at: point.rawValue,
            of: guide.refreshPath,
            arm: arm,
            hit: hit
        )
    }

    /// What makes a logout kill itself.
    func shim(at point: LogoutKillPoint, of path: String) throws -> [String: String] {
        try disarm()
        return try KillShim.variables(at: point.rawValue, of: path, arm: nil, hit: hit)
    }

    func armKill() throws { try Data().write(to: URL(filePath: arm)) }

    /// The point at which the last program killed itself; nil: nowhere.
    var pointHit: String? {
        FileManager.default.contents(atPath: hit).map { String(decoding: $0, as: UTF8.self) }
    }

    private func disarm() throws {
        for file in [arm, hit] where FileManager.default.fileExists(atPath: file) {
            try FileManager.default.removeItem(atPath: file)
        }
    }

    // MARK: - What is left

    /// What is stored, decrypted.
    func record() async throws -> VaultRecord {
        let vault = SealedVault.file(
            site: VaultSite(profile: guide.rawValue, baseURL: base, folder: folder),
            keys: [KeyFile(folder: folder)],
            time: LiveTimekeeper()
        )
        return try #require(try await vault.load(), "nothing is stored")
    }

    /// The pairs that the backend has issued together, and that are its newest.
    func issuedPairs() async throws -> Set<Pair> {
        let sessions = try await sandbox.report().sessions(of: guide)
        return Set(sessions.map { Pair(access: $0.access, refresh: $0.refresh) })
    }
}

extension Event {
    /// The pair that a `tokensIssued` is about.
    var pair: KilledSession.Pair {
        KilledSession.Pair(access: text("access"), refresh: text("refresh"))
    }
}
