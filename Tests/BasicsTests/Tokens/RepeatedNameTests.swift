import Basics
import Testing

@Suite("JSON: a name that is there twice")
struct RepeatedNameTests {
    @Test(
        "the last one counts, as it does in a browser",
        arguments: [
            #"{"data":true,"data":{"a":1}}"#, #"{"data":1,"d\u0061ta":{"a":1}}"#,
            #"{"data":{"b":2},"data":{"a":0,"a":1}}"#,
        ]
    )
    func last(text: String) {
        #expect(JSONValue(parsing: Array(text.utf8)) == ["data": ["a": 1]])
    }
}
