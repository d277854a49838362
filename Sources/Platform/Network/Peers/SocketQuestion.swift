import CProcess
import Glibc

/// A question to the kernel for the TCP socket at one end of a connection (`sock_diag(7)`), whose answer
/// takes the same time however many connections there are.
struct SocketQuestion {
    let local: SocketTable.End
    let remote: SocketTable.End

    /// Whether the kernel answers such questions.
    ///
    /// It may be built without, and a container may forbid them. What is asked for is all sockets of no
    /// state, of which there are none.
    static var isAnswered: Bool {
        ask(inet_diag_req_v2(family: AF_INET), UInt16(NLM_F_ROOT | NLM_F_MATCH))?.type == NLMSG_DONE
    }

    /// The owner of the socket, or `nil` if there is none, or no process has it any longer.
    var answer: SocketTable.Owner? {
        let isShort = local.address >> 32 == 0xFFFF && remote.address >> 32 == 0xFFFF
        var request = inet_diag_req_v2(family: isShort ? AF_INET : AF_INET6)
        request.id.idiag_sport = UInt16(truncatingIfNeeded: local.port).bigEndian
        request.id.idiag_dport = UInt16(truncatingIfNeeded: remote.port).bigEndian
        request.id.idiag_src = Self.words(of: local.address, isShort: isShort)
        request.id.idiag_dst = Self.words(of: remote.address, isShort: isShort)
        request.id.idiag_cookie = (.max, .max)
        guard let message = Self.ask(request, 0)?.message, message.idiag_inode != 0,
            // Without the connection, a program that listens at the port would be found.
            message.id.idiag_dport == request.id.idiag_dport
        else { return nil }
        return SocketTable.Owner(user: message.idiag_uid, inode: UInt64(message.idiag_inode))
    }

    private static func words(
        of address: UInt128,
        isShort: Bool
    ) -> (UInt32, UInt32, UInt32, UInt32) {
        func word(_ shift: Int) -> UInt32 { UInt32(truncatingIfNeeded: address >> shift).bigEndian }
        return isShort ? (word(0), 0, 0, 0) : (word(96), word(64), word(32), word(0))
    }

    /// Sends a question, which the kernel answers before it returns.
    ///
    /// - Parameters:
    ///   - request: The sockets that are asked for.
    ///   - flags: What is to be done with the request, beyond that it is one.
    /// - Returns: The type of the answer, and the first socket in it, or `nil` without an answer.
    private static func ask(
        _ request: inet_diag_req_v2,
        _ flags: UInt16
    ) -> (type: Int32, message: inet_diag_msg?)? {
        let kind = Int32(SOCK_RAW.rawValue | SOCK_CLOEXEC.rawValue)
        let descriptor = socket(AF_NETLINK, kind, NETLINK_SOCK_DIAG)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        let start = MemoryLayout<nlmsghdr>.size
        var header = nlmsghdr()
        header.nlmsg_len = UInt32(start + MemoryLayout<inet_diag_req_v2>.size)
        header.nlmsg_type = UInt16(SOCK_DIAG_BY_FAMILY)
        header.nlmsg_flags = UInt16(NLM_F_REQUEST) | flags
        let question =
            withUnsafeBytes(of: header, Array.init) + withUnsafeBytes(of: request, Array.init)
        guard send(descriptor, question, question.count, 0) == question.count else { return nil }
        var bytes = [UInt8](repeating: 0, count: 4_096)
        let count = recv(descriptor, &bytes, bytes.count, Int32(MSG_DONTWAIT))
        guard count >= start else { return nil }
        return bytes.withUnsafeBytes { bytes in
            let type = Int32(bytes.loadUnaligned(as: nlmsghdr.self).nlmsg_type)
            let isSocket =
                type == SOCK_DIAG_BY_FAMILY && count >= start + MemoryLayout<inet_diag_msg>.size
            return (
                type,
                isSocket ? bytes.loadUnaligned(fromByteOffset: start, as: inet_diag_msg.self) : nil
            )
        }
    }
}

extension inet_diag_req_v2 {
    /// A request for TCP sockets, of none as long as it names none.
    fileprivate init(family: Int32) {
        self.init()
        sdiag_family = UInt8(family)
        sdiag_protocol = UInt8(IPPROTO_TCP)
    }
}
