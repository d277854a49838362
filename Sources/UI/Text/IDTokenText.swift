import Model
import Profiles

/// The check of an id token, as text.
enum IDTokenText {
    static func text(_ report: IDTokenReport) -> String {
        let token = "id token \(report.fingerprint)"
        if let failure = report.check.failure { return "\(token) rejected: \(text(failure))" }
        return switch report.check.signature {
        case .valid(nil): "\(token) checked: claims and signature are valid"
        case .valid(let key?):
            "\(token) checked: claims and signature are valid, by the key \(key)"
        case .invalid: "\(token) rejected: \(text(IDTokenFailure(.signature)))"
        case .withoutItsKey(let stated):
            "\(token) rejected: \(text(IDTokenFailure(.key, found: stated)))"
        case .withoutKeys:
            "\(token): claims are valid, signature not checked: the profile names no jwks_uri"
        case .unchecked(let reason):
            "\(token): claims are valid, signature not checked: \(reason)"
        }
    }

    static func text(_ failure: IDTokenFailure) -> String {
        let found = failure.found.map { ", it states \($0.visibleInOneLine)" } ?? ""
        return switch failure.rule {
        case .format: "the id token is not a signed JSON Web Token"
        case .signature: "none of the provider's keys signed the id token"
        case .key: "the provider has keys, but none for the id token (kid, alg)\(found)"
        case .issuer: "the id token is of another issuer (iss)\(found)"
        case .audience: "the id token is for another client (aud)\(found)"
        case .authorizedParty: "the id token was issued to another client (azp)\(found)"
        case .expiry: "the id token has expired, or does not say when it does (exp)\(found)"
        case .nonce: "the id token belongs to another login (nonce)"
        }
    }
}
