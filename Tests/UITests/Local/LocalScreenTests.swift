import Basics
import FoundationEssentials
import Stores
import Testing

@testable import UI

@Suite("The sessions of this machine: keys, order, filter and details")
struct LocalScreenTests {
    private static let now = Date(timeIntervalSince1970: 1_800_000_000)
    private static let fingerprinter = Fingerprinter(salt: Array(0..<16))

    private static func token(_ text: String, endsIn seconds: Double? = nil) -> StoredToken {
        StoredToken(
            fingerprint: fingerprinter.fingerprint(of: Secret(text)),
            size: text.utf8.count,
            statedEnd: seconds.map(now.addingTimeInterval)
        )
    }

    private static func file(
        _ title: String,
        _ account: String?,
        at path: String,
        access: StoredToken,
        refresh: StoredToken? = nil
    ) -> StoreScan.File {
        let session = StoredSession(
            id: .init(file: path, place: "0"),
            store: title,
            title: title,
            account: account,
            access: access,
            refresh: refresh,
            renewal: .program,
            command: "\(title) login",
            isOneTime: refresh == nil ? nil : true
        )
        return StoreScan.File(
            path: path,
            store: title,
            title: title,
            sessions: [session],
            facts: FileFacts(modified: now, mode: 0o600, protectingFolder: nil)
        )
    }

    private static let files = [
        file("delta", "amy", at: "/home/amy/4", access: token("access-d", endsIn: 7_200)),
        file("alpha", "zoe", at: "/home/amy/3", access: token("access-a", endsIn: -60)),
        file(
            "gamma",
            nil,
            at: "/home/amy/2",
            access: token("access-g", endsIn: 3_600),
            refresh: token("refresh-token")
        ),
        file(
            "beta",
            "bob",
            at: "/home/amy/1",
            access: token("access-b", endsIn: 5_400),
            refresh: token("refresh-token")
        ),
    ]

    private static func screen(_ keys: KeyMap = .standard) -> LocalScreen {
        var screen = LocalScreen(
            titles: ["alpha"],
            clock: ClockFormatter(utcOffsetSeconds: 0),
            home: "/home/amy",
            keys: keys
        )
        screen.sessions.take(StoreScan(files: files, date: now))
        return screen
    }

    private static func rows(
        _ screen: inout LocalScreen,
        _ columns: Int = 120,
        _ rows: Int = 40
    ) -> [String] {
        screen.render(columns: columns, rows: rows, at: now).text
            .split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
    }

    private static func press(_ screen: inout LocalScreen, _ keys: Key...) {
        for key in keys { _ = screen.press(key, at: now) }
    }

    /// The names in the table, from the top.
    private static func names(_ screen: inout LocalScreen) -> [String] {
        let known = ["alpha", "beta", "gamma", "delta"]
        return rows(&screen).dropFirst(3).prefix(4).compactMap { row in
            known.first { row.dropFirst(4).hasPrefix($0) }
        }
    }

    private static func selected(_ screen: inout LocalScreen) -> String? {
        rows(&screen).first { $0.hasPrefix("▸") }?.dropFirst(4).split(separator: " ").first
            .map(String.init)
    }

    @Test(
        "a key sorts by time left, provider, account, place, and again by time left",
        arguments: [
            (0, ["gamma", "beta", "delta", "alpha"], "by time left"),
            (1, ["alpha", "beta", "delta", "gamma"], "by provider"),
            (2, ["delta", "beta", "alpha", "gamma"], "by account"),
            (3, ["beta", "gamma", "alpha", "delta"], "by place"),
            (4, ["gamma", "beta", "delta", "alpha"], "by time left"),
        ]
    )
    func order(presses: Int, names: [String], words: String) {
        var screen = Self.screen()
        for _ in 0..<presses { Self.press(&screen, "s") }
        #expect(Self.names(&screen) == names)
        #expect(Self.rows(&screen)[1].hasSuffix(words))
    }

    @Test(
        "a filter is words and fields, as in the dashboard",
        arguments: [
            ("amy", ["delta"]), ("account:amy", ["delta"]),
            ("!state:ended", ["gamma", "beta", "delta"]),
            ("left:<91m", ["gamma", "beta", "alpha"]),
            ("session:alpha|beta", ["beta", "alpha"]), ("where:/2", ["gamma"]),
            ("nothing", []),
        ]
    )
    func filter(text: String, names: [String]) {
        var screen = Self.screen()
        Self.press(&screen, "/")
        for character in text { Self.press(&screen, .character(character)) }
        #expect(Self.rows(&screen).last?.hasPrefix(" /\(text)") == true)
        Self.press(&screen, .enter)
        #expect(Self.names(&screen) == names)
        #expect(Self.rows(&screen)[1].contains("/\(text) \(names.count) of 4"))
        Self.press(&screen, .escape)
        #expect(Self.names(&screen).count == 4)
    }

