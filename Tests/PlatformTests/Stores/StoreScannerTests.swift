import Basics
import FoundationEssentials
import Glibc
import Stores
import TestSupport
import Testing

@testable import Platform

@Suite("Stores: scanning", .timeLimit(.minutes(10)))
struct StoreScannerTests {
    private static let definition = try? StoreDefinition(
        toml: """
            title = "Acme"
            [[file]]
            paths = ["~/acme/*.json", "~/acme/one.json"]
            format = "json"
            [[file.session]]
            access = "token"
            account = "who"
            """,
        file: "acme.toml",
        name: "acme"
    )

    private func withFolder(_ body: (String, StoreScanner) throws -> Void) throws {
        var template = Array("/tmp/stores-XXXXXX".utf8CString)
        let folder = try #require(mkdtemp(&template).map { String(cString: $0) })
        defer { try? FileManager.default.removeItem(atPath: folder) }
        try #require(mkdir("\(folder)/acme", 0o700) == 0)
        let scanner = StoreScanner(
            [try #require(Self.definition)],
            variables: ["HOME": folder],
            fingerprinter: Fingerprinter(salt: Array(0..<16))
        )
        try body("\(folder)/acme", scanner)
    }

    private func write(_ text: String, to path: String, mode: mode_t = 0o600) throws {
        let descriptor = open(path, O_WRONLY | O_CREAT | O_TRUNC, mode)
        try #require(descriptor >= 0)
        defer { close(descriptor) }
        let bytes = Array(text.utf8)
        try #require(Glibc.write(descriptor, bytes, bytes.count) == bytes.count)
    }

    private static let now = Date(timeIntervalSince1970: 1_800_000_000)

    @Test("a file is found once, read again when it has changed, and gone when it is")
    func changes() throws {
        try withFolder { folder, scanner in
            var scanner = scanner
            #expect(scanner.scan(at: Self.now).files.isEmpty)
            try write(#"{"token": "0123456789", "who": "ada"}"#, to: "\(folder)/one.json")
            let first = scanner.scan(at: Self.now).files
            #expect(first.map(\.path) == ["\(folder)/one.json"])
            #expect(first.first?.sessions.first?.account == "ada")
            #expect(first.first?.facts?.mode == 0o600)
            #expect(scanner.places.folders.contains(folder))
            try write(#"{"token": "0123456789", "who": "grace"}"#, to: "\(folder)/one.json")
            #expect(scanner.scan(at: Self.now).files.first?.sessions.first?.account == "grace")
            unlink("\(folder)/one.json")
            #expect(scanner.scan(at: Self.now).files.isEmpty)
        }
    }

    @Test("another mode of the same contents is seen")
    func mode() throws {
        try withFolder { folder, scanner in
            var scanner = scanner
            try write(#"{"token": "0123456789"}"#, to: "\(folder)/one.json")
            for mode in [0o644, 0o600, 0o640] as [mode_t] {
                chmod("\(folder)/one.json", mode)
                #expect(scanner.scan(at: Self.now).files.first?.facts?.mode == mode)
            }
        }
    }

    @Test("what is no regular file, is too large or of another format is named, and blocks nothing")
    func hostile() throws {
        try withFolder { folder, scanner in
            var scanner = scanner
            mkfifo("\(folder)/a.json", 0o600)
            symlink("/dev/zero", "\(folder)/b.json")
            let descriptor = open("\(folder)/c.json", O_WRONLY | O_CREAT, 0o600)
            ftruncate(descriptor, 2 << 30)
            close(descriptor)
            try write(String(repeating: "[", count: 1 << 20), to: "\(folder)/d.json")
            mkdir("\(folder)/e.json", 0o700)
            symlink("\(folder)/f.json", "\(folder)/f.json")
            try write("\n", to: "\(folder)/g.json")
            let files = scanner.scan(at: Self.now).files
            #expect(
                files.map(\.problem) == [
                    .notARegularFile, .notARegularFile, .tooLarge(2 << 30), .notInFormat(.json),
                    .unreadable("Too many levels of symbolic links"), .empty,
                ]
            )
        }
    }

    @Test("a pipe is not opened, on whose reader a program may wait")
    func pipe() throws {
        try withFolder { folder, scanner in
            var scanner = scanner
            mkfifo("\(folder)/one.json", 0o600)
            let watch = inotify_init1(Int32(IN_NONBLOCK) | Int32(IN_CLOEXEC))
            defer { close(watch) }
            try #require(inotify_add_watch(watch, "\(folder)/one.json", UInt32(IN_OPEN)) >= 0)
            #expect(scanner.scan(at: Self.now).files.map(\.problem) == [.notARegularFile])
            var event = [UInt8](repeating: 0, count: 256)
            #expect(read(watch, &event, event.count) == -1, "it was opened")
        }
    }

    @Test("a second write at the same moment, of the same length, is seen")
    func sameMoment() throws {
        try withFolder { folder, scanner in
            var scanner = scanner
            let moment = 1_800_000_000
            for (who, delay) in [("ada", 0.2), ("bob", 90)] {
                try write(#"{"token": "0123456789", "who": "\#(who)"}"#, to: "\(folder)/one.json")
                let time = timespec(tv_sec: moment, tv_nsec: 0)
                try #require(utimensat(AT_FDCWD, "\(folder)/one.json", [time, time], 0) == 0)
                let scan = scanner.scan(at: Self.now.addingTimeInterval(delay))
                #expect(scan.files.first?.sessions.first?.account == who)
            }
        }
    }

    @Test("of a file behind a symbolic link, its own folder is watched, too")
    func link() throws {
        try withFolder { folder, scanner in
            var scanner = scanner
            mkdir("\(folder)/real", 0o700)
            try write(#"{"token": "0123456789"}"#, to: "\(folder)/real/file")
            symlink("\(folder)/real/file", "\(folder)/one.json")
            #expect(scanner.scan(at: Self.now).files.first?.sessions.count == 1)
            let target = try #require(realpath("\(folder)/real/file", nil))
            defer { free(target) }
            #expect(scanner.places.concerns(String(cString: target)))
        }
    }

    @Test("a change of a store or of a folder above one matters, and one beside them does not")
    func concerns() throws {
        try withFolder { folder, scanner in
            var scanner = scanner
            _ = scanner.scan(at: Self.now)
            let home = folder.dropLast("/acme".count)
            for (path, matters) in [
                ("\(folder)/one.json", true), ("\(folder)/other.json", true), (folder, true),
                (String(home), true), ("\(folder)/one.json.lock", false),
                ("\(home)/build.log", false), ("\(home)/acme2", false),
            ] {
                #expect(scanner.places.concerns(path) == matters, "\(path)")
            }
            var places = StorePlaces()
            places.insert(KeyPattern("tokens"), in: "/nowhere/acme")
            #expect(places.concerns("//nowhere") && places.concerns("/nowhere/acme"))
            #expect(!places.concerns("//nowhere2"))
        }
    }

    @Test("more files than a place may have are named, and no fewer")
    func cut() throws {
        try withFolder { folder, scanner in
            var scanner = scanner
            for number in 0...500 { close(open("\(folder)/\(number).json", O_CREAT, 0o600)) }
            #expect(scanner.scan(at: Self.now).crowdedFolders == [folder])
            for number in 0...499 { unlink("\(folder)/\(number).json") }
            #expect(scanner.scan(at: Self.now).crowdedFolders.isEmpty)
        }
    }

    @Test("of a folder with very many entries the first ones are looked at, and it is named")
    func crowded() throws {
        try withFolder { folder, scanner in
            var scanner = scanner
            for number in 0...10_000 { close(open("\(folder)/\(number)", O_CREAT, 0o600)) }
            let scan = scanner.scan(at: Self.now)
            #expect(scan.crowdedFolders == [folder])
        }
    }

    @Test("a change in a folder that is watched by two names is told by both")
    func twoNames() async throws {
        let (changes, change) = AsyncStream.makeStream(of: Set<String>.self)
        var template = Array("/tmp/stores-XXXXXX".utf8CString)
        let folder = try #require(mkdtemp(&template).map { String(cString: $0) })
        defer { try? FileManager.default.removeItem(atPath: folder) }
        mkdir("\(folder)/real", 0o700)
        symlink("\(folder)/real", "\(folder)/link")
        let watch = try #require(FolderWatch(.all) { change.yield($0) })
        watch.watch(["\(folder)/real", "\(folder)/link"])
        close(open("\(folder)/real/one", O_CREAT, 0o600))
        var iterator = changes.makeAsyncIterator()
        #expect(await iterator.next() == ["\(folder)/real/one", "\(folder)/link/one"])
        watch.cancel()
    }

    @Test("a change is told, also in a folder that was not there")
    func watching() async throws {
        let (changes, change) = AsyncStream.makeStream(of: Set<String>.self)
        var template = Array("/tmp/stores-XXXXXX".utf8CString)
        let folder = try #require(mkdtemp(&template).map { String(cString: $0) })
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let watch = try #require(FolderWatch(.all) { change.yield($0) })
        watch.watch(["\(folder)/acme/deep"])
        mkdir("\(folder)/acme", 0o700)
        var iterator = changes.makeAsyncIterator()
        #expect(await iterator.next() == ["\(folder)/acme"])
        mkdir("\(folder)/acme/deep", 0o700)
        #expect(await iterator.next() == ["\(folder)/acme/deep"])
        close(open("\(folder)/acme/deep/one", O_CREAT, 0o600))
        #expect(await iterator.next() == ["\(folder)/acme/deep/one"])
    }
}
