import Basics
import Foundation
import TestSupport
import Testing

@testable import Model
@testable import Profiles
@testable import UI

@Suite("A request as curl")
struct CurlCommandTests {
    private static let token = RequestTemplate.tokenPlaceholder

    private static func record(
        _ method: String,
        _ target: String,
        _ purpose: ExchangePurpose = .protected
    ) -> Exchange {
        Exchange(
            id: 1,
            purpose: purpose,
            method: method,
            target: target,
            result: .answered(status: 200),
            seconds: 0,
            generation: 1,
            fingerprint: Fingerprint(digits: "3f9c21ab"),
            why: .user
        )
    }

    private static func command(
        _ exchange: Exchange,
        headers: [WireHeader]? = nil,
        body: String = ""
    ) -> String {
        let template = headers.map {
            RequestTemplate(headers: $0, body: body)
        }
        return CurlCommand(exchange, baseURL: "https://api.example.com", template: template).text
    }

    @Test(
        "has the token as a variable where the dialect sends it",
        arguments: [
            (WireHeader("X-Token", token), #"-H 'X-Token: '"$TOKEN""#),
            (
                WireHeader("Cookie", "session=\(token); a=b"),
                #"-H 'Cookie: session='"$TOKEN"'; a=b'"#
            ),
        ] as [(WireHeader, String)]
    )
    func places(header: WireHeader, option: String) {
        let text = Self.command(Self.record("GET", "/me?x='2'&y"), headers: [header])
        #expect(text == "curl -i \(option) " + #"'https://api.example.com/me?x='\''2'\''&y'"#)
    }

    @Test("has no place for a token if a recording does not say where it goes, and says so")
    func unknownPlace() {
        let command = CurlCommand(
            Self.record("GET", "/me"),
            baseURL: "https://api.example.com",
            template: nil
        )
        #expect(command.text == "curl -i 'https://api.example.com/me'")
        #expect(command.lacksToken)
        for exchange in [
            Self.record("GET", "/me?token=‹3f9c21ab›"), Self.record("POST", "/refresh", .refresh),
        ] {
            let other = CurlCommand(exchange, baseURL: "https://api.example.com", template: nil)
            #expect(!other.lacksToken)
        }
    }

    @Test("has the token as a variable in a URL")
    func query() {
        #expect(
            Self.command(Self.record("GET", "/me?token=‹3f9c21ab›&x=1"))
                == #"curl -i 'https://api.example.com/me?token='"$TOKEN"'&x=1'"#
        )
    }

    @Test("has the token in a body, or a variable for a body that is not logged")
    func bodies() {
        let post = Self.record("POST", "/me")
        let text = Self.command(post, headers: [], body: #"{"t":"\#(Self.token)"}"#)
        #expect(
            text
                == #"curl -i -X 'POST' --data-raw '{"t":"'"$TOKEN"'"}' 'https://api.example.com/me'"#
        )
        #expect(Self.command(post, headers: []).contains(#" --data "$BODY" "#))
        #expect(!Self.command(Self.record("GET", "/me"), headers: []).contains("BODY"))
    }

    @Test("of another exchange than a protected request has neither a token nor a body")
    func others() {
        let text = Self.command(
            Self.record("POST", "/refresh?token=‹91bb04c7›", .refresh),
            headers: [WireHeader("Authorization", "Bearer \(Self.token)")]
        )
        let url = #"'https://api.example.com/refresh?token='"$SECRET""#
        #expect(text == #"curl -i -X 'POST' --data "$BODY" "# + url)
    }

    @Test("has no line break and no control character, which a shell would act on")
    func harmless() {
        let text = Self.command(Self.record("GET", "/a\r\nrm -rf b\u{1B}[31m\u{85}\u{2028}"))
        #expect(text.unicodeScalars.allSatisfy { $0.value >= 0x20 && !$0.isUnseen })
    }