    @Test(
        "a filter with a mistake stays, and says what was expected; letters are no keys meanwhile"
    )
    func mistake() {
        var screen = Self.screen()
        Self.press(&screen, "/")
        for character in "left:q" { Self.press(&screen, .character(character)) }
        Self.press(&screen, .enter)
        #expect(screen.mode == .prompt)
        #expect(Self.rows(&screen).last?.contains("left: expected") == true)
        Self.press(&screen, .escape)
        #expect(screen.mode == .panes)
    }

    @Test(
        "steps move the choice as in the dashboard's lists",
        arguments: [
            ([], "gamma"), (["j"], "beta"), ([.down, "j"], "delta"), (["j", "k"], "gamma"),
            (["G"], "alpha"), ([.end], "alpha"), (["G", "g"], "gamma"), ([.pageDown], "alpha"),
            (["G", .home], "gamma"), (["G", .pageUp], "gamma"), (["k"], "gamma"),
            (["G", "j"], "alpha"), (["j", .escape], "gamma"),
        ] as [([Key], String)]
    )
    func steps(keys: [Key], name: String) {
        var screen = Self.screen()
        _ = Self.rows(&screen)
        for key in keys { Self.press(&screen, key) }
        #expect(Self.selected(&screen) == name)
    }

    @Test("the choice stays on its session when the order changes, and when others go")
    func stays() {
        var screen = Self.screen()
        Self.press(&screen, "j", "s")
        #expect(Self.selected(&screen) == "beta")
        screen.sessions.take(StoreScan(files: Array(Self.files.suffix(2)), date: Self.now))
        #expect(Self.selected(&screen) == "beta")
    }

    @Test("letters go back from what is open, and quit the table; Ctrl-C quits at once")
    func leaving() {
        var screen = Self.screen()
        Self.press(&screen, .enter)
        #expect(screen.page == .detail)
        #expect(screen.press("q", at: Self.now) == nil)
        #expect(screen.page == .table)
        #expect(screen.press("q", at: Self.now) == .leave(.quit))
        Self.press(&screen, "/")
        #expect(screen.press("q", at: Self.now) == nil)
        #expect(screen.press(.control("c"), at: Self.now) == .leave(.quit))
    }

    @Test("what only authtop's own sessions have says so on another one")
    func notOwn() {
        var screen = Self.screen()
        #expect(screen.press("w", at: Self.now) == nil)
        #expect(Self.rows(&screen).last?.contains("gamma: only what authtop keeps") == true)
        screen.own = [LocalRow(.profile(name: "staging", place: "https://api.example"))]
        _ = screen.press(.end, at: Self.now)
        #expect(Self.rows(&screen).last?.contains("w watch") == true)
        let choice = LocalScreen.Choice.watch(profile: "staging", baseURL: nil)
        #expect(screen.press("w", at: Self.now) == .leave(choice))
    }

