import Basics
import Model
import Profiles

/// The tokens that were seen, by fingerprint, and the families that they form.
struct TokenGraph: Sendable {
    static let familyLimit = 1_024
    static let tokenLimit = 8_192
    /// The number of families that are removed at once when there are too many.
    private static let familyRoom = 32
    /// The families with findings that make room after all others, those that were used last.
    private static let foundLimit = familyLimit / 2

    private(set) var families: [Int: TokenFamily] = [:]
    private var nodes: [Fingerprint: TokenNode] = [:]
    private var order: [Fingerprint] = []
    /// The number of families that there were.
    private(set) var familyCount = 0
    /// The numbers of tokens that there were.
    private(set) var accessCount = 0
    private(set) var refreshCount = 0
    /// The families that have made room since they were taken.
    private var dropped: [TokenFamily] = []
    /// The number of families that made room and had not ended, as far as is known.
    private(set) var forgottenCount = 0
    /// The newest family when a family or a token was forgotten first, or `nil` if none was.
    private var newestKnown: Int?

    init() {}

    func contains(_ family: Int) -> Bool { families.index(forKey: family) != nil }

    /// Returns the families that have made room for others, once.
    mutating func takeDropped() -> [TokenFamily] {
        defer { dropped = [] }
        return dropped
    }

    /// Whether a family may be a part of one that was forgotten, so that what it lacks proves nothing.
    func mayBeForgotten(_ id: Int) -> Bool {
        guard let newestKnown else { return false }
        guard let family = families[id] else { return true }
        return family.isJoined && id > newestKnown
    }

    func node(_ fingerprint: Fingerprint) -> TokenNode? { nodes[fingerprint] }

    func family(of fingerprint: Fingerprint) -> TokenFamily? {
        nodes[fingerprint].flatMap { families[$0.family] }
    }

    func generation(of fingerprint: Fingerprint) -> TokenGeneration? {
        guard let node = nodes[fingerprint] else { return nil }
        return families[node.family]?.generations.last {
            $0.number == node.generation && $0.branch == node.branch
        }
    }

    mutating func change(_ family: Int, _ body: (inout TokenFamily) -> Void) {
        guard let place = families.index(forKey: family) else { return }
        body(&families.values[place])
    }

    // MARK: - Growth

    /// The tokens that an answer or a request brings into the graph.
    struct Arrival {
        var kind: TokenLink.Kind
        var exchange: Int
        var client: ObservedClient
        var origin: String
        var sentAt: Moment
        var access: TokenOccurrence?
        var refresh: TokenOccurrence?
        var subject: String?
        /// The token that was exchanged for them.
        var parent: TokenDescription?
        /// Whether it was a refresh token, which goes on unless there is a new one.
        var isParentRefresh = false
        /// The clock of the backend against ours.
        var offset: ServerOffset?
    }

    /// Starts a family with its first pair.
    ///
    /// - Returns: The number of the family.
    mutating func start(_ arrival: Arrival) -> Int {
        makeRoom()
        familyCount += 1
        let id = familyCount
        families[id] = TokenFamily(
            id: id,
            origin: arrival.origin,
            startedAt: arrival.sentAt,
            isJoined: arrival.kind == .joined,
            subject: arrival.subject ?? arrival.access?.token.claims["sub"]?.displayText?.bounded,
            lastUsedAt: arrival.sentAt
        )
        add(arrival, to: id, number: 1)
        if let parent = arrival.parent?.fingerprint, nodes[parent] == nil {
            // A client that presents it again belongs here, too.
            enter(parent, .refresh, id, 0, 0)
        }
        return id
    }

    /// Adds a pair that follows another one.
    ///
    /// - Parameters:
    ///   - arrival: The pair.
    ///   - family: The family.
    ///   - number: The number of the pair whose refresh token was presented.
    /// - Returns: The pair, or `nil` if it is one that was issued before.
    mutating func follow(
        _ arrival: Arrival,
        in family: Int,
        after number: Int
    ) -> TokenGeneration? {
        if let access = arrival.access?.fingerprint, let known = nodes[access],
            known.family == family, !known.isAuxiliary
        {
            return nil
        }
        return add(arrival, to: family, number: number + 1)
    }

