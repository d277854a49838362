import Basics
import Model
import Observer
import Profiles

extension ScorecardCase {
    static let refreshes = [
        ScorecardCase(.dropAfterCommit.at(.app), .asksAgain) { script in
            script.logIn()
            script.loseRefresh(1)
            script.wait(1)
            script.renew(1)
        } faulty: { script in
            script.logIn()
            let lost = script.loseRefresh(1)
            script.wait(61)
            script.call(1)
            return [lost]
        },
        ScorecardCase(.dropAfterCommit.at(.app), .asksRarely) { script in
            script.logIn()
            script.loseRefresh(1)
            script.wait(1)
            script.renew(1)
        } faulty: { script in
            script.logIn()
            script.loseRefresh(1)
            let tries = (0..<6).map { _ in
                script.wait(3)
                let again = script.askRefresh(1)
                script.finish(again, 503)
                return again
            }
            return Array(tries.dropFirst(4))
        },
        ScorecardCase(.dropAfterCommit.at(.app), .endsOnlyIfRefused) { script in
            script.logIn()
            script.loseRefresh(1)
            script.wait(1)
            script.refuseRefresh(1)
            script.wait(1)
            script.logIn(8)
        } faulty: { script in
            script.logIn()
            script.loseRefresh(1)
            script.wait(1)
            return [script.logIn(8)]
        },
        ScorecardCase(.delay.at(.app).set(to: 10), .waitsForRefresh) { script in
            script.logIn()
            let slow = script.askRefresh(1)
            script.inject(slow, "slow-refresh:10")
            script.wait(10)
            script.finish(slow, 200, TrafficScript.pair(2))
            script.call(2)
        } faulty: { script in
            script.logIn()
            let slow = script.askRefresh(1)
            script.inject(slow, "slow-refresh:10")
            script.wait(3)
            let second = script.askRefresh(1)
            script.wait(7)
            script.finish(slow, 200, TrafficScript.pair(2))
            script.finish(second, 400, ["error": "invalid_grant"])
            return [second]
        },
        ScorecardCase(.refuseRefresh, .stopsRefreshing) { script in
            script.logIn(life: 20)
            script.refresh(1, by: "refuse-refresh", 400)
            script.wait(1)
            script.call(1)
        } faulty: { script in
            script.logIn(life: 20)
            script.refresh(1, by: "refuse-refresh", 400)
            return (0..<3).map { _ in
                script.wait(2)
                return script.refresh(1, by: "refuse-refresh", 400)
            }
        },
        ScorecardCase(.refuseRefresh, .stopsSending) { script in
            script.logIn(life: 20)
            script.refresh(1, by: "refuse-refresh", 400)
            script.wait(1)
            script.call(1)
        } faulty: { script in
            script.logIn(life: 20)
            script.refresh(1, by: "refuse-refresh", 400)
            script.wait(25)
            return [script.call(1)]
        },
        ScorecardCase(.serverError.at(.app).set(to: 503, 2), .recovers) { script in
            script.logIn()
            script.refresh(1, by: "blip:503x2", 503)
            script.wait(1)
            script.refresh(1, by: "blip:503x2", 503)
            script.wait(2)
            script.renew(1)
        } faulty: { script in
            script.logIn()
            let lost = script.refresh(1, by: "blip:503x2", 503)
            script.wait(30)
            script.call(1)
            return [lost]
        },
        ScorecardCase(.serverError.at(.app).set(to: 503, 2), .backsOff) { script in
            script.logIn()
            script.refresh(1, by: "blip:503x2", 503)
            script.refresh(1, by: "blip:503x2", 503)
            script.wait(2)
            script.renew(1)
        } faulty: { script in
            script.logIn()
            let first = script.refresh(1, by: "blip:503x2", 503)
            let second = script.refresh(1, by: "blip:503x2", 503)
            return [first, second, script.renew(1)]
        },
        ScorecardCase(.rateLimit.at(.app).set(to: 5), .waitsAsTold) { script in
            script.logIn()
            script.refresh(1, by: "limit:5", 429, headers: [WireHeader("Retry-After", "5")])
            script.wait(5.2)
            script.renew(1)
        } faulty: { script in
            script.logIn()
            script.refresh(1, by: "limit:5", 429, headers: [WireHeader("Retry-After", "5")])
            script.wait(1)
            return [script.renew(1)]
        },
        ScorecardCase(.webPage.at(.app), .asksAgain) { script in
            script.logIn()
            script.portal(1)
            script.wait(5)
            script.renew(1)
        } faulty: { script in
            script.logIn()
            let page = script.portal(1)
            script.wait(20)
            script.call(1)
            return [page]
        },
        ScorecardCase(.missingRefreshToken.at(.app), .keepsOldToken) { script in
            script.logIn()
            script.renewWithoutToken(1)
            script.wait(200)
            let next = script.askRefresh(1)
            script.finish(next, 200, TrafficScript.pair(3))
            script.call(3)
        } faulty: { script in
            script.logIn()
            script.renewWithoutToken(1)
            script.wait(200)
            return [script.logIn(8)]
        },
    ]
}

extension TrafficScript {
    /// A refresh whose answer does not reach the app.
    @discardableResult
    mutating func loseRefresh(_ number: Int) -> Int {
        let exchange = askRefresh(number)
        inject(exchange, "lose-answer")
        wait(Self.roundTrip)
        answer(exchange, 200, Self.pair(number + 1))
        deliver(exchange, whole: false)
        return exchange
    }

    @discardableResult
    mutating func portal(_ number: Int) -> Int {
        let exchange = askRefresh(number)
        inject(exchange, "portal")
        wait(Self.roundTrip)
        answer(
            exchange,
            200,
            headers: [WireHeader("Content-Type", "text/html")],
            body: Array("<!doctype html>".utf8)
        )
        deliver(exchange)
        return exchange
    }

    @discardableResult
    mutating func renewWithoutToken(_ number: Int) -> Int {
        let exchange = askRefresh(number)
        inject(exchange, "no-refresh-token")
        finish(exchange, 200, Self.pair(number + 1, refresh: false))
        return exchange
    }
}
