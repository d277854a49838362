import Basics
import Model
import Observer
import Profiles

/// Backends whose late answers overwrite a newer cookie.
extension RuleCase {
    static let clobberedCookies: [RuleCase] = [
        RuleCase("cookie-clobbered") { script in
            func header(_ value: String) -> [WireHeader] {
                [WireHeader("Cookie", "access_token=\(value)")]
            }
            let first = script.send("GET", "/me", headers: header("cookie-of-the-app-1"))
            script.finish(first, 200)
            script.wait(60)
            let slow = script.send("GET", "/report", headers: header("cookie-of-the-app-1"))
            script.wait(0.1)
            let renewal = script.send("POST", "/renew", headers: header("cookie-of-the-app-1"))
            script.finish(renewal, 200, headers: [cookie("cookie-of-the-app-2")])
            script.wait(0.1)
            script.finish(slow, 401, headers: [cookie(nil)])
            return [renewal, slow]
        } twin: { script in
            func header(_ value: String) -> [WireHeader] {
                [WireHeader("Cookie", "access_token=\(value)")]
            }
            let first = script.send("GET", "/me", headers: header("cookie-of-the-app-1"))
            script.finish(first, 200)
            script.wait(60)
            let renewal = script.send("POST", "/renew", headers: header("cookie-of-the-app-1"))
            script.finish(renewal, 200, headers: [cookie("cookie-of-the-app-2")])
            script.wait(1)
            let later = script.send("GET", "/report", headers: header("cookie-of-the-app-2"))
            script.finish(later, 401, headers: [cookie(nil)])
        },
        RuleCase("cookie-clobbered", nil, .bug, .likely) { script in
            // Each answer brings another value, and a late one none.
            rollCookies(&script)
            let slow = script.send("GET", "/report", headers: rollingCookie(4))
            var last = 0
            for number in 4...5 {
                last = script.send("GET", "/me", headers: rollingCookie(number))
                script.finish(last, 200, headers: [rolledCookie(number + 1)])
            }
            script.finish(slow, 401, headers: [rolledCookie(nil)])
            return [last, slow]
        } twin: { script in
            rollCookies(&script)
            let slow = script.send("GET", "/report", headers: rollingCookie(4))
            for number in 4...5 {
                let call = script.send("GET", "/me", headers: rollingCookie(number))
                script.finish(call, 200, headers: [rolledCookie(number + 1)])
            }
            script.finish(slow, 200, headers: [rolledCookie(7)])
            script.wait(1)
            let logout = script.send("POST", "/logout", headers: rollingCookie(7))
            script.finish(logout, 204, headers: [rolledCookie(nil)])
        },
    ]

    /// A session whose cookie each answer replaces.
    private static func rollCookies(_ script: inout TrafficScript) {
        for number in 1...3 {
            let call = script.send("GET", "/me", headers: rollingCookie(number))
            script.finish(call, 200, headers: [rolledCookie(number + 1)])
            script.wait(1)
        }
    }

    private static func rollingCookie(_ number: Int) -> [WireHeader] {
        [WireHeader("Cookie", "session=cookie-of-the-session-\(number)")]
    }

    private static func rolledCookie(_ number: Int?) -> WireHeader {
        let value = number.map { "cookie-of-the-session-\($0)" } ?? "; Max-Age=0"
        return WireHeader("Set-Cookie", "session=\(value); HttpOnly; Secure; SameSite=Lax")
    }

    private static func cookie(_ value: String?) -> WireHeader {
        let end = value == nil ? "; Max-Age=0" : ""
        return WireHeader(
            "Set-Cookie",
            "access_token=\(value ?? ""); Path=/; HttpOnly; Secure; SameSite=Lax\(end)"
        )
    }
}
