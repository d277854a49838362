import Testing

@testable import Platform

@Suite("The proxies of the environment")
struct ProxySettingsTests {
    private static let both = [
        "HTTPS_PROXY": "http://secure.proxy:3128", "HTTP_PROXY": "plain.proxy:8080",
    ]

    private func proxy(_ variables: [String: String], for url: String) throws -> String? {
        let origin = try BackendOrigin(parsing: url, allowInsecure: true)
        return try ProxySettings(variables: variables).proxy(for: origin)
            .map { "\($0.host.written):\($0.port)" }
    }

    @Test(
        "are chosen by the scheme of the backend",
        arguments: [
            ("https://api.example.com", "secure.proxy:3128"),
            ("http://api.example.com", "plain.proxy:8080"),
            ("https://localhost:8443", "secure.proxy:3128"),
            ("http://localhost:8080", nil), ("http://127.0.0.1:8080", nil),
        ]
    )
    func byScheme(url: String, expected: String?) throws {
        #expect(try proxy(Self.both, for: url) == expected)
    }

    @Test("have lower-case names first, and an empty value means none")
    func names() throws {
        let url = "https://api.example.com"
        var variables = Self.both
        variables["https_proxy"] = "http://lower.proxy"
        #expect(try proxy(variables, for: url) == "lower.proxy:80")
        variables["https_proxy"] = ""
        #expect(try proxy(variables, for: url) == nil)
        #expect(try proxy(["ALL_PROXY": "[::1]:9"], for: url) == "[::1]:9")
        #expect(try proxy([:], for: url) == nil)
    }

    @Test(
        "are not used for the hosts of NO_PROXY",
        arguments: [
            ("example.com", "https://api.example.com", true),
            (".example.com", "https://api.example.com", true),
            ("*.example.com", "https://api.example.com", true),
            ("ple.com", "https://api.example.com", false),
            ("api.example.com:443", "https://API.example.com.", true),
            ("api.example.com:444", "https://api.example.com", false),
            ("other.net, example.com", "https://api.example.com", true),
            ("*", "https://api.example.com", true),
            ("10.0.0.0/8", "https://10.20.30.40", true),
            ("10.0.0.0/8", "https://11.0.0.1", false),
            ("10.20.30.40", "https://10.20.30.40", true),
            ("192.168.1.128/25", "https://192.168.1.127", false),
            ("fd00::/8", "https://[fd12::1]", true),
            ("[fd12::1]:443", "https://[fd12::1]", true),
            ("10.0.0.0/99", "https://10.0.0.1", false),
            ("", "https://api.example.com", false),
        ]
    )
    func exceptions(list: String, url: String, isDirect: Bool) throws {
        var variables = Self.both
        variables["NO_PROXY"] = list
        #expect(try proxy(variables, for: url) == (isDirect ? nil : "secure.proxy:3128"))
    }

    @Test("may have a user and a password, which have no description")
    func credentials() throws {
        let variables = ["https_proxy": "http://ada:p%40ss@proxy:1"]
        let origin = try BackendOrigin(parsing: "https://api.example.com")
        let settings = try ProxySettings(variables: variables)
        let proxy = try #require(settings.proxy(for: origin))
        #expect(proxy.authorization?.basic == "Basic YWRhOnBAc3M=")
        #expect(!"\(proxy) \(settings)".contains("p@ss"))
        #expect(proxy.peer == "the proxy proxy:1 (https_proxy)")
    }

    @Test(
        "that cannot be used are named by their variable, without their value",
        arguments: [
            "https://s3cr3t@proxy:1", "socks5://s3cr3t:1", "http://s3cr3t:70000", "http://",
            "s3 cr3t",
        ]
    )
    func mistakes(value: String) {
        do {
            _ = try ProxySettings(variables: ["HTTPS_PROXY": value])
            Issue.record("accepted")
        } catch {
            #expect(error.description.hasPrefix("HTTPS_PROXY: "))
            #expect(!error.description.contains("cr3t"))
        }
    }
}
