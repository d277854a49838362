"""An MCP server with FastMCP's own authorization server, which is in memory and asks no user.

Arguments: the seconds that an access token lives, and whether a refresh lets the server `replace` or
`keep` the refresh token, or `narrow` the scope to its first word.
Prints its port.
"""
import socket
import sys

import uvicorn
from fastmcp import FastMCP
from fastmcp.server.auth.auth import ClientRegistrationOptions, RevocationOptions
from fastmcp.server.auth.providers import in_memory

in_memory.DEFAULT_ACCESS_TOKEN_EXPIRY_SECONDS = int(sys.argv[1])


class Keeping(in_memory.InMemoryOAuthProvider):
    """Puts the refresh token that was used in place of the next one."""

    async def exchange_refresh_token(self, client, refresh_token, scopes):
        answer = await super().exchange_refresh_token(client, refresh_token, scopes)
        self.refresh_tokens[refresh_token.token] = self.refresh_tokens.pop(answer.refresh_token)
        self.refresh_tokens[refresh_token.token].token = refresh_token.token
        answer.refresh_token = refresh_token.token
        return answer


class Narrowing(in_memory.InMemoryOAuthProvider):
    """Grants less than before, and says so."""

    async def exchange_refresh_token(self, client, refresh_token, scopes):
        return await super().exchange_refresh_token(client, refresh_token, scopes[:1])


listener = socket.create_server(("127.0.0.1", 0))
port = listener.getsockname()[1]
kinds = {"keep": Keeping, "narrow": Narrowing}
kind = kinds.get(sys.argv[2], in_memory.InMemoryOAuthProvider)
server = FastMCP(
    "test",
    auth=kind(
        base_url=f"http://127.0.0.1:{port}",
        client_registration_options=ClientRegistrationOptions(
            enabled=True, valid_scopes=["read", "write"]
        ),
        revocation_options=RevocationOptions(enabled=True),
        # What a challenge names is what a client requests.
        required_scopes=["read", "write"] if sys.argv[2] == "narrow" else ["read"],
    ),
)
print(port, flush=True)
config = uvicorn.Config(server.http_app(), log_level="warning")
uvicorn.Server(config).run(sockets=[listener])
