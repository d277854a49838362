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

    private let store: SessionStore
    private let profile: String
    private let dialect: Dialect
    /// Where requests are sent, or `nil` for the base URL.
    private let origin: String?
    private let time: any Timekeeper
    private let notices: ServeNotices

    init(
        _ store: SessionStore,
        profile: String,
        dialect: Dialect,
        origin: String?,
        time: any Timekeeper,
        notices: ServeNotices
    ) {
        self.store = store
        self.profile = profile
        self.dialect = dialect
        self.origin = origin
        self.time = time
        self.notices = notices
    }

    func fields(for request: WireRequest, after refused: RefusedFields?) async -> ServingDecision {
        var request = request
        request.origin = origin
        do throws(SessionFieldsProblem) {
            if let refused, isNonceRefused(refused.response, of: refused.fields) {
                await store.recordNonce(in: refused.response, to: refused.fields, at: origin)
                return .send(try await store.sessionFields(refused.fields.token, for: request))
            }
            return .send(
                try await store.sessionFields(
                    for: request,
                    inPlaceOf: refused?.fields.token,
                    by: time.now + Self.timeout
                )
            )
        } catch {
            return await withheld(error)
        }
    }

    func isRefusal(_ response: WireResponse, of fields: SessionFields) -> Bool {
        if isNonceRefused(response, of: fields) { return true }
        if fields.proof != nil, ProofOfPossession.nonce(in: response) != nil {
            Task { [store, origin] in
                await store.recordNonce(in: response, to: fields, at: origin)
            }
        }
        return dialect.readProtected(response) == .tokenRejected
    }

    func notify(_ notice: ServingNotice) { notices.record(notice) }

    private func isNonceRefused(_ response: WireResponse, of fields: SessionFields) -> Bool {
        fields.proof != nil && ProofOfPossession.isNonceRefused(by: response)
            && ProofOfPossession.nonce(in: response) != nil
    }

    private func withheld(_ problem: SessionFieldsProblem) async -> ServingDecision {
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
