import Testing

@testable import Sandbox

@Suite("The page of a sign-in")
struct SignInPageTests {
    @Test(
        "keeps what it is given in its attribute",
        arguments: ["\"", "\"\u{301}", "<\u{338}", ">\u{200D}", "&\u{FE0F}lt;"]
    )
    func attributes(mark: String) {
        let plain = SignInPage.deviceForm(code: "", notice: nil)
        let text = "/a\(mark) onmouseover=alert(1) "
        let pages = [
            SignInPage.deviceForm(code: text, notice: nil),
            SignInPage.deviceForm(code: "", notice: text),
        ]
        for page in pages {
            for sign in "\"<>".utf8 {
                #expect(page.utf8.count { $0 == sign } == plain.utf8.count { $0 == sign })
            }
        }
    }
}
