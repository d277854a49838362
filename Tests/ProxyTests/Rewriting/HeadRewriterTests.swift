import Platform
import Testing

@testable import Proxy

/// The proxy stands in for an API with a base path on port 9000, and for a provider on port 9001.
@Suite("Proxy: the rewriting of heads")
struct HeadRewriterTests {
    @Test(
        "what the backend gets of a request",
        arguments: [
            ("Host: localhost:9000", "Host: api.example.com"),
            ("Origin: http://localhost:9000", "Origin: https://api.example.com"),
            ("Origin: http://LOCALHOST:9000", "Origin: https://api.example.com"),
            ("Origin: http://localhost:9001", "Origin: https://id.example.com:8443"),
            ("Origin: http://localhost:3000", "Origin: http://localhost:3000"),
            ("Origin: null", "Origin: null"),
            (
                "Referer: http://localhost:9000/a?b=1",
                "Referer: https://api.example.com/v1/a?b=1"
            ),
            ("Referer: http://localhost:9000.evil/", "Referer: http://localhost:9000.evil/"),
            ("Accept-Encoding: gzip, deflate, br, zstd", "Accept-Encoding: gzip, deflate"),
            ("Accept-Encoding: br, zstd", "Accept-Encoding: identity"),
            ("Accept-Encoding: identity;q=0.5, br", "Accept-Encoding: identity;q=0.5"),
            ("Cookie: a=1; _Host-sid=x; _Secure-b=y", "Cookie: a=1; __Host-sid=x; __Secure-b=y"),
            ("Cookie: _host=1;b=2", "Cookie: _host=1;b=2"),
            ("Connection: keep-alive", "Connection: keep-alive"),
            ("Connection: close, X-Hop|X-Hop: 1|X-End: 2", "Connection: close|X-End: 2"),
            ("Connection: Authorization|Authorization: Bearer x", "Authorization: Bearer x"),
            ("Connection: TE|TE: trailers, gzip", "Connection: TE|TE: trailers"),
            ("TE: gzip", ""),
            ("Connection: Upgrade, HTTP2-Settings|Upgrade: h2c|HTTP2-Settings: x", ""),
            (
                "Connection: keep-alive, Upgrade|Upgrade: WebSocket|Sec-WebSocket-Key: k",
                "Connection: keep-alive, Upgrade|Upgrade: WebSocket|Sec-WebSocket-Key: k"
            ),
            ("Proxy-Authorization: Basic x|Proxy-Connection: keep-alive", ""),
            ("X-Authtop-Client: shop|x-authtop-mark: m", ""),
            ("x-LOWER: A|X-Lower: b", "x-LOWER: A|X-Lower: b"),
        ]
    )
    func requests(sent: String, expected: String) {
        var request = Self.request
        if !sent.hasPrefix("Host") { request.fields += Self.fields(sent) }
        let result = Self.rewriter().request(request, from: "127.0.0.1")
        let fields = sent.hasPrefix("Host") ? result.fields[...] : result.fields.dropFirst()
        #expect(Self.text(fields) == expected)
        #expect(result.fields.first?.value == "api.example.com")
        #expect(result.target == "/v1/a")
    }

