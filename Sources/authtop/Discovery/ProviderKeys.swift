import Dashboard
import Dialects
import Networking
import Sessions
import Timekeeping
import Tokens

/// Verifies id tokens with the public keys that a provider publishes.
struct ProviderKeys: IDTokenVerifier {
    let network: NetworkContext
    let time: any Timekeeper
    let security: TransportSecurity

    func signature(of token: Secret, keys url: String) async -> IDTokenSignature {
        guard let decoded = JSONWebToken(reading: token) else { return .invalid }
        let document = RemoteDocument(url: url, name: url, security: security)
        switch await document.answer(on: network, at: time) {
        case .failure(let failure): return .unchecked(reason: failure.message.visibleInOneLine)
        case .success(let answer):
            guard answer.status == 200,
                let keys = JSONValue(parsing: answer.body).flatMap(SignatureCheck.init)
            else {
                return .unchecked(reason: "\(url) answered \(answer.status) without keys (JWKS)")
            }
            return IDTokenSignature(await keys.verdict(on: token, decoded))
        }
    }
}

extension IDTokenSignature {
    /// What a provider says is bounded and on one line.
    fileprivate init(_ verdict: SignatureCheck.Verdict) {
        self =
            switch verdict {
            case .valid(let key): .valid(key: key?.inOneLine(limit: 40))
            case .invalid: .invalid
            case .unchecked(let reason): .unchecked(reason: reason.inOneLine(limit: 200))
            }
    }
}
