import Client
import Foundation
import Model
import Testing

@testable import Platform

@Suite("The vaults of the users of a profile")
struct VaultGroupTests {
    private static let baseURL = "http://127.0.0.1:8787"

    @Test("have a record each, which a later group finds")
    func records() async throws {
        try await withVaults { bench in
            let names = (0..<50).map { "user-\($0)" }
            let group = VaultGroup(of: bench.location, time: bench.time)
            for (place, name) in names.enumerated() {
                var record = VaultRecord.signedIn()
                record.epoch = place
                let vault = group.vault(of: name, at: Self.baseURL)
                #expect(try await vault.commit(.login(record)) == .committed)
            }
            let later = VaultGroup(of: bench.location, time: bench.time)
            for (place, name) in names.enumerated() {
                let record = try await later.vault(of: name, at: Self.baseURL).load()
                #expect(record?.epoch == place)
            }
            #expect(ProfileData(location: bench.location, vault: bench.vault()).users.count == 50)
            // The records of profiles beside them are as they were.
            #expect(StoredVaults(folder: bench.folder).locations.isEmpty)
        }
    }

    @Test("report the change of one record to its own reader alone")
    func changes() async throws {
        try await withVaults { bench in
            let group = VaultGroup(of: bench.location, time: bench.time)
            let (first, second) = (
                group.vault(of: "a", at: Self.baseURL), group.vault(of: "b", at: Self.baseURL)
            )
            for vault in [first, second] { _ = try await vault.commit(.login(.signedIn())) }
            var changes = (
                first.changes().makeAsyncIterator(), second.changes().makeAsyncIterator()
            )
            let other = VaultGroup(of: bench.location, time: bench.time)
            _ = try await other.vault(of: "a", at: Self.baseURL).commit(.login(.full()))
            #expect(await changes.0.next() != nil)
            // Were the first change reported here, too, the second one would come with it.
            _ = try await other.vault(of: "b", at: Self.baseURL).commit(.login(.full()))
            #expect(await changes.1.next() != nil)
            _ = try await second.commit(.login(.signedIn()))
            _ = try await other.vault(of: "a", at: Self.baseURL).commit(.login(.signedIn()))
            #expect(await changes.0.next() != nil)
        }
    }

    @Test("go with everything else of the profile")
    func erased() async throws {
        try await withVaults { bench in
            _ = try await bench.vault().commit(.login(.signedIn()))
            let group = VaultGroup(of: bench.location, time: bench.time)
            _ = try await group.vault(of: "a", at: Self.baseURL).commit(.login(.signedIn()))
            let data = ProfileData(location: bench.location, vault: bench.vault())
            #expect(try await data.eraseAll() == [])
            #expect(try bench.names == [])
        }
    }
}
