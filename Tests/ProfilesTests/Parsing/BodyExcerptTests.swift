import Basics
import Testing

@testable import Profiles

@Suite("The beginning of a body that is kept")
struct BodyExcerptTests {
    private static func kept(_ body: String, type: String = "application/json") -> String? {
        BodyExcerpt(
            Array(body.utf8),
            type: type,
            hiding: .none,
            by: Recognition.builtIn.secrets
        )?.text
    }

    @Test(
        "has no secret that an element of XML within it is named for",
        arguments: [
            "<Token>hunter2</Token>", "<s:token xmlns:s='urn:s'>hunter2</s:token>",
            #"<Token xsi:type=\"s\">hunter2</Token>"#, "<token><![CDATA[hunter2]]></token>",
            "<token><value>hunter2</value></token>", #"<token>hunter2<\/token>"#,
            "&lt;token&gt;hunter2&lt;/token&gt;", #"\u003ctoken\u003ehunter2\u003c/token\u003e"#,
            #"\u003Ctoken a=\"b\"\u003Ehunter2\u003C\/token\u003E"#,
            #"<token a=\"b\">hunter2X"#, "<otp>658638</otp>",
        ]
    )
    func elements(element: String) throws {
        let text = try #require(Self.kept("{\"note\": \"milk\", \"xml\": \"<a>\(element)\"}"))
        #expect(!text.contains("hunter2") && !text.contains("658638"), "\(text)")
        #expect(
            text.hasPrefix(#"{"note": "milk", "xml": "<a>"#) && text.hasSuffix("\"}"),
            "\(text)"
        )
    }

    @Test(
        "keeps the elements that have none",
        arguments: [
            "<note>hunter</note>", "<token/><note>milk</note>",
            "<token></token><note>milk</note>", "send <token> in the header",
            #"send \u003ctoken\u003e in the header"#, "<token_type>Bearer</token_type>",
        ]
    )
    func otherElements(element: String) {
        let body = "{\"xml\": \"\(element)\"}"
        #expect(Self.kept(body) == body)
    }
}
