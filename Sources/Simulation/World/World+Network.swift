import Backend
import Dialects
import FoundationEssentials
import Lifecycle
import Timekeeping
import Tokens

/// Requests on their way to the server, and answers on their way back.
extension World {
    func send(_ purpose: Errand.Purpose, _ operation: OperationID, of process: Int) {
        let errand = Errand(
            process: process,
            incarnation: processes[process].incarnation,
            operation: operation,
            purpose: purpose,
            sentAt: clock.moment(at: now)
        )
        if let sight = processes[process].sight {
            let sent = SentRequest(
                process: process,
                purpose: purpose,
                operation: operation,
                sight: sight,
                now: now
            )
            report(checks.sends(sent, backend, realm, clock), by: process)
        }
        guard breach == nil else { return }
        tell(ErrandWords.sent(purpose, fingerprinter), by: process)
        if now < outageEnd {
            coverage.count(.notSent)
            errand.isUnsent = true
            return schedule(.answerArrives(errand), in: random.uniform(0.001...2))
        }
        if !scenario.faults.isEmpty, random.happens(scenario.exchangeFaults) {
            let fault = scenario.faults.drawn(&random)
            if isAllowed(purpose) {
                errand.faults = [fault]
                coverage.count(fault)
                tell("fault \(fault.name)", by: process)
            }
        }
        errand.isSilent = random.happens(scenario.kind.isRough ? 0.3 : 0)
        schedule(.requestArrives(errand), in: random.uniform(scenario.transit))
    }

    func requestArrives(_ errand: Errand) {
        let request: RecognisedRequest
        switch errand.purpose {
        case .login: request = .login(credentials: credentials(of: errand.process))
        case .refresh(let token): request = .refresh(token)
        case .protected(let token): request = .protected(token)
        case .revocation(let entry):
            request = .logout(entry.scope, refresh: entry.refresh, access: entry.access)
        }
        let exchange = backend.begin(request, in: realm, under: errand.faults, drawing: &random)
        errand.exchange = exchange
        guard exchange.delayBefore > 0 else { return serverDecides(errand) }
        schedule(.serverDecides(errand), in: exchange.delayBefore)
    }

    func serverDecides(_ errand: Errand) {
        guard var exchange = errand.exchange else { return }
        let seconds = clock.serverSeconds(at: now)
        backend.finish(
            &exchange,
            writing: { [dialect = errand.speaks(scenario.dialect)] answer in
                dialect?.answer(answer) ?? Self.ownWords
            },
            in: realm,
            under: errand.faults,
            drawing: &random,
            at: seconds
        )
        errand.exchange = exchange
        errand.serverDate = (seconds + exchange.clockSkew).rounded(.down)
        report(checks.bystander.decided(errand, backend), by: errand.process)
        let back = exchange.delayAfter + random.uniform(scenario.transit)
        let limit = errand.sentAt.now.advanced(bySeconds: Self.answerLimit)
        let isEnded = exchange.delivery == .whole || !errand.isSilent
        let arrival = now.advanced(bySeconds: back)
        errand.isLate = !isEnded || arrival > limit
        queue.insert(.answerArrives(errand), at: errand.isLate ? max(limit, now) : arrival)
    }

    func answerArrives(_ errand: Errand) {
        deliver(end(of: errand), to: errand.process, errand.incarnation)
    }

    /// Stands for whatever the dialect would have written.
    static var ownWords: WireResponse { WireResponse(status: 0) }

    private func credentials(of process: Int) -> [String: Secret] {
        let isOther = scenario.hasTwoSubjects && process == 1
        return ["username": Secret(isOther ? "bob" : "alice")]
    }

    private func end(of errand: Errand) -> SessionInput {
        let operation = errand.operation
        switch errand.purpose {
        case .login:
            let outcome = outcome(errand) { page in
                scenario.dialect?.readLogin(page) ?? .failed(Answers.failure(page))
            } own: { answer in
                (Answers.login(answer, scenario), 200)
            }
            return .loginEnded(operation, exchange(errand, outcome))
        case .refresh:
            let outcome = outcome(errand) { page in
                scenario.dialect.map { Answers.refresh(page, errand.exchange?.answer, in: $0) }
                    ?? Answers.refresh(page)
            } own: { answer in
                (Answers.refresh(answer, scenario), 200)
            }
            return .refreshEnded(operation, exchange(errand, outcome))
        case .protected:
            let outcome = outcome(errand) { page in
                if let dialect = scenario.dialect { return dialect.readProtected(page) }
                return page.status == 401
                    ? .tokenRejected : .inconclusive(retryAfter: page.retryAfter)
            } own: { answer in
                Answers.protected(answer)
            }
            return .protectedEnded(operation, exchange(errand, outcome))
        case .revocation:
            let outcome = outcome(errand) { page in
                scenario.dialect?.readLogout(page)
                    ?? .failed(status: page.status, retryAfter: page.retryAfter)
            } own: { answer in
                if case .loggedOut? = answer { return (.acknowledged(status: 200), 200) }
                return (.tokenUnknown(status: 401), 401)
            }
            return .revocationEnded(operation, exchange(errand, outcome))
        }
    }

    private func outcome<Answer>(
        _ errand: Errand,
        page: (WireResponse) -> Answer,
        own: (BackendAnswer?) -> (Answer, status: Int)
    ) -> (Lifecycle.Exchange<Answer>.Outcome, status: Int?) {
        guard !errand.isUnsent, let exchange = errand.exchange else {
            return (.notSent(words: "connection refused"), nil)
        }
        guard !errand.isLate else { return (.unanswered(words: "no answer in time"), nil) }
        switch exchange.delivery {
        case .dropped: return (.unanswered(words: "the connection ended"), nil)
        case .reset: return (.unanswered(words: "connection reset"), nil)
        case .cut: return (.unanswered(words: "the answer was cut off"), nil)
        case .whole: break
        }
        if let response = exchange.response, response.status != Self.ownWords.status {
            return (.answered(page(response)), response.status)
        }
        let (answer, status) = own(exchange.answer)
        return (.answered(answer), status)
    }

    private func exchange<Answer>(
        _ errand: Errand,
        _ outcome: (Lifecycle.Exchange<Answer>.Outcome, status: Int?)
    ) -> Lifecycle.Exchange<Answer> {
        let hasAnswer = outcome.status != nil
        return Lifecycle.Exchange(
            outcome: outcome.0,
            sentAt: errand.sentAt,
            endedAt: clock.moment(at: now),
            serverDate: hasAnswer ? errand.serverDate.map(Date.init(timeIntervalSince1970:)) : nil,
            wire: WireFacts(method: "POST", target: "/", status: outcome.status, timing: nil)
        )
    }

    func beginOutage() {
        guard let mean = scenario.betweenOutages else { return }
        let seconds = random.logUniform(scenario.outage)
        loseNetwork(for: seconds)
        schedule(.outageBegins, in: seconds + random.wait(mean: mean))
    }

    func loseNetwork(for seconds: Double) {
        coverage.count(.outage)
        tell("the network is away for \(DurationWords.text(seconds))", by: nil)
        outageEnd = max(outageEnd, now.advanced(bySeconds: seconds))
        checks.economy.outageBegins(now, until: outageEnd)
    }

    /// Where the server forgives, the network is back 15 s after the first loss.
    private func isAllowed(_ purpose: Errand.Purpose) -> Bool {
        guard scenario.kind == .forgiven, case .refresh(let token) = purpose,
            let first = checks.firstLoss(of: token)
        else { return true }
        return now.seconds(since: first) < 15
    }
}
