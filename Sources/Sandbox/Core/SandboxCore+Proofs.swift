import Backend
import Basics
import Model
import Profiles
import Synchronization

/// The proofs of requests whose tokens are bound to a key (RFC 9449).
extension SandboxCore {
    /// Checks the proof of a request.
    func checkProof(in request: WireRequest, of recognized: RecognizedRequest) -> ProofVerdict {
        let now = now
        return locked.withLock {
            $0.backend.checkProof(in: request, to: request.ownURL, of: recognized, at: now)
        }
    }

    /// Returns the response to a request whose proof is not accepted, or `nil` for any other.
    func refusal(_ verdict: ProofVerdict, of recognized: RecognizedRequest) -> WireResponse? {
        let error: String
        let description: String
        switch verdict {
        case .absent, .valid: return nil
        case .otherNonce: (error, description) = ("use_dpop_nonce", "expected another nonce")
        case .invalid(let reason): (error, description) = ("invalid_dpop_proof", reason)
        }
        var response: WireResponse
        if recognized.isForTokens {
            response = .json(
                ["error": .string(error), "error_description": .string(description)],
                status: 400
            )
        } else {
            response = .detail(401, description)
            let challenge =
                "DPoP error=\"\(error)\", error_description=\"\(description)\", algs=\"ES256\""
            response.headers.append(WireHeader("WWW-Authenticate", challenge))
        }
        response.headers.append(nonceHeader(for: recognized))
        return response
    }

    /// Spends the refresh token of a request whose proof has no valid nonce, if a fault says so.
    func spendByChallenge(_ request: RecognizedRequest) {
        guard case .refresh(let token?) = request, broken(in: .challenge).contains(.nonce) else {
            return
        }
        let now = now
        locked.withLock { $0.backend.spend(token, at: now) }
    }

    /// Binds the tokens that a request was answered with to the key of its proof.
    func bind(_ exchange: inout BackendExchange, to verdict: ProofVerdict) {
        guard case .valid(let key) = verdict else { return }
        switch exchange.answer {
        case .loginIssued(let facts)?, .refreshIssued(let facts)?:
            locked.withLock { $0.backend.bind(facts, to: key) }
        default: break
        }
        exchange.response?.headers.append(nonceHeader(for: exchange.request))
        guard let body = exchange.response?.body,
            case .object(var members)? = JSONValue(parsing: body),
            members["token_type"]?.stringValue?.asciiLowercased == "bearer"
        else { return }
        members["token_type"] = "DPoP"
        exchange.response?.body = Array(JSONValue.object(members).serialized.utf8)
    }

    private func nonceHeader(for recognized: RecognizedRequest) -> WireHeader {
        let now = now
        let nonce = locked.withLock {
            $0.backend.proofNonce(forTokens: recognized.isForTokens, at: now)
        }
        return WireHeader(ProofOfPossession.nonceHeader, nonce)
    }
}

extension RecognizedRequest {
    fileprivate var isForTokens: Bool {
        switch self {
        case .login, .refresh: true
        case .logout, .protected, .feed, .sessions, .introspection, .userinfo, .endSession: false
        }
    }
}

extension WireRequest {
    /// The URL that the client has used, without a query.
    fileprivate var ownURL: String { "http://\(header("Host") ?? "localhost")\(path)" }
}
