import Model

/// The texts of a request.
enum RequestText {
    /// `401`; `unsent`, `lost` if there was no answer; `sent` while it is awaited.
    static func status(_ exchange: Exchange) -> String {
        switch exchange.result {
        case .answered(let status): String(status)
        case .notSent: "unsent"
        case .unanswered: "lost"
        case .awaited: "sent"
        }
    }

    static func style(_ exchange: Exchange) -> Style {
        switch exchange.result {
        case .answered where exchange.isPending == true: .plain
        case .answered where exchange.isUndelivered == true: .bad
        case .answered where exchange.purpose == .protected && exchange.acceptance == .refused:
            .warning
        case .answered(200..<300): .good
        case .answered(300..<400): .plain
        case .answered(400..<500): .warning
        case .answered, .notSent, .unanswered: .bad
        case .awaited: .busy
        }
    }

    /// The time that the exchange took, or has taken so far, in seconds.
    static func seconds(_ request: LoggedExchange, _ clock: ViewClock) -> Double {
        request.exchange.isAwaited
            ? clock.passed(since: request.startedAt) : request.exchange.seconds
    }

    /// The method in a column of its own, then the path.
    static func request(_ exchange: Exchange, methodWidth: Int) -> Line {
        Line(exchange.method).fitted(to: max(methodWidth, exchange.method.count))
            + " \(exchange.target)"
    }

    /// Which token it carried, the longest way first.
    static func token(_ request: LoggedExchange, _ names: GenerationText) -> [Line] {
        let generation = request.exchange.generation
        guard let name = names.name(generation, login: request.login) else {
            return [Line("–", .dim)]
        }
        let number = names.number(generation, login: request.login)
        return [Line(name, .identity), Line(number, .identity)]
    }

    static func purpose(_ purpose: ExchangePurpose) -> String {
        switch purpose {
        case .login: "login"
        case .refresh: "renewal"
        case .logout: "logout"
        case .protected: "protected request"
        case .introspection, .question: "introspection"
        case .userinfo: "userinfo"
        case .socket, .stream: "socket"
        case .preflight: "preflight"
        case .other: "other"
        }
    }
}