    @Test(
        "what the app gets of an answer",
        arguments: [
            ("Location: https://api.example.com/v1/b?c", "Location: http://localhost:9000/b?c"),
            ("Location: HTTPS://API.example.com:443/v1", "Location: http://localhost:9000/"),
            ("Location: https://api.example.com/v12", "Location: https://api.example.com/v12"),
            ("Location: /v1/b", "Location: /b"),
            (
                "WWW-Authenticate: Bearer error=\"invalid_token\", resource_metadata=\"https://api.example.com/v1/m\"",
                "WWW-Authenticate: Bearer error=\"invalid_token\", resource_metadata=\"http://localhost:9000/m\""
            ),
            (
                "WWW-Authenticate: Bearer realm=\"https://api.example.com/v1\"",
                "WWW-Authenticate: Bearer realm=\"https://api.example.com/v1\""
            ),
            ("Location: b/c", "Location: b/c"),
            ("Location: //api.example.com/v1/b", "Location: //localhost:9000/b"),
            (
                "Location: https://id.example.com:8443/auth?x=1#y",
                "Location: http://localhost:9001/auth?x=1#y"
            ),
            ("Location: https://id.example.com/auth", "Location: https://id.example.com/auth"),
            ("Location: https://other.example/", "Location: https://other.example/"),
            ("Location: com.app:/back?code=1", "Location: com.app:/back?code=1"),
            ("Content-Location: /v1/b", "Content-Location: /b"),
            (
                "Link: <https://api.example.com/v1/p2>; rel=\"next\", <https://x.example/>; rel=a",
                "Link: <http://localhost:9000/p2>; rel=\"next\", <https://x.example/>; rel=a"
            ),
            (
                "Refresh: 5; url=https://api.example.com/v1/b",
                "Refresh: 5; url=http://localhost:9000/b"
            ),
            ("Refresh: 5", "Refresh: 5"),
            (
                "Access-Control-Allow-Origin: https://api.example.com",
                "Access-Control-Allow-Origin: https://api.example.com"
            ),
            (
                "Access-Control-Allow-Origin: https://id.example.com:8443",
                "Access-Control-Allow-Origin: http://localhost:9001"
            ),
            ("Access-Control-Allow-Origin: *", "Access-Control-Allow-Origin: *"),
            (
                "Set-Cookie: sid=x; Domain=example.com; Path=/v1/a; Secure; HttpOnly",
                "Set-Cookie: sid=x; Path=/a; HttpOnly"
            ),
            (
                "Set-Cookie: __Host-sid=x; Secure; Path=/; SameSite=None; Partitioned",
                "Set-Cookie: _Host-sid=x; Path=/; SameSite=Lax"
            ),
            (
                "set-cookie: __secure-a=b=c; max-age=5;secure; SameSite=Strict",
                "set-cookie: _secure-a=b=c; max-age=5; SameSite=Strict"
            ),
            ("Alt-Svc: h3=\":443\"|Strict-Transport-Security: max-age=1", ""),
            (
                "Keep-Alive: timeout=5|Connection: Keep-Alive",
                "Keep-Alive: timeout=5|Connection: Keep-Alive"
            ),
            ("Connection: X-Hop|X-Hop: 1", ""),
            ("Upgrade: h2,h2c|Connection: Upgrade, Keep-Alive", "Connection: Keep-Alive"),
            (
                "Trailer: X-Sum|Transfer-Encoding: chunked",
                "Trailer: X-Sum|Transfer-Encoding: chunked"
            ),
        ]
    )
    func answers(sent: String, expected: String) {
        let response = ResponseMessage(
            minorVersion: 1,
            status: 200,
            reason: WireText("OK"),
            fields: Self.fields(sent)
        )
        let result = Self.rewriter().response(response, to: Self.request)
        #expect(Self.text(result.fields[...]) == expected)
    }

