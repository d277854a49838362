import Basics
import Model
import Profiles

extension EventScript {
    /// One for every kind of state.
    static let allStates: [(name: String, script: EventScript)] =
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
            ("expired", failing { .expired($0) }),
            ("unknown", failing(.unknown) { .unknown($0) }),
            ("draining", draining()),
            ("signing-out", signingOut()),
        ] + SignedOutReason.allCases.map { ("signed-out-\($0.rawValue)", ended($0)) }

    static func cold() -> EventScript {
        var script = EventScript()
        script.capabilities()
        return script
    }

    static func vaultLocked() -> EventScript {
        var script = cold()
        script.enter(
            .vaultUnavailable(VaultProblem(.locked, message: "the keyring is locked"))
        )
        return script
    }

    static func signingIn() -> EventScript {
        var script = cold()
        script.enter(.signedOut(.never))
        script.wait(5)
        script.add(LoginStarted())
        script.enter(.signingIn)
        return script
    }

    static func paused() -> EventScript {
        var script = ordinary()
        script.add(RenewalPaused(.timer, by: .user))
        script.add(RenewalPlanned(.held(.paused)))
        return script
    }

    static func renewing() -> EventScript {
        var script = ordinary()
        script.wait(6)
        script.flights += 1
        script.sendRenewal()
        script.enter(.renewing)
        return script
    }

    static func failing(
        _ kind: RefreshFailure.Class = .transient,
        status: Int? = nil,
        _ state: (RetryOutlook) -> SessionState
    ) -> EventScript {
        var script = ordinary()
        script.wait(6)
        let failure =
            switch (kind, status) {
            case (.heldBack, _): RefreshFailure(.lockHeld)
            case (.notSent, _): RefreshFailure(.unsent(.unreachable(detail: "connection reset")))
            case (.unknown, let status?):
                RefreshFailure(
                    .unusableAnswer(status: status, detail: "an HTML page instead of JSON")
                )
            case (.unknown, nil): RefreshFailure(.unanswered(detail: "connection reset"))
            default: RefreshFailure(.unavailable(status: 503, detail: "Service Unavailable"))
            }
        script.failRenewal(failure, attempt: 1, nextIn: 0.8)
        script.wait(1.2)
        script.failRenewal(failure, attempt: 2, nextIn: 2.4)
        let outlook = RetryOutlook(failures: 2, failure: failure, nextAt: script.instant(2.4))
        script.enter(state(outlook))
        return script
    }

    static func blocked() -> EventScript {
        var script = renewing()
        script.wait(5)
        script.add(TokenAwaited(since: script.now))
        script.wait(2)
        script.enter(.blocked)
        return script
    }

    static func draining() -> EventScript {
        var script = ordinary()
        script.wait(6)
        let failure = RefreshFailure(
            .refreshTokenRefused(status: 401, detail: "Invalid or expired refresh token")
        )
        script.failRenewal(failure, attempt: 1, nextIn: nil)
        script.add(SessionDraining(endsAt: script.instant(5.4), reason: .revoked))
        script.enter(.draining(.revoked))
        return script
    }

    static func signingOut() -> EventScript {
        var script = ordinary()
        script.enter(.signingOut(.this))
        return script
    }

    static func ended(_ reason: SignedOutReason) -> EventScript {
        var script = reason == .never ? cold() : draining()
        script.wait(3)
        script.add(SignedOut(reason))
        script.enter(.signedOut(reason))
        if reason != .never {
            script.add(FeedClosed(socket: script.sockets, code: 1000, by: .us, reason: ""))
            script.add(FeedStateChanged(.idle))
        }
        script.generation = 0
        return script
    }
}
