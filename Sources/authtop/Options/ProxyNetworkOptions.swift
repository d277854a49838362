import ArgumentParser
import Platform
import Profiles
import Proxy

/// The address of the proxy, the hosts that it answers to, and the backends that it trusts.
struct ProxyNetworkOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            """
            The address of this machine to listen at, such as 0.0.0.0 for a phone in the same network; \
            others than 127.0.0.1 need --allow-remote.
            """,
            valueName: "address"
        )
    )
    var host = "127.0.0.1"

    @Flag(
        name: .customLong("allow-remote"),
        help:
            "Allow other machines to use the proxy; without --tls, tokens cross the network as they are."
    )
    var allowsRemote = false

    @Option(
        name: .customLong("allow-host"),
        help: ArgumentHelp(
            "Another allowed name in the Host header of requests; repeatable.",
            discussion: """
                Any name but localhost, *.localhost, 127.0.0.1, [::1] and, with --allow-remote, the \
                addresses of this machine is refused with 421, so that no web page can reach the \
                backend under a name of its own.
                """,
            valueName: "name"
        )
    )
    var allowedHosts: [String] = []

    @Flag(
        name: .customLong("tls"),
        help: "Speak TLS with the app; authtop proxy ca says how to trust the certificate."
    )
    var usesTLS = false

    @OptionGroup var trust: TrustOptions

    @Flag(
        name: .customLong("allow-insecure"),
        help: "Allow a backend on another machine without TLS."
    )
    var allowsInsecure = false

    func validate() throws {
        guard let address = NetworkAddress(host == "localhost" ? "127.0.0.1" : host) else {
            throw ValidationError(
                "--host \(host): expected an address, such as 127.0.0.1 or 0.0.0.0"
            )
        }
        guard address.isLoopback || allowsRemote else {
            throw ValidationError(
                "--host \(host): other machines could use the proxy then; add --allow-remote to allow it"
            )
        }
        try RequestHost.checkAllowed(allowedHosts)
    }
}
