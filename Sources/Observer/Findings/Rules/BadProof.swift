import Basics
import FoundationEssentials
import Model
import Profiles

extension FindingRule {
    static let badProof = FindingRule(
        "bad-proof",
        .bug,
        summary: "A proof of possession (DPoP) is refused, and does not fit its request.",
        remedy: """
            Make a proof for each request, when it is sent, also for one that is repeated: with its method, \
            its URL without the query, a new jti, and the hash of the access token beside it (RFC 9449 \
            section 4.2).
            """,
        references: ["RFC 9449 section 4.3"],
        watch: { BadProofWatch() }
    )
}

/// Watches for proofs that were refused: one that is accepted is no harm.
private struct BadProofWatch: FindingWatch {
    private static let refused = "invalid_dpop_proof"
    private static let nonceWanted = "use_dpop_nonce"
    private static let depth = 256
    /// The difference of clocks that backends usually allow, in seconds.
    private static let tolerance = 60.0
    /// The refusals in a row without a nonce: two programs of one kind may each begin without one.
    private static let refusals = 3

    func observe(
        _ fact: ObservedFact,
        _ traffic: ObservedTraffic,
        at moment: Moment
    ) -> [FindingDraft] {
        guard let exchange = fact.over(in: traffic), let proof = exchange.request.proof,
            let answer = exchange.answer, answer.status == 400 || answer.status == 401
        else { return [] }
        let errors = answer.challenges.union([answer.errorCode].compactMap(\.self))
        if errors.contains(Self.nonceWanted) { return ignored(exchange, proof, traffic) }
        let isNamed = errors.contains(Self.refused)
        guard isNamed || answer.status == 401, let flaw = flaw(of: proof, in: exchange, traffic)
        else {
            return []
        }
        var draft = FindingDraft(
            exchange,
            variant: flaw.variant,
            confidence: isNamed && flaw.isCertain ? .certain : .likely,
            evidence: [flaw.earlier?.evidence("sent the same proof")].compactMap(\.self)
                + [exchange.evidence("the proof that was refused")],
            message: "the proof of #\(exchange.number) \(flaw.what): \(exchange.result)"
        )
        draft.remedy = flaw.remedy
        return [draft]
    }

    private struct Flaw {
        var variant: String
        var what: String
        var isCertain = true
        var earlier: ObservedExchange?
        var remedy: String?
    }

    private func flaw(
        of proof: ProofFacts,
        in exchange: ObservedExchange,
        _ traffic: ObservedTraffic
    ) -> Flaw? {
        switch proof.mismatches.first {
        case .method?:
            return Flaw(
                variant: "htm",
                what: "is for another method than \(exchange.request.method)"
            )
        case .url?: return Flaw(variant: "htu", what: "is for another URL")
        case .token?:
            return Flaw(
                variant: "ath",
                what: "is not bound to the access token that it is sent with"
            )
        case nil: break
        }
        let earlier = traffic.newest(Self.depth) { other in
            other.number < exchange.number && other.request.origin == exchange.request.origin
                && other.request.proof?.id == proof.id && other.outcome != .notSent
        }
        if proof.id != nil, let earlier {
            return Flaw(variant: "jti", what: "is that of #\(earlier.number)", earlier: earlier)
        }
        let difference = (proof.issuedAt ?? 0) - exchange.startedAt.wall.timeIntervalSince1970
        guard proof.issuedAt != nil, abs(difference) > Self.tolerance else { return nil }
        return Flaw(
            variant: "iat",
            what:
                "was made \(abs(difference).whole) s \(difference < 0 ? "before" : "after") it was sent",
            isCertain: false,
            remedy: "Set the clock of the app's machine, or take the time from the backend's Date."
        )
    }

    /// A client that was asked for a nonce, and goes on without one.
    private func ignored(
        _ exchange: ObservedExchange,
        _ proof: ProofFacts,
        _ traffic: ObservedTraffic
    ) -> [FindingDraft] {
        guard !proof.hasNonce else { return [] }
        var row = [exchange]
        while row.count < Self.refusals {
            let last = row[row.count - 1]
            let before = traffic.newest(Self.depth) { other in
                other.number < last.number && other.client == exchange.client
                    && other.request.origin == exchange.request.origin && other.request.proof != nil
            }
            guard let before, before.request.proof?.hasNonce == false, let answer = before.answer,
                answer.challenges.contains(Self.nonceWanted)
                    || answer.errorCode == Self.nonceWanted,
                let delivered = before.deliveredAt, delivered.now < last.startedAt.now
            else { return [] }
            row.append(before)
        }
        var draft = FindingDraft(
            exchange,
            variant: "nonce",
            evidence: row.reversed().map {
                $0.evidence("a proof without a nonce, which was asked for")
            },
            message: "#\(exchange.number) has no nonce in its proof, although "
                + "#\(row[row.count - 1].number) was answered with one"
        )
        draft.remedy =
            "Put the newest DPoP-Nonce of each server into the proofs for it, and repeat once a "
            + "request that was refused because its proof had none (RFC 9449 section 8)."
        return [draft]
    }
}
