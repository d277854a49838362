import Basics
import Model

/// The pairs of an app's session as a tree: which refresh of which pair brought which one.
///
/// The line that leads to the newest pair goes straight down; any other successor of a pair is a
/// branch of it.
struct FamilyTree: Equatable {
    enum Node: Equatable {
        case pair(TokenLink)
        /// Refreshes with one token that brought nothing, the one like the other.
        case failures([LoggedExchange])
        /// Generations of which nothing is to be said.
        case folded(ClosedRange<Int>)
    }

    struct Row: Equatable {
        /// The lines of the tree before the node.
        let lead: String
        let node: Node
    }

    /// This many pairs in a row are folded, or more.
    private static let foldLimit = 4
    /// This many of the newest pairs are never folded.
    private static let newestCount = 4

    private(set) var rows: [Row] = []
    private let links: [TokenLink]
    /// The successors of each pair, in the order of the exchanges.
    private var children: [[Child]]
    /// The newest exchange that brought a pair of the subtree.
    private var newest: [Int]

    private enum Child: Equatable {
        case pair(Int)
        case failures([LoggedExchange])

        func exchange(_ links: [TokenLink]) -> Int {
            switch self {
            case .pair(let index): links[index].exchange
            case .failures(let requests): requests[0].number
            }
        }
    }

    /// - Parameters:
    ///   - session: The session of an app.
    ///   - marked: The exchanges that must not be folded.
    init(of session: SessionSnapshot, marked: Set<Int> = []) {
        links = session.observed.links
        children = Array(repeating: [], count: links.count)
        newest = links.map(\.exchange)
        var roots: [Child] = []
        for index in links.indices {
            if let parent = parent(of: index) {
                children[parent].append(.pair(index))
            } else {
                roots.append(.pair(index))
            }
        }
        for (requests, parent) in failures(in: session) {
            if let parent {
                children[parent].append(.failures(requests))
            } else {
                roots.append(.failures(requests))
            }
        }
        let links = links
        for index in links.indices.reversed() {
            children[index].sort { $0.exchange(links) < $1.exchange(links) }
            for case .pair(let child) in children[index] {
                newest[index] = max(newest[index], newest[child])
            }
        }
        for root in roots.sorted(by: { $0.exchange(links) < $1.exchange(links) }) {
            switch root {
            case .pair(let index): draw(index, first: "", rest: "")
            case .failures(let requests): rows.append(Row(lead: "", node: .failures(requests)))
            }
        }
        fold(marked)
    }

    /// Returns the pairs that a pair was renewed to.
    func successors(of link: TokenLink) -> [TokenLink] {
        guard let index = links.lastIndex(of: link) else { return [] }
        return children[index].compactMap { child in
            if case .pair(let next) = child { links[next] } else { nil }
        }
    }

    // MARK: - Growth

    /// The newest pair before it whose refresh token was exchanged for it.
    private func parent(of index: Int) -> Int? {
        let link = links[index]
        guard link.kind == .refresh else { return nil }
        let before = links[..<index]
        return before.lastIndex {
            $0.generation == link.generation - 1 && $0.refresh == link.parent
        } ?? before.lastIndex { $0.generation == link.generation - 1 }
    }

    /// The refreshes that brought no pair, each with the pair whose token it presented.
    private func failures(in session: SessionSnapshot) -> [([LoggedExchange], parent: Int?)] {
        let successful = Set(links.map(\.exchange))
        var found: [([LoggedExchange], parent: Int?)] = []
        for request in session.requests
        where request.exchange.purpose == .refresh && !successful.contains(request.number) {
            let parent = request.exchange.fingerprint.flatMap { token in
                links.lastIndex { $0.refresh == token && $0.exchange < request.number }
            }
            if let last = found.last, last.parent == parent, parent != nil,
                last.0[0].exchange.status == request.exchange.status,
                !hasPair(of: parent, since: last.0[0].number, before: request.number)
            {
                found[found.count - 1].0.append(request)
            } else {
                found.append(([request], parent))
            }
        }
        return found
    }

    private func hasPair(of parent: Int?, since first: Int, before last: Int) -> Bool {
        links.indices.contains { index in
            (first..<last).contains(links[index].exchange) && self.parent(of: index) == parent
        }
    }

    // MARK: - Layout

    private mutating func draw(_ index: Int, first: String, rest: String) {
        var (current, lead) = (index, first)
        while true {
            rows.append(Row(lead: lead, node: .pair(links[current])))
            lead = rest
            let trunk = trunk(of: current)
            let branches = children[current].filter { $0 != trunk.map(Child.pair) }
            for (number, branch) in branches.enumerated() {
                let isLast = trunk == nil && number == branches.count - 1
                let corner = rest + (isLast ? "└─" : "├─")
                switch branch {
                case .pair(let next):
                    draw(next, first: corner, rest: rest + (isLast ? "  " : "│ "))
                case .failures(let requests):
                    rows.append(Row(lead: corner, node: .failures(requests)))
                }
            }
            guard let trunk else { return }
            current = trunk
        }
    }

    /// The child that leads to the newest pair.
    private func trunk(of index: Int) -> Int? {
        let pairs = children[index].compactMap { child -> Int? in
            if case .pair(let next) = child { next } else { nil }
        }
        return pairs.max { newest[$0] < newest[$1] }
    }

    /// Puts one row in place of many pairs that were each renewed once.
    private mutating func fold(_ marked: Set<Int>) {
        let quiet = rows.indices.map { isQuiet($0, marked) }
        var result: [Row] = []
        var index = 0
        while index < rows.count {
            var end = index
            while end < rows.count, quiet[end], rows[end].lead == rows[index].lead { end += 1 }
            if end - index >= Self.foldLimit, case .pair(let first) = rows[index].node,
                case .pair(let last) = rows[end - 1].node
            {
                let range = first.generation...max(first.generation, last.generation)
                result.append(Row(lead: rows[index].lead, node: .folded(range)))
                index = end
            } else {
                result.append(rows[index])
                index += 1
            }
        }
        rows = result
    }

    private func isQuiet(_ row: Int, _ marked: Set<Int>) -> Bool {
        guard case .pair(let link) = rows[row].node, link.kind == .refresh,
            let index = links.lastIndex(of: link), index < links.count - Self.newestCount,
            children[index].count == 1, case .pair = children[index][0],
            let parent = parent(of: index), children[parent].count == 1
        else { return false }
        return !marked.contains(link.exchange)
    }
}
