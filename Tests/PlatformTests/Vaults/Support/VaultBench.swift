import Basics
import Client
import Foundation
import Model

@testable import Platform

/// A state folder of a test's own.
struct VaultBench: Sendable {
    let root: String
    let profile: String
    let time = LiveTimekeeper()

    init(profile: String = "voltyks") throws {
        root = "/tmp/authtop-\(UUID().uuidString.prefix(8).lowercased())"
        self.profile = profile
        try FileManager.default.createDirectory(
            atPath: root,
            withIntermediateDirectories: false,
            attributes: [.posixPermissions: 0o700]
        )
    }

    var folder: String { root + "/state/authtop" }
    var location: VaultLocation {
        VaultLocation(profile: profile, baseURL: "http://127.0.0.1:8787/\(profile)", folder: folder)
    }
    var record: String { path("\(location.stem).vault") }
    var key: String { path(KeyFile.name) }

    func path(_ name: String) -> String { "\(folder)/\(name)" }

    /// One of any number of vaults on the same files, as other processes have them.
    func vault(keys: [any VaultKeySource]? = nil) -> SealedVault {
        SealedVault.file(location: location, keys: keys ?? [KeyFile(folder: folder)], time: time)
    }

    func bytes(_ path: String) throws -> [UInt8] {
        Array(try Data(contentsOf: URL(filePath: path)))
    }

    /// In the place of what is there, with the mode that it has.
    func write(_ bytes: some Sequence<UInt8>, to path: String) throws {
        let handle = try FileHandle(forWritingTo: URL(filePath: path))
        try handle.truncate(atOffset: 0)
        try handle.write(contentsOf: Data(bytes))
        try handle.close()
    }

    /// Permission bits.
    func mode(_ path: String) throws -> Int {
        let attributes = try FileManager.default.attributesOfItem(atPath: path)
        return (attributes[.posixPermissions] as? NSNumber)?.intValue ?? -1
    }

    var names: [String] {
        get throws { try FileManager.default.contentsOfDirectory(atPath: folder).sorted() }
    }
}

/// Gives a test a bench, and clears it afterwards.
///
/// - Parameters:
///   - profile: The profile whose record the test is about.
///   - body: The test.
/// - Throws: Any error that the test throws.
func withVaults(
    profile: String = "voltyks",
    _ body: (VaultBench) async throws -> Void
) async throws {
    let bench = try VaultBench(profile: profile)
    defer { try? FileManager.default.removeItem(atPath: bench.root) }
    try await body(bench)
}
