import Profiles
import Testing

private let talk =
    Mistake.soundLogin
    + "[feed]\npath = \"/ws\"\ntoken_in = \"message\"\nfirst_message = '{access}'\n"
private let stream = Mistake.soundLogin + "[feed]\nkind = \"sse\"\n"

@Suite("Mistakes in the other exchanges and the sandbox's answers")
struct OtherMistakeTests {
    @Test(
        "the line, the key and the way out are named",
        arguments: [
            Mistake(
                "rotation = \"never\"\n"
                    + Mistake.refresh("one_time = true\n" + Mistake.soundRefresh)
                    + "[[refresh.terminal]]\nstatus = 401",
                "mine.toml:11: refresh.one_time: "
                    + "a one-time token contradicts rotation = \"never\""
            ),
            Mistake(
                Mistake.soundLogin + "account = [\"user.new\", \"token\"]",
                "mine.toml:8: login.response.account: \"token\" is a token, and never shown"
            ),
            Mistake(
                Mistake.soundLogin
                    + "account = [\"a\", \"b\", \"c\", \"d\", \"e\", \"f\", \"g\", \"h\", \"i\"]",
                "mine.toml:8: login.response.account: found 9 key paths, expected at most 8"
            ),
            Mistake(
                Mistake.soundLogin + "account = \"user..new\"",
                "mine.toml:8: login.response.account: \"user..new\" is not a key path, "
                    + "expected keys joined by dots, such as data.accessToken"
            ),
            Mistake(
                Mistake.soundLogin + "[logout.all]\nrequest = \"POST /logout\"",
                "mine.toml:8: logout.all: unknown key \"all\", expected one of this, everywhere, end_session"
            ),
            Mistake(
                Mistake.soundLogin
                    + "[logout.this]\nrequest = \"POST /logout\"\naccess_in = \"bearer\"\n"
                    + "refresh_in = \"bearer\"",
                "mine.toml:10: logout.this.access_in: the same place as refresh_in"
            ),
            Mistake(
                Mistake.soundLogin
                    + "[protected]\nrequest = \"GET /me?since=1\"\ntoken_in = \"query:since\"",
                "mine.toml:10: protected.token_in: \"since\" is also in the path's query"
            ),
            Mistake(
                Mistake.soundLogin + "[protected]\nrequest = \"GET /me\"\nscheme = \"to ken\"",
                "mine.toml:10: protected.scheme: \"to ken\" cannot be the scheme of a token, "
                    + "expected a word such as \"token\" or \"JWT\""
            ),
            Mistake(
                Mistake.soundLogin
                    + "[protected]\nrequest = \"GET /me\"\ntoken_in = \"header:X-Token\"\n"
                    + "scheme = \"token\"",
                "mine.toml:11: protected.scheme: the token is not in the Authorization header, "
                    + "expected token_in = \"bearer\""
            ),
            Mistake(
                Mistake.soundLogin + "[protected]\nrequest = \"GET /me\"\nscheme = \"DPoP\"",
                "mine.toml:10: protected.scheme: a token of this scheme needs proofs, "
                    + "expected dpop = true"
            ),
            Mistake(
                "dpop = true\n" + Mistake.soundLogin
                    + "[protected]\nrequest = \"GET /me\"\nscheme = \"token\"",
                "mine.toml:1: dpop: a token that is bound to a key has the scheme DPoP, "
                    + "expected no protected.scheme"
            ),
            Mistake(
                Mistake.soundLogin + "[protected]\nrequest = \"GET ftp://h.example/x\"",
                "mine.toml:9: protected.request: found the scheme \"ftp\", "
                    + "expected https://HOST/PATH, or a path"
            ),
            Mistake(
                Mistake.soundLogin + "[protected]\nrequest = \"GET https://me@h.example/x\"",
                "mine.toml:9: protected.request: a URL without a valid host, "
                    + "expected HOST or HOST:PORT, without a user"
            ),
            Mistake(
                Mistake.soundLogin + "[protected]\nrequest = \"GET https://h.example\"",
                "mine.toml:9: protected.request: \"https://h.example\" is not a path, "
                    + "expected HOST/PATH"
            ),
            Mistake(
                Mistake.soundLogin
                    + "[feed]\npath = \"https://h.example/ws\"\ntoken_in = \"bearer\"",
                "mine.toml:9: feed.path: found the scheme \"https\", "
                    + "expected wss://HOST/PATH, or a path"
            ),
            Mistake(
                Mistake.soundLogin
                    + "[feed]\npath = \"/ws\"\ntoken_in = \"bearer\"\n"
                    + "control = [{ equals = \"hello\" }]",
                "mine.toml:11: feed.control.0: a rule for every frame, expected key or missing"
            ),
            Mistake(
                Mistake.soundLogin + "[feed]\npath = \"/ws\"",
                "mine.toml:8: feed.token_in: missing"
            ),
            Mistake(
                Mistake.soundLogin + "[feed]\npath = \"/ws\"\ntoken_in = \"json:token\"",
                "mine.toml:10: feed.token_in: an upgrade has no body, expected one of query:NAME, "
                    + "bearer, header:NAME, cookie:NAME, subprotocol, subprotocol:PREFIX, message"
            ),
            Mistake(
                Mistake.soundLogin
                    + "[feed]\npath = \"/ws\"\ntoken_in = \"query:t\"\nswitch = \"swap\"",
                "mine.toml:11: feed.switch: found \"swap\", "
                    + "expected one of overlap, restart, keep, message"
            ),
            Mistake(
                Mistake.soundLogin
                    + "[feed]\npath = \"/ws\"\ntoken_in = \"message\"\nfirst_message = \"hello\"",
                "mine.toml:11: feed.first_message: no place for the token, expected one {access} in it"
            ),
            Mistake(
                Mistake.soundLogin
                    + "[feed]\npath = \"/ws\"\ntoken_in = \"bearer\"\nkind = \"poll\"",
                "mine.toml:11: feed.kind: found \"poll\", expected one of websocket, sse, "
                    + "actioncable, graphql-transport-ws, home-assistant, phoenix, signalr, socket.io, "
                    + "stomp"
            ),
            Mistake(
                Mistake.soundLogin
                    + "[feed]\npath = \"/ws\"\ntoken_in = \"bearer\"\nsilence_limit = \"45s\"",
                "mine.toml:11: feed.silence_limit: a WebSocket is pinged, expected kind = \"sse\""
            ),
            Mistake(
                talk + "[[feed.say]]\ntext = \"{token}\"",
                "mine.toml:13: feed.say.0.text: nothing is called {token}, "
                    + "expected one of {access}, {n}, or token in feed.values"
            ),
            Mistake(
                talk + "[[feed.say]]\ntext = \"x\"\non = \"close\"",
                "mine.toml:14: feed.say.0.on: found \"close\", expected one of open, renewal"
            ),
            Mistake(
                talk + "[[feed.say]]\ntext = \"x\"\non = \"open\"\nevery = \"5s\"",
                "mine.toml:15: feed.say.0.every: it is said on something already, "
                    + "expected one of on, after, every"
            ),
            Mistake(
                talk + "[[feed.say]]\ntext = \"x\"\nafter = \"ready\"",
                "mine.toml:14: feed.say.0.after: no feed.expect is called \"ready\""
            ),
            Mistake(
                talk + "[[feed.say]]\ntext = \"x\"\nwithin = \"5s\"",
                "mine.toml:14: feed.say.0.within: there is no answer to wait for, "
                    + "expected answer = the name of an expectation"
            ),
            Mistake(
                talk + "[[feed.expect]]\nname = \"any\"",
                "mine.toml:12: feed.expect.0: an expectation that every message meets, "
                    + "expected key, missing or prefix"
            ),
            Mistake(
                talk + "[[feed.expect]]\nname = \"a\"\nprefix = \"a\"\nmeans = \"open\"",
                "mine.toml:15: feed.expect.0.means: found \"open\", "
                    + "expected one of accepted, refused"
            ),
            Mistake(
                talk + "[[feed.expect]]\nname = \"a\"\nprefix = \"a\"\nwithin = \"5s\"",
                "mine.toml:15: feed.expect.0.within: only an acceptance has to come after the "
                    + "opening, expected means = \"accepted\""
            ),
            Mistake(
                talk + "negotiate.path = \"/n\"\nnegotiate.parameters = {}",
                "mine.toml:13: feed.negotiate.parameters: found none or too many, "
                    + "expected 1 to 8 names, each with a key path in the answer"
            ),
            Mistake(
                talk + "negotiate.path = \"/n\"\nnegotiate.parameters.id = \"id\"\n"
                    + "negotiate.redirect = \"url\"",
                "mine.toml:12: feed.negotiate.redirect_token: missing, "
                    + "expected redirect and redirect_token, or neither"
            ),
            Mistake(
                talk + "[[feed.say]]\ntext = \"{access}\"\n[feed.negotiate]\npath = \"/n\"\n"
                    + "parameters.id = \"id\"\nredirect = \"url\"\nredirect_token = \"token\"",
                "mine.toml:14: feed.negotiate: another server's token goes with its request, "
                    + "and in no message, expected no redirect"
            ),
            Mistake(
                Mistake.soundLogin + "[feed]\npath = \"/ws\"\ntoken_in = \"message\"",
                "mine.toml:10: feed.token_in: no message has the token, "
                    + "expected first_message or feed.say with {access} in it"
            ),
            Mistake(
                talk + "switch = \"message\"",
                "mine.toml:12: feed.switch: no message tells a renewal, "
                    + "expected switch_message, or feed.say with on = \"renewal\""
            ),
            Mistake(
                talk + "separator = \"ab\"",
                "mine.toml:12: feed.separator: found \"ab\", "
                    + "expected one ASCII character, such as \\u001e"
            ),
            Mistake(
                Mistake.soundLogin + "[feed]\nkind = \"phoenix\"",
                "mine.toml:8: feed.values.topic: the kind of the feed needs a value for {topic}, "
                    + "expected text"
            ),
            Mistake(
                stream + "path = \"wss://h.example/events\"\ntoken_in = \"bearer\"",
                "mine.toml:10: feed.path: found the scheme \"wss\", "
                    + "expected https://HOST/PATH, or a path"
            ),
            Mistake(
                stream + "path = \"/events\"\ntoken_in = \"subprotocol\"",
                "mine.toml:11: feed.token_in: found \"subprotocol\", which an event stream does "
                    + "not have, expected \"query:NAME\", \"bearer\", \"header:NAME\" or "
                    + "\"cookie:NAME\""
            ),
            Mistake(
                stream + "path = \"/events\"\ntoken_in = \"bearer\"\nswitch = \"message\"",
                "mine.toml:12: feed.switch: nothing can be sent on an event stream, "
                    + "expected one of overlap, restart, keep"
            ),
            Mistake(
                stream + "path = \"/events\"\ntoken_in = \"bearer\"\nsince = \"after\"",
                "mine.toml:12: feed.since: an event stream is resumed by Last-Event-ID, "
                    + "expected kind = \"websocket\" with this key"
            ),
            Mistake(
                stream + "path = \"/events\"\ntoken_in = \"bearer\"\n"
                    + "headers = { Last-Event-ID = \"1\" }",
                "mine.toml:12: feed.headers: the connection sets the header Last-Event-ID itself"
            ),
            Mistake(
                Mistake.soundLogin + "[responses.refused]\nstatus = 401",
                "mine.toml:8: responses.refused: unknown key \"refused\", "
                    + "expected one of login, login_rejected, refresh, refresh_refused, logout, "
                    + "logout_everywhere, logout_refused, protected, unauthorized, sessions, malformed"
            ),
            Mistake(
                Mistake.soundLogin + "[responses.malformed]\nbody = '{\"token\": \"{access}\"}'",
                "mine.toml:9: responses.malformed.body: unknown gap {access}, expected none here"
            ),
            Mistake(
                Mistake.soundLogin + "[responses.protected]\nbody = '''\n{\"id\": {id}}\n'''",
                "mine.toml:9: responses.protected.body: unknown gap {id}, "
                    + "expected one of {email}, {user_id}, {username}"
            ),
            Mistake(
                Mistake.soundLogin + "[responses.protected]\nbody = '{\"email\": {email}}'",
                "mine.toml:9: responses.protected.body: not JSON, "
                    + "expected JSON, or headers with a Content-Type"
            ),
            Mistake(
                Mistake.soundLogin + "[responses.sessions]\nbody = '{sessions}'",
                "mine.toml:8: responses.sessions.item: missing"
            ),
        ]
    )
    func named(mistake: Mistake) {
        mistake.expectNamed()
    }
}
