import Testing

@testable import Platform

@Suite("Proxy: addresses of the machine")
struct NetworkAddressTests {
    @Test(
        "loopback is what only this machine reaches",
        arguments: [
            ("127.0.0.1", true), ("127.8.0.1", true), ("::1", true), ("0.0.0.0", false),
            ("192.168.1.5", false), ("::", false), ("2001:db8::1", false),
        ]
    )
    func loopback(text: String, isLoopback: Bool) throws {
        let address = try #require(NetworkAddress(text))
        #expect(address.isLoopback == isLoopback)
        #expect(NetworkAddress(bytes: address.bytes) == address)
    }

    @Test(
        "names and what is no address are refused",
        arguments: ["", "example.com", "1.2.3", "::g"]
    )
    func refused(text: String) {
        #expect(NetworkAddress(text) == nil)
    }

    @Test(
        "one address is reached by itself, loopback by no other machine, all by each but loopback"
    )
    func reachable() throws {
        let own = try #require(NetworkAddress("192.168.1.5"))
        #expect(own.reachable == [own])
        #expect(try #require(NetworkAddress("127.0.0.1")).reachable.isEmpty)
        let all = try #require(NetworkAddress("0.0.0.0")).reachable
        #expect(all.allSatisfy { $0.bytes.count == 4 && !$0.isLoopback && !$0.isWildcard })
    }

    @Test("IPv6 stands in brackets in a URL")
    func host() throws {
        #expect(try #require(NetworkAddress("2001:db8::1")).host == "[2001:db8::1]")
        #expect(try #require(NetworkAddress("10.0.0.1")).host == "10.0.0.1")
    }
}
