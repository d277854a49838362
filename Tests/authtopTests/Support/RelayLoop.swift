import Glibc

/// The relay's sockets: only the relay's own thread touches them.
struct RelayLoop {
    /// Milliseconds until it looks again at what it was told.
    private static let timeout: Int32 = 20

    private let relay: Relay
    /// Bound to the relay's port all the time, and listening while it does not refuse.
    private let listener: Int32
    private var isListening = true
    private var links: [RelayLink] = []

    init(relay: Relay, listener: Int32) {
        self.relay = relay
        self.listener = listener
    }

    mutating func run() {
        while !relay.isOver {
            follow()
            let ready = waitForSomething()
            if isListening, ready.contains(listener) { takeConnection() }
            for index in links.indices {
                links[index].move(ready: ready, relay: relay)
            }
            links.removeAll(where: \.isOver)
        }
        for index in links.indices { links[index].cut() }
        close(listener)
    }

    /// Listens, or does not, as the relay wants it.
    private mutating func follow() {
        let refuses = relay.isRefusing
        guard refuses == isListening else { return }
        isListening = !refuses
        defer { relay.record(isListening: isListening) }
        guard refuses else {
            listen(listener, 128)
            return
        }
        shutdown(listener, Int32(SHUT_RDWR))
        for index in links.indices { links[index].cut() }
        links = []
    }

    private func waitForSomething() -> Set<Int32> {
        var watched = links.flatMap(\.descriptors)
        if isListening { watched.append(listener) }
        var polls = watched.map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
        poll(&polls, nfds_t(polls.count), Self.timeout)
        return Set(polls.filter { $0.revents != 0 }.map(\.fd))
    }

    private mutating func takeConnection() {
        let client = Glibc.accept(listener, nil, nil)
        guard client >= 0 else { return }
        guard let server = relay.connectToServer() else {
            close(client)
            return
        }
        links.append(RelayLink(client: client, server: server))
    }
}
