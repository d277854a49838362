import Model

/// Names of generations, none of which two pairs of a run share: `gen 7`, or after a second login
/// of the run `gen 2.7`, the seventh pair of the second login.
struct GenerationText: Sendable {
    let hasSeveralLogins: Bool

    /// - Parameter logins: The number of logins that the run has seen.
    init(logins: Int) {
        hasSeveralLogins = logins > 1
    }

    /// `7`, `2.7`.
    func number(_ generation: Int, login: Int) -> String {
        hasSeveralLogins ? "\(login).\(generation)" : String(generation)
    }

    /// `pair 7 of login 2`, or `nil` where the number needs no explanation.
    func meaning(_ generation: Int, login: Int) -> String? {
        hasSeveralLogins ? "pair \(generation) of login \(login)" : nil
    }

    /// `gen 7`, `gen 2.7`, or `nil` for none.
    func name(_ generation: Int, login: Int) -> String? {
        generation > 0 ? "gen \(number(generation, login: login))" : nil
    }
}

extension ViewModel {
    /// The generation that a socket was dialed with, which may be of an earlier login.
    func number(ofSocket socket: Int, generation: Int) -> String {
        let record = session.generations.last { $0.sockets.contains(socket) }
        return generations.number(generation, login: record?.login ?? session.login)
    }
}
