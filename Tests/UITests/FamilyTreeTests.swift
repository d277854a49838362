import Basics
import Testing

@testable import Model
@testable import UI

@Suite("Screens: the family tree of an app's tokens")
struct FamilyTreeTests {
    private static let sizes = [(120, 40), (80, 24), (60, 16)]

    /// A session whose exchanges are numbered by the caller.
    private struct Family {
        var script = EventScript()

        init() {
            script.id = SessionID("1")
            script.capabilities()
            script.add(Self.client("okhttp/4.12"))
        }

        static func client(_ agent: String) -> ObservedClient {
            ObservedClient(peer: "127.0.0.1", userAgent: agent)
        }

        static func access(_ name: String) -> Fingerprint {
            Fingerprint(digits: "a" + String(repeating: "0", count: 7 - name.count) + name)
        }

        static func refresh(_ name: String) -> Fingerprint {
            Fingerprint(digits: "f" + String(repeating: "0", count: 7 - name.count) + name)
        }

        /// A pair, named as in `7b`, from the refresh token of another one.
        mutating func pair(
            _ name: String,
            from parent: String? = nil,
            in exchange: Int,
            _ cause: ObservedCause = .beforeEnd(seconds: 61),
            keepsRefresh: Bool = false
        ) {
            let link = TokenLink(
                kind: parent == nil ? .login : .refresh,
                exchange: exchange,
                generation: Int(name.filter(\.isNumber)) ?? 0,
                branch: name.last.flatMap { $0.isLetter ? String($0) : nil },
                parent: parent.map(Self.refresh),
                access: Self.access(name),
                refresh: Self.refresh(keepsRefresh ? parent ?? name : name),
                confidence: .certain,
                cause: cause
            )
            script.add(link)
            script.add(ObservedStatus.live(until: script.instant(20)))
        }

        mutating func request(
            _ number: Int,
            _ purpose: ExchangePurpose,
            with token: Fingerprint,
            status: Int = 200,
            agent: String = "okhttp/4.12"
        ) {
            var record = Exchange(
                id: number,
                purpose: purpose,
                method: purpose == .refresh ? "POST" : "GET",
                target: purpose == .refresh ? "/auth/refresh" : "/items",
                result: .answered(status: status),
                seconds: 0.02,
                generation: 1,
                fingerprint: token,
                why: .observed(.unknown)
            )
            record.client = Self.client(agent)
            script.add(record)
        }

        mutating func find(_ rule: String, in exchanges: [Int]) {
            script.add(
                ObservedFinding(
                    number: 1,
                    rule: rule,
                    severity: .bug,
                    confidence: .certain,
                    evidence: exchanges.map { FindingEvidence(.exchange($0), "a refresh") },
                    message: "2 refreshes with one refresh token",
                    remedy: "One refresh at a time.",
                    references: [],
                    path: "/auth/refresh",
                    firstAt: script.now,
                    lastAt: script.now,
                    count: 1
                )
            )
        }

        func state() -> DashboardState {
            var state = DashboardState(
                configuration: DashboardConfiguration(),
                sessions: [DashboardSession(id: SessionID("0"))]
            )
            _ = state.update(.resized(columns: 120, rows: 40))
            _ = state.update(.events(script.events))
            return state
        }

        /// The tree alone, a row a line.
        func rows(marked: Set<Int> = []) -> [String] {
            let book = SessionBook(folding: script.events)
            return FamilyTree(of: book[script.id], marked: marked).rows.map { row in
                switch row.node {
                case .pair(let link):
                    "\(row.lead)g\(link.generation)\(link.branch ?? "") #\(link.exchange)"
                case .failures(let requests):
                    "\(row.lead)x" + requests.map { " #\($0.number)" }.joined()
                case .folded(let range): "\(row.lead)g\(range.lowerBound)…g\(range.upperBound)"
                }
            }
        }
    }

    /// Two refreshes at once that both brought tokens, a third one that was refused, and two clients.
    private static func race() -> Family {
        var family = Family()
        family.pair("1", in: 3, .unknown)
        family.request(5, .protected, with: Family.access("1"))
        family.request(14, .protected, with: Family.access("1"), status: 401)
        family.pair("2", from: "1", in: 15, .refused(exchange: 14))
        family.request(16, .protected, with: Family.access("2"))
        family.pair("3", from: "2", in: 31)
        family.pair("3a", from: "2", in: 32)
        family.request(33, .refresh, with: Family.refresh("2"), status: 401)
        family.request(34, .refresh, with: Family.refresh("2"), status: 401)
        family.request(35, .protected, with: Family.access("3"), agent: "curl/8")
        family.pair("4", from: "3", in: 40)
        family.request(41, .protected, with: Family.access("4"))
        family.find("race", in: [31, 32, 33])
        return family
    }

