import Basics
import Client
import Model
import Testing

@Suite("Statistics: folded from events")
struct SessionStatisticsTests {
    @Test("flights are counted by what started them, and failures by class")
    func renewals() {
        var account = Account()
        account.logIn(life: 60)
        for cause in [RefreshCause.timer, .timer, .retry, .user] {
            account.add(RefreshStarted(flight: 1, cause: cause))
        }
        for cause in [
            RefreshFailure.Cause.unavailable(status: 503, detail: nil),
            .unavailable(status: 500, detail: nil),
            .unsent(.unreachable(detail: "refused")),
        ] {
            let failure = RefreshFailure(cause)
            account.add(RefreshFailed(flight: 1, failure: failure, attempt: 1, nextAt: nil))
        }
        account.renew(life: 60)
        let statistics = account.statistics
        #expect(statistics.renewals.byCause == [.timer: 3, .retry: 1, .user: 1])
        #expect(statistics.renewals.succeeded == 1)
        #expect(statistics.renewals.failed == 3)
        #expect(statistics.failures == [.transient: 2, .notSent: 1])
    }

    @Test("requests are counted by the first digit of their status, the login among them")
    func requests() {
        var account = Account()
        account.logIn(life: 60)
        for status in [200, 204, 304, 401, 404, 503] {
            account.add(Exchange.sample(.protected, .answered(status: status)))
        }
        account.add(
            Exchange.sample(.refresh, .answered(status: 401)),
            Exchange.sample(.protected, .notSent(.unreachable(detail: "refused"))),
            Exchange.sample(.refresh, .unanswered(detail: "reset"))
        )
        let requests = account.statistics.requests
        #expect(requests.sent == 9)
        #expect(requests.byStatusClass == [2: 3, 3: 1, 4: 3, 5: 1])
        #expect(requests.unauthorized == 2)
        #expect(requests.notSent == 1)
        #expect(requests.unanswered == 1)
    }

    @Test("the feed's switches, losses and repetitions add up")
    func feed() {
        var account = Account()
        account.logIn(life: 60)
        for isDuplicate in [false, false, true] {
            account.add(
                FeedMessageReceived(
                    socket: 1,
                    id: "1",
                    seq: nil,
                    type: nil,
                    excerpt: "",
                    isDuplicate: isDuplicate
                )
            )
        }
        for gap in [0, 3] {
            account.add(
                FeedSwitched(from: 1, to: 2, duplicates: 0, gap: gap, after: .seconds(1))
            )
        }
        for closer in [FeedCloser.us, .peer, .transport] {
            account.add(FeedClosed(socket: 1, code: 1000, by: closer, reason: ""))
        }
        let feed = account.statistics.feed
        #expect(feed.messages == 2)
        #expect(feed.duplicates == 1)
        #expect(feed.switches == 2)
        #expect(feed.lost == 3)
        #expect(feed.drops == 2)
    }

    @Test("another session begins with zero, and its own login")
    func nextSession() {
        var account = Account()
        account.logIn(life: 60)
        account.renew(life: 60)
        account.add(Exchange.sample())
        account.wait(10)
        account.add(SignedOut(.user))
        account.wait(5)
        let ended = account.statistics
        #expect(ended.age(at: account.now.now) == 10)
        #expect(ended.renewals.succeeded == 1)
        account.logIn(life: 60)
        let statistics = account.statistics
        #expect(statistics.login == 2)
        #expect(statistics.endedAt == nil)
        #expect(statistics.age(at: account.now.now) == 0)
        #expect(statistics.renewals.succeeded == 0)
        #expect(statistics.renewals.byCause.isEmpty)
        #expect(statistics.requests.sent == 1)
    }

    @Test("a login that fails belongs to no session")
    func failedLogin() {
        var account = Account()
        account.add(LoginStarted(), Exchange.sample(.login, .answered(status: 401)))
        account.add(LoginFailed(RefreshFailure(.credentialsRefused(status: 401, detail: nil))))
        #expect(account.statistics.startedAt == nil)
        account.logIn(life: 60)
        #expect(account.statistics.requests.byStatusClass == [2: 1])
    }

    @Test("its object has all its members from the start, flat, and no token")
    func json() throws {
        var account = Account()
        account.logIn(life: 60)
        let early = account.statistics.json(at: account.now)
        account.wait(54)
        account.renew(life: 60, remainingLead: 6.25)
        let late = account.statistics.json(at: account.now)
        for text in [early, late] {
            guard case .object(let members)? = JSONValue(parsing: Array(text.utf8)) else {
                Issue.record("no object: \(text)")
                continue
            }
            #expect(members["startedByTimer"] != nil)
            #expect(members["failedRefused"] == .integer(0))
            #expect(members["requests5xx"] == .integer(0))
            #expect(members["withoutToken"]?.numberValue == 0)
            for value in members.values {
                switch value {
                case .object, .array: Issue.record("not flat: \(text)")
                case .null, .bool, .integer, .number, .string: break
                }
            }
        }
        #expect(early.hasPrefix(#"{"at":"2025-11-21T14:16:40.000Z","login":1,"since":"#))
        #expect(!early.contains("leadLeft"))
        #expect(late.contains(#""leadLeftLeast":6.25,"leadLeftMedian":6.25"#))
        #expect(late.contains(#""renewed":1"#))
    }
}
