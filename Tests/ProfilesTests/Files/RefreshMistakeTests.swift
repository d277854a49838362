import Profiles
import Testing

@Suite("Mistakes in the refresh")
struct RefreshMistakeTests {
    @Test(
        "the line, the key and the way out are named",
        arguments: [
            Mistake(Mistake.refresh(""), "mine.toml:8: refresh.token_in: missing"),
            Mistake(
                Mistake.refresh("\n# where it goes\ntoken_in = \"bearers\""),
                "mine.toml:12: refresh.token_in: unknown place \"bearers\", expected one of bearer, "
                    + "json:KEY, form:KEY, header:NAME, cookie:NAME, query:NAME"
            ),
            Mistake(
                Mistake.refresh("token_in = \"header:Content-Length\""),
                "mine.toml:10: refresh.token_in: the connection sets the header Content-Length "
                    + "itself"
            ),
            Mistake(
                Mistake.refresh("token_in = \"json:\""),
                "mine.toml:10: refresh.token_in: \"json:\" has no name, expected one of bearer, "
                    + "json:KEY, form:KEY, header:NAME, cookie:NAME, query:NAME"
            ),
            Mistake(
                Mistake.refresh("token_in = \"header:X Token\""),
                "mine.toml:10: refresh.token_in: \"X Token\" cannot be a name, "
                    + "expected letters, digits and hyphens"
            ),
            Mistake(
                Mistake.refresh("tokn_in = \"bearer\""),
                "mine.toml:10: refresh.tokn_in: unknown key \"tokn_in\", "
                    + "the nearest known one is token_in"
            ),
            Mistake(
                Mistake.refresh("token_in = \"bearer\""),
                "mine.toml:8: refresh.response: missing"
            ),
            Mistake(
                Mistake.refresh(Mistake.soundRefresh),
                "mine.toml:8: refresh.terminal: missing, "
                    + "expected at least one answer that ends a session"
            ),
            Mistake(
                Mistake.refresh(Mistake.soundRefresh + "[refresh.terminal]\nstatus = 401"),
                "mine.toml:13: refresh.terminal: found a table, expected a list of tables, each with "
                    + "the header [[refresh.terminal]]"
            ),
            Mistake(
                Mistake.refresh(
                    Mistake.soundRefresh
                        + "[[refresh.terminal]]\nstatus = 401\n[[refresh.terminal]]\nstatus = 4010"
                ),
                "mine.toml:16: refresh.terminal.1.status: found the number 4010, "
                    + "expected a number from 100 to 599"
            ),
            Mistake(
                Mistake.refresh(
                    Mistake.soundRefresh
                        + "[[refresh.terminal]]\nstatus = 401\ncause = [\"used\", \"reused\"]"
                ),
                "mine.toml:15: refresh.terminal.0.cause.1: unknown cause \"reused\", expected one "
                    + "of expired, inactive, session_ended, used, revoked, unknown"
            ),
            Mistake(
                Mistake.refresh(
                    "reuse = \"maybe\"\n" + Mistake.soundRefresh
                        + "[[refresh.terminal]]\nstatus = 401"
                ),
                "mine.toml:10: refresh.reuse: found \"maybe\", expected one of accepted, "
                    + "refused, ends_session, until_used, forks"
            ),
            Mistake(
                Mistake.refresh(Mistake.soundRefresh + "[[refresh.terminal]]\nstatus = [401, 503]"),
                "mine.toml:14: refresh.terminal.0.status: 503 is never a verdict on a token"
            ),
            Mistake(
                Mistake.refresh(Mistake.soundRefresh + "[[refresh.terminal]]\n"),
                "mine.toml:13: refresh.terminal.0: a rule for every answer, "
                    + "expected status, key or missing"
            ),
            Mistake(
                Mistake.refresh(
                    Mistake.soundRefresh + "[[refresh.terminal]]\nstatus = 400\nequals = \"x\""
                ),
                "mine.toml:13: refresh.terminal.0.key: missing"
            ),
            Mistake(
                Mistake.refresh(
                    Mistake.soundRefresh
                        + "[[refresh.terminal]]\nkey = \"error\"\nempty_body = \"once\""
                ),
                "mine.toml:15: refresh.terminal.0.empty_body: a rule for every empty answer, "
                    + "expected status"
            ),
            Mistake(
                Mistake.refresh(
                    Mistake.soundRefresh + "[[refresh.terminal]]\nstatus = \"400-407\""
                ),
                "mine.toml:14: refresh.terminal.0.status: found \"400-407\", "
                    + "expected a status, a list of them, or a class such as 4xx"
            ),
            Mistake(
                Mistake.refresh(Mistake.soundRefresh + "[[refresh.terminal]]\nstatus = \"4xx\""),
                "mine.toml:14: refresh.terminal.0.status: 429 is never a verdict on a token, "
                    + "expected except = 429"
            ),
            Mistake(
                Mistake.refresh(Mistake.soundRefresh + "[[refresh.terminal]]\nstatus = \"5xx\""),
                "mine.toml:14: refresh.terminal.0.status: 500 is never a verdict on a token"
            ),
            Mistake(
                Mistake.refresh(
                    Mistake.soundRefresh
                        + "[[refresh.terminal]]\nstatus = \"4xx\"\nexcept = [429, 500]"
                ),
                "mine.toml:15: refresh.terminal.0.except: 500 is not among those that status names"
            ),
            Mistake(
                Mistake.refresh(
                    Mistake.soundRefresh + "[[refresh.terminal]]\nstatus = 401\nexcept = 429"
                ),
                "mine.toml:15: refresh.terminal.0.except: there is no status to except it from, "
                    + "expected status = \"4xx\""
            ),
            Mistake(
                Mistake.refresh(
                    Mistake.soundRefresh + "[[refresh.terminal]]\nkey = \"a\"\nmissing = \"b\""
                ),
                "mine.toml:15: refresh.terminal.0.missing: a rule of its own, "
                    + "expected it without key"
            ),
            Mistake(
                Mistake.refresh(
                    Mistake.soundRefresh
                        + "[[refresh.terminal]]\nmissing = \"b\"\nempty_body = \"never\""
                ),
                "mine.toml:15: refresh.terminal.0.empty_body: "
                    + "an empty answer cannot lack one key in particular, "
                    + "expected it without missing"
            ),
            Mistake(
                Mistake.refresh(
                    "body = \"form\"\n"
                        + Mistake.soundRefresh.replacing("bearer", with: "json:token")
                ),
                "mine.toml:11: refresh.token_in: the token needs a json body, and this one is form"
            ),
            Mistake(
                Mistake.refresh("headers = { authorization = \"x\" }\n" + Mistake.soundRefresh),
                "mine.toml:11: refresh.token_in: Authorization is also among the fixed headers"
            ),
            Mistake(
                Mistake.refresh("fields = { a = \"{email}\" }\n" + Mistake.soundRefresh),
                "mine.toml:10: refresh.fields.a: unknown credential {email}, "
                    + "expected one of {client_id}"
            ),
        ]
    )
    func named(mistake: Mistake) {
        mistake.expectNamed()
    }
}
