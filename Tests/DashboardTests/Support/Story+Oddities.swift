import Dialects
import Lifecycle
import Timekeeping
import Tokens

extension Story {
    static let oddities: [(name: String, story: Story)] = [
        ("thirty-days", thirtyDays()),
        ("mismatched", mismatched()),
        ("assumed", assumed()),
        ("troubled", troubled()),
        ("full-disk", fullDisk()),
        ("broken-feed", brokenFeed()),
        ("strange-texts", strangeTexts()),
    ]

    /// Tokens of thirty days that a backend rotates or not: the second of fifteen.
    static func thirtyDays() -> Story {
        let day = 86_400.0
        var story = Story()
        story.capabilities(dialect: "melchat", rotation: .maybe, scopes: [.this, .everywhere])
        story.wait(3)
        story.login = 1
        story.generation = 1
        story.add(.loginStarted)
        story.request(.login, "POST", "/api/auth/verify", status: 200, seconds: 0.21, why: "you")
        story.issue(
            .login,
            refreshLife: 30 * day,
            access: Expiry(seconds: 30 * day, source: .lifetime)
        )
        story.enter(.fresh)
        story.wait(19 * 3_600 + 1_234)
        story.request(seconds: 1.234, why: "you")
        return story
    }

    /// An answer that says one thing and a token that says another.
    static func mismatched() -> Story {
        var story = Story()
        story.capabilities(dialect: "creatist", rotation: .maybe)
        story.login = 1
        story.generation = 1
        let readings = [
            Expiry.Reading(source: .lifetime, seconds: 1_800),
            Expiry.Reading(source: .webTokenLifetime, seconds: 899),
        ]
        story.issue(
            .login,
            access: Expiry(seconds: 899, source: .webTokenLifetime, mismatch: readings)
        )
        story.add(.expiryMismatch(token: .access, readings: readings))
        story.enter(.fresh)
        story.wait(61)
        return story
    }

    /// Opaque tokens of a backend that says nothing of their life.
    static func assumed() -> Story {
        var story = Story()
        story.capabilities(dialect: "intellipost", rotation: .always, hasFeed: false)
        story.login = 1
        story.generation = 1
        story.issue(.resumed, access: Expiry(seconds: 900, source: .assumed), isOpaque: true)
        story.enter(.fresh)
        story.wait(125)
        return story
    }

    /// All that can be wrong with a session that works.
    static func troubled() -> Story {
        var story = ordinary()
        story.add(.storm(until: story.instant(28)))
        story.add(.unsaved(VaultProblem(words: "no space left on device")))
        story.add(.protocolError(words: "no access_token in the answer"))
        story.add(.noProgress)
        story.add(.dropped(count: 1_234))
        return story
    }

    /// What is wrong is said in more words than there is room for.
    static func fullDisk() -> Story {
        var story = ordinary()
        let path = "/home/somebody/.local/state/authtop/voltyks-0123456789abcdef.vault"
        let words = "cannot write \(path): No space left on device; make room on the disk"
        story.add(.unsaved(VaultProblem(words: words)))
        story.add(.noProgress)
        return story
    }

    /// A feed that fails in every way.
    static func brokenFeed() -> Story {
        var story = ordinary()
        let socket = story.sockets
        story.wait(0.5)
        story.add(.feed(.closed(socket: socket, code: 1006, by: .transport, reason: "")))
        story.add(
            .feed(
                .stateChanged(
                    .backoff(attempt: 1, nextAt: story.instant(0.4), why: "cut (1006)")
                )
            )
        )
        story.wait(0.4)
        story.dial()
        story.add(.feed(.refused(socket: story.sockets, status: 403)))
        story.wait(1)
        story.dial()
        story.add(.feed(.failed(socket: story.sockets, words: "connection refused")))
        story.wait(1)
        story.open()
        story.message(isDuplicate: true)
        story.wait(0.2)
        story.switchSocket(gap: 3)
        story.add(.feed(.closed(socket: story.sockets - 1, code: 1000, by: .us, reason: "")))
        story.wait(0.2)
        story.add(
            .feed(.closed(socket: story.sockets, code: 4401, by: .peer, reason: "token expired"))
        )
        story.add(.feed(.stateChanged(.refused(status: 403, nextAt: story.instant(30)))))
        return story
    }

    /// What a hostile or merely foreign server may send.
    static func strangeTexts() -> Story {
        var story = ordinary()
        for text in [
            "\u{1B}[2J\u{1B}]0;owned\u{07} clears nothing", "a\tb\r\nc\u{7F}\u{9B}31m",
            "日本語のテキスト 한국어 中文字符", "👨‍👩‍👧 👍🏽 ❤️ 🇩🇪 emoji", "e\u{301}a\u{308} n\u{303}\u{327} combined",
            "abc\u{202E}gpj.exe\u{2069} \u{200B}zero\u{FEFF}", "\u{301}begins with a mark",
        ] {
            story.wait(0.1)
            story.message(type: "日本", excerpt: text)
        }
        story.request(status: 404, why: "ü")
        story.request(.protected, "GET", "/päth/日本語/\u{1B}[31m", status: 200, why: "you")
        return story
    }
}