    @Test("an origin without a path is allowed by the address that the app used")
    func allowedOrigin() {
        let response = ResponseMessage(
            minorVersion: 1,
            status: 200,
            reason: WireText("OK"),
            fields: Self.fields("Access-Control-Allow-Origin: https://id.example.com:8443")
        )
        var request = Self.request
        request.fields = [HeadField("Host", "10.0.2.2:9001")]
        let result = Self.rewriter(index: 1).response(response, to: request)
        #expect(
            Self.text(result.fields[...]) == "Access-Control-Allow-Origin: http://10.0.2.2:9001"
        )
    }

    @Test("options leave the host and the codings, and add where a request came from")
    func options() {
        var request = Self.request
        request.fields.append(HeadField("Accept-Encoding", "br"))
        let rewriter = Self.rewriter(
            options: HeadRewriter.Options(
                keepsHost: true,
                keepsEncoding: true,
                addsForwarded: true
            )
        )
        #expect(
            Self.text(rewriter.request(request, from: "10.0.0.7").fields[...])
                == "Host: localhost:9000|Accept-Encoding: br|X-Forwarded-For: 10.0.0.7"
                + "|X-Forwarded-Host: localhost:9000|X-Forwarded-Proto: http"
        )
    }

    @Test(
        "a body that is to be changed, or is metadata of a provider, is asked for without a coding"
    )
    func codings() {
        var request = Self.request
        request.fields.append(HeadField("Accept-Encoding", "gzip, br"))
        let rewriter = Self.rewriter()
        let changed = rewriter.request(request, from: "10.0.0.7", isChanged: true)
        #expect(Self.text(changed.fields[1...]) == "Accept-Encoding: identity")
        request.target = "/.well-known/openid-configuration"
        let metadata = rewriter.request(request, from: "10.0.0.7")
        #expect(Self.text(metadata.fields[1...]) == "Accept-Encoding: identity")
    }

    @Test(
        "with TLS, addresses of the proxy begin with https, and cookies stay secure",
        arguments: [
            ("Location: https://api.example.com/v1/b", "Location: https://localhost:9000/b"),
            (
                "Set-Cookie: __Host-sid=x; Domain=example.com; Secure; SameSite=None; Partitioned",
                "Set-Cookie: __Host-sid=x; Secure; SameSite=None; Partitioned"
            ),
            ("Strict-Transport-Security: max-age=1", ""),
        ]
    )
    func secure(sent: String, expected: String) {
        let response = ResponseMessage(
            minorVersion: 1,
            status: 200,
            reason: WireText("OK"),
            fields: Self.fields(sent)
        )
        let rewriter = Self.rewriter(isSecure: true)
        #expect(Self.text(rewriter.response(response, to: Self.request).fields[...]) == expected)
        var request = Self.request
        request.target = "https://localhost:9000/a"
        request.fields += [
            HeadField("Origin", "https://localhost:9000"), HeadField("Cookie", "_Host-a=b"),
        ]
        #expect(rewriter.localTarget(of: request) == "/a")
        #expect(
            Self.text(rewriter.request(request, from: "10.0.0.7").fields[1...])
                == "Origin: https://api.example.com|Cookie: _Host-a=b"
        )
    }

    @Test(
        "a target is a path, or a URL of the proxy",
        arguments: [
            ("GET", "/a?b", "/a?b"), ("GET", "http://localhost:9000/a", "/a"),
            ("GET", "HTTP://LOCALHOST:9000", "/"), ("GET", "http://localhost:9000?b", "/?b"),
            ("OPTIONS", "*", "*"), ("GET", "*", nil), ("GET", "http://localhost:90001/", nil),
            ("GET", "https://localhost:9000/", nil), ("GET", "http://api.example.com/", nil),
            ("GET", "a", nil),
        ]
    )
    func targets(method: String, target: String, expected: String?) {
        var request = Self.request
        request.method = method
        request.target = target
        #expect(Self.rewriter().localTarget(of: request) == expected)
    }

    @Test("the endpoints of metadata are those of the proxy, and the issuer stays")
    func discovery() {
        let document = #"""
            {"issuer":"https://id.example.com:8443", "token_endpoint" : "https:\/\/id.example.com:8443\/token",
            "jwks_uri":"https://cdn.example/keys","list":["https://id.example.com:8443/a","é\"x"],"n":1.50}
            """#
        let expected = #"""
            {"issuer":"https://id.example.com:8443", "token_endpoint" : "http://localhost:9001/token",
            "jwks_uri":"https://cdn.example/keys","list":["http://localhost:9001/a","é\"x"],"n":1.50}
            """#
        let result = Self.rewriter().discovery(Array(document.utf8), to: Self.request)
        #expect(String(decoding: result, as: UTF8.self) == expected)
    }

    private static let request = RequestMessage(
        method: "GET",
        target: "/a",
        minorVersion: 1,
        fields: [HeadField("Host", "localhost:9000")]
    )

    private static func rewriter(
        index: Int = 0,
        isSecure: Bool = false,
        options: HeadRewriter.Options = HeadRewriter.Options()
    ) -> HeadRewriter {
        let urls = [("https://api.example.com/v1", 9000), ("https://id.example.com:8443", 9001)]
        let origins = urls.compactMap { url, port in
            (try? BackendOrigin(parsing: url)).map { ProxiedOrigin($0, port: port) }
        }
        return HeadRewriter(
            ProxiedOrigins(origins, isSecure: isSecure),
            index: index,
            options: options
        )
    }

    private static func fields(_ text: String) -> [HeadField] {
        text.split(separator: "|").map { line in
            let colon = line.firstIndex(of: ":") ?? line.endIndex
            return HeadField(String(line[..<colon]), String(line[colon...].dropFirst(2)))
        }
    }

    private static func text(_ fields: ArraySlice<HeadField>) -> String {
        fields.map { "\($0.name): \($0.value)" }.joined(separator: "|")
    }
}
