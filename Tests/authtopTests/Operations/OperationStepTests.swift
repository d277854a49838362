import Basics
import Client
import Model
import Profiles
import TestSupport
import Testing
import UI

@testable import authtop

@Suite("An act, event by event")
struct OperationStepTests {
    private static let outage = RefreshFailure(.unavailable(status: 503, detail: "unable"))
    private static let lost = RefreshFailure(.unanswered(detail: "the connection broke"))
    private static let disk = VaultProblem(message: "no space left on the device")

    private static var retrying: RetryOutlook {
        RetryOutlook(failures: 1, failure: outage, nextAt: .origin)
    }

    // MARK: - Login

    @Test("login asks once, however often the session is signed out, and is done once it is kept")
    func login() {
        var script = OperationScript(LoginOperation(profile: "acme"))
        #expect("\(script.enter(.signedOut(.never)))" == "send logIn")
        #expect("\(script.enter(.signingIn))" == "wait")
        #expect("\(script.enter(.signedOut(.revoked)))" == "wait")
        script.tell(.unsaved(Self.disk))
        #expect("\(script.enter(.fresh))" == "wait")
        #expect("\(script.tell(.saved))" == "done: logged in")
    }

    @Test("login of a pair that cannot be kept says so at the second try, and when time is up")
    func loginUnsaved() {
        var script = OperationScript(LoginOperation(profile: "acme"))
        script.enter(.signedOut(.never))
        #expect("\(script.tell(.unsaved(Self.disk)))" == "wait")
        let message = "3: acme: logged in, but the session could not be saved and is lost: "
        #expect("\(script.runOut())" == message + Self.disk.message)
        #expect("\(script.tell(.unsaved(Self.disk)))".hasPrefix("send logOut"))
        script.tell(.revocation(.done))
        let end = "\(message)\(Self.disk.message); its session was ended at the backend again"
        #expect("\(script.enter(.signedOut(.user)))" == end)
    }

    @Test("login says what is so where somebody is signed in already")
    func loginTwice() {
        var script = OperationScript(LoginOperation(profile: "acme"))
        script.enter(.fresh)
        let later = Instant.origin.advanced(bySeconds: 60)
        let planned = script.tell(.renewalPlanned(.scheduled(at: later, .accessTokenEnds)))
        #expect("\(planned)" == "done: already signed in")
        #expect("\(script.enter(.retrying(Self.retrying)))".hasPrefix("done: already signed in;"))
        #expect("\(script.enter(.offline(Self.retrying)))".hasPrefix("3: acme: signed in, but"))
        #expect("\(script.enter(.blocked))" == "wait")
        #expect("\(script.runOut())".hasPrefix("done: already signed in; the answer"))
    }

    @Test("login that nobody answers is not done in time")
    func loginOutOfTime() {
        var script = OperationScript(LoginOperation(profile: "acme"))
        script.enter(.signedOut(.never))
        script.enter(.signingIn)
        #expect("\(script.runOut())" == "3: acme: not logged in in time")
    }

    // MARK: - Refresh

    private static var refresh: OperationScript<RefreshOperation> {
        OperationScript(
            RefreshOperation(
                profile: "acme",
                renewsByLogin: true,
                clock: ClockFormatter(utcOffsetSeconds: 0)
            )
        )
    }

    @Test("refresh asks once")
    func refresh() {
        var script = Self.refresh
        #expect("\(script.enter(.cold))" == "wait")
        #expect("\(script.enter(.fresh))" == "send refreshNow")
        #expect("\(script.enter(.renewing))" == "wait")
        #expect("\(script.enter(.fresh))" == "wait")
        #expect("\(script.runOut())" == "3: acme: not renewed in time")
    }

    @Test("refresh tells every failure apart, and that the session is kept")
    func refreshFailures() {
        for (failure, message) in [
            (Self.outage, "3: acme: not renewed: "),
            (RefreshFailure(.unsent(.unreachable(detail: "refused"))), "3: acme: not renewed: "),
            (RefreshFailure(.notUnderstood(status: 400, detail: "no")), "2: acme: not renewed: "),
        ] {
            var script = Self.refresh
            script.enter(.fresh)
            let step = "\(script.fail(failure))"
            #expect(step.hasPrefix(message) && step.hasSuffix("the session is kept"))
        }
    }

    @Test("refresh waits for a lost answer, and says that the next start asks again")
    func refreshLost() {
        var script = Self.refresh
        script.enter(.fresh)
        #expect("\(script.fail(Self.lost))" == "wait")
        #expect("\(script.runOut())".hasSuffix("the journal is kept: the next start asks again"))
        #expect("\(script.fail(Self.outage))".hasPrefix("3: acme: no usable answer to the renewal"))
    }

