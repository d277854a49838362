import Basics

/// The example that `authtop profiles init` writes.
enum ProfileExample {
    /// Returns the example for a profile of this name.
    static func text(for name: String) -> String {
        text.replacing(bytes: "MINE", with: name.asciiUppercased.replacing(bytes: "-", with: "_"))
    }

    private static let text = """
        # A profile: the dialect that it extends, and what differs. Everything else is as
        # `authtop profiles show oauth2` prints it; `authtop profiles list` lists the other dialects.
        # Check it with `authtop profiles validate`.
        #
        # For an API that is not OAuth 2.0, let an app log in and renew once behind
        # `authtop proxy --to URL --write-profile FILE`: it writes a profile of what it has seen.

        extends = "oauth2"
        base_url = "http://127.0.0.1:8787/oauth2"   # as `authtop sandbox` serves it

        # ---------------------------------------------------------------- who logs in, and how

        grant = "password"      # or "authorization_code", "device_code", "client_credentials",
                                # "refresh_token", "token_exchange", "jwt_bearer"
        client_auth = "basic"   # or "body", "public" (no secret), "none"

        # With the grant authorization_code, the user logs in with a browser (PKCE, RFC 8252). It
        # needs client_id here, and below [login] a table [login.authorize] with the request, such
        # as "GET /oauth/authorize", and the scope. `authtop profiles init --issuer` writes both.

        # Credentials are never part of this file. They come from a variable such as
        # AUTHTOP_MINE_PASSWORD, from --credentials FILE, from a command, or from a prompt.
        # [credentials]
        # password_command = ["pass", "show", "example/password"]
        # client_secret_command = ["pass", "show", "example/client"]

        # ------------------------------------------------------------------ where tokens come from

        # [login]
        # request = "POST /oauth/token"   # exactly as the backend expects it
        # body = "form"                   # or "json"
        # fields = { scope = "read" }     # added to those of the dialect
        # [login.response]
        # access = ["access_token", "token"]        # key paths: the first present one
        # access_expires = "seconds:expires_in"     # or milliseconds, unix_seconds,
        #                                           # unix_milliseconds, iso8601, http_date with a
        #                                           # key path; cookie:NAME for a cookie's Max-Age
        #                                           # or Expires; or "jwt"

        # [capture]                        # values that requests send again, such as a CSRF token
        # csrf = "cookie:csrf_token"        # or header:NAME, json:KEY.PATH

        # [refresh]
        # request = "POST /oauth/token"
        # token_in = "form:refresh_token"   # or bearer, json:KEY.PATH, header:NAME, cookie:NAME,
        #                                   # query:NAME
        # headers = { X-CSRF-Token = "{csrf}", Cookie = "csrf_token={csrf}" }
        # [[refresh.terminal]]              # the responses that end a session
        # status = [400, 401]
        # key = "error"
        # equals = "invalid_grant"
        # [[refresh.terminal]]
        # status = "4xx"                    # every client error except timeouts and rate limits
        # except = [408, 429]
        # empty_body = "once"
        # [[refresh.terminal]]
        # missing = "data"                  # a response where data is absent or null

        # ------------------------------------------------------------------- what a token is sent to

        # [protected]
        # request = "GET /me"
        # token_in = "bearer"   # or header:NAME, cookie:NAME
        # expired = 401         # or [401, 403]
        # retry_headers = { Authorization-Retry = "true" }   # on a request repeated after a 401
        # second_401 = "end"   # if a renewed token is rejected too; or "keep", the default

        # [logout.this]
        # request = "POST /oauth/revoke"
        # refresh_in = "form:token"
        # [logout.this.without_refresh]   # the request if there is no refresh token
        # access_in = "form:token"

        # [feed]
        # path = "/ws"
        # token_in = "query:token"   # or bearer, header:NAME, cookie:NAME, subprotocol, message

        # ---------------------------------------------------------------------- how it is kept

        # rotation = "always"                   # or "never", "maybe"
        # disable = ["logout", "login.fields.scope"]   # parts of the dialect that your backend lacks
        # vault = "file"                        # or "memory", "helper:NAME"
        # retention = "30d"
        # [policy]
        # lead = "5m"            # how long before its expiry an access token is renewed
        # give_up_after = 3      # consecutive failures with an expired access token; default: never
        # renew = "login"        # without a refresh token: log in again
        # retry = "on_use"       # retry a failed renewal with the next request; or "timer"
        # after_refusal = "end"  # a refused refresh token ends the session at once; or "drain"
        # another_user = "use"   # a renewal may bring another user's token; or "refuse"

        """
}
