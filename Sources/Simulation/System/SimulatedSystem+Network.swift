import Backend
import Basics
import Client
import FoundationEssentials
import Model
import Profiles

/// Requests on their way to the server, and answers on their way back.
extension SimulatedSystem {
    func send(_ purpose: PendingExchange.Purpose, _ operation: OperationID, of process: Int) {
        let pendingExchange = PendingExchange(
            process: process,
            incarnation: processes[process].incarnation,
            operation: operation,
            purpose: purpose,
            sentAt: clock.moment(at: now)
        )
        observe(.sends(pendingExchange, processes[process].view, server), of: process)
        guard !isStopped else { return }
        log(PendingExchangeText.sent(purpose, fingerprinter), by: process)
        if now < outageEnd {
            observe(.disrupted(.notSent), of: process)
            pendingExchange.isUnsent = true
            return schedule(.answerArrives(pendingExchange), in: random.uniform(0.001...2))
        }
        if !scenario.faults.isEmpty, random.happens(scenario.exchangeFaults) {
            let fault = scenario.faults.drawn(&random)
            if isAllowed(purpose) {
                pendingExchange.faults = [fault]
                observe(.failed(fault), of: process)
                log("fault \(fault.name)", by: process)
            }
        }
        pendingExchange.isSilent = random.happens(scenario.kind.isRough ? 0.3 : 0)
        schedule(.requestArrives(pendingExchange), in: random.uniform(scenario.transit))
    }

    func requestArrives(_ pendingExchange: PendingExchange) {
        let request: RecognizedRequest
        switch pendingExchange.purpose {
        case .login: request = .login(credentials: credentials(of: pendingExchange.process))
        case .refresh(let token): request = .refresh(token)
        case .protected(let token): request = .protected(token)
        case .revocation(let entry):
            request = .logout(entry.scope, refresh: entry.refresh, access: entry.access)
        }
        let exchange = backend.begin(
            request,
            in: policy,
            under: pendingExchange.faults,
            drawing: &random
        )
        pendingExchange.exchange = exchange
        guard exchange.delayBefore > 0 else { return serverDecides(pendingExchange) }
        schedule(.serverDecides(pendingExchange), in: exchange.delayBefore)
    }

    func serverDecides(_ pendingExchange: PendingExchange) {
        guard var exchange = pendingExchange.exchange else { return }
        let seconds = clock.serverSeconds(at: now)
        backend.finish(
            &exchange,
            writing: { [dialect = pendingExchange.speaks(scenario.dialect)] answer in
                dialect?.answer(answer) ?? Self.ownMessages
            },
            in: policy,
            under: pendingExchange.faults,
            drawing: &random,
            at: seconds
        )
        switch exchange.answer {
        case .refreshRefused(let cause)?: lastRefusal = cause
        case .refreshIssued?: lastRefusal = nil
        default: break
        }
        closeOrphans()
        pendingExchange.exchange = exchange
        pendingExchange.serverDate = (seconds + exchange.clockSkew).rounded(.down)
        observe(.decided(pendingExchange, server), of: pendingExchange.process)
        let back = exchange.delayAfter + random.uniform(scenario.transit)
        let limit = pendingExchange.sentAt.now.advanced(bySeconds: SimulatedTimeouts.answer)
        let isEnded = exchange.delivery == .whole || !pendingExchange.isSilent
        let arrival = now.advanced(bySeconds: back)
        pendingExchange.isLate = !isEnded || arrival > limit
        queue.insert(
            .answerArrives(pendingExchange),
            at: pendingExchange.isLate ? max(limit, now) : arrival
        )
    }

    func answerArrives(_ pendingExchange: PendingExchange) {
        let isAlive = isAlive(pendingExchange.process, pendingExchange.incarnation)
        observe(
            .ended(pendingExchange, isAlive: isAlive, clock.moment(at: now)),
            of: pendingExchange.process
        )
        deliver(end(of: pendingExchange), to: pendingExchange.process, pendingExchange.incarnation)
    }

    /// A placeholder for the response in the dialect's form.
    static var ownMessages: WireResponse { WireResponse(status: 0) }

    private func credentials(of process: Int) -> [String: Secret] {
        let isOther = scenario.hasTwoSubjects && process == 1
        return ["username": Secret(isOther ? "bob" : "alice")]
    }

