import Basics
import NIOHPACK
import Profiles

/// Heads as blocks of header fields (RFC 9113 section 8.3), in which the first line is made of fields.
extension RequestMessage {
    /// Reads the head of a request that an app has sent, strictly.
    ///
    /// - Throws: `MessageViolation`; a block that NIO lets through may still have fields that stand for
    ///   another request in HTTP/1.1, or pseudo-header fields that no first line has.
    init(_ block: HPACKHeaders) throws(MessageViolation) {
        var pseudoFields: [String: String] = [:]
        var fields: [HeadField] = []
        fields.reserveCapacity(block.count)
        for (name, value, _) in block {
            guard name.utf8.first == UInt8(ascii: ":") else {
                try fields.append(HeadField(blockField: name, value))
                continue
            }
            guard fields.isEmpty, pseudoFields.updateValue(value, forKey: name) == nil,
                [":method", ":scheme", ":authority", ":path"].contains(name)
            else { throw .field }
        }
        guard let method = pseudoFields[":method"], RequestSyntax.isToken(method),
            let target = pseudoFields[":path"],
            !target.isEmpty, target.utf8.allSatisfy({ $0 > .space && $0 != 0x7F })
        else { throw .firstLine }
        if let authority = pseudoFields[":authority"] {
            let hosts = fields.filter { $0.key == "host" }
            guard hosts.allSatisfy({ $0.value == authority }) else { throw .host }
            fields.removeAll { $0.key == "host" }
            fields.insert(HeadField("host", authority), at: 0)
        }
        self.init(method: method, target: target, minorVersion: 1, fields: fields)
    }

    /// The block for a backend.
    func block(isSecure: Bool) -> HPACKHeaders {
        var block = HPACKHeaders()
        block.reserveCapacity(fields.count + 4)
        block.add(name: ":method", value: method)
        block.add(name: ":scheme", value: isSecure ? "https" : "http")
        if let authority { block.add(name: ":authority", value: authority) }
        block.add(name: ":path", value: target)
        fields.add(to: &block, besides: "host")
        return block
    }
}

extension ResponseMessage {
    /// Reads the head of a backend's answer, which `HeaderBlockRules` has checked.
    ///
    /// - Throws: `MessageViolation`.
    init(_ block: HPACKHeaders) throws(MessageViolation) {
        guard let status = block.first(name: ":status").flatMap(Int.init) else { throw .firstLine }
        var fields: [HeadField] = []
        fields.reserveCapacity(block.count)
        for (name, value, _) in block where name != ":status" {
            try fields.append(HeadField(blockField: name, value))
        }
        self.init(minorVersion: 1, status: status, reason: WireText(""), fields: fields)
    }

    /// The block for an app.
    var block: HPACKHeaders {
        var block = HPACKHeaders()
        block.reserveCapacity(fields.count + 1)
        block.add(name: ":status", value: String(status))
        fields.add(to: &block)
        return block
    }
}

extension HeadField {
    /// The fields of one connection of HTTP/1.1, which no block has (RFC 9113 section 8.2.2).
    fileprivate static let ofConnection: Set<String> = [
        "connection", "keep-alive", "proxy-connection", "transfer-encoding", "upgrade",
    ]

    fileprivate init(blockField name: String, _ value: String) throws(MessageViolation) {
        guard RequestSyntax.isToken(name), !Self.ofConnection.contains(name),
            value.utf8.allSatisfy({ $0 != 0 && $0 != .carriageReturn && $0 != .lineFeed })
        else { throw .field }
        self.init(name, value)
    }
}

extension [HeadField] {
    fileprivate func add(to block: inout HPACKHeaders, besides other: String? = nil) {
        for field in self where field.key != other && !HeadField.ofConnection.contains(field.key) {
            block.add(name: field.key, value: field.value)
        }
    }
}
