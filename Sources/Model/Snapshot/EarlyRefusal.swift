import Basics

/// An access token that was refused well before its stated end.
package struct EarlyRefusal: Sendable, Hashable {
    /// Whether the stated lifetime may be in milliseconds.
    package enum Milliseconds: Sendable, Hashable {
        case unlikely
        /// One token was refused when it would have ended.
        case possible
        /// Every token that was refused was refused when it would have ended.
        case probable
    }

    /// Counts pairs over the run.
    let number: Int
    /// Seconds from the request for the token until it was sent and refused.
    package let age: Double
    /// In seconds, as stated.
    package let lifetime: Double
    /// Whether the clocks of both sides are in `lifetime`.
    package let isApproximate: Bool
    package let milliseconds: Milliseconds
    /// The number of the session's access tokens that were accepted, and later refused early.
    package let tokens: Int
}

extension SessionSnapshot {
    /// The early refusal of the current access token or of the one before, or `nil` if there is
    /// none.
    package var earlyRefusal: EarlyRefusal? {
        guard
            let last = generations.suffix(2).last(where: {
                $0.login == login && $0.wasRefusedEarly
            }),
            let age = last.refusedAge, let deadline = last.pair.accessExpiry
        else { return nil }
        let records = generations.filter { $0.login == login }
        let early = records.filter(\.wasRefusedEarly)
        let outlived = records.contains(where: \.hasOutlivedMilliseconds)
        let fits = early.count(where: \.endsInMilliseconds)
        let milliseconds: EarlyRefusal.Milliseconds =
            if outlived || !last.endsInMilliseconds {
                .unlikely
            } else if fits == early.count, fits > 1 || last.isAcceptedUntilMilliseconds {
                .probable
            } else {
                .possible
            }
        return EarlyRefusal(
            number: last.number,
            age: age,
            lifetime: deadline.statedLifetime,
            isApproximate: deadline.expiry.isApproximate,
            milliseconds: milliseconds,
            tokens: early.count { $0.acceptedAge != nil }
        )
    }
}

extension GenerationRecord {
    /// The part of its stated life after which a refusal is no surprise.
    private static let lateShare = 0.9

    fileprivate var wasRefusedEarly: Bool {
        guard let refusedAge, let deadline = pair.accessExpiry, !deadline.expiry.isAssumed else {
            return false
        }
        return refusedAge < deadline.statedLifetime * Self.lateShare
    }

    private var milliseconds: Double? { pair.accessExpiry?.lifetimeInMilliseconds }

    /// Whether it was refused soon after the end that it has if its life is in milliseconds: the
    /// next request comes some time later.
    fileprivate var endsInMilliseconds: Bool {
        guard let milliseconds, let refusedAge else { return false }
        return refusedAge >= milliseconds - 1 && refusedAge <= milliseconds * 1.5 + 5
    }

    /// Whether it was accepted after that end.
    fileprivate var hasOutlivedMilliseconds: Bool {
        guard let milliseconds, let acceptedAge else { return false }
        return acceptedAge > milliseconds + 1
    }

    /// Whether it was accepted until shortly before that end.
    fileprivate var isAcceptedUntilMilliseconds: Bool {
        guard let milliseconds, let acceptedAge else { return false }
        return acceptedAge >= milliseconds / 2
    }
}
