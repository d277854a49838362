import Testing

@testable import Profiles

@Suite("Mistakes in a file as a whole")
struct FileMistakeTests {
    @Test(
        "the line, the key and the way out are named",
        arguments: [
            Mistake("", "mine.toml:1: name: missing"),
            Mistake("name = 5", "mine.toml:1: name: found the number 5, expected text in quotes"),
            Mistake(
                "\nname = \"My App\"",
                "mine.toml:2: name: found \"My App\", expected small letters, digits and hyphens"
            ),
            Mistake("name = \"mine\"", "mine.toml:1: login: missing"),
            Mistake(
                "name = \"mine\"\nlogin = 1",
                "mine.toml:2: login: found the number 1, expected a table"
            ),
            Mistake(
                Mistake.soundLogin + "[fed]\n",
                "mine.toml:8: fed: unknown key \"fed\", the nearest known one is feed"
            ),
            Mistake(
                "rotaton = \"always\"\n" + Mistake.soundLogin,
                "mine.toml:1: rotaton: unknown key \"rotaton\", the nearest known one is rotation"
            ),
            Mistake(
                "rotation = \"sometimes\"\n" + Mistake.soundLogin,
                "mine.toml:1: rotation: found \"sometimes\", expected one of always, never, maybe"
            ),
            Mistake(
                Mistake.soundLogin + "[lifetimes]\n\naccess = \"30 minutes\"",
                "mine.toml:10: lifetimes.access: found \"30 minutes\", "
                    + "expected a time such as 90s, 30m, 12h or 7d, at most 3650d"
            ),
            Mistake(
                Mistake.soundLogin + "[lifetimes]\naccess = -5",
                "mine.toml:9: lifetimes.access: found the number -5, "
                    + "expected a time such as 90s, 30m, 12h or 7d, at most 3650d"
            ),
            Mistake(
                Mistake.soundLogin + "lifetimes.refresh_slides = \"yes\"",
                "mine.toml:8: login.response.lifetimes: unknown key \"lifetimes\", "
                    + "expected one of success, access, refresh, access_expires, refresh_expires, "
                    + "subject, display_name, token_type, account"
            ),
            Mistake(
                Mistake.soundLogin + "[policy]\ngive_up_after = 0",
                "mine.toml:9: policy.give_up_after: found the number 0, "
                    + "expected a number from 1 to 1000"
            ),
            Mistake(
                Mistake.soundLogin + "[policy]\nretry = \"never\"",
                "mine.toml:9: policy.retry: found \"never\", expected one of timer, on_use"
            ),
            Mistake(
                Mistake.soundLogin
                    + "[protected]\nrequest = \"GET /me\"\nsecond_401 = \"log out\"",
                "mine.toml:10: protected.second_401: found \"log out\", "
                    + "expected one of keep, end"
            ),
            Mistake(
                Mistake.soundLogin
                    + "[protected]\nrequest = \"GET /me\"\nretry_headers = \"x\"",
                "mine.toml:10: protected.retry_headers: found \"x\", expected a table of headers"
            ),
            Mistake(
                Mistake.soundLogin
                    + "[logout.this]\nrequest = \"POST /out\"\nrefresh_in = \"json:a\"\n"
                    + "[logout.this.without_refresh]\nbody = \"none\"",
                "mine.toml:11: logout.this.without_refresh.access_in: missing"
            ),
            Mistake(
                Mistake.soundLogin + "[tokens]\naccess = \"JWT\"",
                "mine.toml:9: tokens.access: found \"JWT\", expected one of jwt, uuid, opaque"
            ),
        ]
    )
    func named(mistake: Mistake) {
        mistake.expectNamed()
    }

    @Test(
        "what is no TOML at all has a line too",
        arguments: [
            ("name = \"mine\"\nname = \"yours\"\n", 2), ("name = mine\n", 1), ("\n\n[login\n", 3),
            ("a = \"x", 1), ("a = 1\n= 2\n", 2), ("a = 99999999999999999999\n", 1), ("[#", 1),
        ]
    )
    func syntax(text: String, line: Int) throws {
        let error = try #require(throws: DialectError.self) {
            try Dialect(toml: text, file: "mine.toml")
        }
        #expect(error.line == line)
        #expect(error.description.hasPrefix("mine.toml:\(line): not TOML: "))
        #expect(error.description.contains("\n") == false)
    }
}
