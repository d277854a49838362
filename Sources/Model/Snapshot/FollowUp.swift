package import Basics

/// The follow-up of a request, according to later events.
package enum FollowUp: Sendable, Equatable {
    case loggedIn(login: Int)
    case issued(generation: Int?, rotated: Bool)
    /// Another refresh at the same time was accepted, too, and its tokens are used.
    case setAside
    /// The refresh failed; it is retried at `nextAt`.
    case failed(RefreshFailure, nextAt: Instant?)
    /// The refresh was refused for good; `message` is what the backend said.
    case ends(SignedOutReason, message: String?)
    /// The access token was refused: what was issued for it, and the request that repeats it.
    case tokenRefused(issued: Int?, repeatedAs: Int?, message: String?)
    /// It was answered otherwise than asked for: with what the server said.
    case said(String)
    case repeats(Int)
    /// The app had closed its connection before the answer came, and with it what it brought.
    case undelivered(issued: Int?)
}

extension SessionSnapshot {
    /// Returns what followed, or `nil` if nothing did so far.
    package func followUp(of request: LoggedExchange) -> FollowUp? {
        let exchange = request.exchange
        if exchange.isUndelivered == true {
            return .undelivered(issued: request.issued?.generation)
        }
        switch exchange.purpose {
        case .login:
            guard isAccepted(exchange) else { return nil }
            return loginIssued(by: request).map { .loggedIn(login: $0) }
        case .refresh:
            if let issued = request.issued {
                return .issued(generation: issued.generation, rotated: issued.rotated)
            }
            let flight = exchange.flight.flatMap { flights.entry(numbered: $0) }
            if exchange.why == .experiment(.concurrentRefresh), case .renewed? = flight?.outcome {
                // The other one has renewed the session.
                return isAccepted(exchange) ? .setAside : nil
            }
            return flight.flatMap(followUp)
        case .protected:
            if request.wasTokenRefused {
                return .tokenRefused(
                    issued: request.issuedAfter,
                    repeatedAs: request.repeatedAs,
                    message: exchange.serverWords
                )
            }
            return exchange.serverWords.map(FollowUp.said) ?? exchange.retryOf.map(FollowUp.repeats)
        case .logout, .introspection, .userinfo, .question, .socket, .stream, .preflight, .other:
            return nil
        }
    }

    private func isAccepted(_ exchange: Exchange) -> Bool {
        exchange.status.map((200..<300).contains) ?? false
    }

    /// The login whose pair a request brought, or `nil` if it brought none.
    ///
    /// A login is counted once its answer is there: after the request is logged.
    private func loginIssued(by request: LoggedExchange) -> Int? {
        let first = generations.first {
            $0.pair.origin == .login && $0.receivedAt.now >= request.endedAt.now
        }
        guard let first else { return nil }
        let isByLater = requests.contains {
            $0.exchange.purpose == .login && $0.number > request.number
                && $0.endedAt.now <= first.receivedAt.now
        }
        return isByLater ? nil : first.login
    }

    private func followUp(of flight: FlightRecord) -> FollowUp? {
        if let ending = flight.ending {
            guard case .failed(let failure, _, _) = flight.outcome else {
                return .ends(ending, message: nil)
            }
            return .ends(ending, message: failure.serverMessage)
        }
        switch flight.outcome {
        case .renewed(let rotated, _, _):
            return .issued(generation: flight.issued, rotated: rotated)
        case .failed(let failure, _, let nextAt):
            return .failed(failure, nextAt: nextAt)
        case nil:
            return nil
        }
    }
}
