import Basics
import Model
import NIOCore
import NIOSSL
import Observer
import Platform
import Profiles

/// One port of the proxy, and what it needs to stand in for its origin.
struct Listener: Sendable {
    let origin: BackendOrigin
    let rewriter: HeadRewriter
    let connector: OriginConnector

    /// The origin without its path, as observers get it.
    let name: String
    /// Whether what passes is shown to the observer, and faults may be injected.
    let isObserved: Bool

    init(
        origin: BackendOrigin,
        rewriter: HeadRewriter,
        connector: OriginConnector,
        isObserved: Bool = true
    ) {
        self.isObserved = isObserved
        self.origin = origin
        self.rewriter = rewriter
        self.connector = connector
        name = origin.withoutPath.description
    }
}

/// A connection of an app.
protocol RelayedConnection {
    func close()
    func closeIfIdle(at now: NIODeadline, _ limits: IdleLimits)
}

extension AppChannel: RelayedConnection {}

/// The state that all connections share, on the one event loop of the server.
final class RelayContext {
    let loop: any EventLoop
    /// By the index of their origin.
    var listeners: [Listener] = []
    /// The forward proxy, if there is one.
    var forwarding: Forwarding?
    /// The certificates that the server shows to apps, or `nil` for plain HTTP.
    var tls: AppTLS?
    /// Whether the backends of TLS speak HTTP/2, by the names of their listeners, as far as is known.
    var speaksHTTP2: [String: Bool] = [:]
    /// The backends of which that is kept; beyond it, all are asked again.
    private static let backendLimit = 256
    /// Those that are asked for it.
    private var questions: [String: EventLoopFuture<Bool>] = [:]
    /// Those at which the server listens.
    var ports: Set<Int> = []
    /// Finds the processes behind connections.
    var processes: ConnectionProcesses?
    /// The session whose token requests are sent with, or `nil` if they are sent as they are.
    var serving: Serving?
    /// Whether the server listens at a Unix socket, which is its user's alone.
    var isLocalSocket = false
    /// The hosts by which apps may name the server.
    var hosts = ProxyHosts()
    /// The time after a delivery within which a reset casts doubt on it.
    var resetWindow = TimeAmount.zero
    /// The time that an app has to end a connection with TLS after its last answer.
    var farewell = TimeAmount.zero
    /// The time after which an app that has sent nothing may have refused metadata.
    var issuerTimeout = TimeAmount.zero
    /// The memory that streams of HTTP/2 may take up while they are not read.
    let streamBudget = WindowBudget(limit: HTTP2Limits.budget)
    /// The number of all exchanges that are not observed.
    static let unobserved = -1
    private let observer: any TrafficObserver
    private let injector: any FaultInjector
    private let timekeeper: any Timekeeper
    private var exchanges = 0
    private var connections = 0
    /// The connections that are open, by their number.
    private var apps: [Int: any RelayedConnection] = [:]
    private var housekeeping: Scheduled<Void>?
    /// Runs out after metadata with another issuer, unless the app sends something else.
    private var issuerDoubt: Scheduled<Void>?
    /// The channels of connections that have not said where they lead, and of tunnels.
    private var others: [ObjectIdentifier: any Channel] = [:]
    /// The connections that have become sockets, by the numbers of their exchanges.
    var sockets: [Int: AppChannel] = [:]

    init(
        on loop: any EventLoop,
        observer: any TrafficObserver,
        injector: any FaultInjector,
        timekeeper: any Timekeeper
    ) {
        self.loop = loop
        self.observer = observer
        self.injector = injector
        self.timekeeper = timekeeper
    }

    /// The present.
    var moment: Moment { timekeeper.moment }

    /// What belongs to an exchange that is not observed is dropped.
    func observe(_ kind: TrafficInput.Kind, of exchange: Int) {
        guard exchange != Self.unobserved else { return }
        let input = TrafficInput(exchange: exchange, kind: kind)
        let moment = timekeeper.moment
        observer.observe(input, at: moment)
        injector.observe(input, at: moment)
    }

    /// Tells of a request that was refused because it names another server.
    func recordRefusal(_ refusal: HostRefusal) {
        let kind = TrafficInput.Kind.misdirected(
            host: refusal.host,
            isURL: refusal.isURL,
            isAllowable: refusal.isAllowable
        )
        observe(kind, of: 0)
    }

    /// Tells of a connection that could not be read, or of a request that breaks HTTP/1.1.
    func recordUnreadable(_ subject: Omission.Subject) {
        observe(.unreadable(subject), of: 0)
    }

    /// Tells, unless something else is sent soon, that an app may have refused metadata.
    func doubtIssuer() {
        issuerDoubt?.cancel()
        issuerDoubt = loop.assumeIsolated().scheduleTask(in: issuerTimeout) { [self] in
            reportDoubtedIssuer()
        }
    }

