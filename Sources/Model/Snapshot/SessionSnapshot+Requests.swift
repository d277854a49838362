import Basics
import Profiles

extension SessionSnapshot {
    mutating func start(_ flight: FlightRecord) {
        flights.insert(flight)
        flightNumber = flight.number
        problems.hasNoProgress = false
    }

    /// Logs the refresh that the flight sends, until the exchange takes its place.
    mutating func logSent(_ number: Int, of session: SessionID) {
        guard let flight, let request = capabilities?.refreshRequest else { return }
        let exchange = Exchange(
            id: number,
            purpose: .refresh,
            method: request.method,
            target: request.target,
            result: .awaited,
            seconds: 0,
            generation: generation,
            fingerprint: current?.pair.refresh?.fingerprint,
            why: .refresh(flight.cause),
            flight: flight.number
        )
        requests.insert(
            LoggedExchange(
                exchange: exchange,
                session: session,
                endedAt: flight.startedAt,
                login: login
            )
        )
    }

    mutating func end(_ number: Int, _ outcome: FlightRecord.Outcome) {
        flights.change(number) { $0.outcome = outcome }
        if flightNumber == number { flightNumber = nil }
    }

    mutating func log(_ exchange: Exchange, of session: SessionID, at moment: Moment) {
        var exchange = exchange
        evidence.move(from: &exchange)
        let request = LoggedExchange(
            exchange: exchange,
            session: session,
            endedAt: moment,
            login: login
        )
        requests.insert(request)
        reachability.update(exchange, at: moment)
        requestHealth.update(exchange, login: login, at: moment)
        // The breaker is closed by an acceptance of the token in use.
        if exchange.acceptance == .accepted, exchange.generation == generation {
            flags.breakerOpenUntil = nil
        }
        if exchange.status != nil { claimsSandbox = exchange.claimsSandbox }
        requestCounts.add(exchange)
        guard !exchange.why.isExperiment else { return }
        if request.wasTokenRefused {
            let newest = generations.last.map(\.receivedAt.now)
            if exchange.generation < generation, let newest, newest > request.startedAt.now {
                requests.change(exchange.id) { $0.issuedAfter = generation }
            } else {
                awaitingPair = awaitingPair.suffix(Self.awaitingLimit - 1) + [exchange.id]
            }
        }
        if let original = exchange.retryOf {
            requests.change(original) { $0.repeatedAs = exchange.id }
        }
        countUse(of: request)
    }

    /// A request that was not sent has used nothing.
    private mutating func countUse(of request: LoggedExchange) {
        let exchange = request.exchange
        guard exchange.wasSent else { return }
        if exchange.purpose == .refresh, let fingerprint = exchange.fingerprint,
            refreshToken?.fingerprint == fingerprint
        {
            refreshToken?.timesSent += 1
        }
        guard exchange.purpose == .protected, exchange.generation > 0,
            let number = generations.last(where: {
                $0.login == login && $0.generation == exchange.generation
            })?.number
        else { return }
        generations.change(number) { generation in
            generation.requests += 1
            let age = request.startedAt.now.seconds(since: generation.pair.issuedAt.now)
            if request.wasTokenRefused {
                generation.refusals += 1
                generation.refusedAge = min(generation.refusedAge ?? age, age)
            } else if let status = exchange.status, (200..<300).contains(status) {
                generation.acceptedAge = max(generation.acceptedAge ?? age, age)
            }
        }
    }
}
