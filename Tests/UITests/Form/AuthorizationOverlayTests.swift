import Model
import Testing

@testable import UI

@Suite("The sign-in with a browser")
struct AuthorizationOverlayTests {
    private static let url =
        "https://auth.example.com/o/authorize?response_type=code&client_id=authtop"
        + "&redirect_uri=http%3A%2F%2F127.0.0.1%3A41781%2Fcallback&scope=openid%20offline_access"
        + "&state=Zs3vD1oY9mXe2k7wq5tLr8uBf4hJc6nPa0gEiVxKyTM&code_challenge_method=S256"

    /// A session that waits for the user.
    private func waiting(isOpened: Bool = true) -> (state: DashboardState, script: EventScript) {
        var script = EventScript.ended(.never)
        script.add(LoginStarted())
        script.enter(.signingIn)
        script.add(
            AuthorizationPrompt(
                url: Self.url,
                isOpened: isOpened,
                expiresAt: script.instant(300)
            )
        )
        return (DashboardState(script), script)
    }

    @Test(
        "is an overlay with the address and the time left",
        arguments: [(120, 40), (80, 24), (60, 16)]
    )
    func overlay(columns: Int, rows: Int) throws {
        var (state, script) = waiting(isOpened: columns > 60)
        #expect(state.mode == .authorization)
        script.wait(62)
        let size = "\(columns)x\(rows)"
        try expectScreen(state.screen(columns, rows, script.now), named: "authorization-\(size)")
    }

    @Test(
        "on any device, the overlay has the address, the code, and a QR code where there is room",
        arguments: [(120, 40), (80, 24), (60, 16)]
    )
    func device(columns: Int, rows: Int) throws {
        var script = EventScript.ended(.never)
        script.enter(.signingIn)
        let address = "https://auth.example.com/device"
        script.add(
            AuthorizationPrompt(
                url: address,
                isOpened: false,
                expiresAt: script.instant(300),
                device: AuthorizationPrompt.Device(
                    userCode: "WDJB-MJHT",
                    completeURL: address + "?user_code=WDJB-MJHT"
                )
            )
        )
        var state = DashboardState(script)
        let screen = state.screen(columns, rows, script.now).text
        #expect(screen.contains("WDJB-MJHT"), "\(screen)")
        #expect(screen.replacing("\n", with: "").contains("auth.example.com"), "\(screen)")
        let code = try #require(QRCode(address + "?user_code=WDJB-MJHT"))
        let isWhole = code.rows.allSatisfy(screen.contains)
        #expect(isWhole == (rows >= 24), "\(screen)")
        #expect(isWhole || !screen.contains("▀"), "\(screen)")
    }

    @Test("y copies the whole address")
    func copied() {
        var (state, _) = waiting()
        let copied = CopiedText(name: "the address", text: Self.url)
        #expect(state.update(.key("y")) == [.copy(copied)])
    }

    @Test("Esc cancels it, and closes the overlay")
    func cancelled() {
        var (state, script) = waiting()
        let id = EventScript.session
        #expect(state.update(.key(.escape)) == [.perform(.cancelLogIn, on: id)])
        #expect(state.overlay == nil)
        // Until the session reports its end, o shows it again.
        #expect(state.update(.key("o")).isEmpty)
        #expect(state.mode == .authorization)
        script.events = []
        script.add(LoginFailed(RefreshFailure(.authorization(.cancelled))))
        for event in script.events { _ = state.update(.event(event)) }
        #expect(state.overlay == nil)
    }

    @Test("the overlay closes when the browser has brought the code")
    func granted() {
        var (state, script) = waiting()
        script.events = []
        script.add(AuthorizationGranted())
        for event in script.events { _ = state.update(.event(event)) }
        #expect(state.overlay == nil)
    }

    @Test("another overlay is not closed by it")
    func otherOverlay() {
        var script = EventScript.ended(.never)
        var state = DashboardState(script)
        state.press("?")
        script.events = []
        script.enter(.signingIn)
        script.add(
            AuthorizationPrompt(url: Self.url, isOpened: true, expiresAt: script.instant(300))
        )
        for event in script.events { _ = state.update(.event(event)) }
        #expect(state.mode == .overlay)
    }
}