    @Test("refresh of a pair that cannot be kept says so at the second try, and when time is up")
    func refreshUnsaved() {
        var script = Self.refresh
        script.enter(.fresh)
        #expect("\(script.tell(.unsaved(Self.disk)))" == "wait")
        let message = "3: acme: renewed, but the new pair could not be saved and is lost: "
        #expect("\(script.runOut())" == message + Self.disk.message)
        #expect("\(script.tell(.unsaved(Self.disk)))" == message + Self.disk.message)
    }

    // MARK: - Logout

    @Test(
        "logout works in every state that has a session",
        arguments: [
            SessionState.fresh, .renewing, .blocked, .draining(.revoked), .retrying(retrying),
            .offline(retrying), .unknown(retrying),
        ]
    )
    func logout(state: SessionState) {
        var script = OperationScript(LogoutOperation(profile: "acme", scope: .this))
        #expect("\(script.enter(state))" == "send logOut(Profiles.LogoutScope.this)")
        #expect("\(script.enter(.signingOut(.this)))" == "wait")
        #expect("\(script.enter(.signedOut(.user)))".contains("signed out here"))
    }

    @Test(
        "logout says what the backend knows of it",
        arguments: [
            (RevocationPhase.done, "acknowledged"), (.pending, "sent again at the next start"),
            (.expired, "nothing to revoke"), (.notOffered, "no endpoint"),
            (.anonymous, "the request identifies no session"),
        ]
    )
    func revocation(phase: RevocationPhase, message: String) {
        var script = OperationScript(LogoutOperation(profile: "acme", scope: .this))
        script.enter(.fresh)
        script.enter(.signingOut(.this))
        script.tell(.revocation(phase))
        #expect("\(script.enter(.signedOut(.user)))".contains(message))
    }

    @Test("logout whose revocation hangs is done here; one that never began is not")
    func logoutOutOfTime() {
        var script = OperationScript(LogoutOperation(profile: "acme", scope: .this))
        script.enter(.fresh)
        #expect("\(script.runOut())" == "3: acme: not signed out in time; the session is kept")
        // What an earlier logout left is told meanwhile, and says nothing of this one.
        script.tell(.revocation(.done))
        script.enter(.signingOut(.this))
        #expect("\(script.runOut())".contains("signed out here; revocation pending"))
    }

    @Test("logout that cannot be written says so")
    func logoutUnsaved() {
        var script = OperationScript(LogoutOperation(profile: "acme", scope: .this))
        script.enter(.fresh)
        let message = "3: acme: the stored session could not be erased: \(Self.disk.message)"
        #expect("\(script.tell(.unsaved(Self.disk)))" == message)
    }

    @Test("logout that erased, and could write nothing besides, says what is lost by it")
    func logoutErased() {
        var script = OperationScript(LogoutOperation(profile: "acme", scope: .this))
        script.enter(.fresh)
        script.enter(.signingOut(.this))
        script.tell(.erased(after: .milliseconds(3)))
        #expect("\(script.tell(.unsaved(Self.disk)))" == "wait")
        script.tell(.revocation(.pending))
        let message = "\(script.enter(.signedOut(.user)))"
        #expect(message.hasPrefix("done: signed out here"))
        #expect(message.contains("could not be notified, and will not be: \(Self.disk.message)"))
        script.tell(.revocation(.done))
        #expect("\(script.enter(.signedOut(.user)))".contains("acknowledged"))
    }

    // MARK: - Sessions

    @Test("a list of sessions that was cut says so", arguments: [3, 199, 200])
    func cut(count: Int) {
        var script = OperationScript(SessionsOperation(profile: "acme", ending: nil))
        script.enter(.fresh)
        let list = (0..<count).map { ListedSession(id: "s\($0)") }
        let step = "\(script.tell(.sessions(.listed(list))))"
        let more = count == 200 ? "; more are not shown" : ""
        #expect(step == "done: \(count) active sessions\(more)")
    }

    // MARK: - All

    @Test("a vault that cannot be read is told by every act, and is no sign-out")
    func vault() {
        var login = OperationScript(LoginOperation(profile: "acme"))
        var refresh = Self.refresh
        var logout = OperationScript(LogoutOperation(profile: "acme", scope: .this))
        let message = "3: acme: \(Self.disk.message)"
        #expect("\(login.enter(.vaultUnavailable(Self.disk)))" == message)
        #expect("\(refresh.enter(.vaultUnavailable(Self.disk)))" == message)
        #expect("\(logout.enter(.vaultUnavailable(Self.disk)))" == message)
    }
}

extension OperationScript {
    fileprivate mutating func fail(_ failure: RefreshFailure) -> OperationStep {
        tell(.refreshFailed(flight: 1, failure: failure, attempt: 1, nextAt: nil))
    }
}
