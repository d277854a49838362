import Basics
import Client
import Model
import Profiles
import Testing

@Suite("Statistics: time without a usable token")
struct TimeWithoutTokenTests {
    private static func seconds(_ account: Account) -> Double {
        account.statistics.timeWithoutToken.seconds(at: account.now.now)
    }

    private static func count(_ account: Account) -> Int {
        account.statistics.timeWithoutToken.count(at: account.now.now)
    }

    @Test("none passes while each pair comes before the last one's end")
    func healthy() {
        var account = Account()
        account.logIn(life: 20)
        for _ in 0..<100 {
            account.wait(14)
            account.renew(life: 20)
        }
        #expect(Self.seconds(account) == 0)
        #expect(Self.count(account) == 0)
    }

    @Test("it runs from the hard instant on, and stops with the next pair")
    func outage() {
        var account = Account()
        account.logIn(life: 20)
        account.wait(20)
        #expect(Self.count(account) == 0)
        account.wait(7)
        #expect(Self.seconds(account) == 7)
        #expect(Self.count(account) == 1)
        account.renew(life: 20)
        account.wait(15)
        #expect(Self.seconds(account) == 7)
        account.wait(10)
        #expect(Self.seconds(account) == 12)
        #expect(Self.count(account) == 2)
    }

    @Test("setting the wall clock changes nothing", arguments: [-86_400.0, 3_600])
    func wallSteps(step: Double) {
        var account = Account()
        account.logIn(life: 20)
        account.wait(22)
        account.setWall(by: step)
        account.add(WallClockStepped(seconds: step))
        account.wait(3)
        account.renew(life: 20)
        #expect(Self.seconds(account) == 5)
        #expect(account.statistics.age(at: account.now.now) == 25)
    }

    @Test(
        "being signed out is not being without a token",
        arguments: [
            SignedOut(.revoked),
            SessionStateChanged(from: .fresh, to: .signedOut(.user), why: .logout),
            SessionStateChanged(from: .fresh, to: .signingOut(.this), why: .logout),
        ] as [any EventKind]
    )
    func signedOut(end: any EventKind) {
        var account = Account()
        account.logIn(life: 20)
        account.wait(23)
        account.add(end)
        account.wait(1_000)
        #expect(Self.seconds(account) == 3)
        #expect(Self.count(account) == 1)
        #expect(account.statistics.endedAt?.now == account.now.now.advanced(bySeconds: -1_000))
    }
}
