import Testing

@testable import Profiles

@Suite("UserShard")
struct UserShardTests {
    /// Of draft-eastlake-fnv, which became RFC 9923.
    @Test(
        "hashes a name by FNV-1a with 64 bits",
        arguments: [
            ("", UInt64(0xCBF2_9CE4_8422_2325)), ("a", 0xAF63_DC4C_8601_EC8C),
            ("foobar", 0x8594_4171_F739_67E8),
        ]
    )
    func hash(name: String, hash: UInt64) {
        #expect(UserShard.hash(name) == hash)
    }

    @Test("each name is in one of the shards, which are about equal", arguments: [1, 2, 4, 7])
    func parts(count: Int) throws {
        let shards = try (1...count).map { try #require(UserShard("\($0)/\(count)")) }
        let names = (0..<10_000).map { "user-\($0)@example.com" }
        for name in names { #expect(shards.count { $0.contains(name) } == 1) }
        for shard in shards {
            let share = names.count { shard.contains($0) }
            #expect((9_000 / count...11_000 / count).contains(share))
        }
    }

    @Test(
        "is written as K/N, with K from 1 to N",
        arguments: ["", "1", "0/2", "3/2", "1/0", "-1/2", "1/2/3", "a/b", " 1/2", "1/1025", "1/"]
    )
    func mistakes(text: String) {
        #expect(UserShard(text) == nil)
    }
}
