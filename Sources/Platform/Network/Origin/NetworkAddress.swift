import NIOCore

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// An address in a network.
package struct NetworkAddress: Sendable, Hashable, CustomStringConvertible {
    /// As users write it, such as `192.168.1.5`.
    package let description: String
    /// 4 bytes, or 16 of IPv6.
    package let bytes: [UInt8]

    /// - Parameter text: A numeric address.
    package init?(_ text: String) {
        var read = [UInt8](repeating: 0, count: 16)
        if inet_pton(AF_INET, text, &read) == 1 {
            bytes = Array(read.prefix(4))
        } else if inet_pton(AF_INET6, text, &read) == 1 {
            bytes = read
        } else {
            return nil
        }
        description = text
    }

    /// Returns `nil` unless there are 4 or 16 bytes.
    package init?(bytes: [UInt8]) {
        guard bytes.count == 4 || bytes.count == 16 else { return nil }
        self.bytes = bytes
        var text = [CChar](repeating: 0, count: Int(INET6_ADDRSTRLEN))
        let family = bytes.count == 4 ? AF_INET : AF_INET6
        guard inet_ntop(family, bytes, &text, socklen_t(text.count)) != nil else { return nil }
        description = String(decoding: text.prefix { $0 != 0 }.map(UInt8.init), as: UTF8.self)
    }

    /// 127.0.0.1.
    package static let loopback = NetworkAddress(four: [127, 0, 0, 1])

    private init(four bytes: [UInt8]) {
        self.bytes = bytes
        description = bytes.map(String.init).joined(separator: ".")
    }

    /// As the host of a URL.
    package var host: String { bytes.count == 4 ? description : "[\(description)]" }

    /// Whether only this machine reaches it.
    package var isLoopback: Bool {
        bytes.count == 4 ? bytes[0] == 127 : bytes == Self.loopback6
    }

    /// Whether it stands for all addresses of the machine.
    package var isWildcard: Bool { bytes.allSatisfy { $0 == 0 } }

    /// Whether it is valid on one link only (RFC 4291 section 2.5.6), so that a URL cannot name it.
    private var isOfLink: Bool { bytes.count == 16 && bytes[0] == 0xFE && bytes[1] & 0xC0 == 0x80 }

    /// Whether it leads to this machine or to its own link, where cloud services give out credentials
    /// (RFC 6890).
    package var isNear: Bool {
        let mapped = [UInt8](repeating: 0, count: 10) + [0xFF, 0xFF]
        let bytes = bytes.starts(with: mapped) ? Array(bytes.suffix(4)) : bytes
        guard bytes.count == 4 else { return isLoopback || isWildcard || isOfLink }
        return bytes[0] == 127 || bytes[0] == 0 || bytes.starts(with: [169, 254])
    }

    private static let loopback6 = [UInt8](repeating: 0, count: 15) + [1]

    /// Returns the addresses by which other machines reach what listens at this one, those of IPv4
    /// first.
    package var reachable: [NetworkAddress] {
        guard isWildcard else { return isLoopback ? [] : [self] }
        let devices = (try? System.enumerateDevices()) ?? []
        var found: [NetworkAddress] = []
        for text in devices.compactMap({ $0.address?.ipAddress }) {
            guard let address = NetworkAddress(text), !address.isLoopback, !address.isOfLink,
                address.bytes.count == 4 || bytes.count == 16, !found.contains(address)
            else { continue }
            found.append(address)
        }
        return found.filter { $0.bytes.count == 4 } + found.filter { $0.bytes.count == 16 }
    }
}