    @Test("a key opens the help, which lists every key, the states and the fields of a filter")
    func help() {
        var screen = Self.screen()
        Self.press(&screen, "?")
        let text = Self.rows(&screen, 120, 60).joined(separator: "\n")
        for command in LocalScreen.commands {
            #expect(text.contains(KeyText.name(command.keys[0])), "\(command.help)")
        }
        for words in ["renewable", "account:", "10s, <500ms"] { #expect(text.contains(words)) }
        Self.press(&screen, "?")
        #expect(screen.page == .table)
    }

    @Test("the user's own keys work, and stand in the last row and in texts")
    func own() throws {
        var keys = KeyMap.standard
        try keys.set(["O"], for: "sort")
        try keys.set(["x"], for: "detail")
        var screen = Self.screen(keys)
        let row = try #require(Self.rows(&screen).last)
        #expect(row.contains("O sort") && row.contains("x details"))
        Self.press(&screen, "s", "O", "x")
        #expect(screen.page == .detail)
        #expect(Self.rows(&screen).joined().contains("alpha zoe"))
        #expect(throws: KeyMap.Mistake.taken("w", by: "watch")) { try keys.set(["w"], for: "sort") }
    }

    private static func own(_ name: String, access: StoredToken?, refresh: StoredToken? = nil)
        -> LocalRow
    {
        let session = StoredSession(
            id: .init(file: "/state/\(name)", place: ""),
            store: "authtop",
            title: name,
            issuer: "https://api.example",
            access: access,
            refresh: refresh
        )
        return LocalRow(.stored(LocalSessions.Entry(session), isOwn: true))
    }

    @Test("authtop's own sessions stand among the others, by the time that is left")
    func ownOrder() {
        var screen = Self.screen()
        let refresh = Self.token("refresh-own", endsIn: 90_000)
        screen.own = [
            Self.own("zeta", access: Self.token("access-z", endsIn: 5_000), refresh: refresh),
            LocalRow(.profile(name: "staging", place: "https://api.example")),
        ]
        let rows = Self.rows(&screen)
        #expect(rows[0].contains("5 sessions on this machine"))
        #expect(rows[0].contains("1 profile without one"))
        let titles = ["gamma", "zeta", "beta", "delta", "alpha", "staging"]
        let found = rows.dropFirst(3).prefix(6).compactMap { row in
            titles.first { row.dropFirst(4).hasPrefix($0) }
        }
        #expect(found == titles)
        Self.press(&screen, "/", "t", "a", .enter)
        // As many as the parts of the first row together.
        #expect(Self.rows(&screen)[1].contains("/ta 4 of 6"))
    }

    @Test("an end that nothing states has a mark, a limit another, and one that is over a word")
    func words() {
        let assumed = StoredToken(
            fingerprint: Self.fingerprinter.fingerprint(of: Secret("x")),
            statedEnd: Self.now.addingTimeInterval(7_200),
            isAssumed: true
        )
        #expect(StoreText.left(assumed, at: Self.now)?.hasPrefix("≈") == true)
        let stated = Self.token("y", endsIn: 7_200)
        #expect(StoreText.left(stated, at: Self.now)?.hasPrefix("≈") == false)
        guard case .stored(let ended, _) = Self.own("zeta", access: nil).kind else { return }
        #expect(StoreText.left(ended.session, at: Self.now) == "ended")
        let limit = StoredToken(
            fingerprint: stated.fingerprint,
            statedEnd: stated.statedEnd,
            isLimit: true
        )
        #expect(StoreText.left(limit, at: Self.now)?.hasPrefix("≤2 h") == true)
        var screen = Self.screen()
        screen.own = [Self.own("zeta", access: Self.token("z", endsIn: 60), refresh: assumed)]
        #expect(Self.rows(&screen).contains { $0.contains("zeta") && $0.contains("≈2 h") })
    }

    @Test("without a width, no column is left out and no place is cut")
    func uncut() {
        let place = "https://" + String(repeating: "long.", count: 40) + "example/base"
        let name = "a-profile-with-a-name-that-is-long"
        let row = LocalRow(.profile(name: name, place: place))
        let text = StoreText(clock: ClockFormatter(utcOffsetSeconds: 0), home: nil)
        let whole = LocalTable([row], columns: nil, text: text)
        let line = whole.line(row, at: Self.now, isSelected: false).text
        #expect(line.contains(place) && line.contains(name))
        #expect(whole.heading.text.contains("written"))
        let narrow = LocalTable([row], columns: 140, text: text)
        #expect(!narrow.line(row, at: Self.now, isSelected: false).text.contains(place))
    }

    @Test(
        "of a path without room its last names are shown",
        arguments: [
            ("/home/amy/a/token.json", "~/a/token.json"),
            ("/home/amy/.aws/sso/cache/a.json", "…/cache/a.json"),
            ("/home/amy/.aws/sso/cache/0123456789abcdef.json", "…/0123456789abc…"),
        ]
    )
    func path(path: String, shown: String) {
        let entry = Self.file("alpha", nil, at: path, access: Self.token("access-a")).sessions[0]
        let row = LocalRow(.stored(LocalSessions.Entry(entry), isOwn: false))
        let text = StoreText(clock: ClockFormatter(utcOffsetSeconds: 0), home: "/home/amy")
        let table = LocalTable([row], columns: 99, text: text)
        #expect(table.line(row, at: Self.now, isSelected: false).text.contains("  \(shown)  "))
    }

    @Test("how many sessions are below the picture is said, until the last one is in it")
    func below() {
        var screen = Self.screen()
        // The finding has two rows, and a blank one above it.
        #expect(Self.rows(&screen, 70, 9)[1].contains("2 more below · by time left"))
        Self.press(&screen, .end)
        #expect(!Self.rows(&screen, 70, 9)[1].contains("more below"))
        #expect(!Self.rows(&screen)[1].contains("more below"))
    }

    @Test("where nothing is there, a small screen counts the programs that do not fit")
    func nothing() {
        let titles = (1...40).map { "program-\($0)" }
        var screen = LocalScreen(
            titles: titles,
            clock: ClockFormatter(utcOffsetSeconds: 0),
            home: nil
        )
        let small = Self.rows(&screen, 60, 16).joined(separator: "\n")
        #expect(small.contains("Looked for sessions of 40 programs."))
        #expect(small.contains("~/.config/authtop/stores/"))
        #expect(Self.rows(&screen).joined(separator: "\n").contains("program-40."))
    }

    @Test(
        "the first row names what was looked at, if that is not the machine",
        arguments: [
            (["alpha"], true, "0 sessions on this machine"),
            (["alpha"], false, "0 sessions of alpha"),
            (["alpha", "beta"], false, "0 sessions of 2 programs"),
        ]
    )
    func chosen(titles: [String], isWhole: Bool, words: String) {
        var screen = LocalScreen(
            titles: titles,
            isWhole: isWhole,
            clock: ClockFormatter(utcOffsetSeconds: 0),
            home: nil
        )
        #expect(Self.rows(&screen)[0].contains("\(words) "))
    }

    @Test(
        "a screen that goes on is that of one that begins, whatever time, keys and files change",
        arguments: [[], ["s"], [.enter], ["/", "l", "e", "f", "t", ":", "<", "1", "h", .enter]]
            as [[Key]]
    )
    func goesOn(keys: [Key]) {
        func screen(at now: Date) -> LocalScreen {
            var screen = Self.screen()
            screen.own = [Self.own("zeta", access: Self.token("access-z", endsIn: 5_000))]
            for key in keys { _ = screen.press(key, at: now) }
            return screen
        }
        var going = screen(at: Self.now)
        // Past each end and each beginning of a warning, by a step that misses none of them for long,
        // and back, as a clock that is set.
        for seconds in Array(stride(from: 0.0, to: 8_000, by: 397)) + [5_300, 10] {
            let now = Self.now.addingTimeInterval(seconds)
            var beginning = screen(at: now)
            let picture = beginning.render(columns: 100, rows: 24, at: now)
            #expect(going.render(columns: 100, rows: 24, at: now).text == picture.text)
        }
        going.sessions.take(StoreScan(files: Array(Self.files.suffix(2)), date: Self.now))
        #expect(Self.rows(&going)[0].contains("3 sessions on this machine"))
    }

    @Test(
        "the clock of the first row goes on where nothing else does",
        arguments: [0.0, 0.25, 0.999]
    )
    func clock(fraction: Double) {
        let screen = LocalScreen(
            titles: ["alpha"],
            clock: ClockFormatter(utcOffsetSeconds: 0),
            home: nil
        )
        let next = screen.nextChange(after: Self.now.addingTimeInterval(fraction))
        #expect(next == Self.now.addingTimeInterval(1))
    }

    @Test("of a file that was not written since the start, the writer is not missed")
    func unwritten() {
        var screen = Self.screen()
        Self.press(&screen, .enter)
        let text = Self.rows(&screen).joined(separator: "\n")
        #expect(text.contains("not known: it was written before the start"))
    }

    @Test("how to quit and the help are always there", arguments: [60, 80, 120])
    func hints(columns: Int) {
        var screen = Self.screen()
        #expect(Self.rows(&screen, columns, 16).last?.hasSuffix("q quit  ? help") == true)
        Self.press(&screen, .enter)
        #expect(Self.rows(&screen, columns, 16).last?.hasSuffix("Esc back  ? help") == true)
    }

    @Test("on a small screen, what is wrong and what to do are in sight, and the rest is counted")
    func details() {
        var screen = Self.screen()
        Self.press(&screen, .enter)
        let small = Self.rows(&screen, 60, 16).joined(separator: "\n")
        for words in ["~/2", "mode 0600", "What is wrong", "more below"] {
            #expect(small.contains(words), "\(words)")
        }
        let whole = Self.rows(&screen, 120, 40).joined(separator: "\n")
        for words in [
            "not known", "one refresh token", "remedy       log in with each program",
            "also at      ~/1 (beta)", Self.token("refresh-token").fingerprint.description,
            ", in 1 h",
        ] {
            #expect(whole.contains(words), "\(words)")
        }
        #expect(!whole.contains("refresh-token"))
    }

    @Test("an end that is over has its date and the time since, and a file its last writer")
    func ended() {
        var screen = Self.screen()
        var changed = Self.files
        changed[1] = Self.file(
            "alpha",
            "zoe",
            at: "/home/amy/3",
            access: Self.token("access-new", endsIn: -90)
        )
        let scan = StoreScan(files: changed, date: Self.now)
        screen.sessions.take(scan, writers: ["/home/amy/3": "alpha-cli"])
        _ = Self.rows(&screen)
        Self.press(&screen, "G", .enter)
        let text = Self.rows(&screen).joined(separator: "\n")
        #expect(text.contains("1 m 30 s ago"))
        #expect(text.contains("alpha-cli, "))
    }
}