    /// Texts in which a shell, or curl, might see more than a target, a method or a header.
    private static let hostile = [
        "/me'\u{301};touch${IFS}X;echo'\u{301}", "/me';touch X;'", "/$(touch X)`touch X`",
        "/me\\", "/me\\'\u{20D2};touch X;\\'\u{FE0F}", "/a'\u{200D}|touch X|'",
        "/\u{301}'&touch X&'",
        "/\(token)\u{301}';touch X;'\u{308}", "/‹3f9c21ab›\u{301}';touch X;'", "/{a,b}/[1-3]",
        "/a\r\n;touch X\r\n", ".evil.example", "@evil.example/",
    ]

    @Test(
        "pasted into a shell is one command with its arguments, whatever an archive has in it",
        arguments: hostile,
        ["/bin/sh", "/bin/bash"]
    )
    func pasted(text: String, shell: String) async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: false)
        defer { try? FileManager.default.removeItem(at: folder) }
        let header = WireHeader("X-A", text + "\(Self.token)" + text)
        let line = Self.command(Self.record("PO\(text)", text), headers: [header], body: text)
        let script = """
            cd '\(folder.path)' && curl() { printf '%s\\n' "$#"; printf '<%s>\\n' "$@"; }
            \(line)
            ls
            """
        let program = try Program(
            shell,
            ["-c", script],
            environment: ["PATH": "/usr/bin:/bin", "TOKEN": "it's $mine", "SECRET": "s"]
        )
        #expect(try await program.ended() == .exit(0), "\(program.errors.text)")
        let lines = program.output.lines
        // It has run nothing, so that no file is there.
        #expect(lines.last?.hasSuffix(">") == true && lines.count == Int(lines[0]).map { $0 + 1 })
        #expect(!FileManager.default.fileExists(atPath: folder.appending(path: "X").path))
        let words = lines.dropFirst()
        #expect(words.starts(with: ["<-i>", "<-X>"]))
        #expect(words.contains { $0.hasPrefix("<X-A: ") && $0.contains("it's $mine") })
        #expect(words.last?.utf8.starts(with: "<https://api.example.com/".utf8) == true)
        #expect(words.contains("<-g>") == (text.contains("{") || text.contains("[")))
    }

    @Test("of a recording with another base URL gives curl no option, and a name of no file")
    func notAnOption() {
        let exchange = Self.record("POST", "/me")
        let command = CurlCommand(
            exchange,
            baseURL: "-K/etc/passwd",
            template: RequestTemplate(
                headers: [WireHeader("@/etc/passwd", "")],
                body: "@/etc/passwd"
            )
        )
        #expect(
            command.text
                == "curl -i -X 'POST' --data-raw '@/etc/passwd' --url '-K/etc/passwd/me'"
        )
    }

    @Test("of a dialect has its headers, but no secret that its profile has in them")
    func template() throws {
        let profile = """
            name = "acme"
            [login]
            request = "POST /login"
            credentials = ["password"]
            fields = { password = "{password}" }
            [login.response]
            access = "a"
            [protected]
            request = "GET /me"
            headers = { apikey = "sk-1234567890abcdef1234", Accept = "text/html" }
            """
        let dialect = try Dialect(toml: profile, file: "acme.toml")
        let text = CurlCommand(
            Self.record("GET", "/me"),
            baseURL: "https://api.example.com",
            template: RequestTemplate(of: dialect)
        ).text
        #expect(text.contains(#"-H 'Authorization: Bearer '"$TOKEN""#))
        #expect(text.contains("-H 'Accept: text/html'"))
        #expect(text.contains("-H 'apikey: ‹hidden›'"))
        #expect(!text.contains("sk-1234"))
    }

    @Test("of a dialect with the token in the body has no secret that is beside it")
    func templateWithBody() throws {
        let profile = """
            name = "acme"
            [login]
            request = "POST /login"
            credentials = ["password"]
            fields = { password = "{password}" }
            [login.response]
            access = "a"
            [protected]
            request = "POST /me"
            token_in = "json:token"
            headers = { apikey = "sk-1234567890abcdef1234" }
            """
        let dialect = try Dialect(toml: profile, file: "acme.toml")
        let template = try #require(RequestTemplate(of: dialect))
        #expect(template.body.contains(Self.token))
        #expect(!"\(template)".contains("sk-1234"))
        #expect(
            try JSONDecoder().decode(
                RequestTemplate.self,
                from: JSONEncoder().encode(template)
            ) == template
        )
    }
}
