import Model

/// What is said of a request.
enum RequestText {
    /// `401`; `unsent`, `lost` if there was no answer; `sent` while it is awaited.
    static func status(_ record: RequestRecord) -> String {
        switch record.result {
        case .answered(let status): String(status)
        case .notSent: "unsent"
        case .unanswered: "lost"
        case .awaited: "sent"
        }
    }

    static func style(_ record: RequestRecord) -> Style {
        switch record.result {
        case .answered where record.isPending == true: .plain
        case .answered where record.isUndelivered == true: .bad
        case .answered(200..<300): .good
        case .answered(300..<400): .plain
        case .answered(400..<500): .warning
        case .answered, .notSent, .unanswered: .bad
        case .awaited: .busy
        }
    }

    /// How long the exchange took, or has taken so far, in seconds.
    static func seconds(_ request: LoggedRequest, _ clock: ViewClock) -> Double {
        request.record.isAwaited ? clock.passed(since: request.startedAt) : request.record.seconds
    }

    /// The method in a column of its own, then the path.
    static func request(_ record: RequestRecord, methodWidth: Int) -> Line {
        Line(record.method).fitted(to: max(methodWidth, record.method.count)) + " \(record.target)"
    }

    /// Which token it carried, the longest way first.
    static func token(_ request: LoggedRequest, _ names: GenerationText) -> [Line] {
        let generation = request.record.generation
        guard let name = names.name(generation, login: request.login) else {
            return [Line("–", .dim)]
        }
        let number = names.number(generation, login: request.login)
        return [Line(name, .identity), Line(number, .identity)]
    }

    static func purpose(_ purpose: RequestRecord.Purpose) -> String {
        switch purpose {
        case .login: "login"
        case .refresh: "renewal"
        case .logout: "logout"
        case .protected: "protected request"
        case .introspection: "introspection"
        case .userinfo: "userinfo"
        case .socket: "socket"
        case .preflight: "preflight"
        case .other: "other"
        }
    }
}
