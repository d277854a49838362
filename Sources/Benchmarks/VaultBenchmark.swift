import Basics
import Client
import Foundation
import Glibc
import Model
import Platform

/// A commit of a pair to a file, beside the calls without which nothing is safely stored.
func measureVault(_ time: Stopwatch) async throws {
    let folder = FileManager.default.currentDirectoryPath + "/.benchmark-\(getpid())"
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let backend = "http://127.0.0.1:8787/voltyks"
    let vault = SealedVault.file(
        location: VaultLocation(profile: "voltyks", baseURL: backend, folder: folder),
        keys: [KeyFile(folder: folder)],
        time: LiveTimekeeper()
    )
    var generation = 0
    let committing = try await time.spread(of: 100) {
        generation += 1
        _ = try await vault.commit(
            VaultCommit(record: record(generation, of: backend), condition: .always)
        )
    }
    let content = [UInt8](repeating: 120, count: 2000)
    let bare = time.spread(of: 100) { replaceFile(in: folder, with: content) }
    row(
        "commit of a pair to the vault",
        committing.milliseconds,
        "bare write, fsync, rename, fsync: \(bare.milliseconds)"
    )
}

private func record(_ generation: Int, of backend: String) -> VaultRecord {
    let now = Date(timeIntervalSince1970: 1_763_733_600)
    return VaultRecord(
        dialect: "voltyks",
        baseURL: backend,
        family: "f00d",
        pair: PairRecord(
            generation: generation,
            tokens: TokenPair(
                access: AccessToken(Secret(String(repeating: "a", count: 400))),
                refresh: RefreshToken(Secret(String(repeating: "r", count: 400)))
            ),
            times: PairTimes(
                issuedAt: now,
                refreshIssuedAt: now,
                access: Expiry(seconds: 900, source: .webTokenLifetime),
                refresh: Expiry(seconds: 86_400, source: .webTokenLifetime)
            )
        ),
        epoch: 1,
        savedAt: now
    )
}

private func replaceFile(in folder: String, with content: [UInt8]) {
    let path = folder + "/bare"
    let file = open(path + ".new", O_CREAT | O_WRONLY | O_TRUNC, 0o600)
    _ = write(file, content, content.count)
    fsync(file)
    close(file)
    rename(path + ".new", path)
    let parent = open(folder, O_RDONLY)
    fsync(parent)
    close(parent)
}
