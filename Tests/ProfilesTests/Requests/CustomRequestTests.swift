import Basics
import Testing

@testable import Profiles

@Suite("A user's own request")
struct CustomRequestTests {
    private static let token = AccessToken(Secret("t0ken"))

    private static func dialect(_ protected: String) throws -> Dialect {
        let text = """
            name = "sketch"
            [login]
            request = "POST /login"
            credentials = ["password"]
            fields = { password = "{password}" }
            [login.response]
            access = "a"
            \(protected)
            """
        return try Dialect(toml: text, file: "sketch.toml")
    }

    private static func body(_ request: WireRequest) -> String {
        String(decoding: request.body, as: UTF8.self)
    }

    @Test(
        "what leaves the backend, or cannot stand in a request, is refused with the reason",
        arguments: [
            ("GET", "https://evil.example/x", "must stay on the profile's backend"),
            ("GET", "//evil.example/x", "must stay on the profile's backend"),
            ("GET", "http://127.0.0.1:8787/x", "must stay on the profile's backend"),
            ("GET", "users", "must begin with a slash"),
            ("GET", "", "must begin with a slash"),
            ("GET", "/a b", "must be percent-encoded"),
            ("GET", "/ü", "must be percent-encoded"),
            ("GET", "/%zz", "must be percent-encoded"),
            ("GET", "/\\evil.example", "must be percent-encoded"),
            ("GET", "/a#b", "fragment"),
            ("GET", "/a\r\nHost: evil.example", "control character"),
            ("GET", "/a\u{1B}[2J", "control character"),
            ("GE T", "/", "expected an HTTP method"),
            ("", "/", "expected an HTTP method"),
            ("TRACE", "/", "cannot be sent with a token"),
            ("connect", "/", "cannot be sent with a token"),
        ]
    )
    func refused(method: String, target: String, message: String) {
        do throws(CustomRequestProblem) {
            _ = try CustomRequest(method: method, target: target)
            Issue.record("\(method) \(target) was taken")
        } catch {
            #expect(error.message.contains(message))
            #expect(
                error.part
                    == (message.contains("method") || message.contains("sent") ? .method : .path)
            )
        }
    }

    @Test(
        "a query is taken as it is written, a URL within it too",
        arguments: ["/posts?page=2&q=a%20b", "/go?to=https://example.com/", "/", "/a//b"]
    )
    func query(target: String) throws {
        #expect(try CustomRequest(method: "get", target: target).target == target)
        #expect(try CustomRequest(method: "get", target: target).method == "GET")
    }

    @Test("the token and the headers are those of the protected request; JSON unless it says else")
    func headers() throws {
        let dialect = try Self.dialect(
            """
            [protected]
            request = "GET /me"
            token_in = "header:X-Token"
            headers = { X-Client = "authtop" }
            """
        )
        let request = try dialect.request(
            CustomRequest(method: "POST", target: "/posts?a=1", body: Secret("{\"n\": 1}")),
            token: Self.token
        )
        #expect(request.method == "POST" && request.target == "/posts?a=1")
        #expect(request.header("X-Token") == "t0ken")
        #expect(request.header("X-Client") == "authtop")
        #expect(request.header("Authorization") == nil)
        #expect(request.header("Content-Type") == "application/json")
        #expect(Self.body(request) == "{\"n\": 1}")
        let plain = try dialect.request(
            CustomRequest(method: "GET", target: "/me"),
            token: Self.token
        )
        #expect(plain.header("Content-Type") == nil)
    }

    @Test("a stated content type is kept, and a dialect without a protected request has bearer")
    func contentType() throws {
        let stated = try Self.dialect(
            "[protected]\nrequest = \"GET /me\"\nheaders = { content-type = \"text/csv\" }"
        )
        let custom = try CustomRequest(method: "PUT", target: "/a", body: Secret("1,2"))
        let request = try stated.request(custom, token: Self.token)
        #expect(
            request.headers.filter { $0.name.lowercased() == "content-type" }.map(\.value) == [
                "text/csv"
            ]
        )
        let bare = try Self.dialect("").request(custom, token: Self.token)
        #expect(bare.header("Authorization") == "Bearer t0ken")
    }

    @Test("a token that stands in the body is added to it")
    func inBody() throws {
        let json = try Self.dialect(
            "[protected]\nrequest = \"POST /me\"\ntoken_in = \"json:auth.token\""
        )
        let custom = try CustomRequest(method: "POST", target: "/a", body: Secret("{\"n\": 1}"))
        let request = try json.request(custom, token: Self.token)
        #expect(JSONValue(parsing: request.body) == ["n": 1, "auth": ["token": "t0ken"]])
        let list = try CustomRequest(method: "POST", target: "/a", body: Secret("[1]"))
        #expect(throws: CustomRequestProblem.self) { try json.request(list, token: Self.token) }
        let form = try Self.dialect(
            "[protected]\nrequest = \"POST /me\"\ntoken_in = \"form:token\""
        )
        let asked = try CustomRequest(method: "POST", target: "/a", body: Secret("n=1"))
        #expect(Self.body(try form.request(asked, token: Self.token)) == "n=1&token=t0ken")
    }

    @Test("its body has no description")
    func secret() throws {
        let custom = try CustomRequest(method: "POST", target: "/a", body: Secret("hunter2"))
        #expect(!String(describing: custom).contains("hunter2"))
    }
}