    @discardableResult
    private mutating func add(
        _ arrival: Arrival,
        to id: Int,
        number: Int
    ) -> TokenGeneration {
        let branch = families[id]?.generations.count { $0.number == number } ?? 0
        let parent = arrival.parent
        let before = parent.flatMap { families[id]?.holder(of: $0.fingerprint) }
        let refresh = arrival.refresh?.token ?? (arrival.isParentRefresh ? parent : nil)
        let isKept = refresh != nil && refresh?.fingerprint == parent?.fingerprint
        var pair = PairDescription(
            origin: arrival.kind.origin,
            access: arrival.access?.token,
            refresh: refresh,
            issuedAt: arrival.sentAt,
            accessExpiry: arrival.access?.deadline(sentAt: arrival.sentAt),
            refreshExpiry: arrival.refresh?.deadline(sentAt: arrival.sentAt)
                ?? (isKept ? before?.pair.refreshExpiry ?? arrival.endOfParent : nil),
            rotated: parent != nil && !isKept
        )
        pair.recordUnusableExpiries()
        pair.usableUntil = pair.accessExpiry?.statedEnd
        pair.statements.subject =
            arrival.subject ?? pair.access?.claims["sub"]?.displayText?.bounded
        pair.statements.displayName = arrival.subject
        pair.request = arrival.kind == .refresh ? arrival.exchange : nil
        let generation = TokenGeneration(
            number: number,
            branch: branch,
            kind: arrival.kind,
            exchange: arrival.exchange,
            parent: parent?.fingerprint,
            pair: pair
        )
        families[id]?.add(generation)
        families[id]?.lastUsedAt = arrival.sentAt
        if let access = arrival.access {
            enter(access.fingerprint, access.role, id, number, branch)
        }
        if let refresh {
            // A cookie that is both is entered as what it is.
            let isBoth = arrival.access?.fingerprint == refresh.fingerprint
            enter(refresh.fingerprint, isBoth ? .session : .refresh, id, number, branch)
        }
        return generation
    }

    /// Adds a token that belongs to a family and to none of its pairs.
    mutating func attach(_ fingerprint: Fingerprint, as role: TokenRole, to family: Int) {
        guard nodes[fingerprint] == nil, let newest = families[family]?.newestGeneration else {
            return
        }
        let node = TokenNode(
            role: role,
            family: family,
            generation: newest.number,
            branch: newest.branch,
            isAuxiliary: true
        )
        insert(node, fingerprint)
    }

    /// Adds a token to a pair: another one of the same worth, or one that was seen late.
    mutating func add(
        _ token: TokenDescription,
        as role: TokenRole,
        to family: Int,
        generation: TokenGeneration
    ) {
        enter(token.fingerprint, role, family, generation.number, generation.branch)
        guard role == .refresh else { return }
        families[family]?.change(generation: generation.number, branch: generation.branch) {
            guard $0.pair.refresh == nil else { return }
            $0.pair.refresh = token
            $0.pair.recordUnusableExpiries()
        }
    }

    private mutating func enter(
        _ fingerprint: Fingerprint,
        _ role: TokenRole,
        _ family: Int,
        _ number: Int,
        _ branch: Int
    ) {
        if var node = nodes[fingerprint], node.family == family, !node.isAuxiliary {
            node.generation = number
            node.branch = branch
            nodes[fingerprint] = node
            return
        }
        let node = TokenNode(
            role: role,
            family: family,
            generation: number,
            branch: branch,
            isAuxiliary: false
        )
        insert(node, fingerprint)
    }

