import Basics
import Client
import Foundation
import Glibc
import Model
import Testing

@testable import Platform

@Suite("What is too old")
struct RetentionTests {
    static let day = 86_400.0
    static let now = VaultRecord.signedIn().savedAt.addingTimeInterval(31 * day)

    @Test("is told by the day on which it was written", arguments: [(29.9, false), (30.1, true)])
    func age(days: Double, isOver: Bool) {
        let writtenAt = Date(timeIntervalSinceReferenceDate: 0)
        let now = writtenAt.addingTimeInterval(days * Self.day)
        #expect(Retention().isOver(writtenAt, at: now) == isOver)
        #expect(Retention(keep: 60 * Self.day).isOver(writtenAt, at: now) == false)
        #expect(Retention(keep: 1).isOver(now.addingTimeInterval(9), at: now) == false)
    }

    @Test("is no record that has a pair, or a logout that has not been sent")
    func records() {
        var over = VaultRecord.tombstone()
        over.outbox = []
        let late = Self.now.addingTimeInterval(9_999 * Self.day)
        #expect(Retention().isOver(over, at: Self.now))
        #expect(Retention().isOver(over, at: over.savedAt) == false)
        for alive in [VaultRecord.signedIn(), .full(), .tombstone()] {
            #expect(Retention().isOver(alive, at: late) == false)
        }
    }

    @Test("of a session that is over is gone with everything, and of one that lives the rest is")
    func sweep() async throws {
        for isAlive in [true, false] {
            try await withVaults { bench async throws in
                let localData = ProfileData(location: bench.location, vault: bench.vault())
                var record = VaultRecord.signedIn()
                if !isAlive { record.pair = nil }
                _ = try await localData.vault.commit(.login(record))
                localData.statistics.write(#"{"renewed":1}"#, family: "f00d")
                let log = bench.root + "/log"
                try bench.make("info {\"profile\":\"voltyks\",\"n\":1}\n", at: log)
                localData.logs.record(log)
                let before = try bench.names
                #expect(before.count == 5)

                // By the files' own clock, and the record's.
                let written = try #require(ProfileLog(path: log).writtenAt)
                await localData.sweep(by: Retention(keep: 86_400 * 36_500), at: written)
                #expect(try bench.names == before)
                let late = written.addingTimeInterval(31 * Self.day)
                await localData.sweep(by: Retention(), at: late)
                let names = try bench.names
                #expect(names.contains { $0.hasSuffix(".statistics") } == false)
                #expect(names.contains { $0.hasSuffix(".logs") } == false)
                #expect(FileManager.default.fileExists(atPath: log) == false)
                #expect(try await bench.vault().load() == (isAlive ? record : nil))
                if !isAlive { #expect(names == []) }
            }
        }
    }

    @Test("of a log is only the profile's own, and nothing where another user can change it")
    func logs() async throws {
        try await withVaults { bench async throws in
            let mine = "info {\"profile\":\"voltyks\",\"n\":1}\n"
            let theirs = "info {\"profile\":\"voltyks-2\",\"n\":1}\n"
            let path = bench.root + "/log"
            try bench.make(mine + theirs + mine, at: path)
            #expect(ProfileLog(path: path).clear(of: "voltyks") == .shortened)
            #expect(try bench.bytes(path) == Array(theirs.utf8))
            #expect(ProfileLog(path: path).clear(of: "voltyks-2") == .removed)
            #expect(ProfileLog(path: path).clear(of: "voltyks-2") == .removed)
            try bench.make(mine, at: path)
            symlink(path, bench.root + "/link")
            let linked = ProfileLog(path: bench.root + "/link").clear(of: "voltyks")
            guard case .left(let message) = linked else {
                throw VaultProblem(message: "a link was followed")
            }
            #expect(message.contains("links are not followed"))
            chmod(path, 0o644)
            let open = ProfileLog(path: path).clear(of: "voltyks")
            #expect(open != .removed && open != .shortened)
            #expect(try bench.bytes(path) == Array(mine.utf8))
        }
    }

    @Test("beside a record is neither read through a link, nor from a folder that others can write")
    func localData() throws {
        let bench = try VaultBench()
        defer { try? FileManager.default.removeItem(atPath: bench.root) }
        let file = StatisticsFile(bench.location)
        file.write(#"{"renewed":1}"#, family: "f00d")
        #expect(file.read(family: "f00d")["renewed"] == 1)
        #expect(file.read(family: "other") == [:])
        chmod(bench.folder, 0o720)
        #expect(file.read(family: "f00d") == [:])
        file.write(#"{"renewed":2}"#, family: "f00d")
        chmod(bench.folder, 0o700)
        #expect(file.read(family: "f00d")["renewed"] == 1)
        try FileManager.default.moveItem(atPath: file.path, toPath: bench.root + "/elsewhere")
        symlink(bench.root + "/elsewhere", file.path)
        #expect(file.read(family: "f00d") == [:])
        file.write(#"{"renewed":3}"#, family: "f00d")
        #expect(file.read(family: "f00d")["renewed"] == 3)
        let others = try bench.bytes(bench.root + "/elsewhere")
        #expect(String(decoding: others, as: UTF8.self).contains(#""renewed":1"#))
    }

    @Test("a profile that is there no more is found by its records, but not by a head that lies")
    func locations() async throws {
        try await withVaults { bench async throws in
            _ = try await bench.vault().commit(.login(.signedIn()))
            let locations = StoredVaults(folder: bench.folder)
            #expect(locations.locations(of: "voltyks") == [bench.location])
            #expect(locations.locations(of: "bitbasel") == [])
            try FileManager.default.moveItem(
                atPath: bench.record,
                toPath: bench.path("other-0123456789abcdef.vault")
            )
            #expect(locations.locations(of: "voltyks") == [])
        }
    }
}

extension VaultBench {
    /// Writes a file that other users cannot read.
    fileprivate func make(_ text: String, at path: String) throws {
        try Data(text.utf8).write(to: URL(filePath: path))
        chmod(path, 0o600)
    }
}
