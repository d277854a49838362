import Basics
import FoundationEssentials
import Model
import Profiles

extension SessionStore {
    /// The time that the backend may take for a whole response.
    static let answerLimit = Duration.seconds(20)
    /// The time that another process may hold the flight lock: slightly longer than a response may take.
    package static let lockTimeout = Duration.seconds(25)
    static let probeLimit = Duration.seconds(3)

    /// The work that runs outside the actor.
    enum Work: Sendable {
        case effect(SessionEffect)
        case input(SessionInput)
        case cancelRequest(Int)
    }

    func perform(_ work: Work) async {
        switch work {
        case .effect(let effect): await perform(effect)
        case .input(let input): step(input)
        case .cancelRequest(let id): cancelRequest(id)
        }
    }

    func perform(_ effect: SessionEffect) async {
        switch effect {
        case .loadRecord(let id): step(.recordLoaded(id, await loadRecord()))
        case .commit(let id, let commit): step(.committed(id, await self.commit(commit)))
        case .checkVault(let id): step(.vaultChecked(id, await checkVault()))
        case .lockFlight(let id):
            let result = await lockFlight(id)
            guard isLeaving else { return step(result) }
            await environment.vault.unlockFlight(holder: id)
            leaveFlight(id)
        case .unlockFlight(let id):
            await environment.vault.unlockFlight(holder: id)
            leaveFlight(id)
        case .authorize(let id): await authorize(id)
        case .sendLogin(let id, let grant):
            step(.loginEnded(id, await sendLogin(grant)))
            flightRequestsLeft -= 1
            resumeLeavers()
        case .sendRefresh(let id, let token):
            step(.refreshEnded(id, await sendRefresh(token)))
            flightRequestsLeft -= 1
            resumeLeavers()
        case .sendProtected(let id, let call, let token, let isRetry):
            await exchangeProtected(id, call, token, isRetry: isRetry)
        case .ask(let id, let question, let token):
            step(.questionEnded(id, await ask(question, about: token)))
        case .sendRevocation(let id, let entry):
            step(.revocationEnded(id, await sendRevocation(entry)))
            recordRevocation()
        case .probe(let id):
            let deadline = environment.time.now + Self.probeLimit
            let reached = await environment.transport.probe(deadline: deadline)
            step(.probed(id, reached: reached))
        case .feed(let operation): await perform(operation)
        case .cancelAuthorization, .resume, .finish, .finishRequest, .emit: break
        }
    }

    private func sendLogin(_ grant: AuthorizationGrant?) async -> CompletedExchange<LoginResponse> {
        do throws(CredentialProblem) {
            // A login with a browser has begun with the client that it ends with.
            if grant == nil { try await environment.credentials.prepareLogin() }
            let given = try await environment.credentials.credentials(
                named: dialect.credentials.map(\.name)
            )
            registerSecrets { $0.register(credentials: given, at: $1) }
            let credentials = try addingGrant(to: addingAssertions(to: given))
            do throws(MissingCredential) {
                let proofKey = grant?.proofKey ?? newProofKey()
                var exchange = await exchange(
                    try dialect.loginRequest(credentials, grant: grant),
                    connection: .own,
                    provingWith: proofKey,
                    read: { [dialect = sharedDialect] in
                        dialect.value.decideLogin($0, credentials: credentials, hiding: $1)
                    }
                )
                await recordClientRefusal(in: &exchange)
                if case .answered(.issued(var tokens)) = exchange.outcome {
                    tokens.captured.values[CapturedValues.proofKeyName] = proofKey
                    exchange.outcome = .answered(.issued(tokens))
                    registerSecrets { $0.register(tokens.secrets, at: $1) }
                    if let expected = dialect.idTokenExpectation(credentials, grant: grant) {
                        let now = exchange.serverDate ?? exchange.endedAt.wall
                        let check = await check(tokens.idToken, expected, at: now)
                        tokens.idToken?.check = check
                        exchange.outcome = .answered(.issued(tokens))
                    }
                }
                return exchange
            } catch {
                return unsent(.credential(CredentialProblem(credential: error.name)))
            }
        } catch {
            return unsent(.credential(error))
        }
    }

    /// Checks an id token: its claims first, since keys are read only for a token of this login.
    private func check(
        _ token: IDToken?,
        _ expected: IDTokenExpectation,
        at now: Date
    ) async -> IDTokenCheck? {
        guard let token else { return nil }
        let failure = expected.failure(
            of: token.secret,
            at: now.timeIntervalSince1970,
            hiding: secrets
        )
        if let failure {
            return IDTokenCheck(signature: .unchecked(reason: "a claim is wrong"), failure: failure)
        }
        guard let keys = expected.keys, let verifier = environment.idTokens else {
            return IDTokenCheck(signature: .withoutKeys)
        }
        let signature = await verifier.signature(of: token.secret, keys: keys, hiding: secrets)
        return IDTokenCheck(signature: signature, failure: signature.failure)
    }

