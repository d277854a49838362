import Model

/// The purposes of endpoints, as earlier exchanges have shown them.
struct LearnedEndpoints: Sendable {
    private struct Key: Hashable {
        let origin: String
        let endpoint: String
        let discriminator: String?
    }

    private static let limit = 512
    private var purposes: [Key: ExchangePurpose] = [:]

    func purpose(of request: RequestFacts) -> ExchangePurpose? {
        purposes[Self.key(request)]
    }

    mutating func learn(_ purpose: ExchangePurpose, of request: RequestFacts) {
        guard purposes.count < Self.limit else { return }
        purposes[Self.key(request)] = purpose
    }

    private static func key(_ request: RequestFacts) -> Key {
        Key(
            origin: request.origin,
            endpoint: request.endpoint,
            discriminator: request.discriminator
        )
    }
}
