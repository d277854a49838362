/// What `authtop profiles init` writes.
enum ProfileExample {
    /// The example for a profile of this name.
    static func text(for name: String) -> String {
        text.replacing("MINE", with: name.uppercased().replacing("-", with: "_"))
    }

    private static let text = """
        # A profile: the dialect that it extends, and what differs. Whatever is not said here is as
        # `authtop profiles show oauth2` prints it; `authtop profiles list` names the other dialects.
        # Check it with `authtop profiles validate`.

        extends = "oauth2"
        base_url = "http://127.0.0.1:8787/oauth2"   # as `authtop sandbox` serves it

        # ---------------------------------------------------------------- who logs in, and how

        grant = "password"      # or "client_credentials", or "refresh_token"
        client_auth = "basic"   # or "body", "public" (no secret), "none"

        # A credential never stands in a file. It comes from a variable such as
        # AUTHTOP_MINE_PASSWORD, from --credentials FILE, from a command, or from a prompt.
        # [credentials]
        # password_command = ["pass", "show", "example/password"]
        # client_secret_command = ["pass", "show", "example/client"]

        # ------------------------------------------------------------------ where tokens come from

        # [login]
        # request = "POST /oauth/token"   # exactly as the backend wants it, slash by slash
        # body = "form"                   # or "json"
        # fields = { scope = "read" }     # added to those of the dialect
        # [login.response]
        # access = ["access_token", "token"]        # key paths: the first that is there
        # access_expires = "seconds:expires_in"     # or unix_seconds, unix_milliseconds, iso8601,
        #                                           # http_date with a key path; or "jwt"

        # [refresh]
        # request = "POST /oauth/token"
        # token_in = "form:refresh_token"   # or bearer, json:KEY.PATH, header:NAME, cookie:NAME
        # [[refresh.terminal]]              # which answers end a session
        # status = [400, 401]
        # key = "error"
        # equals = "invalid_grant"
        # [[refresh.terminal]]
        # status = "4xx"                    # every client error but a timeout and a limit
        # except = [408, 429]
        # empty_body = "once"
        # [[refresh.terminal]]
        # missing = "data"                  # an answer that has no data, or null

        # ------------------------------------------------------------------- what a token opens

        # [protected]
        # request = "GET /me"
        # token_in = "bearer"   # or header:NAME, cookie:NAME
        # expired = 401         # or [401, 403]
        # retry_headers = { Authorization-Retry = "true" }   # on the one repeated after a 401
        # second_401 = "end"   # a renewed token that is refused as well: or "keep", the default

        # [logout.this]
        # request = "POST /oauth/revoke"
        # refresh_in = "form:token"
        # [logout.this.without_refresh]   # what does where there is no refresh token left
        # access_in = "form:token"

        # [feed]
        # path = "/ws"
        # token_in = "query:token"   # or bearer, header:NAME, cookie:NAME, subprotocol, message

        # ---------------------------------------------------------------------- how it is kept

        # rotation = "always"                   # or "never", "maybe"
        # disable = ["logout", "login.fields.scope"]   # what the dialect has and your backend not
        # vault = "file"                        # or "memory", "helper:NAME"
        # retention = "30d"
        # [policy]
        # lead = "5m"            # how long before its end an access token is renewed
        # give_up_after = 3      # failures in a row with a dead access token; never, unless given
        # renew = "login"        # without a refresh token: log in again
        # retry = "on_use"       # a renewal that failed waits for the next request; or "timer"

        """
}
