import Basics
import Testing

@testable import Model
@testable import UI

@Suite("Notifications of the terminal, as the dashboard has them")
struct NotificationTextTests {
    private static func notification(
        _ kind: any EventKind,
        in session: String = "acme",
        dropped: Int = 0
    ) -> Notification {
        var script = EventScript()
        script.id = SessionID(session)
        script.add(kind)
        return Notification(rule: 0, event: script.events[0], condition: nil, dropped: dropped)
    }

    private static func finding(_ message: String) -> ObservedFinding {
        ObservedFinding(
            number: 1,
            rule: "race",
            severity: .bug,
            confidence: .certain,
            evidence: [],
            message: message,
            remedy: message,
            path: message,
            firstAt: EventScript.start,
            lastAt: EventScript.start
        )
    }

    @Test(
        "are sentences of our own, one for each kind of event that fulfills a condition",
        arguments: [
            (SignedOut(.revoked), "acme: signed out: the backend refused the refresh token"),
            (
                SessionEndsSoon(
                    endsAt: EventScript.start.now.advanced(bySeconds: 299),
                    reason: .revoked
                ),
                "acme: ends in 4 m 59 s, and nothing can renew it"
            ),
            (
                ObservedStatus.ended(.refreshRefused),
                "acme: the app's session ended: the backend refused its refresh token"
            ),
            (finding("\u{1B}]0;words of a server"), "acme: found: race"),
        ] as [(any EventKind, String)]
    )
    func sentences(kind: any EventKind, text: String) {
        #expect(kind.condition != nil)
        #expect(NotificationText.text(Self.notification(kind), namesSession: true) == text)
    }

    @Test("say how many were left out")
    func dropped() {
        let notification = Self.notification(Self.finding(""), dropped: 998)
        #expect(
            NotificationText.text(notification, namesSession: true)
                == "acme: found: race (and 998 more)"
        )
    }

    @Test(
        "name an app's session by its profile and its number, and what is of no session by the profile",
        arguments: [(0, "app: found: race"), (1, "app session 2: found: race")]
    )
    func app(login: Int, text: String) {
        var event = Self.notification(Self.finding(""), in: "2").event
        event.profile = "app"
        event.login = login
        let notification = Notification(rule: 0, event: event, condition: nil, dropped: 0)
        #expect(NotificationText.text(notification, namesSession: true) == text)
    }

    @Test("have a bounded name without anything that a terminal acts upon")
    func name() throws {
        let hostile = "\u{1B}]9;\u{07}\u{9C}\u{202E}" + String(repeating: "n", count: 1_000)
        let text = try #require(
            NotificationText.text(
                Self.notification(SignedOut(.revoked), in: hostile),
                namesSession: true
            )
        )
        #expect(!text.unicodeScalars.contains { $0.isUnseen })
        #expect(text.count < 120)
    }

    @Test("come only while the terminal is in the background")
    func background() {
        var state = DashboardState(EventScript.ordinary())
        let ended = Self.notification(SignedOut(.revoked))
        #expect(state.update(.notification(ended)) == [])
        _ = state.update(.background(true))
        #expect(
            state.update(.notification(ended))
                == [.announce("acme: signed out: the backend refused the refresh token")]
        )
        _ = state.update(.background(false))
        #expect(state.update(.notification(ended)) == [])
    }

    @Test("of a locked screen name no session")
    func locked() {
        var state = DashboardState(EventScript.ordinary())
        _ = state.update(.background(true))
        _ = state.update(.locked(.passphrase))
        #expect(
            state.update(.notification(Self.notification(SignedOut(.revoked))))
                == [.announce("signed out: the backend refused the refresh token")]
        )
    }
}
