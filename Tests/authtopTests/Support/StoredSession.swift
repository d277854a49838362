import Basics
import Client
import Foundation
import Model
import TestSupport
import Testing

@testable import Platform

/// A session that is stored, in a state folder of its own, for any number of programs.
struct StoredSession: Sendable {
    /// The two tokens of an answer, by their fingerprints.
    struct Pair: Hashable, Sendable {
        let access: String?
        let refresh: String?
    }

    let bench: Bench
    let guide: Guide
    let sandbox: Sandbox
    /// Where its state folder is.
    let home: String

    /// Logs in.
    ///
    /// - Parameters:
    ///   - bench: Where the sandbox keeps what makes its fingerprints.
    ///   - guide: The guide whose backend is used.
    ///   - sandbox: The backend.
    ///   - name: Of its home, which may be there.
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
        let login = try operation("login", with: guide.credentials)
        try #require(try await login.ended() == .exit(0), "\(login.errors.text)")
    }

    var folder: String { "\(home)/authtop" }
    private var base: String { "http://127.0.0.1:\(sandbox.port)/\(guide.rawValue)" }

    // MARK: - Programs

    /// The variables that make a program work on this session.
    var variables: [String: String] { ["XDG_STATE_HOME": home] }
    /// The arguments by which a command names it.
    var arguments: [String] { [guide.rawValue, "--base-url", base] }

    /// Starts a command; without credentials, unless they are among the variables.
    func operation(_ command: String, with more: [String: String] = [:]) throws -> Program {
        try bench.authtop([command] + arguments, with: variables.merging(more) { $1 })
    }

    /// Starts to watch the session, likewise.
    func watch(with more: [String: String] = [:]) throws -> Watch {
        let program = try bench.authtop(
            ["watch"] + arguments + ["--json", "--every", "500ms"],
            with: variables.merging(more) { $1 }
        )
        return Watch(program: program, stream: EventStream(program.output))
    }

    // MARK: - What is left

    /// The stored record, decrypted.
    func record() async throws -> VaultRecord {
        try #require(try await storedRecord(), "nothing is stored")
    }

    /// The same, or nil if nothing is stored.
    func storedRecord() async throws -> VaultRecord? {
        let vault = SealedVault.file(
            location: VaultLocation(profile: guide.rawValue, baseURL: base, folder: folder),
            keys: [KeyFile(folder: folder)],
            time: LiveTimekeeper()
        )
        return try await vault.load()
    }

    /// The pairs that the backend has issued together, and that are its newest.
    func issuedPairs() async throws -> Set<Pair> {
        let sessions = try await sandbox.report().sessions(of: guide)
        return Set(sessions.map { Pair(access: $0.access, refresh: $0.refresh) })
    }
}

extension Event {
    /// The pair that a `tokensIssued` is about.
    var pair: StoredSession.Pair {
        StoredSession.Pair(access: text("access"), refresh: text("refresh"))
    }
}
