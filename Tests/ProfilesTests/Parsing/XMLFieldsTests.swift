import Basics
import Testing

@testable import Profiles

@Suite("The elements of XML as members")
struct XMLFieldsTests {
    private static func fields(_ text: String) -> JSONValue? { XMLFields.parse(Array(text.utf8)) }

    @Test("are texts, objects and lists, without prefixes")
    func elements() {
        let text = """
            <?xml version="1.0"?><!-- a note -->
            <s:Envelope xmlns:s="http://example.com/"><s:Body>
            <user id='7'>Ada &amp; Bob</user><key><![CDATA[a<b]]></key><key/></s:Body></s:Envelope>
            """
        #expect(
            Self.fields(text)?["Body"]
                == ["user": ["id": "7", "text": "Ada & Bob"], "key": ["a<b", ""]]
        )
    }

    @Test(
        "are those of whole documents only",
        arguments: [
            "", "<a>", "<a></b>", "<a><b></a></b>", "text", "<a/><b/>", "</a>", "<>", "<a", "<!-- ",
        ]
    )
    func broken(text: String) { #expect(Self.fields(text) == nil) }

    @Test("have limits")
    func limits() {
        let deep = String(repeating: "<a>", count: 40) + String(repeating: "</a>", count: 40)
        #expect(Self.fields(deep) == nil)
        #expect(Self.fields("<a>" + String(repeating: "<b/>", count: 5_000) + "</a>") == nil)
    }

    @Test(
        "are read by their type, and those of a page are not",
        arguments: [
            ("text/xml; charset=utf-8", true), ("application/soap+xml", true),
            ("application/xhtml+xml", false), ("text/html", false), (nil, false),
        ]
    )
    func types(type: String?, isXML: Bool) { #expect(XMLFields.isXML(type) == isXML) }
}
