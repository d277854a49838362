import Basics
import Model

/// Something that happened, as a mark in a row of the lifeline.
struct LifelineFact: Sendable, Equatable {
    enum Row: Int, Sendable, Hashable, CaseIterable, Comparable {
        case requests
        case feed
        case events

        static func < (left: Row, right: Row) -> Bool { left.rawValue < right.rawValue }
    }

    /// Where more is known about it, by its number there.
    enum Source: Sendable, Hashable {
        case request(Int)
        case event(Int)
        case socket(Int)
    }

    let row: Row
    let at: Instant
    let mark: LifelineMark
    let source: Source
}

extension LifelineMark {
    var symbol: Unicode.Scalar {
        switch self {
        case .opened: "━"
        case .switched: "╋"
        case .answered: "·"
        case .sent: "◐"
        case .renewed: "+"
        case .resumed: "▸"
        case .paused: "‖"
        case .began: "●"
        case .asleep: "z"
        case .lost, .warning: "⚠"
        case .failed: "!"
        case .ended: "○"
        case .refused, .died: "✗"
        }
    }

    var style: Style {
        switch self {
        case .opened, .switched, .renewed, .began: .good
        case .answered, .resumed, .ended: .plain
        case .sent, .paused: .busy
        case .asleep: .dim
        case .lost, .warning: .warning
        case .failed, .refused, .died: .bad
        }
    }
}

extension LifelineFact {
    /// Calls a closure with everything that is kept of a session, row by row.
    static func forEach(of session: SessionSnapshot, _ body: (LifelineFact) -> Void) {
        for request in session.requests {
            let at = request.endedAt.now.advanced(bySeconds: -request.exchange.seconds)
            let mark = mark(of: request.exchange)
            body(Self(row: .requests, at: at, mark: mark, source: .request(request.number)))
        }
        for socket in session.feed.sockets {
            for (at, mark) in marks(of: socket) {
                body(Self(row: .feed, at: at, mark: mark, source: .socket(socket.number)))
            }
        }
        for entry in session.history.entries {
            guard let mark = entry.kind.lifelineMark else { continue }
            let at = entry.kind.happenedAt ?? entry.at
            body(Self(row: .events, at: at.now, mark: mark, source: .event(entry.number)))
        }
    }

    private static func mark(of exchange: Exchange) -> LifelineMark {
        switch exchange.result {
        case .answered where exchange.isPending == true: .answered
        case .answered where exchange.isRefused: .refused
        case .answered(let status) where status < 400: .answered
        case .answered(let status) where status < 500: .refused
        case .answered, .notSent, .unanswered: .failed
        case .awaited: .sent
        }
    }

    private static func marks(of socket: SocketRecord) -> [(Instant, LifelineMark)] {
        var marks: [(Instant, LifelineMark)] = []
        if let opened = socket.openedAt?.now {
            let switched: LifelineMark = socket.lost > 0 ? .lost : .switched
            marks.append((opened, socket.takesOverFrom == nil ? .opened : switched))
        }
        if socket.endsInTrouble, let end = socket.endedAt?.now { marks.append((end, .died)) }
        return marks
    }
}
