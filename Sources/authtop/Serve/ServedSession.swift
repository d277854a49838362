import Basics
import Client
import Model
import Profiles
import Proxy
import UI

/// A stored session as the requests of other programs use it.
struct ServedSession: SessionServing {
    /// The time for which a request waits for a token: longer than a renewal takes.
    private static let timeout = Duration.seconds(30)

    private let opening: SessionOpening
    private let profile: String
    private let dialect: Dialect
    /// Where requests are sent, or `nil` for the base URL.
    private let origin: String?
    private let time: any Timekeeper
    private let notices: ServeNotices

    init(
        _ opening: SessionOpening,
        profile: String,
        dialect: Dialect,
        origin: String?,
        time: any Timekeeper,
        notices: ServeNotices
    ) {
        self.opening = opening
        self.profile = profile
        self.dialect = dialect
        self.origin = origin
        self.time = time
        self.notices = notices
    }

    func fields(for request: WireRequest, after refused: AnsweredFields?) async -> ServingDecision {
        var request = request
        request.origin = origin
        let deadline = time.now + Self.timeout
        guard let store = await opening.store(by: deadline, time) else {
            return .withhold(
                status: 503,
                message: "\(profile): the session is not open yet: try again"
            )
        }
        do throws(SessionFieldsProblem) {
            if let refused, isNonceRefused(refused.response, of: refused.fields) {
                await store.recordNonce(in: refused.response, to: refused.fields, at: origin)
                return .send(try await store.sessionFields(refused.fields.token, for: request))
            }
            // Before the renewal that it may cause.
            let number = await refused.recorded(of: request, in: store)
            return .send(
                try await store.sessionFields(
                    for: request,
                    inPlaceOf: refused?.fields.token,
                    by: deadline
                ),
                repeating: number
            )
        } catch {
            return await withheld(error, store)
        }
    }

    func isRefusal(byHeadOf response: WireResponse, of fields: SessionFields) -> Bool? {
        if isNonceRefused(response, of: fields) { return true }
        if fields.proof != nil, ProofOfPossession.nonce(in: response) != nil {
            let store = opening.store
            Task { [origin] in await store?.recordNonce(in: response, to: fields, at: origin) }
        }
        return dialect.decideProtected(byHeadOf: response).map { $0.meaning == .tokenRejected }
    }

    func isRefusal(_ response: WireResponse, to request: WireRequest) -> Bool {
        dialect.readProtected(response, to: request) == .tokenRejected
    }

    func answered(
        _ request: WireRequest,
        _ answer: AnsweredFields,
        repeating number: Int,
        isRefused: Bool
    ) {
        guard
            let exchange = ServedExchange(
                request,
                answer,
                isRefused: isRefused,
                repeating: number
            )
        else { return }
        let store = opening.store
        Task { _ = await store?.record(exchange) }
    }

    func notify(_ notice: ServingNotice) { notices.record(notice) }

    private func isNonceRefused(_ response: WireResponse, of fields: SessionFields) -> Bool {
        fields.proof != nil && ProofOfPossession.isNonceRefused(by: response)
            && ProofOfPossession.nonce(in: response) != nil
    }

    private func withheld(
        _ problem: SessionFieldsProblem,
        _ store: SessionStore
    ) async -> ServingDecision {
        let failure: CommandFailure
        switch problem {
        case .noToken(.signedOut(let reason)):
            failure = .signedOut(await store.reason(reason), profile)
        case .noToken(let wait):
            failure = CommandFailure(wait, after: await store.state.outlook, profile)
        case .unusable(let problem):
            failure = CommandFailure(
                .unreachable,
                "\(profile): not sent: \(CauseText().text(UnsentCause(problem)))"
            )
        case .noProofKey:
            failure = CommandFailure(
                .unreachable,
                "\(profile): the tokens have no key for DPoP: log in again"
            )
        }
        return .withhold(status: failure.exit == .notSo ? 401 : 502, message: failure.message)
    }
}

extension AnsweredFields? {
    /// Records the refusal of a request, if there is one.
    ///
    /// - Returns: Its number, or `nil` if it belongs to no trace.
    fileprivate func recorded(of request: WireRequest, in store: SessionStore) async -> Int? {
        guard let self, let exchange = ServedExchange(request, self, isRefused: true) else {
            return nil
        }
        return await store.record(exchange)
    }
}

extension ServedExchange {
    fileprivate init?(
        _ request: WireRequest,
        _ answer: AnsweredFields,
        isRefused: Bool,
        repeating number: Int? = nil
    ) {
        self.init(
            request,
            with: answer.fields.token,
            status: answer.response.status,
            isRefused: isRefused,
            sentAt: answer.sentAt,
            retryOf: number
        )
    }
}
