import Basics
import Testing

@testable import Profiles

@Suite("Answer templates")
struct ResponseTemplateTests {
    @Test(
        "a member whose value is a gap can be taken out, with one comma",
        arguments: [
            (#"{"a": 1, "r": "{r}"}"#, #"{"a": 1}"#),
            (#"{"r": "{r}", "a": 1}"#, #"{"a": 1}"#),
            (#"{"a": 1, "r" : {r} , "b": 2}"#, #"{"a": 1, "b": 2}"#),
            ("{\n  \"a\": 1,\n  \"r\": \"{r}\"\n}", "{\n  \"a\": 1\n}"),
            (#"{"r": "{r}"}"#, "{}"),
            (#"{"r": "{r}", "r2": "{r}"}"#, "{}"),
            (#"{"x": {"r": "{r}"}}"#, #"{"x": {}}"#),
            (#"{"a": "Bearer {r}"}"#, #"{"a": "Bearer {r}"}"#),
            (#"["{r}"]"#, #"["{r}"]"#),
            ("{r}", "{r}"), ("", ""), (#"{"a": "{other}"}"#, #"{"a": "{other}"}"#),
        ]
    )
    func removal(text: String, expected: String) {
        #expect(JSONText.removingMembers(with: ["r"], from: text) == expected)
    }

    @Test("braces that are no gap stay as they are")
    func braces() {
        let text = PlaceholderText(#"{"a": {b}, {C} {} {{d}} {e"#)
        #expect(text.names == ["b", "d"])
        #expect(text.filled { $0.uppercased() } == #"{"a": B, {C} {} {D} {e"#)
    }

    @Test("what fills a gap is escaped in JSON, and only there")
    func escaping() {
        var values = ResponseValues(BackendUser(id: 1, email: "a\"b\\\n", username: "u"))
        let json = ResponseTemplate(status: 200, body: #"{"e": "{email}"}"#)
        #expect(json.text(values) == #"{"e": "a\"b\\\n"}"#)
        let plain = WireHeader("Content-Type", "text/plain")
        let text = ResponseTemplate(status: 200, headers: [plain], body: "{email}")
        #expect(text.text(values) == "a\"b\\\n")
        values = ResponseValues()
        #expect(json.text(values) == #"{"e": ""}"#)
    }

    @Test("times and lifetimes are whole, and numbers without meaning do no harm")
    func numbers() {
        let facts = IssuedFacts(
            access: AccessToken(Secret("a")),
            refresh: RefreshToken(Secret("r")),
            issuedAt: 1_767_707_320.9,
            accessLifetime: 1.5,
            refreshLifetime: .nan,
            user: BackendUser(id: 1, email: "e", username: "u")
        )
        let values = ResponseValues(facts)
        #expect(values[.expiresIn] == "1")
        #expect(values[.accessExpiresAt] == "2026-01-06T13:48:42Z")
        #expect(values[.accessExpiresAtUnix] == "1767707322")
        #expect(values[.refreshExpiresIn] == "0")
        #expect(values[.refreshExpiresAt] == "1970-01-01T00:00:00Z")
    }
}