    /// Takes what was sent for a sign that metadata were accepted.
    func acceptIssuer() {
        issuerDoubt?.cancel()
        issuerDoubt = nil
    }

    /// Reports at once that an app may have refused metadata, which only time would decide.
    func reportDoubtedIssuer() {
        guard issuerDoubt != nil else { return }
        acceptIssuer()
        recordUnreadable(.issuer)
    }

    /// Returns why nothing is sent over a connection that was opened, to a server that a user has named
    /// or not, or `nil`: what it leads to is known only now.
    func objection(to channel: any Channel, isNamed: Bool) -> ForwardObjection? {
        guard let remote = channel.remoteAddress, let address = remote.ipAddress else { return nil }
        let isOwn = address == channel.localAddress?.ipAddress
        if isOwn, ports.contains(remote.port ?? 0) { return .itself }
        return isNamed ? nil : forwarding?.objection(to: isOwn ? "127.0.0.1" : address)
    }

    /// Finds out whether a backend speaks HTTP/2, so that an app is offered what the backend speaks.
    ///
    /// A backend without TLS cannot be asked; one that cannot be reached is asked again.
    func speaksHTTP2(_ listener: Listener) -> EventLoopFuture<Bool> {
        let name = listener.name
        guard listener.origin.isSecure else { return loop.makeSucceededFuture(false) }
        if let known = speaksHTTP2[name] { return loop.makeSucceededFuture(known) }
        if let question = questions[name] { return question }
        let asked = NIOLoopBound(self, eventLoop: loop)
        let question = listener.connector.connect(offeringHTTP2: true) { _ in }
            .map { channel in
                let speaks = OriginConnector.negotiatesHTTP2(channel)
                asked.value.remember(speaks, of: name)
                OriginConnector.close(channel)
                return speaks
            }
            .recover { _ in false }
        questions[name] = question
        question.assumeIsolated().whenComplete { [self] _ in questions[name] = nil }
        return question
    }

    /// A forward proxy may have any number of backends.
    private func remember(_ speaks: Bool, of name: String) {
        if speaksHTTP2.count >= Self.backendLimit { speaksHTTP2 = [:] }
        speaksHTTP2[name] = speaks
    }

    /// Numbers an exchange, and asks for the decision on it.
    func begin(
        _ request: WireRequest,
        connection: Int,
        peer: String
    ) -> (number: Int, decision: FaultDecision) {
        exchanges += 1
        observe(.requestHead(request, connection: connection, peer: peer), of: exchanges)
        return (exchanges, injector.decide(on: request, exchange: exchanges))
    }

    /// Returns the decision on an exchange whose request has been observed to its end.
    func decide(on exchange: Int) -> FaultDecision {
        injector.decide(on: exchange, at: timekeeper.moment)
    }

    /// Returns another body for the answer to an exchange, or `nil` if it stays.
    func rewriting(_ body: [UInt8], of exchange: Int) -> [UInt8]? {
        injector.rewriting(body, of: exchange, at: timekeeper.moment)
    }

    /// Carries out an order for the sockets that are open.
    func perform(_ order: SocketOrder) {
        for app in sockets.values { app.perform(order) }
    }

    /// Keeps a channel that belongs to no app, so that it is closed with the server.
    func hold(_ channel: any Channel) {
        others[ObjectIdentifier(channel)] = channel
    }

    func release(_ channel: any Channel) {
        others[ObjectIdentifier(channel)] = nil
    }

    /// Numbers a connection of an app.
    func opened(_ app: AppChannel) -> Int {
        connections += 1
        apps[connections] = app
        return connections
    }

    /// Leaves the number of a connection to what has taken it over.
    func replace(_ number: Int, by connection: any RelayedConnection) {
        apps[number] = connection
    }

    func closed(_ connection: Int) {
        apps[connection] = nil
    }

    func closeAll() {
        housekeeping?.cancel()
        issuerDoubt?.cancel()
        for app in apps.values { app.close() }
        for channel in others.values { channel.close(promise: nil) }
    }

    /// Begins to close the connections that wait for a request for too long, up to a quarter of the
    /// shorter limit late.
    func closeIdleConnections(after limits: IdleLimits) {
        let interval = TimeAmount.nanoseconds(Int64(min(limits.head, limits.idle) / 8 * 1e9))
        housekeeping = loop.assumeIsolated().scheduleTask(in: interval) { [self] in
            let now = NIODeadline.now()
            for app in Array(apps.values) { app.closeIfIdle(at: now, limits) }
            closeIdleConnections(after: limits)
        }
    }
}
