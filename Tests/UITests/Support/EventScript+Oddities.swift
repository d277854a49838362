import Basics
import Profiles

@testable import Model

extension EventScript {
    static let oddities: [(name: String, script: EventScript)] = [
        ("thirty-days", thirtyDays()),
        ("mismatched", mismatched()),
        ("assumed", assumed()),
        ("timestamps", timestamps()),
        ("troubled", troubled()),
        ("full-disk", fullDisk()),
        ("broken-feed", brokenFeed()),
        ("strange-texts", strangeTexts()),
    ]

    /// Tokens of thirty days that a backend rotates or not: the second of fifteen.
    static func thirtyDays() -> EventScript {
        let day = 86_400.0
        var script = EventScript()
        script.capabilities(dialect: "melchat", rotation: .maybe, scopes: [.this, .everywhere])
        script.wait(3)
        script.login = 1
        script.generation = 1
        script.add(LoginStarted())
        script.request(.login, "POST", "/api/auth/verify", status: 200, seconds: 0.21, why: .user)
        script.issue(
            .login,
            refreshLife: 30 * day,
            access: Expiry(seconds: 30 * day, source: .lifetime)
        )
        script.enter(.fresh)
        script.wait(19 * 3_600 + 1_234)
        script.request(seconds: 1.234, why: .user)
        return script
    }

    /// An answer that says one thing and a token that says another.
    static func mismatched() -> EventScript {
        var script = EventScript()
        script.capabilities(dialect: "creatist", rotation: .maybe)
        script.login = 1
        script.generation = 1
        let readings = [
            Expiry.Reading(source: .lifetime, seconds: 1_800),
            Expiry.Reading(source: .webTokenLifetime, seconds: 899, margin: 1),
        ]
        script.issue(
            .login,
            access: Expiry(
                seconds: 899,
                source: .webTokenLifetime,
                margin: 1,
                mismatch: readings
            )
        )
        script.add(ExpiryMismatch(token: .access, readings: readings))
        script.enter(.fresh)
        script.wait(61)
        return script
    }

    /// Opaque tokens of a backend that says nothing of their life.
    static func assumed() -> EventScript {
        var script = EventScript()
        script.capabilities(dialect: "intellipost", rotation: .always, hasFeed: false)
        script.login = 1
        script.generation = 1
        script.issue(.resumed, access: Expiry(seconds: 900, source: .assumed), isOpaque: true)
        script.enter(.fresh)
        script.wait(125)
        return script
    }

    /// Expiries as absolute times: what the two clocks leave open is in them.
    static func timestamps() -> EventScript {
        var script = EventScript()
        script.capabilities(dialect: "voltyks", rotation: .always)
        script.login = 1
        script.generation = 1
        script.issue(
            .login,
            access: Expiry(seconds: 899.25, source: .timestamp, skewWidth: 0.75)
        )
        script.enter(.fresh)
        script.wait(125)
        return script
    }

    /// All that can be wrong with a session that works.
    static func troubled() -> EventScript {
        var script = ordinary()
        script.add(CircuitBreakerOpened(until: script.instant(28)))
        script.add(PairUnsaved(VaultProblem(message: "no space left on device")))
        let detail = "no access_token in the answer"
        script.add(ProtocolError(RefreshFailure(.notUnderstood(status: 400, detail: detail))))
        script.add(NoProgress())
        script.add(EventsDropped(count: 1_234))
        return script
    }

    /// The text of the problem is longer than the room for it.
    static func fullDisk() -> EventScript {
        var script = ordinary()
        let path = "/home/somebody/.local/state/authtop/voltyks-0123456789abcdef.vault"
        let message = "cannot write \(path): No space left on device; make room on the disk"
        script.add(PairUnsaved(VaultProblem(message: message)))
        script.add(NoProgress())
        return script
    }

    /// A feed that fails in every way.
    static func brokenFeed() -> EventScript {
        var script = ordinary()
        let socket = script.sockets
        script.wait(0.5)
        script.add(FeedClosed(socket: socket, code: 1006, by: .transport, reason: ""))
        script.add(
            FeedStateChanged(
                .backoff(attempt: 1, nextAt: script.instant(0.4), why: .closed(code: 1006))
            )
        )
        script.wait(0.4)
        script.dial()
        script.add(FeedRefused(socket: script.sockets, status: 403))
        script.wait(1)
        script.dial()
        let refusal = FeedCause.unreachable(detail: "connection refused")
        script.add(FeedFailed(socket: script.sockets, why: refusal))
        script.wait(1)
        script.open()
        script.message(isDuplicate: true)
        script.wait(0.2)
        script.switchSocket(gap: 3)
        script.add(FeedClosed(socket: script.sockets - 1, code: 1000, by: .us, reason: ""))
        script.wait(0.2)
        script.add(
            FeedClosed(socket: script.sockets, code: 4401, by: .peer, reason: "token expired")
        )
        script.add(FeedStateChanged(.refused(status: 403, nextAt: script.instant(30))))
        return script
    }

    /// The texts that a hostile or merely foreign server may send.
    static func strangeTexts() -> EventScript {
        var script = ordinary()
        for text in [
            "\u{1B}[2J\u{1B}]0;owned\u{07} clears nothing", "a\tb\r\nc\u{7F}\u{9B}31m",
            "日本語のテキスト 한국어 中文字符", "👨‍👩‍👧 👍🏽 ❤️ 🇩🇪 emoji", "e\u{301}a\u{308} n\u{303}\u{327} combined",
            "abc\u{202E}gpj.exe\u{2069} \u{200B}zero\u{FEFF}", "\u{301}begins with a mark",
        ] {
            script.wait(0.1)
            script.message(type: "日本", excerpt: text)
        }
        script.request(status: 404, why: .user)
        script.request(.protected, "GET", "/päth/日本語/\u{1B}[31m", status: 200, why: .user)
        return script
    }
}
