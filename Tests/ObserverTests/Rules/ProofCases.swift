import Basics
import FoundationEssentials
import Model
import Observer
import Profiles

/// Proofs of possession (RFC 9449), right and wrong.
extension RuleCase {
    /// A request with the token of the first pair and a proof.
    private static func call(
        _ script: inout TrafficScript,
        method: String = "GET",
        url: String = "https://api.example.com/items",
        id: String = "proof-1",
        nonce: String? = nil,
        bound token: String = TrafficScript.access(1),
        after seconds: Double = 0,
        refusal: String? = nil
    ) -> Int {
        var claims: [String: JSONValue] = [
            "htm": .string(method), "htu": .string(url), "jti": .string(id),
            "iat": .number(script.now.wall.timeIntervalSince1970 + seconds),
            "ath": .string(ProofOfPossession.hash(of: AccessToken(Secret(token)))),
        ]
        if let nonce { claims["nonce"] = .string(nonce) }
        let parts = [JSONValue.object(["typ": "dpop+jwt"]), .object(claims)]
            .map { Base64URL.encode($0.serialized.utf8) }
        let exchange = script.send(
            "GET",
            "/items?page=1",
            headers: [
                WireHeader("Authorization", "DPoP \(TrafficScript.access(1))"),
                WireHeader("DPoP", parts.joined(separator: ".") + ".c2lnbmF0dXJl"),
            ]
        )
        let challenge = refusal.map { WireHeader("WWW-Authenticate", "DPoP error=\"\($0)\"") }
        script.finish(
            exchange,
            refusal == nil ? 200 : 401,
            headers: [challenge].compactMap(\.self)
        )
        return exchange
    }

    private static let refusal = "invalid_dpop_proof"

    static let proofs = [
        RuleCase("bad-proof", "htm") { script in
            script.logIn()
            return [call(&script, method: "POST", refusal: refusal)]
        } twin: { script in
            script.logIn()
            _ = call(&script)
        },
        RuleCase("bad-proof", "htu") { script in
            script.logIn()
            return [call(&script, url: "https://other.example.com/items", refusal: refusal)]
        } twin: { script in
            // Another way to write it; the backend refuses the signature.
            script.logIn()
            _ = call(&script, url: "HTTPS://API.example.com:443/items", refusal: refusal)
        },
        RuleCase("bad-proof", "ath") { script in
            script.logIn()
            return [call(&script, bound: TrafficScript.access(2), refusal: refusal)]
        } twin: { script in
            // The backend does not look at it.
            script.logIn()
            _ = call(&script, bound: TrafficScript.access(2))
        },
        RuleCase("bad-proof", "jti") { script in
            script.logIn()
            let first = call(&script)
            script.wait(1)
            return [first, call(&script, refusal: refusal)]
        } twin: { script in
            script.logIn()
            _ = call(&script)
            script.wait(1)
            _ = call(&script, id: "proof-2")
        },
        RuleCase("bad-proof", "iat", .bug, .likely) { script in
            script.logIn()
            return [call(&script, after: -400, refusal: refusal)]
        } twin: { script in
            script.logIn()
            _ = call(&script, after: -5, refusal: refusal)
        },
        RuleCase("bad-proof", "nonce") { script in
            script.logIn()
            return (1...3).map { number in
                script.wait(1)
                return call(&script, id: "proof-\(number)", refusal: "use_dpop_nonce")
            }
        } twin: { script in
            // Two programs of one kind, each of which begins without one.
            script.logIn()
            _ = call(&script, id: "a", refusal: "use_dpop_nonce")
            _ = call(&script, id: "b", refusal: "use_dpop_nonce")
            script.wait(1)
            _ = call(&script, id: "c", nonce: "n")
            _ = call(&script, id: "d", nonce: "n")
        },
    ]
}