    @Test("the line to the newest pair goes straight down, and what else came is a branch")
    func fork() {
        #expect(
            Self.race().rows() == [
                "g1 #3", "g2 #15", "├─g3a #32", "├─x #33 #34", "g3 #31", "g4 #40",
            ]
        )
    }

    @Test("a branch has branches of its own")
    func branches() {
        var family = Family()
        family.pair("1", in: 1)
        family.pair("2", from: "1", in: 2)
        family.pair("2a", from: "1", in: 3)
        family.pair("3", from: "2", in: 4)
        family.request(5, .refresh, with: Family.refresh("2"), status: 400)
        family.pair("3a", from: "2a", in: 6)
        family.request(7, .refresh, with: Family.refresh("3a"), status: 503)
        #expect(
            family.rows() == [
                "g1 #1", "├─g2 #2", "│ ├─x #5", "│ g3 #4", "g2a #3", "g3a #6", "└─x #7",
            ]
        )
    }

    @Test("a backend that keeps the refresh token has one line")
    func kept() {
        var family = Family()
        family.pair("1", in: 1)
        family.pair("2", from: "1", in: 2, keepsRefresh: true)
        var script = family.script
        script.add(
            TokenLink(
                kind: .refresh,
                exchange: 3,
                generation: 3,
                parent: Family.refresh("1"),
                access: Family.access("3"),
                refresh: Family.refresh("1"),
                confidence: .certain,
                cause: .unknown
            )
        )
        family.script = script
        #expect(family.rows() == ["g1 #1", "g2 #2", "g3 #3"])
    }

    @Test("many quiet generations are one row, unless a finding is about one of them")
    func folded() {
        var family = Family()
        family.pair("1", in: 1)
        for number in 2...20 {
            family.pair(String(number), from: String(number - 1), in: number)
        }
        #expect(
            family.rows() == ["g1 #1", "g2…g16", "g17 #17", "g18 #18", "g19 #19", "g20 #20"]
        )
        #expect(
            family.rows(marked: [9]) == [
                "g1 #1", "g2…g8", "g9 #9", "g10…g16", "g17 #17", "g18 #18", "g19 #19", "g20 #20",
            ]
        )
    }

    @Test("a refresh with a token that was never seen stands alone")
    func unknown() {
        var family = Family()
        family.pair("1", in: 2)
        family.request(1, .refresh, with: Family.refresh("9"), status: 400)
        #expect(family.rows() == ["x #1", "g1 #2"])
    }

    @Test("T shows the tree of the selected session", arguments: sizes)
    func screen(columns: Int, rows: Int) throws {
        let family = Self.race()
        var state = family.state()
        state.press("T")
        try expectScreen(
            state.screen(columns, rows, family.script.now),
            named: "family-tree-\(columns)x\(rows)"
        )
    }

    @Test("T closes it again, and is not for a session of authtop's own")
    func keys() {
        var state = Self.race().state()
        state.press("T")
        #expect(state.overlay?.content == .familyTree)
        state.press("T")
        #expect(state.overlay == nil)
        var own = DashboardState(configuration: DashboardConfiguration())
        own.press("T", "f", "e")
        #expect(own.overlay == nil)
        #expect(own.notice?.message.contains("authtop proxy") ?? false)
    }

    @Test("f selects the newest finding, in its session")
    func newestFinding() {
        var family = Self.race()
        var other = EventScript()
        other.id = SessionID("2")
        other.capabilities()
        other.add(ObservedStatus.live(until: other.instant(60)))
        family.script.events += other.events
        var state = family.state()
        state.press("]", "]", "1")
        state.press("f")
        #expect(state.selected.id == SessionID("1"))
        #expect(state.focus == FindingsPane.id)
        #expect(state.lists[FindingsPane.id]?.position == .held(number: 1, row: 0))
    }

    @Test("e begins the last experiment again, and says when there is none")
    func repeats() {
        var family = Self.race()
        var state = family.state()
        state.press("e")
        #expect(state.notice?.message == "no experiment to repeat: E lists them")
        family.script.add(
            Scorecard(
                number: 1,
                experiment: .unauthorized.at(.app),
                startedAt: family.script.now,
                isOver: true
            )
        )
        state = family.state()
        state.press("e")
        // The backend is not known to be on this machine.
        #expect(state.overlay?.content == .question(.experiment(.unauthorized.at(.app))))
        #expect(
            state.update(.key("y")).contains { command in
                if case .beginExperiment(.unauthorized.at(.app), with: _) = command {
                    true
                } else {
                    false
                }
            }
        )
    }
}
