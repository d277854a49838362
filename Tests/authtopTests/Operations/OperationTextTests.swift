import Basics
import Client
import FoundationEssentials
import Model
import Testing
import UI

@testable import Profiles
@testable import authtop

@Suite("What the commands say of a result, with their exit codes")
struct OperationTextTests {
    private static let outage = RefreshFailure(.unavailable(status: 503, detail: "unable"))
    private static let lost = RefreshFailure(.unanswered(detail: "the connection broke"))
    private static let disk = VaultProblem(message: "no space left on the device")
    private static let outlook = RetryOutlook(failures: 1, failure: outage, nextAt: .origin)

    /// The message, after the exit code of a failure.
    private static func said(_ text: () throws(CommandFailure) -> String?) -> String {
        do throws(CommandFailure) {
            return try text() ?? "nothing"
        } catch {
            return "\(error.exit.rawValue): \(error.message)"
        }
    }

    // MARK: - Login

    @Test("login reports the state of a session that is signed in already")
    func alive() {
        func alive(_ state: SessionState, canRenew: Bool = true) -> String {
            Self.said { () throws(CommandFailure) in
                try LoginText.alive(state, canRenew: canRenew, "acme")
            }
        }
        #expect(alive(.fresh) == "already logged in")
        #expect(alive(.fresh, canRenew: false) == "nothing")
        #expect(alive(.signedOut(.revoked)) == "nothing")
        #expect(alive(.draining(.revoked)) == "nothing")
        #expect(alive(.retrying(Self.outlook)).hasPrefix("already logged in; a renewal is due"))
        #expect(alive(.blocked).hasPrefix("already logged in; the answer"))
        #expect(alive(.expired(Self.outlook)).hasPrefix("3: acme: logged in, but"))
        #expect(alive(.vaultUnavailable(Self.disk)) == "3: acme: \(Self.disk.message)")
        #expect(alive(.cold) == "3: acme: not logged in in time")
    }

