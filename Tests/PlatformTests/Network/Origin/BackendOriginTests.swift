import Platform
import Testing

@Suite("Backend origin: a base URL read and checked")
struct BackendOriginTests {
    @Test(
        "a base URL is read, and told in its shortest form",
        arguments: [
            ("https://api.example.com", "https://api.example.com", "api.example.com", ""),
            ("HTTPS://API.Example.com:443/", "https://api.example.com", "api.example.com", ""),
            ("https://h.example:8443/v1/", "https://h.example:8443/v1", "h.example:8443", "/v1"),
            ("http://127.0.0.1:8787", "http://127.0.0.1:8787", "127.0.0.1:8787", ""),
            ("http://127.9.8.7:80/a%2Fb", "http://127.9.8.7/a%2Fb", "127.9.8.7", "/a%2Fb"),
            ("http://[::1]:9/x", "http://[::1]:9/x", "[::1]:9", "/x"),
            ("http://[0:0:0:0:0:0:0:1]", "http://[0:0:0:0:0:0:0:1]", "[0:0:0:0:0:0:0:1]", ""),
            ("http://LocalHost", "http://localhost", "localhost", ""),
            ("http://localhost.", "http://localhost.", "localhost.", ""),
            ("http://app.localhost:3000//", "http://app.localhost:3000", "app.localhost:3000", ""),
            ("https://[2001:db8::1]", "https://[2001:db8::1]", "[2001:db8::1]", ""),
            ("https://xn--bcher-kva.example", "https://xn--bcher-kva.example", nil, ""),
            ("https://my_service.internal", "https://my_service.internal", nil, ""),
        ] as [(String, String, String?, String)]
    )
    func read(text: String, shown: String, authority: String?, prefix: String) throws {
        let origin = try BackendOrigin(parsing: text)
        #expect(origin.description == shown)
        #expect(origin.pathPrefix == prefix)
        if let authority { #expect(origin.authority == authority) }
    }

    @Test(
        "anything else is refused, and the reason is told apart",
        arguments: [
            ("", .empty),
            ("api.example.com", .noScheme("api.example.com")),
            ("localhost:8787", .noScheme("localhost:8787")),
            ("user@host", .noScheme(nil)),
            ("ftp://h", .unknownScheme("ftp")),
            ("wss://h", .unknownScheme("wss")),
            ("https://", .noHost),
            ("https:///x", .noHost),
            ("https://:8080", .noHost),
            ("https://user:pass@h", .userInfo),
            ("https://user@h/", .userInfo),
            ("https://a..b", .badHost("a..b")),
            ("https://-a", .badHost("-a")),
            ("https://a b", .badHost("a b")),
            ("https://h%41", .badHost("h%41")),
            ("http://127.1", .badHost("127.1")),
            ("http://0177.0.0.1", .badHost("0177.0.0.1")),
            ("http://2130706433", .badHost("2130706433")),
            ("http://0x7f.0.0.0x1", .badHost("0x7f.0.0.0x1")),
            ("http://1.2.3.256", .badHost("1.2.3.256")),
            ("http://::1", .badHost("::1")),
            ("http://[::1", .badHost("[::1")),
            ("http://[1.2.3.4]", .badHost("[1.2.3.4]")),
            ("http://[fe80::1%25eth0]", .badHost("[fe80::1%25eth0]")),
            ("https://bücher.example", .foreignHost("bücher.example")),
            ("https://h:0", .badPort("0")),
            ("https://h:", .badPort("")),
            ("https://h:65536", .badPort("65536")),
            ("https://h:+80", .badPort("+80")),
            ("https://h?x=1", .query),
            ("https://h/#x", .fragment),
            ("https://h/a b", .badPath("/a b")),
            ("https://h/%zz", .badPath("/%zz")),
            ("https://h\\@evil.example", .badPath("\\@evil.example")),
            ("https://h\\x", .badPath("\\x")),
        ] as [(String, BackendOriginError)]
    )
    func refused(text: String, error: BackendOriginError) {
        #expect(throws: error) { try BackendOrigin(parsing: text) }
        #expect(!error.description.isEmpty)
    }

    @Test(
        "plain HTTP leaves this machine only if that is meant",
        arguments: [
            "http://api.example.com", "http://10.0.0.1", "http://0.0.0.0", "http://128.0.0.1",
            "http://[::]", "http://[::ffff:127.0.0.1]", "http://localhost.example.com",
            "http://notlocalhost",
        ]
    )
    func clearText(text: String) throws {
        #expect(throws: BackendOriginError.clearText(text)) { try BackendOrigin(parsing: text) }
        #expect(try BackendOrigin(parsing: text, allowInsecure: true).description == text)
    }

    @Test("the refusal of clear text says what to do")
    func message() {
        let error = #expect(throws: BackendOriginError.self) {
            try BackendOrigin(parsing: "http://api.example.com/v1")
        }
        #expect(
            error?.description == "http://api.example.com sends tokens in clear text: use https, "
                + "or --allow-insecure to permit it"
        )
    }

    @Test("a password in a base URL is not repeated")
    func passwordUnsaid() {
        let error = #expect(throws: BackendOriginError.self) {
            try BackendOrigin(parsing: "https://me:hunter2@h.example")
        }
        #expect(error?.description.contains("hunter2") == false)
    }
}
