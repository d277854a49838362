import Basics
import Model

/// The life of an access token, in columns of a lifeline.
struct TokenLife {
    private enum Ending {
        case stated
        case assumed
        case unknown
        case refused
    }

    /// The first column.
    let start: Int64
    /// The last column.
    let end: Int64
    /// From when this program uses it.
    private let received: Int64
    /// The column in which another one takes its place, or the end.
    private let replaced: Int64
    private let ending: Ending

    /// - Parameters:
    ///   - record: The generation.
    ///   - plan: The plan of its renewal, if it is the current one.
    ///   - window: The columns.
    init(_ record: GenerationRecord, plan: RenewalPlan?, _ window: LifelineWindow) {
        let pair = record.pair
        let life = record.accessLife
        received = window.column(ofPast: record.receivedAt.now)
        let isOlder = pair.origin == .resumed || pair.origin == .adopted
        start = isOlder ? min(received, window.column(of: pair.issuedAt.now)) : received
        let over = life.end.map(window.column(of:))
        let planned = plan?.renewsAt.map { max(window.now, window.column(of: $0)) }
        let use = record.replacedAt.map { window.column(ofPast: $0.now) } ?? planned
        let last =
            over ?? max(received, record.replacedAt == nil ? window.now : use ?? received) + 1
        end = max(start, last)
        replaced = min(use ?? end, end)
        ending =
            switch life {
            case .unknown: .unknown
            case .refused: .refused
            case .ends(_, let isAssumed): isAssumed ? .assumed : .stated
            }
    }

    /// Returns what a column of the life shows over what an earlier one shows there.
    func cell(
        in column: Int64,
        over before: Lifeline.Cell,
        _ window: LifelineWindow,
        _ isDraining: Bool
    ) -> Lifeline.Cell {
        if column == start, column == end || before.isEnd { return Lifeline.Cell("┼", .identity) }
        if column == start { return Lifeline.Cell("├", .identity) }
        if column == end {
            return switch ending {
            case .stated: Lifeline.Cell("┤", isDraining ? .bad : .dim)
            case .assumed, .unknown: Lifeline.Cell("?", .warning)
            case .refused: Lifeline.Cell("✗", .bad)
            }
        }
        guard column >= received, column < replaced || replaced == end else {
            return Lifeline.Cell("┄", .dim)
        }
        let style: Style = isDraining ? .warning : column > window.now ? .plain : .good
        return Lifeline.Cell("━", style)
    }
}

extension Lifeline.Cell {
    /// Whether a life ends here, or begins and ends.
    fileprivate var isEnd: Bool { ["┤", "?", "✗", "┼"].contains(symbol) }
}

/// When an access token ends, as far as is known.
enum AccessLife: Sendable, Hashable {
    case unknown
    case ends(Instant, isAssumed: Bool)
    /// The backend refused it before its stated end.
    case refused(Instant)

    var end: Instant? {
        switch self {
        case .unknown: nil
        case .ends(let instant, _), .refused(let instant): instant
        }
    }
}

extension GenerationRecord {
    /// When its access token ends: as stated, or when it was refused and not accepted again.
    var accessLife: AccessLife {
        let deadline = pair.accessExpiry
        if let refusedAge, refusedAge > acceptedAge ?? -1 {
            let refusedAt = pair.issuedAt.now.advanced(bySeconds: refusedAge)
            if deadline.map({ refusedAt < $0.statedEnd }) ?? true { return .refused(refusedAt) }
        }
        guard let deadline else { return .unknown }
        return .ends(deadline.statedEnd, isAssumed: deadline.expiry.isAssumed)
    }
}
