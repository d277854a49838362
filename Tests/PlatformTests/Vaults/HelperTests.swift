import Client
import Foundation
import Model
import Platform
import Profiles
import TestSupport
import Testing

@Suite("A vault in a credential helper")
struct HelperTests {
    @Test("keeps a record in `pass` until it is erased")
    func realPass() async throws {
        try await withVaults { bench async throws in
            let variables = bench.variables
            let setUp = """
                mkdir -m 700 \(bench.root)/gnupg
                gpg --batch --quiet --passphrase '' --quick-gen-key authtop default default never
                pass init authtop
                """
            try await Program.shell(setUp, environment: variables)
            do {
                try await keepInPass(bench)
            } catch {
                try await Program.shell("gpgconf --kill all", environment: variables)
                throw error
            }
            try await Program.shell("gpgconf --kill all", environment: variables)
        }
    }

    private func keepInPass(_ bench: VaultBench) async throws {
        let vault = try bench.helper("pass")
        #expect(try await vault.load() == nil)
        #expect(try await vault.commit(.login(.full())) == .committed)
        #expect(try await bench.helper("pass").load() == .full())
        #expect(vault.place.hasPrefix("encrypted in docker-credential-pass, key in"))
        var changes = vault.changes().makeAsyncIterator()
        let renewed = VaultRecord.signedIn(generation: 8, epoch: 3)
        #expect(try await bench.helper("pass").commit(.renewal(renewed)) == .committed)
        #expect(await changes.next() != nil)
        #expect(try await vault.load()?.pair?.generation == 8)

        var huge = VaultRecord.signedIn(generation: 9, epoch: 3)
        huge.pair?.statements.displayName = String(repeating: "x", count: 60_000)
        await #expect(throws: VaultProblem.self) { try await vault.commit(.renewal(huge)) }
        #expect(try await vault.load()?.pair?.generation == 8)

        _ = try await vault.erase(if: nil)
        #expect(try await bench.helper("pass").load() == nil)
        _ = try await vault.erase(if: nil)
        #expect(try bench.names == [])
    }

    @Test(
        "says what is wrong with one that does not do as it should",
        arguments: [
            ("echo 'the agent is gone' >&2; exit 2", "docker-credential-fake: the agent is gone"),
            ("echo nonsense", "its answer is not JSON with a secret"),
            (#"echo '{"Username":"u","Secret":"%%%"}'"#, "is not an authtop record"),
            ("head -c 300000 /dev/zero", "wrote more than a record can contain"),
            ("kill -9 $$", "docker-credential-fake"),
        ]
    )
    func broken(script: String, message: String) async throws {
        try await withVaults { bench async throws in
            try await bench.fake(script)
            let vault = try bench.helper("fake")
            #expect(try await vault.readingProblem().contains(message))
            #expect(try await vault.writingProblem().contains(message))
        }
    }

    @Test("believes no \"not found\" of a keyring that may be locked, once it has stored something")
    func locked() async throws {
        try await withVaults { bench async throws in
            let keep = #"""
                f="$HOME/kept"
                case $1 in
                store) cat > "$f" ;;
                erase) rm "$f" ;;
                get) if [ -e "$HOME/locked" ] || [ ! -e "$f" ]; then
                    echo "credentials not found in native keychain"; exit 1
                fi; cat "$f" ;;
                esac
                """#
            try await bench.fake(keep)
            let vault = try bench.helper("fake")
            #expect(try await vault.load() == nil)
            #expect(try await vault.commit(.login(.signedIn())) == .committed)
            try Data().write(to: URL(filePath: bench.root + "/locked"))
            #expect(try await vault.readingProblem().contains("unlock its keyring"))
            #expect(try await vault.writingProblem().contains("unlock its keyring"))
            try FileManager.default.removeItem(atPath: bench.root + "/locked")
            #expect(try await vault.load() == .signedIn())
            let kept = try bench.bytes(bench.root + "/kept")
            let text = String(decoding: kept, as: UTF8.self)
            #expect(text.contains(VaultRecord.access) == false)
            _ = try await vault.erase(if: nil)
            #expect(try await vault.load() == nil)
        }
    }

    @Test("notices one that cuts off what it is given")
    func cutsOff() async throws {
        try await withVaults { bench async throws in
            let cut = #"""
                case $1 in
                store) sed 's/"Secret":"\([^"]\{400\}\)[^"]*"/"Secret":"\1"/' > "$HOME/kept" ;;
                get) cat "$HOME/kept" 2>/dev/null || echo '{"Username":"","Secret":""}' ;;
                esac
                """#
            try await bench.fake(cut)
            let vault = try bench.helper("fake")
            #expect(try await vault.load() == nil)
            #expect(try await vault.writingProblem().contains("did not store the record"))
            #expect(try await vault.readingProblem().contains("cut short or damaged"))
        }
    }

    @Test("is no path, and has to be there", arguments: ["helper:", "helper:../x", "helper:a b"])
    func names(name: String) throws {
        #expect(VaultCatalogue.kind(named: name) == nil)
        let bench = try VaultBench()
        defer { try? FileManager.default.removeItem(atPath: bench.root) }
        #expect(throws: VaultProblem.self) { try bench.helper("nosuch") }
    }
}

extension VaultBench {
    /// An environment that nothing of the caller's environment gets into.
    fileprivate var variables: [String: String] {
        [
            "PATH": "\(root)/bin:/usr/bin:/bin", "HOME": root, "GNUPGHOME": root + "/gnupg",
            "PASSWORD_STORE_DIR": root + "/store",
        ]
    }

    fileprivate func helper(_ name: String) throws -> any Vault {
        let kind = try #require(VaultCatalogue.kind(named: "helper:\(name)"))
        return try kind.vault(for: location, in: VaultEnvironment(time: time, variables: variables))
    }

    /// A helper that a test makes itself, as a script.
    fileprivate func fake(_ script: String) async throws {
        try FileManager.default.createDirectory(
            atPath: root + "/bin",
            withIntermediateDirectories: false
        )
        let path = root + "/bin/docker-credential-fake"
        try Data("#!/bin/sh\n\(script)\n".utf8).write(to: URL(filePath: path + ".draft"))
        // Copied by a program of its own: what other tests start at this moment would hold a file
        // open for writing that this process writes, and such a file cannot be run.
        try await Program.shell("cp '\(path).draft' '\(path)' && chmod 700 '\(path)'")
    }
}
