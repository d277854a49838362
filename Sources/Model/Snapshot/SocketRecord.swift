package import Basics

/// One socket of the feed, from its dial to its end.
package struct SocketRecord: Sendable, Equatable, LogEntry {
    package enum End: Sendable, Equatable {
        /// Another socket took over from it.
        case replaced(by: Int)
        case closed(FeedClosed)
        /// It never opened: the upgrade was answered with another status than 101.
        case refused(FeedRefused)
        /// It never opened.
        case failed(FeedFailed)
        /// It is no longer in use; no event says how it ended.
        case unknown
    }

    /// The number of the socket in the run.
    package let number: Int
    package let login: Int
    package let generation: Int
    package let dialedAt: Moment
    package var openedAt: Moment?
    package var endedAt: Moment?
    package var end: End?
    /// The socket from which it took over.
    package var takesOverFrom: Int?
    /// The messages that are missing between the two.
    package var lost = 0
    /// The compressed traffic, if messages are compressed.
    package var traffic: FeedTraffic?
    /// The newest line of the feed's log about it.
    package var line: Int?

    init(number: Int, login: Int, generation: Int, dialedAt: Moment) {
        self.number = number
        self.login = login
        self.generation = generation
        self.dialedAt = dialedAt
    }

    /// Whether its end is a failure rather than a decision of this program.
    package var endsInTrouble: Bool {
        switch end {
        case .closed(let closed): closed.by != .us
        case .refused, .failed: true
        case .replaced, .unknown, nil: false
        }
    }
}

extension FeedSnapshot {
    /// Sockets of which at most this number of the newest can still be open.
    private static let openLimit = 8

    mutating func recordDial(of socket: Int, generation: Int, login: Int, at moment: Moment) {
        sockets.insert(
            SocketRecord(number: socket, login: login, generation: generation, dialedAt: moment)
        )
    }

    mutating func open(_ socket: Int, generation: Int, login: Int, at moment: Moment) {
        if sockets.entry(numbered: socket) == nil {
            recordDial(of: socket, generation: generation, login: login, at: moment)
        }
        change(socket) { $0.openedAt = moment }
    }

    /// Takes in that one socket has taken over from another.
    mutating func recordSwitch(_ switched: FeedSwitched, at moment: Moment) {
        retired = switched.from
        recordLine(of: switched, at: moment)
        end(switched.from, .replaced(by: switched.to), at: moment)
        change(switched.to) {
            $0.takesOverFrom = switched.from
            $0.lost = switched.gap
        }
    }

    private mutating func change(_ socket: Int, _ body: (inout SocketRecord) -> Void) {
        let line = lastLine
        sockets.change(socket) { record in
            body(&record)
            record.line = line
        }
    }

    /// The first known end of a socket counts: one that was replaced is closed later.
    mutating func end(_ socket: Int, _ end: SocketRecord.End, at moment: Moment) {
        let known = sockets.entry(numbered: socket)?.end
        guard known == nil || known == .unknown else { return }
        change(socket) { record in
            record.end = end
            record.endedAt = moment
        }
    }

    /// Ends the sockets that are not in use in a state, in case no event said so.
    mutating func endOthers(than state: FeedState, at moment: Moment) {
        let used: Set<Int>
        switch state {
        case .idle, .backoff, .refused, .stopped: used = []
        case .open(let socket, _, _): used = [socket]
        case .rotating(let old, let new, _): used = [old, new]
        case .dialing: return
        }
        for record in sockets.suffix(Self.openLimit)
        where record.end == nil && record.openedAt != nil && !used.contains(record.number) {
            sockets.change(record.number) {
                $0.end = .unknown
                $0.endedAt = moment
            }
        }
    }
}
