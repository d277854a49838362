import Glibc

/// The relay's sockets: only the relay's own thread touches them.
struct RelayLoop {
    private let relay: Relay
    /// Bound to the relay's port all the time, and listening while it does not refuse.
    private var listener: Int32
    private let wake: Int32
    private var isListening = true
    private var links: [RelayLink] = []

    init(relay: Relay, listener: Int32, wake: Int32) {
        self.relay = relay
        self.listener = listener
        self.wake = wake
    }

    mutating func run() {
        while !relay.isOver {
            follow()
            let ready = waitForSomething()
            if ready.contains(wake) { clearWake() }
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
        guard refuses else {
            listen(listener, 128)
            return
        }
        close(listener)
        for index in links.indices { links[index].cut() }
        links = []
        guard let bound = try? LoopbackSocket.bind(to: relay.port) else {
            fatalError("the relay lost its port")
        }
        listener = bound
    }

    private func waitForSomething() -> Set<Int32> {
        var watched = links.flatMap(\.descriptors) + [wake]
        if isListening { watched.append(listener) }
        var polls = watched.map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
        poll(&polls, nfds_t(polls.count), 1000)
        return Set(polls.filter { $0.revents != 0 }.map(\.fd))
    }

    private func clearWake() {
        var count: eventfd_t = 0
        eventfd_read(wake, &count)
    }

    private mutating func takeConnection() {
        let client = accept4(listener, nil, nil, Int32(SOCK_CLOEXEC.rawValue))
        guard client >= 0 else { return }
        guard let server = relay.connectToServer() else {
            close(client)
            return
        }
        links.append(RelayLink(client: client, server: server))
    }
}
