import Basics
import Model
import Observer
import Profiles

/// Requests that are wrong in themselves.
extension RuleCase {
    static let faultyRequests: [RuleCase] = [
        RuleCase("bad-header", "placeholder") { script in
            let exchange = script.send("GET", "/items", bearer: "undefined")
            script.finish(exchange, 401)
            return [exchange]
        } twin: { script in
            let exchange = script.send("GET", "/items")
            script.finish(exchange, 401)
        },
        RuleCase("bad-header", "empty") { script in
            let header = WireHeader("Authorization", "Bearer ")
            let exchange = script.send("GET", "/items", headers: [header])
            script.finish(exchange, 401)
            return [exchange]
        } twin: { script in
            let header = WireHeader("Authorization", "Basic YTpi")
            let exchange = script.send("GET", "/items", headers: [header])
            script.finish(exchange, 401)
        },
        RuleCase("bad-header", "repeated") { script in
            script.logIn()
            let header = WireHeader("Authorization", "Bearer \(TrafficScript.access(1))")
            let exchange = script.send("GET", "/items", headers: [header, header])
            script.finish(exchange, 200)
            return [exchange]
        } twin: { script in
            script.logIn()
            script.call(1)
        },
        RuleCase("bad-header", "joined") { script in
            script.logIn()
            let both = "\(TrafficScript.access(1)), Bearer \(TrafficScript.access(1))"
            let exchange = script.send("GET", "/items", bearer: both)
            script.finish(exchange, 401)
            script.wait(1)
            script.call(1)
            return [exchange]
        } twin: { script in
            let token = WireHeader("Authorization", "Token token=\"abcdefgh\", id=7")
            let exchange = script.send("GET", "/items", headers: [token])
            script.finish(exchange, 200)
        },
        RuleCase("bad-header", "wrong-token") { script in
            script.logIn()
            let exchange = script.send("GET", "/items", bearer: TrafficScript.refresh(1))
            script.finish(exchange, 401)
            return [exchange]
        } twin: { script in
            // Some backends want the refresh token there.
            script.logIn()
            script.wait(290)
            let renewal = script.send("POST", "/refresh", bearer: TrafficScript.refresh(1))
            script.finish(renewal, 200, TrafficScript.pair(2))
        },
        RuleCase("token-in-url", "refresh", .bug) { script in
            // The endpoint takes it in a body, too.
            script.logIn()
            script.wait(290)
            script.renew(1)
            script.wait(290)
            let refresh = TrafficScript.refresh(2)
            let renewal = script.send("POST", "/auth/refresh?refresh_token=\(refresh)")
            script.finish(renewal, 200, TrafficScript.pair(3))
            return [renewal]
        } twin: { script in
            script.logIn()
            script.wait(290)
            script.renew(1)
        },
        RuleCase("token-in-url", "refresh", .bug, .likely) { script in
            // Some providers want it there.
            script.logIn()
            script.wait(290)
            let renewal = script.send("POST", "/renew?refresh_token=\(TrafficScript.refresh(1))")
            script.finish(renewal, 200, TrafficScript.pair(2))
            return [renewal]
        } twin: { script in
            script.logIn()
            script.wait(290)
            let renewal = script.askRefresh(1)
            script.finish(renewal, 503)
            script.wait(20)
            script.renew(1)
        },
        RuleCase("token-in-url", "refresh", .risk) { script in
            // A GET that the backend takes is its protocol.
            script.logIn()
            script.wait(290)
            let renewal = script.send("GET", "/renew?refresh_token=\(TrafficScript.refresh(1))")
            script.finish(renewal, 200, TrafficScript.pair(2))
            return [renewal]
        } twin: { script in
            script.logIn()
            script.wait(290)
            script.renew(1)
        },
        RuleCase("token-in-url", nil, .risk) { script in
            script.logIn()
            let exchange = script.send("GET", "/items?access_token=\(TrafficScript.access(1))")
            script.finish(exchange, 200)
            return [exchange]
        } twin: { script in
            // A token of another kind, which no answer brought.
            let exchange = script.send("GET", "/verify?token=a-token-from-a-mail-12345")
            script.finish(exchange, 200)
        },
        RuleCase("other-origin", nil, .risk) { script in
            script.logIn()
            script.origin = "https://elsewhere.example.net"
            let exchange = script.send("GET", "/pixel", bearer: TrafficScript.access(1))
            script.finish(exchange, 403)
            return [exchange]
        } twin: { script in
            script.logIn()
            script.call(1)
        },
    ]
}
