import Testing

@testable import Profiles
@testable import UI

@Suite("Copying")
struct CopyTests {
    private static func copied(_ state: inout DashboardState) -> CopiedText? {
        for case .copy(let copied) in state.update(.key("y")) { return copied }
        return nil
    }

    @Test("y copies the newest request as curl, or the one under the cursor")
    func request() throws {
        let script = EventScript.ordinary()
        var state = DashboardState(script)
        _ = state.screen(120, 40, script.now)
        state.press("3")
        #expect(Self.copied(&state)?.name == "request #26 as curl")
        state.press("j", "j")
        let copied = try #require(Self.copied(&state))
        #expect(copied.name == "request #25 as curl")
        let header = "-H 'Authorization: Bearer '\"$TOKEN\""
        #expect(copied.text == "curl -i \(header) 'http://127.0.0.1:8787/posts/feed'")
    }

    @Test(
        "a request has its token where the session's dialect sends it",
        arguments: [
            (
                RequestTemplate(headers: [
                    WireHeader("Cookie", "id=\(RequestTemplate.tokenPlaceholder)")
                ]), "curl -i -H 'Cookie: id='\"$TOKEN\" 'http://127.0.0.1:8787/posts/feed'",
                "request #26 as curl"
            ),
            (
                nil, "curl -i 'http://127.0.0.1:8787/posts/feed'",
                "request #26 as curl without its token, whose place the recording does not state"
            ),
        ] as [(RequestTemplate?, String, String)]
    )
    func place(template: RequestTemplate?, text: String, name: String) throws {
        var script = EventScript.ordinary()
        script.capabilities(template: template)
        var state = DashboardState(script)
        _ = state.screen(120, 40, script.now)
        let copied = try #require(Self.copied(&state))
        #expect(copied.text == text)
        #expect(copied.name == name)
    }

    @Test("y copies a line of the feed or an event as Markdown", arguments: ["Feed", "History"])
    func markdown(title: String) throws {
        let script = EventScript.ordinary()
        var state = DashboardState(script)
        _ = state.screen(120, 40, script.now)
        let pane = try #require(PaneCatalogue.all.first { $0.title == title })
        state.type("\(pane.id.rawValue)")
        let lines = try #require(Self.copied(&state)).text.split(separator: "\n")
        #expect(lines.count == 3)
        let column = title == "Feed" ? "socket" : "tokens"
        #expect(lines[0] == "| time | \(column) | event |")
        #expect(lines[2].hasPrefix("| 14:0"))
    }

    @Test(
        "what was copied is said with its size, and how it left",
        arguments: [
            (.terminal, "it, 12 bytes: sent to the terminal's clipboard"),
            (.tmux, "it, 12 bytes: sent to tmux, which needs set-clipboard on"),
            (.none, "not copied: this terminal has no clipboard for programs"),
        ] as [(CopiedText.Route, String)]
    )
    func message(route: CopiedText.Route, message: String) {
        #expect(CopiedText(name: "it", text: "twelve bytes").message(route) == message)
    }

    @Test("panes without a list have nothing to copy", arguments: ["1", "2"] as [Key])
    func noList(pane: Key) {
        var state = DashboardState(.ordinary())
        state.press(pane)
        #expect(Self.copied(&state) == nil)
        #expect(state.notice?.message.hasPrefix("nothing to copy here") == true)
    }
}