    private mutating func insert(_ node: TokenNode, _ fingerprint: Fingerprint) {
        if nodes.updateValue(node, forKey: fingerprint) == nil {
            order.append(fingerprint)
            switch node.role {
            case .refresh: refreshCount += 1
            case .access, .session: accessCount += node.isAuxiliary ? 0 : 1
            case .id, .unknown: break
            }
        }
        guard order.count > Self.tokenLimit else { return }
        // A session is not told from others any more without the pair that it has.
        let current = Set(
            families.values.compactMap(\.newestGeneration).flatMap { pair in
                [pair.access?.fingerprint, pair.refresh].compactMap(\.self)
            }
        )
        var old: Set<Fingerprint> = []
        for fingerprint in order where !current.contains(fingerprint) {
            guard old.count < Self.tokenLimit / 8 else { break }
            old.insert(fingerprint)
            nodes[fingerprint] = nil
        }
        order.removeAll(where: old.contains)
        newestKnown = newestKnown ?? familyCount
    }

    /// Drops families, those that have ended first, then those that were used the longest ago, and then
    /// those with findings.
    private mutating func makeRoom() {
        guard families.count >= Self.familyLimit else { return }
        let byUse = families.values
            .map { (usedAt: $0.lastUsedAt.now, id: $0.id, isFound: $0.hasFinding, end: $0.end) }
            .sorted { ($0.usedAt, $0.id) < ($1.usedAt, $1.id) }
        let found = Set(byUse.filter(\.isFound).suffix(Self.foundLimit).map(\.id))
        let others = byUse.filter { !found.contains($0.id) }
        let inOrder = others.filter { $0.end != nil } + others.filter { $0.end == nil }
        let room = inOrder.prefix(Self.familyRoom)
            .compactMap { families.removeValue(forKey: $0.id) }
        dropped += room
        forgottenCount += room.count { $0.end == nil }
        newestKnown = newestKnown ?? familyCount
        nodes = nodes.filter { contains($0.value.family) }
        order.removeAll { nodes[$0] == nil }
    }
}

extension TokenGraph.Arrival {
    /// The end of the token that was exchanged for these, as it states that itself.
    fileprivate var endOfParent: Deadline? {
        parent.flatMap { Deadline(statedBy: $0, seenAt: sentAt, offset: offset) }
    }
}

extension TokenOccurrence {
    func deadline(sentAt: Moment) -> Deadline? {
        expiry.map { Deadline($0, sentAt: sentAt.now) }
    }
}

extension TokenLink.Kind {
    fileprivate var origin: PairDescription.Origin {
        switch self {
        case .login: .login
        case .refresh: .refresh
        case .joined: .joined
        }
    }
}

extension PairDescription {
    /// Takes in what the tokens state about their expiry and cannot be used.
    fileprivate mutating func recordUnusableExpiries() {
        func unusable(_ token: TokenDescription?) -> [UnusableExpiry] {
            let evidence = token.flatMap { JSONWebToken.expiryEvidence(in: $0.claims) }
            return [evidence?.unusable].compactMap(\.self)
        }
        unusableExpiries = UnusableExpiries(access: unusable(access), refresh: unusable(refresh))
    }
}

extension Deadline {
    /// Creates the deadline of a token that was issued some time before it was seen, or `nil` if it
    /// states none itself.
    ///
    /// - Parameters:
    ///   - token: The token.
    ///   - moment: When a request presented it.
    ///   - offset: The clock of its backend against ours, or `nil` if it is not known.
    init?(statedBy token: TokenDescription, seenAt moment: Moment, offset: ServerOffset?) {
        guard
            case .webToken(let end, let issuedAt)? = JSONWebToken.expiryEvidence(in: token.claims),
            // Its age is not known: only its end counts, by the clock.
            let expiry = Expiry.weighing(
                [.webToken(expiresAt: end, issuedAt: nil)],
                sentAt: moment.wall,
                offset: offset
            )
        else { return nil }
        let lifetime = issuedAt.map { end - $0 } ?? 0
        self.init(
            at: moment.now.advanced(bySeconds: expiry.seconds),
            lifetime: Duration(clampingSeconds: lifetime > 0 ? lifetime : expiry.seconds),
            expiry: expiry
        )
    }
}

extension String {
    /// A name from outside, as it may be shown.
    var bounded: String { String(prefix(64)) }
}
