import Profiles
import Testing

@testable import Proxy

@Suite("Forward proxy: the hosts that are opened")
struct ForwardedHostsTests {
    @Test(
        "a name is that host alone, and a wildcard the names below it",
        arguments: [
            ("api.example.com", "api.example.com", true),
            ("API.Example.com", "api.EXAMPLE.com", true),
            ("api.example.com", "a.api.example.com", false),
            ("api.example.com", "example.com", false),
            ("*.example.com", "api.example.com", true), ("*.example.com", "a.b.example.com", true),
            ("*.example.com", "example.com", false), ("*.example.com", "badexample.com", false),
            ("a.example, b.example", "b.example", true), ("localhost", "localhost", true),
            ("*.localhost", "api.localhost", true), ("example.com.", "example.com", true),
        ]
    )
    func matching(names: String, host: String, isOpened: Bool) throws {
        let hosts = try ForwardedHosts(parsing: [names])
        #expect(hosts.contains(try #require(RequestHost(host))) == isOpened)
    }

    @Test("an address is opened by no name")
    func address() throws {
        let hosts = try ForwardedHosts(parsing: ["*.0.1", "localhost"])
        #expect(!hosts.contains(try #require(RequestHost("127.0.0.1"))))
    }

    @Test(
        "what is no name says what was expected",
        arguments: [
            "*", "*.com", "127.0.0.1", "[::1]", "https://api.example.com", "api.example.com:443",
            "api.example.com/v1", "", "a..b", "-a.example", "a*.example.com",
        ]
    )
    func refused(text: String) {
        #expect(throws: ForwardedHostError.self) {
            try ForwardedHosts(parsing: ["a.example,\(text)"])
        }
    }
}
