import Basics
import Model
import Observer
import Profiles

extension TrafficScript {
    /// A request that an experiment refuses.
    @discardableResult
    mutating func refused(_ number: Int, by experiment: String, _ path: String = "/items") -> Int {
        let exchange = send("GET", path, bearer: Self.access(number))
        inject(exchange, experiment)
        finish(exchange, 401, ["error": "invalid_token"])
        return exchange
    }

    /// A refresh whose answer an experiment gives, or changes.
    @discardableResult
    mutating func refresh(
        _ number: Int,
        by experiment: String,
        _ status: Int,
        headers: [WireHeader] = []
    ) -> Int {
        let exchange = askRefresh(number)
        inject(exchange, experiment)
        finish(exchange, status, ["error": "temporarily_unavailable"], headers: headers)
        return exchange
    }
}

extension ScorecardCase {
    static let accesses = [
        ScorecardCase(.unauthorized.at(.app), .renewsOnce) { script in
            script.logIn()
            script.wait(1)
            script.refused(1, by: "expire")
            script.renew(1)
            script.call(2)
        } faulty: { script in
            script.logIn()
            script.wait(1)
            script.refused(1, by: "expire")
            let first = script.askRefresh(1)
            let second = script.askRefresh(1)
            script.finish(first, 200, TrafficScript.pair(2))
            script.finish(second, 400, ["error": "invalid_grant"])
            script.call(2)
            return [first, second]
        },
        ScorecardCase(.unauthorized.at(.app), .repeats) { script in
            script.logIn()
            script.refused(1, by: "expire", "/a")
            script.renew(1)
            script.call(2, "/a")
        } faulty: { script in
            script.logIn()
            let lost = script.refused(1, by: "expire", "/a")
            script.renew(1)
            script.call(2, "/b")
            return [lost]
        },
        ScorecardCase(.expireBurst, .keepsSession) { script in
            script.logIn()
            script.refused(1, by: "expire-burst", "/a")
            script.renew(1)
            script.call(2, "/a")
        } faulty: { script in
            script.logIn()
            script.refused(1, by: "expire-burst", "/a")
            let out = script.logOut(1)
            script.wait(1)
            return [out]
        },
        ScorecardCase(.shortLife.set(to: 20), .renewsBeforeEnd) { script in
            script.logIn()
            script.wait(25)
            script.refused(1, by: "short-life:20")
            script.renewShort(1)
            for number in 2...4 {
                script.call(number)
                script.wait(15)
                script.renewShort(number)
            }
        } faulty: { script in
            script.logIn()
            script.wait(25)
            script.refused(1, by: "short-life:20")
            script.renewShort(1)
            script.wait(21)
            return [script.renewShort(2)]
        },
        // A refresh token that is never replaced obtains all pairs.
        ScorecardCase(.shortLife.set(to: 20), .renewsBeforeEnd) { script in
            script.logIn()
            for _ in 1...3 {
                script.renewShort(1, keeping: true)
                script.wait(15)
            }
        } faulty: { script in
            script.logIn()
            script.renewShort(1, keeping: true)
            script.wait(15)
            script.renewShort(1, keeping: true)
            script.wait(21)
            return [script.renewShort(1, keeping: true)]
        },
        ScorecardCase(.shortLife.set(to: 20), .isNotRefused) { script in
            script.logIn()
            script.renewShort(1)
            script.wait(15)
            script.renewShort(2)
        } faulty: { script in
            script.logIn()
            script.renewShort(1)
            script.wait(21)
            return [script.refused(2, by: "short-life:20")]
        },
        ScorecardCase(.skewedDate.at(.app).set(to: 300), .renewsNoSooner) { script in
            script.logIn()
            for number in 1...3 {
                script.wait(30)
                script.inject(script.call(number), "skew:+300")
            }
        } faulty: { script in
            script.logIn()
            script.inject(script.call(1), "skew:+300")
            return (1...3).map { number in
                script.wait(2)
                return script.renew(number)
            }
        },
    ]
}

extension TrafficScript {
    /// A refresh whose answer states another life.
    @discardableResult
    mutating func renewShort(_ number: Int, keeping keepsToken: Bool = false) -> Int {
        let exchange = askRefresh(number)
        inject(exchange, "short-life:20")
        let next = keepsToken ? exchange + 1 : number + 1
        finish(exchange, 200, Self.pair(next, life: 20, refresh: !keepsToken))
        return exchange
    }
}
