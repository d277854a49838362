import Dialects
import Lifecycle
import Timekeeping

extension Story {
    /// One for every kind of state.
    static let allStates: [(name: String, story: Story)] =
        [
            ("cold", cold()),
            ("vault-locked", vaultLocked()),
            ("never", ended(.never)),
            ("signing-in", signingIn()),
            ("fresh", ordinary()),
            ("paused", paused()),
            ("renewing", renewing()),
            ("retrying", failing { .retrying($0) }),
            ("blocked", blocked()),
            ("offline", failing { .offline($0) }),
            ("unknown", failing(.unknown) { .unknown($0) }),
            ("draining", draining()),
            ("signing-out", signingOut()),
        ] + SignedOutReason.allCases.map { ("signed-out-\($0.rawValue)", ended($0)) }

    static func cold() -> Story {
        var story = Story()
        story.capabilities()
        return story
    }

    static func vaultLocked() -> Story {
        var story = cold()
        story.enter(.vaultUnavailable(VaultProblem(words: "the keyring is locked", isLocked: true)))
        return story
    }

    static func signingIn() -> Story {
        var story = cold()
        story.enter(.signedOut(.never))
        story.wait(5)
        story.add(.loginStarted)
        story.enter(.signingIn)
        return story
    }

    static func paused() -> Story {
        var story = ordinary()
        story.add(.paused(by: .person))
        return story
    }

    static func renewing() -> Story {
        var story = ordinary()
        story.wait(6)
        story.flights += 1
        story.add(.refreshStarted(flight: story.flights, cause: .timer))
        story.enter(.renewing)
        return story
    }

    static func failing(
        _ kind: RefreshFailure.Class = .transient,
        status: Int? = nil,
        _ state: (RetryOutlook) -> SessionState
    ) -> Story {
        var story = ordinary()
        story.wait(6)
        let failure =
            kind == .transient
            ? RefreshFailure(kind: .transient, status: 503, words: "Service Unavailable")
            : RefreshFailure(
                kind: kind,
                status: status,
                words: status == nil ? "connection reset" : "an HTML page instead of JSON"
            )
        story.failRenewal(failure, attempt: 1, nextIn: 0.8)
        story.wait(1.2)
        story.failRenewal(failure, attempt: 2, nextIn: 2.4)
        let outlook = RetryOutlook(failures: 2, failure: failure, nextAt: story.instant(2.4))
        story.enter(state(outlook))
        return story
    }

    static func blocked() -> Story {
        var story = renewing()
        story.wait(7)
        story.enter(.blocked)
        return story
    }

    static func draining() -> Story {
        var story = ordinary()
        story.wait(6)
        let failure = RefreshFailure(
            kind: .refused,
            status: 401,
            words: "Invalid or expired refresh token"
        )
        story.failRenewal(failure, attempt: 1, nextIn: nil)
        story.add(.draining(endsAt: story.instant(5.4), reason: .revoked))
        story.enter(.draining(.revoked))
        return story
    }

    static func signingOut() -> Story {
        var story = ordinary()
        story.enter(.signingOut(.this))
        return story
    }

    static func ended(_ reason: SignedOutReason) -> Story {
        var story = reason == .never ? cold() : draining()
        story.wait(3)
        story.add(.signedOut(reason))
        story.enter(.signedOut(reason))
        if reason != .never {
            story.add(.feed(.closed(socket: story.sockets, code: 1000, by: .us, reason: "")))
            story.add(.feed(.stateChanged(.idle)))
        }
        story.generation = 0
        return story
    }
}
