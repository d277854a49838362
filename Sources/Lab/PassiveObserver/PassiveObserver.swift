import Backend
import Basics
import Client
import FoundationEssentials
import Model
import Observer
import Profiles
import Simulation

/// Reads the requests of all processes of a system, as a proxy would that all of them use, and
/// says what it finds.
///
/// It draws nothing at random and changes nothing. Requests and answers that the system exchanges as
/// values are written down in a dialect for it.
struct PassiveObserver {
    /// The credentials of every dialect.
    private static let credentials = [
        "email": "user@example.com", "username": "sandbox", "password": "password",
        "code": "123456", "identity_token": "sandbox", "client_id": "sandbox",
        "client_secret": "secret",
    ].mapValues { Secret($0) }

    /// Features that the systems leave out, since the wire alone cannot tell them from a mistake of
    /// a client.
    ///
    /// The sockets of feeds are not read, so that a renewal after a refused one seems to have no
    /// reason; users log in and out while a session lives; and a process that is killed, or cannot
    /// write, before it has stored a pair sends the old token again.
    static let absent: [ScenarioFeature] = [.feed, .userActions, .kills, .vaultFaults]

    private struct SimulatedExchange {
        let number: Int
        let process: Int
    }

    private let dialect: Dialect
    private var reader: TrafficReader
    private var machine: ObservationMachine
    private var open: [ObjectIdentifier: SimulatedExchange] = [:]
    /// The number of exchanges.
    private(set) var exchanges = 0

    /// - Parameters:
    ///   - dialect: That of the requests and answers.
    ///   - hasProfile: Whether they are read by the dialect, or by common names.
    init(_ dialect: Dialect, hasProfile: Bool) {
        self.dialect = dialect
        reader = TrafficReader(
            fingerprinter: Fingerprinter(salt: Array(repeating: 7, count: 16)),
            dialect: hasProfile ? dialect : nil
        )
        machine = ObservationMachine(
            ObservationMachine.Configuration(
                profile: "simulated",
                dialect: hasProfile ? dialect.name : nil,
                baseURL: "https://api.example.com"
            )
        )
    }

    var findings: [ObservedFinding] { machine.findings }

    // MARK: - What passes

    /// A process sends a request.
    mutating func sends(_ pending: PendingExchange, at moment: Moment) {
        exchanges += 1
        let number = exchanges
        guard var request = request(pending) else { return }
        open[ObjectIdentifier(pending)] = SimulatedExchange(
            number: number,
            process: pending.process
        )
        request.origin = "https://api.example.com"
        request.headers.append(WireHeader("User-Agent", "simulated/1"))
        // Another process learns of a new pair by the vault alone, later than its delivery.
        let peer = "127.0.0.\(pending.process + 1)"
        see(.requestHead(request, connection: number, peer: peer), of: number, at: moment)
        if !request.body.isEmpty { see(.requestBody(request.body), of: number, at: moment) }
        see(.requestEnd(bytes: request.body.count), of: number, at: moment)
    }

    /// The answer comes to the process that has sent the request, or does not.
    mutating func ends(_ pending: PendingExchange, isAlive: Bool, at moment: Moment) {
        guard let exchange = open.removeValue(forKey: ObjectIdentifier(pending)) else { return }
        let number = exchange.number
        guard !pending.isUnsent, let decided = pending.exchange else {
            return see(.failed(.notSent(message: "refused")), of: number, at: moment)
        }
        let isGivenUp = !isAlive || pending.isLate
        if isGivenUp {
            // One that resets its connection, and one that closes it, to which the answer is written.
            guard number.isMultiple(of: 2) else {
                return see(.failed(.abandoned), of: number, at: moment)
            }
            see(.givenUp, of: number, at: moment)
        }
        guard case .whole = decided.delivery, let response = response(pending, decided) else {
            return see(.failed(.unanswered(message: "reset")), of: number, at: moment)
        }
        see(.responseHead(response), of: number, at: moment)
        if !response.body.isEmpty { see(.responseBody(response.body), of: number, at: moment) }
        see(.responseEnd(bytes: response.body.count), of: number, at: moment)
        see(.delivered(whole: !isGivenUp), of: number, at: moment)
    }

    /// A process dies, and with it its connections.
    mutating func leaves(_ process: Int, at moment: Moment) {
        let left = open.filter { $0.value.process == process }
        for (identifier, exchange) in left.sorted(by: { $0.value.number < $1.value.number }) {
            open[identifier] = nil
            see(.failed(.abandoned), of: exchange.number, at: moment)
        }
    }

    private mutating func see(_ kind: TrafficInput.Kind, of number: Int, at moment: Moment) {
        tick(until: moment)
        for fact in reader.read(TrafficInput(exchange: number, kind: kind), at: moment) {
            _ = machine.handle(fact, at: moment)
        }
    }

    /// Lets time pass, with a tick at each deadline.
    private mutating func tick(until moment: Moment) {
        var last: Instant?
        while let deadline = machine.nextDeadline, deadline <= moment.now, deadline != last {
            last = deadline
            let wall = moment.wall.addingTimeInterval(-moment.now.seconds(since: deadline))
            _ = machine.handle(
                ObservationInput(exchange: 0, kind: .tick),
                at: Moment(now: deadline, wall: wall)
            )
        }
    }

    // MARK: - Messages

    private func request(_ pending: PendingExchange) -> WireRequest? {
        switch pending.purpose {
        case .login: try? dialect.loginRequest(Self.credentials)
        case .refresh(let token): dialect.refreshRequest(token, credentials: Self.credentials)
        case .protected(let token): dialect.protectedRequest(token)
        case .revocation(let entry):
            logout(entry, entry.scope) ?? logout(entry, .this)
        }
    }

    private func logout(_ entry: PendingRevocation, _ scope: LogoutScope) -> WireRequest? {
        dialect.logoutRequest(
            scope,
            refresh: entry.refresh,
            access: entry.access,
            credentials: Self.credentials
        )
    }

    /// The answer of a fault as it is, and any other one in the dialect.
    private func response(
        _ pending: PendingExchange,
        _ decided: BackendExchange
    ) -> WireResponse? {
        var response: WireResponse
        if let page = decided.response, page.status != 0 {
            response = page
        } else if let answer = decided.answer {
            response = dialect.answer(answer)
        } else {
            return nil
        }
        if let date = pending.serverDate, response.header("Date") == nil {
            let text = HTTPDate.format(Date(timeIntervalSince1970: date))
            response.headers.append(WireHeader("Date", text))
        }
        return response
    }
}
