import Basics
import Model
import Testing

@testable import UI

@Suite("The login form")
struct LoginFormTests {
    private static let secret = "hunter2-correct-horse"

    @Test("o logs in at once where everything is known")
    func known() {
        var state = DashboardState(.signedOut(), session: .fields("env", "env"))
        #expect(state.update(.key("o")) == [.logIn])
        #expect(state.overlay == nil)
    }

    @Test(
        "o opens the form where something is missing",
        arguments: [("env", nil), (nil, nil)] as [(String?, String?)]
    )
    func missing(email: String?, password: String?) throws {
        let script = EventScript.signedOut()
        var state = DashboardState(script, session: .fields(email, password))
        #expect(state.update(.key("o")).isEmpty)
        #expect(state.mode == .form)
        if email != nil {
            try expectScreen(state.screen(80, 24, script.now), named: "form-missing")
        }
    }

    @Test("o opens the form where the backend has just refused what is known")
    func refused() throws {
        let script = EventScript.signedOut(after: .refused)
        var state = DashboardState(script, session: .fields("env", "env"))
        #expect(state.update(.key("o")).isEmpty)
        try expectScreen(state.screen(60, 16, script.now), named: "form-refused")
    }

    @Test("a login without an answer is retried at once")
    func unanswered() {
        let script = EventScript.signedOut(after: .notSent)
        var state = DashboardState(script, session: .fields("env", "env"))
        #expect(state.update(.key("o")) == [.logIn])
    }

    @Test("what is typed is handed on, and what was known is left as it is")
    func submit() {
        var state = DashboardState(.signedOut(), session: .fields("env", nil))
        state.press("o")
        state.type(Self.secret)
        #expect(state.update(.key(.enter)) == [.logInWith(["password": Secret(Self.secret)])])
        #expect(state.overlay == nil)
        #expect(state.update(.key("o")) == [.logIn])
    }

    @Test("Enter moves to the next field, and names what is missing")
    func enter() {
        var state = DashboardState(.signedOut(), session: .fields(nil, nil))
        state.press("o", .enter)
        state.type("x")
        #expect(state.update(.key(.enter)).isEmpty)
        #expect(state.notice?.message == "email is missing")
        state.type("qj?@example.com")
        state.press(.tab)
        #expect(
            state.update(.key(.enter))
                == [.logInWith(["email": Secret("qj?@example.com"), "password": Secret("x")])]
        )
    }

    @Test("Backspace and Ctrl-U take back, and Esc everything")
    func erase() {
        let script = EventScript.signedOut()
        var state = DashboardState(script, session: .fields(nil, nil))
        state.press("o")
        state.type("abc")
        state.press(.backspace)
        #expect(state.screen(80, 24, script.now).text.contains("email     ab "))
        state.press(.control("u"))
        #expect(!state.screen(80, 24, script.now).text.contains("email     a"))
        state.type("abc")
        state.press(.escape)
        #expect(state.overlay == nil)
        state.press("o")
        #expect(!state.screen(80, 24, script.now).text.contains("abc"))
    }

    @Test("a secret is on no screen and in no description", arguments: [1, 21, 8_192])
    func hidden(count: Int) throws {
        let script = EventScript.signedOut()
        var state = DashboardState(script, session: .fields("env", nil))
        state.press("o")
        let secret = String(String(repeating: Self.secret, count: 400).prefix(count))
        state.type(secret)
        let text = state.screen(80, 24, script.now).text
        #expect(count == 1 || !text.contains(secret.prefix(4)))
        #expect(text.contains("•"))
        #expect(!"\(state)".contains("hunter"))
        var dumped = ""
        dump(state.overlay, to: &dumped)
        #expect(!dumped.contains("hunter"))
        #expect(state.update(.key(.enter)) == [.logInWith(["password": Secret(secret)])])
        if count == 8_192 { #expect(text.contains("8 192 characters")) }
    }

    @Test("a field takes as much as a token may need, and no more")
    func bounded() {
        var state = DashboardState(.signedOut(), session: .fields("env", nil))
        state.press("o")
        let piece = String(repeating: "é", count: 2_000)
        for _ in 0..<20 { state.type(piece) }
        guard case .logInWith(let values, _)? = state.update(.key(.enter)).first else {
            Issue.record("nothing was handed on")
            return
        }
        #expect(values["password"]?.byteCount == LoginForm.sizeLimit)
    }
}

extension DashboardSession {
    fileprivate static func fields(_ email: String?, _ password: String?) -> Self {
        func origin(_ known: String?, _ name: String) -> String? {
            known.map { _ in "set by AUTHTOP_BITBASEL_\(name)" }
        }
        return DashboardSession(
            id: EventScript.session,
            credentials: [
                CredentialField(name: "email", isSecret: false, origin: origin(email, "EMAIL")),
                CredentialField(
                    name: "password",
                    isSecret: true,
                    origin: origin(password, "PASSWORD")
                ),
            ]
        )
    }
}

extension EventScript {
    fileprivate static func signedOut(after failure: RefreshFailure.Class? = nil) -> EventScript {
        var script = cold()
        script.enter(.signedOut(.never))
        guard let failure else { return script }
        script.add(LoginStarted())
        script.enter(.signingIn)
        script.add(
            LoginFailed(
                RefreshFailure(
                    failure == .refused
                        ? .credentialsRefused(status: 401, detail: "Wrong credentials")
                        : .unsent(.unreachable(detail: "connection refused"))
                )
            )
        )
        script.enter(.signedOut(.never))
        return script
    }
}
