package import Basics

/// The state of the feed, and its messages.
package struct FeedSnapshot: Sendable, Equatable {
    static let logLimit = 2_000
    /// Messages displace the lines about sockets, but not the sockets.
    static let socketLimit = 2_000

    package var state = FeedState.idle
    /// The address of the socket in use, or else of the last dial, its token replaced by the
    /// fingerprint.
    package var target: String? {
        let socket: Int? =
            switch state {
            case .dialing(let socket, _), .open(let socket, _, _), .rotating(let socket, _, _):
                socket
            case .idle, .backoff, .refused, .stopped: nil
            }
        return dials.last { $0.socket == socket }?.target ?? dials.last?.target
    }
    package var lastPing: Duration?
    /// When the last frame arrived on the open socket, including pongs.
    package var heardAt: Moment?
    /// The counts over all sockets of the run.
    package var counts = FeedCounts()
    /// The messages of the last seconds.
    package var arrivals = ArrivalRate()
    /// The number of times that a socket was opened.
    var openings = 0
    /// The socket that still receives although the session is signed out.
    package var leakingSocket: Int?
    package var log = BoundedLog<FeedLine>(limit: logLimit)
    /// The appearances of the newest refusals of an upgrade, by the number of the socket.
    package var evidence = EvidenceLog()
    /// The sockets, in the order in which they were dialed.
    package var sockets = BoundedLog<SocketRecord>(limit: socketLimit)
    /// The socket that another one has taken over from.
    var retired: Int?
    /// The newest dials, of which at most two are in use.
    private var dials: [Dial] = []
    private var lines = 0
    /// When the newest socket ended that was not closed by us, or did not open.
    package private(set) var newestEnd: Moment?
    /// The number of the line that was written last, or `nil` if there is none.
    private(set) var lastLine: Int?

    init() {}

    private struct Dial: Sendable, Equatable {
        var socket: Int
        var target: String
    }

    private static let dialLimit = 8

    mutating func recordDial(of socket: Int, to target: String) {
        dials = dials.suffix(Self.dialLimit - 1) + [Dial(socket: socket, target: target)]
    }

    /// Adds a line, if there is one.
    mutating func append(_ event: FeedLine.Event?, at moment: Moment) {
        guard let event else { return }
        lines += 1
        lastLine = lines
        let line = FeedLine(number: lines, at: moment, event: event)
        if line.isEnd { newestEnd = moment }
        log.insert(line)
    }

    /// Replaces the line about the opened socket by one about the switch.
    mutating func recordLine(of switched: FeedSwitched, at moment: Moment) {
        let opening = log.suffix(16).last { line in
            if case .opened(let opened) = line.event { return opened.socket == switched.to }
            return false
        }
        guard let opening else { return append(.switched(switched), at: moment) }
        lastLine = opening.number
        log.insert(FeedLine(number: opening.number, at: opening.at, event: .switched(switched)))
    }
}

/// One line of the feed's log.
package struct FeedLine: Sendable, Equatable, LogEntry {
    package enum Event: Sendable, Equatable {
        case opened(FeedOpened)
        case switched(FeedSwitched)
        case closed(FeedClosed)
        /// Without the evidence, which is in a log of its own.
        case refused(FeedRefused)
        case failed(FeedFailed)
        case message(FeedMessageReceived)
        case missing(FeedMessagesMissing)
        case control(FeedControlReceived)
        case stopped(FeedCause)
        case leaking(FeedAliveAfterLogout)
    }

    package let number: Int
    package let at: Moment
    package let event: Event

    /// Whether a socket ended that was not closed by us, or did not open.
    package var isEnd: Bool {
        switch event {
        case .closed(let closed): closed.by != .us
        case .refused, .failed: true
        case .opened, .switched, .message, .missing, .control, .stopped, .leaking: false
        }
    }
}