    private func end(of pendingExchange: PendingExchange) -> SessionInput {
        let operation = pendingExchange.operation
        switch pendingExchange.purpose {
        case .login:
            let outcome = outcome(pendingExchange) { page in
                scenario.dialect?.readLogin(page) ?? .failed(SimulatedResponses.failure(page))
            } own: { answer in
                (SimulatedResponses.login(answer, scenario), 200)
            }
            return .loginEnded(operation, exchange(pendingExchange, outcome))
        case .refresh(let token):
            let outcome = outcome(pendingExchange) { page in
                scenario.dialect.map {
                    SimulatedResponses.refresh(
                        page,
                        for: token,
                        pendingExchange.exchange?.answer,
                        in: $0
                    )
                }
                    ?? SimulatedResponses.refresh(
                        page,
                        for: token,
                        beside: pendingExchange.factsBesideError,
                        scenario
                    )
            } own: { answer in
                (SimulatedResponses.refresh(answer, scenario), 200)
            }
            return .refreshEnded(operation, exchange(pendingExchange, outcome))
        case .protected:
            let outcome = outcome(pendingExchange) { page in
                if let dialect = scenario.dialect { return dialect.readProtected(page) }
                return page.status == 401
                    ? .tokenRejected : .inconclusive(retryAfter: page.retryAfter)
            } own: { answer in
                SimulatedResponses.protected(answer)
            }
            return .protectedEnded(operation, exchange(pendingExchange, outcome))
        case .revocation:
            let outcome = outcome(pendingExchange) { page in
                scenario.dialect?.readLogout(page)
                    ?? .failed(status: page.status, retryAfter: page.retryAfter)
            } own: { answer in
                if case .loggedOut? = answer { return (.acknowledged(status: 200), 200) }
                return (.tokenUnknown(status: 401), 401)
            }
            return .revocationEnded(operation, exchange(pendingExchange, outcome))
        }
    }

    private func outcome<Answer>(
        _ pendingExchange: PendingExchange,
        page: (WireResponse) -> Answer,
        own: (BackendResponse?) -> (Answer, status: Int)
    ) -> (Outcome<Answer>, status: Int?) {
        guard !pendingExchange.isUnsent, let exchange = pendingExchange.exchange else {
            return (.notSent(.unreachable(detail: "connection refused")), nil)
        }
        guard !pendingExchange.isLate else {
            return (.unanswered(detail: "no answer in time"), nil)
        }
        switch exchange.delivery {
        case .dropped: return (.unanswered(detail: "the connection ended"), nil)
        case .reset: return (.unanswered(detail: "connection reset"), nil)
        case .cut: return (.unanswered(detail: "the answer was cut off"), nil)
        case .whole: break
        }
        if let response = exchange.response, response.status != Self.ownMessages.status {
            return (.answered(page(response)), response.status)
        }
        let (answer, status) = own(exchange.answer)
        return (.answered(answer), status)
    }

    private func exchange<Answer>(
        _ pendingExchange: PendingExchange,
        _ outcome: (Outcome<Answer>, status: Int?)
    ) -> CompletedExchange<Answer> {
        let hasAnswer = outcome.status != nil
        return CompletedExchange(
            outcome: outcome.0,
            sentAt: pendingExchange.sentAt,
            endedAt: clock.moment(at: now),
            serverDate: hasAnswer
                ? pendingExchange.serverDate.map(Date.init(timeIntervalSince1970:)) : nil,
            method: "POST",
            target: "/",
            status: outcome.status
        )
    }

    func beginOutage() {
        guard let mean = scenario.betweenOutages else { return }
        let seconds = random.logUniform(scenario.outage)
        loseNetwork(for: seconds)
        schedule(.outageBegins, in: seconds + random.wait(mean: mean))
    }

    func loseNetwork(for seconds: Double) {
        observe(.disrupted(.outage))
        log("the network is away for \(ElapsedFormatter.text(seconds))", by: nil)
        outageEnd = max(outageEnd, now.advanced(bySeconds: seconds))
        observe(.networkLost(until: outageEnd))
        cutSockets()
    }

    /// Where the server forgives, the network is back 15 s after the first loss.
    private func isAllowed(_ purpose: PendingExchange.Purpose) -> Bool {
        guard scenario.kind == .lossWithGrace, case .refresh(let token) = purpose else {
            return true
        }
        return !isLost(token, longerThan: 15)
    }
}
