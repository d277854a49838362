import Basics
import Client
import Model
import Observer
import Platform
import Profiles
import UI

/// Verifies id tokens with the public keys that a provider publishes.
struct ProviderKeys: IDTokenVerifier {
    let network: NetworkContext
    let time: any Timekeeper
    let security: TransportSecurity

    func signature(
        of token: Secret,
        keys url: String,
        hiding secrets: KnownSecrets
    ) async -> IDTokenSignature {
        guard let decoded = SignedToken(reading: token), case .claims = decoded.payload else {
            return .invalid
        }
        let first = await signature(of: decoded, keys: url, hiding: secrets)
        switch first {
        // A provider that has changed its keys may have answered with the old ones.
        case .invalid, .withoutItsKey:
            return await signature(of: decoded, keys: url, hiding: secrets)
        case .valid, .withoutKeys, .unchecked: return first
        }
    }

    private func signature(
        of token: SignedToken,
        keys url: String,
        hiding secrets: KnownSecrets
    ) async -> IDTokenSignature {
        let document = RemoteDocument(url: url, name: url, security: security)
        switch await document.answer(on: network, at: time) {
        case .failure(let failure): return .unchecked(reason: failure.message.visibleInOneLine)
        case .success(let answer):
            guard answer.status == 200,
                let keys = JSONValue(parsing: answer.body).flatMap(SignatureCheck.init)
            else {
                return .unchecked(reason: "\(url) answered \(answer.status) without keys (JWKS)")
            }
            let verdict = await keys.verdict(on: token, hiding: secrets)
            return IDTokenSignature(verdict, of: token, hiding: secrets)
        }
    }
}

extension IDTokenSignature {
    /// The provider's text is bounded and on one line.
    fileprivate init(
        _ verdict: SignatureCheck.Verdict,
        of token: SignedToken,
        hiding secrets: KnownSecrets
    ) {
        self =
            switch verdict {
            case .valid(let key):
                .valid(key: key.map { secrets.hiding(in: $0).inOneLine(limit: 40) })
            case .invalid: .invalid
            case .unchecked(let reason): .unchecked(reason: reason.inOneLine(limit: 200))
            case .withoutItsKey: .withoutItsKey(stated: Self.keyStated(by: token, hiding: secrets))
            }
    }

    private static func keyStated(
        by token: SignedToken,
        hiding secrets: KnownSecrets
    ) -> String {
        let named = token.keyName.map { "kid \(secrets.hiding(in: $0).inOneLine(limit: 40)), " }
        let algorithm = token.algorithm.map { secrets.hiding(in: $0).inOneLine(limit: 20) }
        return "\(named ?? "no kid, ")alg \(algorithm ?? "none")"
    }
}
