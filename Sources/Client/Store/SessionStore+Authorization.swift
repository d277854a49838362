import Basics
import Model
import Profiles

/// The login with the user's browser.
extension SessionStore {
    /// A login that waits for its redirect.
    struct PendingAuthorization {
        let cancellation: AsyncStream<Void>
        let cancel: AsyncStream<Void>.Continuation

        init() {
            (cancellation, cancel) = AsyncStream.makeStream()
        }
    }

    /// Logs in, unless that is cancelled.
    func authorize(_ id: OperationID) async {
        guard !dialect.usesDeviceCode else {
            authorizations[id] = nil
            // The code would not be seen.
            guard environment.browser != nil else {
                let failure = RefreshFailure(.authorization(.noUser))
                return step(.authorizationEnded(id, .failure(failure)))
            }
            return step(.deviceAuthorized(id, await requestDeviceCode()))
        }
        guard let cancellation = authorizations[id]?.cancellation else { return }
        let result = await withTaskGroup(of: Result<AuthorizationGrant, RefreshFailure>?.self) {
            group in
            group.addTask { await self.grant(id) }
            group.addTask {
                for await _ in cancellation {}
                return nil
            }
            let first = await group.next() ?? nil
            group.cancelAll()
            return first
        }
        authorizations[id] = nil
        if let result { step(.authorizationEnded(id, result)) }
    }

    /// Requests a code that the user enters on any device.
    private func requestDeviceCode() async -> CompletedExchange<DeviceResponse> {
        do throws(CredentialProblem) {
            try await environment.credentials.prepareLogin()
            let credentials = try await clientCredentials()
            do throws(MissingCredential) {
                guard let request = try dialect.deviceRequest(credentials) else {
                    return unsent(.noEndpoint(dialect: dialect.name))
                }
                var exchange = await exchange(
                    request,
                    connection: .own,
                    read: { [dialect = sharedDialect] in dialect.value.decideDevice($0, hiding: $1)
                    }
                )
                await recordClientRefusal(in: &exchange)
                if case .answered(.issued(let authorization)) = exchange.outcome {
                    registerSecrets { $0.register(credentials: authorization.grant.values, at: $1) }
                }
                return exchange
            } catch {
                return unsent(.credential(CredentialProblem(credential: error.name)))
            }
        } catch {
            return unsent(.credential(error))
        }
    }

    /// Receives redirects until one of them ends the login.
    private func grant(_ id: OperationID) async -> Result<AuthorizationGrant, RefreshFailure> {
        guard let browser = environment.browser, let location = dialect.redirectLocation else {
            return .failure(RefreshFailure(.authorization(.noUser)))
        }
        let credentials: [String: Secret]
        do throws(CredentialProblem) {
            try await environment.credentials.prepareLogin()
            credentials = try await clientCredentials()
        } catch {
            return .failure(RefreshFailure(.unsent(.credential(error))))
        }
        let (redirects, redirect) = AsyncStream.makeStream(of: AuthorizationRedirect.self)
        do throws(AuthorizationFailure) {
            try await browser.redirects.receive(on: location.port) { port in
                await self.begin(id, port, credentials, browser) { redirect.yield($0) }
            }
        } catch {
            return .failure(RefreshFailure(.authorization(error)))
        }
        redirect.finish()
        for await redirect in redirects {
            switch redirect {
            case .granted(let grant):
                registerSecrets { $0.register(credentials: grant.values, at: $1) }
                return .success(grant)
            case .refused(let error, let description):
                if ClientRefusal.errors.contains(error),
                    await environment.credentials.clientRefused()
                {
                    let failure = ResponseFailure.clientForgotten(
                        status: 400,
                        message: description ?? error
                    )
                    return .failure(RefreshFailure(failure))
                }
                let failure = AuthorizationFailure.refused(error: error, description: description)
                return .failure(RefreshFailure(.authorization(failure)))
            case .rejected(.otherState): continue
            case .rejected(let problem):
                return .failure(RefreshFailure(.authorization(.rejected(problem))))
            }
        }
        return .failure(RefreshFailure(.authorization(.cancelled)))
    }

    /// Opens the browser once redirects are received on a port.
    ///
    /// - Returns: The handler of a browser's request.
    private func begin(
        _ id: OperationID,
        _ port: Int,
        _ credentials: [String: Secret],
        _ browser: Browser,
        _ report: @escaping @Sendable (AuthorizationRedirect) -> Void
    ) async -> @Sendable (String) -> RedirectPage {
        var attempt: AuthorizationAttempt?
        // The server binds the code to the key that pushes the parameters (RFC 9449 section 10.1).
        let proofKey = dialect.pushesAuthorization ? newProofKey() : nil
        do throws(MissingCredential) {
            attempt = try dialect.authorizationAttempt(
                at: machine.configuration.capabilities.baseURL,
                redirectPort: port,
                credentials: credentials,
                proofKey: proofKey,
                randomBytes: browser.randomBytes
            )
        } catch {
            let problem = CredentialProblem(credential: error.name)
            step(.authorizationEnded(id, .failure(RefreshFailure(.unsent(.credential(problem))))))
            return { _ in .notFound }
        }
        if let request = attempt?.pushed {
            let exchange = await push(request, provingWith: proofKey)
            step(.authorizationPushed(id, exchange))
            guard case .answered(.accepted(let pushed)) = exchange.outcome, !Task.isCancelled else {
                return { _ in .notFound }
            }
            attempt?.refer(to: pushed)
        }
        guard let attempt else { return { _ in .notFound } }
        step(.authorizationPrompted(id, url: attempt.url, isOpened: browser.open(attempt.url)))
        return { [weak self] target in
            guard let redirect = attempt.read(target) else { return .notFound }
            report(redirect)
            if case .rejected(let problem) = redirect {
                self?.report(stray: problem, of: id)
            }
            return RedirectPage(redirect)
        }
    }

    private func push(
        _ request: WireRequest,
        provingWith key: Secret?
    ) async -> CompletedExchange<PushedResponse> {
        var exchange = await exchange(
            request,
            connection: .own,
            provingWith: key,
            read: { [dialect = sharedDialect] in dialect.value.decidePushed($0, hiding: $1) }
        )
        await recordClientRefusal(in: &exchange)
        return exchange
    }

    private nonisolated func report(stray problem: RedirectProblem, of id: OperationID) {
        workInput.yield(.input(.authorizationStrayed(id, problem)))
    }
}