    @Test("login of a pair that cannot be kept says so, and the result for its session")
    func lostLogin() {
        func lost(_ logout: LogoutReport?) -> String {
            LoginText.lost(Self.disk, logout, "acme").message
        }
        let message =
            "acme: logged in, but the session could not be saved and is lost: \(Self.disk.message)"
        #expect(lost(nil) == message)
        #expect(
            lost(LogoutReport(revocation: .done))
                == message + "; its session was ended at the backend again"
        )
        #expect(lost(LogoutReport()).hasSuffix("could not be asked to end its session"))
    }

    // MARK: - Refresh

    private static func said(_ result: RefreshResult) -> String {
        let moment = Moment(now: .origin, wall: Date(timeIntervalSince1970: 1_763_733_600))
        let text = RefreshText(
            profile: "acme",
            clock: ClockFormatter(utcOffsetSeconds: 0),
            moment: moment
        )
        return said { () throws(CommandFailure) in try text.message(of: result, nil) }
    }

    @Test("refresh tells every failure apart, and that one stays signed in")
    func failures() {
        for (failure, message) in [
            (Self.outage, "3: acme: not renewed: "),
            (RefreshFailure(.unsent(.unreachable(detail: "refused"))), "3: acme: not renewed: "),
            (RefreshFailure(.notUnderstood(status: 400, detail: "no")), "2: acme: not renewed: "),
        ] {
            let said = Self.said(.failed(failure))
            #expect(said.hasPrefix(message) && said.hasSuffix("you stay logged in"))
        }
        #expect(Self.said(.lost(Self.lost)).hasSuffix("asks again with the same token"))
        #expect(Self.said(.cancelled) == "3: acme: not renewed in time")
    }

    @Test("refresh says until when the access token of a session that ends is valid")
    func draining() {
        let said = Self.said(.draining(.revoked, until: .origin.advanced(bySeconds: 60)))
        #expect(said.hasPrefix("1: acme: "))
        #expect(
            said.contains("; the access token is valid until 14:01:00; run: authtop login acme")
        )
    }

    @Test("the command that helps chooses the profile as the one that failed did")
    func remedy() {
        let failure = CommandFailure.signedOut(.never, "acme")
        #expect(failure.message == "acme: signed out; run: authtop login acme")
        for (line, remedy) in [
            (["token", "acme"], "acme"),
            (
                ["token", "acme", "--base-url", "https://a.example/b c", "--every", "5s"],
                "acme --base-url 'https://a.example/b c'"
            ),
            (
                [
                    "exec", "--vault=helper:pass", "./mine/acme.toml", "--", "curl", "--ca-file",
                    "x",
                ],
                "./mine/acme.toml --vault=helper:pass"
            ),
            (["serve", "acme", "--allow-insecure"], "acme --allow-insecure"),
        ] {
            let message = failure.repeating(ProfileArguments(line)).message
            #expect(message == "acme: signed out; run: authtop login \(remedy)")
        }
        let other = CommandFailure(.badInput, "no")
        #expect(other.repeating(ProfileArguments(["a", "--vault", "x"])).message == "no")
    }

    // MARK: - Requests

    @Test("a request says why its refused token was not renewed")
    func notRenewed() throws {
        let request = try CustomRequest(method: "GET", target: "/me")
        func said(_ end: RequestEnd, after outlook: RetryOutlook?) -> String {
            let text = RequestOutcomeText(profile: "acme", request: request, outlook: outlook)
            return Self.said { () throws(CommandFailure) in try text.message(of: end, seconds: nil)
            }
        }
        #expect(
            said(.rejected(status: 401), after: Self.outlook)
                == "acme: GET /me answered 401; not renewed: "
                + "\(FailureText.full(Self.outage)); you stay logged in"
        )
        #expect(said(.rejected(status: 401), after: nil) == "acme: GET /me answered 401")
        #expect(said(.accepted(status: 200), after: Self.outlook) == "acme: GET /me answered 200")
        let failure = FailureText.full(Self.outage)
        #expect(said(.noToken(.timedOut), after: Self.outlook).contains(": \(failure); "))
    }

    // MARK: - Logout

    private static func said(of result: LogoutResult, hasRefreshToken: Bool = true) -> String {
        let text = LogoutText(profile: "acme", scope: .this)
        return said { () throws(CommandFailure) in
            try text.message(of: result, hasRefreshToken: hasRefreshToken)
        }
    }

    @Test(
        "logout says what the backend knows of it",
        arguments: [
            (RevocationPhase.done, "acknowledged"), (.pending, "sent again at the next start"),
            (.expired, "nothing to revoke"), (.notOffered, "no logout at the backend"),
            (.anonymous, "the request identifies no session"),
        ]
    )
    func revocation(phase: RevocationPhase, message: String) {
        let said = Self.said(of: .ended(LogoutReport(revocation: phase)))
        #expect(said.hasPrefix("logged out here"))
        #expect(said.contains(message))
    }

    @Test("logout whose revocation hangs is done here; one that never began is not")
    func unfinished() {
        #expect(
            Self.said(of: .ended(LogoutReport())).contains("logged out here; revocation pending")
        )
        #expect(Self.said(of: .cancelled) == "3: acme: not logged out in time; you stay logged in")
    }

    @Test("logout that cannot be written says so, and what is lost by it")
    func unwritten() {
        let message = "3: acme: the stored session could not be erased: \(Self.disk.message)"
        #expect(Self.said(of: .unsaved(Self.disk, LogoutReport())) == message)
        var report = LogoutReport(revocation: .pending)
        report.unkept = Self.disk
        let end = "could not be notified, and will not be: \(Self.disk.message)"
        #expect(Self.said(of: .ended(report)).hasSuffix(end))
    }

    @Test("logout that was rejected can be tried again only with a refresh token")
    func rejected() {
        #expect(Self.said(of: .rejected(.needsAccessToken)).hasPrefix("3: acme: "))
        let without = Self.said(of: .rejected(.needsRefreshToken), hasRefreshToken: false)
        #expect(without.hasPrefix("1: acme: "))
    }

    // MARK: - The others

    @Test("a list of sessions that was cut says so", arguments: [3, 199, 200])
    func cut(count: Int) {
        let text = ActiveSessionsText(
            list: (0..<count).map { ListedSession(id: "s\($0)") },
            moment: Moment(now: .origin, wall: Date(timeIntervalSince1970: 0)),
            clock: ClockFormatter(utcOffsetSeconds: 0)
        )
        let more = count == 200 ? "; more are not shown" : ""
        #expect(text.message == "\(count) active sessions\(more)")
    }

    @Test(
        "a token that cannot be had says that one stays signed in",
        arguments: [WaitFailure.notRenewed(retryAt: nil), .timedOut, .cancelled]
    )
    func noToken(failure: WaitFailure) {
        let said = CommandFailure(failure, after: Self.outlook, "acme").message
        #expect(said.hasPrefix("acme: there is no usable access token"))
        #expect(said.contains("503"))
        #expect(said.hasSuffix("you stay logged in"))
    }

    @Test("of several logouts, the one that the backend does not know of counts")
    func outbox() {
        #expect(OutboxText.message(of: .tried([])) == "need not be notified of anything")
        let failed = OutboxText.message(of: .tried([.done, .pending]))
        #expect(failed == "could not be notified of the logout")
        #expect(OutboxText.message(of: .tried([.done, .expired])) == "knows of the logout")
    }
}