    private func sendRefresh(_ token: RefreshToken) async -> CompletedExchange<RefreshResponse> {
        registerSecrets { $0.register(token.secret, at: $1) }
        let hasWorked = (machine.held?.generation ?? 0) > 1
        do throws(CredentialProblem) {
            var exchange = await exchange(
                dialect.refreshRequest(
                    token,
                    credentials: try await clientCredentials(),
                    captured: captured
                ),
                connection: .own,
                read: { [dialect = sharedDialect] in
                    dialect.value.decideRefresh($0, hiding: $1, hasWorked: hasWorked)
                },
                issued: { answer in
                    switch answer {
                    case .issued(let tokens): tokens.secrets
                    case .refreshTokenOnly(let successor): successor.secrets
                    case .refused, .failed: []
                    }
                }
            )
            await recordClientRefusal(in: &exchange)
            return exchange
        } catch {
            return unsent(.credential(error))
        }
    }

    private func ask(
        _ question: TokenQuestion,
        about token: Secret
    ) async -> CompletedExchange<StatementResponse> {
        registerSecrets { $0.register(token, at: $1) }
        do throws(CredentialProblem) {
            guard
                let request = dialect.questionRequest(
                    question,
                    about: token,
                    credentials: try await clientCredentials()
                )
            else { return unsent(.noEndpoint(dialect: dialect.name)) }
            return await exchange(
                request,
                connection: .shared,
                read: { [dialect = sharedDialect] in
                    dialect.value.decideStatement(question, $0, hiding: $1)
                }
            )
        } catch {
            return unsent(.credential(error))
        }
    }

    private func sendRevocation(_ entry: PendingRevocation) async -> CompletedExchange<
        LogoutResponse
    > {
        do throws(CredentialProblem) {
            guard
                let request = dialect.logoutRequest(
                    entry.scope,
                    refresh: entry.refresh,
                    access: entry.access,
                    credentials: try await clientCredentials(),
                    captured: entry.captures
                )
            else { return unsent(.noEndpoint(dialect: dialect.name)) }
            return await exchange(
                request,
                connection: .own,
                provingWith: entry.captures.proofKey,
                read: { [dialect = sharedDialect] answer, _ in
                    dialect.value.decideLogout(answer, of: entry.scope)
                }
            )
        } catch {
            return unsent(.credential(error))
        }
    }

    /// The values of the pair in use that requests send again.
    var captured: CapturedValues { machine.held?.tokens.captures ?? .none }

    /// Sends a request, and reads its answer, of which what is issued is hidden from then on; its
    /// proof is made with the key of the pair in use, unless there is another.
    func exchange<Answer: Sendable>(
        _ request: WireRequest,
        connection: ConnectionUse,
        provingWith key: Secret? = nil,
        read: @Sendable (WireResponse, KnownSecrets) -> Decision<Answer>,
        issued: @Sendable (Answer) -> [Secret] = { _ in [] }
    ) async -> CompletedExchange<Answer> {
        let target = request.shownTarget(naming: environment.fingerprinter)
        if let problem = request.problem {
            return unsent(UnsentCause(problem), method: request.method, target: target)
        }
        registerFixedSecrets()
        let report = await send(
            request,
            provingWith: key ?? captured.proofKey,
            connection: connection,
            deadline: environment.time.now + Self.answerLimit
        )
        let answered = report.outcome.map { (response: $0, decision: read($0, secrets)) }
        let response = answered.answer?.response
        var exchange = CompletedExchange(
            outcome: answered.map { $0.decision.meaning },
            sentAt: report.sentAt,
            endedAt: report.endedAt,
            serverDate: dialect.isIssuer(request) ? response?.date : nil,
            method: request.method,
            target: target,
            status: response?.status
        )
        exchange.entry.timing = report.timing
        if report.isNonceRetry { exchange.entry.isNonceRetry = true }
        if let (response, decision) = answered.answer {
            exchange.clientRefusal = dialect.clientRefusal(in: response, hiding: secrets)
            // Known by then, they are not added to a copy of all secrets below.
            registerSecrets { $0.register(issued(decision.meaning), at: $1) }
            exchange.entry.receive(
                response,
                as: ResponseEvidence(
                    response,
                    decidedBy: decision.rule,
                    hiding: secrets.adding(dialect.tokens(in: response)),
                    by: dialect.recognition.secrets
                ),
                words: decision.rule == .success
                    ? nil : dialect.serverWords(in: response, hiding: secrets)
            )
        }
        return exchange
    }

    /// Has another client registered at the next login, if the server has forgotten the one that the
    /// program has registered, and says so in place of what the answer would mean otherwise.
    func recordClientRefusal<Answer: FallibleResponse>(
        in exchange: inout CompletedExchange<Answer>
    ) async {
        guard let refusal = exchange.clientRefusal, await environment.credentials.clientRefused()
        else { return }
        exchange.outcome = .answered(
            .failed(.clientForgotten(status: refusal.status, message: refusal.message))
        )
    }

    func unsent<Answer>(
        _ cause: UnsentCause,
        method: String = "POST",
        target: String = "-"
    ) -> CompletedExchange<Answer> {
        let moment = environment.time.moment
        return CompletedExchange(
            outcome: .notSent(cause),
            sentAt: moment,
            endedAt: moment,
            serverDate: nil,
            method: method,
            target: target,
            status: nil
        )
    }
}
