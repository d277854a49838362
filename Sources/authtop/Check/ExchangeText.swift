import Basics
import Observer
import Profiles

/// An exchange of a check, on one line.
enum ExchangeText {
    static func line(_ exchange: CheckExchange) -> String {
        let number = String(exchange.number)
        let probeSession = exchange.probeSession == 0 ? "" : "/\(exchange.probeSession + 1)"
        let attempt = exchange.attempt == 1 ? "" : ", attempt \(exchange.attempt)"
        let status = exchange.status.map { "\($0) " } ?? ""
        let code = exchange.code.map { " \($0)" } ?? ""
        return "  \(String(repeating: " ", count: max(0, 4 - number.count)))\(number)  "
            + "+\(seconds(exchange.sentAt)) s".padded(to: 9)
            + "\(exchange.probe.rawValue)\(probeSession)\(attempt)".padded(to: 13) + " "
            + "\(text(exchange.action)): \(status)\(outcome(exchange))\(code)"
    }

    private static func outcome(_ exchange: CheckExchange) -> String {
        switch (exchange.action, exchange.outcome) {
        case (.dial, .accepted), (.dialWith, .accepted), (.dialExpired, .accepted): "open"
        case (.watch, .accepted): "still open"
        default: text(exchange.outcome)
        }
    }

    static func text(_ action: CheckAction) -> String {
        switch action {
        case .reach: "HEAD /"
        case .login: "login"
        case .loginWrong: "login with a wrong password"
        case .refresh(let generation, _): "refresh with \(name("R", generation))"
        case .warm: "HEAD /, to open a connection"
        case .refreshTwice(let generation): "refresh with \(name("R", generation)), one of two"
        case .refreshUnread(let generation):
            "refresh with \(name("R", generation)), answer not read"
        case .refreshWith(let token): "refresh with \(text(token, isAccess: false))"
        case .refreshWithoutNonce: "refresh with a proof without a nonce"
        case .refreshFor(.omitted): "refresh without the resource"
        case .refreshFor(.other): "refresh for another resource"
        case .use(let generation, _): "request with \(name("A", generation))"
        case .useWith(let token): "request with \(text(token, isAccess: true))"
        case .logout(.this, _): "logout"
        case .logout(.everywhere, _): "logout everywhere"
        case .logoutUnknown: "logout with unknown tokens"
        case .dial(let generation): "feed with \(name("A", generation))"
        case .dialWith(let token): "feed with \(text(token, isAccess: true))"
        case .dialExpired(let generation): "feed with A\(generation), which has expired"
        case .watch(_, let occasion): "socket \(text(occasion))"
        }
    }

    private static func name(_ letter: String, _ generation: Int?) -> String {
        generation.map { "\(letter)\($0)" } ?? "the newest \(letter)"
    }

    static func text(_ occasion: FeedOccasion) -> String {
        switch occasion {
        case .opening: "after the upgrade"
        case .refresh: "after the refresh"
        case .expiry: "after the end of its token"
        case .logout: "after the logout"
        case .invalidToken: "with this token"
        }
    }

    static func text(_ token: BadToken, isAccess: Bool) -> String {
        switch token {
        case .empty: "no token"
        case .malformed: "a malformed token"
        case .unknown: "an unknown token"
        case .otherKind: isAccess ? "a refresh token" : "an access token"
        }
    }

    static func text(_ outcome: ExchangeOutcome) -> String {
        switch outcome {
        case .issued(let issued):
            switch issued.refresh {
            case .absent: "A\(issued.number)"
            case .unchanged: "A\(issued.number), the same refresh token"
            case .repeated(let generation): "A\(issued.number), R\(generation) again"
            case .new: "A\(issued.number), R\(issued.number)"
            }
        case .accepted: "accepted"
        case .refused: "refused"
        case .closed(let code): "closed with \(code)"
        case .unclear(let answer): text(answer)
        }
    }

    static func text(_ answer: UnclearAnswer) -> String {
        switch answer {
        case .notSent(let detail): "not sent: \(detail)"
        case .unanswered(let detail): "no complete answer: \(detail)"
        case .cut(let code): "closed with \(code), which may have another cause"
        case .serverError: "the server failed"
        case .rateLimited(let wait):
            "rate limited" + (wait.map { ", for \(DurationText.text($0))" } ?? "")
        case .unreadable: "an answer that cannot be read"
        case .bareRefusal: "refused without a body in the backend's format"
        case .challenged(let code): "refused for what no refresh brings: \(code)"
        case .loginRefused: "a login was refused although others had succeeded"
        case .notPossible: "the request cannot be made"
        }
    }

    /// Seconds with at most one decimal: `0.3`, `10`, `10.1`.
    static func seconds(_ seconds: Double) -> String {
        let tenths = Int((seconds * 10).rounded())
        return tenths % 10 == 0 ? String(tenths / 10) : "\(tenths / 10).\(abs(tenths % 10))"
    }
}
