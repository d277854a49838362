import Basics
import Glibc

/// The TCP sockets of this machine, as Linux lists them in `/proc/net/tcp` and `/proc/net/tcp6`.
package struct SocketTable: Sendable {
    /// An end of a connection.
    struct End: Sendable, Hashable {
        /// Four bytes, or sixteen; four also for an IPv4 address in the form of an IPv6 address.
        var address: [UInt8]
        var port: Int
    }

    private struct Socket: Sendable {
        let local: End
        let remote: End
        let isListening: Bool
        /// The user that has made it, by number.
        let user: UInt32
        /// The number by which `/proc/PID/fd` names it.
        let inode: UInt64
    }

    /// The bytes that are read of each list: about 50 000 sockets.
    private static let limit = 8 << 20

    private let sockets: [Socket]

    /// Parses lists of the kernel; lines that are none of a socket are left out.
    ///
    /// - Parameter texts: The contents of the two files.
    init(parsing texts: [String]) {
        sockets = texts.flatMap { $0.parts(at: "\n") }.compactMap(Self.socket)
    }

    /// The sockets at present, none where there are no such files.
    package static var present: SocketTable { SocketTable(under: "/proc") }

    init(under root: String) {
        self.init(
            parsing: ["\(root)/net/tcp", "\(root)/net/tcp6"].compactMap { path in
                KernelFile.text(of: path, limit: Self.limit)
            }
        )
    }

    /// The ports at which programs of this machine listen, in ascending order.
    package var listeningPorts: [Int] {
        Set(sockets.lazy.filter(\.isListening).map(\.local.port)).sorted()
    }

    /// Returns the inode of the socket at one end of a connection, or `nil` if this machine does not
    /// have it, or no process does any longer.
    func inode(at local: End, to remote: End) -> UInt64? {
        socket(at: local, to: remote)?.inode
    }

    /// Returns the user of the program at one end of a connection, or `nil` if this machine does not have
    /// that end, or no process does any longer.
    ///
    /// - Parameters:
    ///   - peer: The address and port of the program.
    ///   - own: Those that it is connected to.
    /// - Returns: The number of the user.
    package func user(
        from peer: (host: String, port: Int),
        to own: (host: String, port: Int)
    ) -> UInt32? {
        guard let local = End(host: peer.host, port: peer.port),
            let remote = End(host: own.host, port: own.port)
        else { return nil }
        return socket(at: local, to: remote)?.user
    }

    private func socket(at local: End, to remote: End) -> Socket? {
        sockets.first { $0.local == local && $0.remote == remote && $0.inode != 0 }
    }

    /// Parses such as `0: 0100007F:1F90 00000000:0000 0A 00000000:00000000 00:00000000 00000000 0 0 4711`.
    private static func socket(_ line: Substring) -> Socket? {
        let fields = line.parts(at: " ")
        guard fields.count > 9, let local = end(fields[1]), let remote = end(fields[2]),
            let user = UInt32(fields[7]), let inode = UInt64(fields[9])
        else { return nil }
        return Socket(
            local: local,
            remote: remote,
            isListening: fields[3] == "0A",
            user: user,
            inode: inode
        )
    }

    /// Parses an address as words in the order of this machine's bytes, and a port.
    private static func end(_ text: Substring) -> End? {
        guard let (digits, port) = text.halves(at: ":"), let port = Int(port, radix: 16),
            digits.utf8.count == 8 || digits.utf8.count == 32
        else { return nil }
        var address: [UInt8] = []
        var rest = digits.utf8[...]
        while !rest.isEmpty {
            guard let word = UInt32(Substring(rest.prefix(8)), radix: 16) else { return nil }
            address += withUnsafeBytes(of: word) { Array($0) }
            rest = rest.dropFirst(8)
        }
        return End(address: address, port: port).unmapped
    }
}

extension SocketTable.End {
    /// - Parameters:
    ///   - host: An address, as in `127.0.0.1` or `::1`.
    ///   - port: The port.
    init?(host: String, port: Int) {
        for (family, count) in [(AF_INET, 4), (AF_INET6, 16)] {
            var address = [UInt8](repeating: 0, count: count)
            guard inet_pton(family, host, &address) == 1 else { continue }
            self = Self(address: address, port: port).unmapped
            return
        }
        return nil
    }

    /// The same with an IPv4 address as one, not as `::ffff:127.0.0.1`.
    fileprivate var unmapped: Self {
        let prefix = [UInt8](repeating: 0, count: 10) + [0xFF, 0xFF]
        guard address.count == 16, address.starts(with: prefix) else { return self }
        return Self(address: Array(address.dropFirst(12)), port: port)
    }
}

/// A file whose contents the kernel makes while they are read: it has no size, and a read brings a part.
enum KernelFile {
    /// Reads a file to its end.
    ///
    /// - Parameters:
    ///   - path: Of the file.
    ///   - limit: The bytes after which it is cut.
    /// - Returns: The text, or `nil` if it cannot be read.
    static func text(of path: String, limit: Int) -> String? {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        var bytes: [UInt8] = []
        var part = [UInt8](repeating: 0, count: 65_536)
        while bytes.count < limit {
            let count = read(descriptor, &part, part.count)
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { return nil }
            guard count > 0 else { break }
            bytes += part.prefix(count)
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}
