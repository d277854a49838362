import Basics
import Model

extension FindingRule {
    static let socketAfterLogout = FindingRule(
        "socket-after-logout",
        .bug,
        summary: "A socket goes on receiving after the logout of its session.",
        remedy: "Close the sockets of a session when it logs out, on both sides.",
        references: [
            "kubestellar/console#4906", "mcdonc/klangk#3152", "cylc/cylc-uiserver#148",
            "traccar/traccar-web#896",
        ],
        watch: { SocketAfterLogoutWatch() }
    )
}

private struct SocketAfterLogoutWatch: FindingWatch {
    private static let tolerance = 2.0

    func observe(
        _ fact: ObservedFact,
        _ traffic: ObservedTraffic,
        at moment: Moment
    ) -> [FindingDraft] {
        guard case .socketMessage(let number, let message) = fact, message.from == .backend,
            let socket = traffic.exchange(number), let family = traffic.family(of: socket),
            family.end == .logout, let logout = family.endedIn.flatMap({ traffic.exchange($0) }),
            (logout.status ?? 500) < 400, let loggedOutAt = logout.deliveredAt?.now
        else { return [] }
        let late = moment.now.seconds(since: loggedOutAt)
        guard late > Self.tolerance else { return [] }
        return [
            FindingDraft(
                socket,
                evidence: [
                    logout.evidence("logout, \(logout.result)"),
                    socket.evidence("socket of the session, still receiving"),
                ],
                message: "socket #\(number) receives a message \(late.duration) after "
                    + "#\(logout.number) has ended its session"
            )
        ]
    }
}
