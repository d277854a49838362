/// Finds many forms of many secrets in one pass over a text.
///
/// A table of byte pairs rules out nearly every position of a text at once. Where a form may begin,
/// its first four bytes select the candidates, whose digests are then compared with those of the
/// text. Nothing here reveals more than the first four bytes of a secret, and its size.
struct SecretIndex: Sendable {
    private struct Candidate: Sendable, Equatable {
        let form: SecretForm
        let mark: String
    }

    /// The candidates with the same first four bytes, of which there is mostly one: it needs no array.
    private struct Candidates: Sendable {
        var first: Candidate
        var others: [Candidate] = []

        func forEach(_ body: (Candidate) -> Void) {
            body(first)
            for other in others { body(other) }
        }
    }

    /// One bit for each pair of bytes that begins a form or an escape, and of some that did.
    private var pairs = escapes
    /// The candidates by their first four bytes.
    private var candidates: [UInt32: Candidates] = [:]
    /// The number of forms that were removed, whose bits are still there.
    private(set) var removedForms = 0

    /// The bits of the escapes, which every index has.
    private static let escapes: [UInt64] = {
        var pairs = [UInt64](repeating: 0, count: 1024)
        for escape in "%&\\".utf8 {
            for byte in UInt8.min...UInt8.max { set(escape, byte, in: &pairs) }
        }
        return pairs
    }()

    /// Adds a form, which must have four bytes or more.
    mutating func add(_ form: SecretForm, for mark: String) {
        Self.set(form.headByte(0), form.headByte(1), in: &pairs)
        let candidate = Candidate(form: form, mark: mark)
        if candidates[form.head]?.others.append(candidate) == nil {
            candidates[form.head] = Candidates(first: candidate)
        }
    }

    /// Removes a form that was added for a mark, once.
    ///
    /// The bits of its first bytes stay: a text that has them there is looked at for nothing.
    mutating func remove(_ form: SecretForm, for mark: String) {
        let candidate = Candidate(form: form, mark: mark)
        guard var group = candidates[form.head] else { return }
        if let place = group.others.lastIndex(of: candidate) {
            group.others.remove(at: place)
        } else if group.first == candidate {
            guard !group.others.isEmpty else {
                candidates[form.head] = nil
                removedForms += 1
                return
            }
            group.first = group.others.removeFirst()
        } else {
            return
        }
        candidates[form.head] = group
        removedForms += 1
    }

    private static func set(_ first: UInt8, _ second: UInt8, in pairs: inout [UInt64]) {
        let pair = Int(first) << 8 | Int(second)
        pairs[pair >> 6] |= 1 << UInt64(pair & 63)
    }

    /// Adds the occurrences of secrets in a text.
    ///
    /// - Parameters:
    ///   - text: The text, or an unescaped reading of it.
    ///   - isCut: Whether a form at the end of the text may be truncated.
    ///   - found: The occurrences so far; all of those that overlap are added.
    /// - Returns: Whether the text may contain escapes.
    func search(
        in text: UnsafeBufferPointer<UInt8>,
        isCut: Bool,
        _ found: inout Occurrences
    ) -> Bool {
        var isEscaped = false
        pairs.withUnsafeBufferPointer { pairs in
            var place = 0
            let last = text.count - 1
            while place < last {
                let pair = Int(text[place]) << 8 | Int(text[place + 1])
                guard pairs[pair >> 6] & (1 << UInt64(pair & 63)) != 0 else {
                    place += 1
                    continue
                }
                isEscaped = isEscaped || Self.isEscape(text[place])
                place = max(place + 1, look(at: place, in: text, isCut, &found))
            }
        }
        return isEscaped
    }

    /// - Returns: The position after a mark, or the position itself if there is none.
    private func look(
        at place: Int,
        in text: UnsafeBufferPointer<UInt8>,
        _ isCut: Bool,
        _ found: inout Occurrences
    ) -> Int {
        var next = place
        // Many tokens have one head and one size.
        var digests: [Int: SecretDigest] = [:]
        func digest(of count: Int) -> SecretDigest {
            if let digest = digests[count] { return digest }
            let bytes = UnsafeBufferPointer(rebasing: text[place..<(place + count)])
            let digest = SecretDigest(UnsafeRawBufferPointer(bytes))
            digests[count] = digest
            return digest
        }
        func check(_ candidate: Candidate) {
            let form = candidate.form
            guard let length = form.length(at: place, in: text, isCut: isCut, digest) else {
                return
            }
            if case .mark = candidate.form.kind {
                next = max(next, place + length)
            } else {
                let range = candidate.form.reach(of: place..<(place + length), in: text)
                found.add(range, mark: candidate.mark)
            }
        }
        if place + 4 <= text.count {
            candidates[Self.head(text, place)]?.forEach(check)
        } else if isCut {
            for group in candidates.values { group.forEach(check) }
        }
        return next
    }

    private static func head(_ bytes: UnsafeBufferPointer<UInt8>, _ start: Int) -> UInt32 {
        UInt32(bytes[start]) << 24 | UInt32(bytes[start + 1]) << 16
            | UInt32(bytes[start + 2]) << 8 | UInt32(bytes[start + 3])
    }

    private static func isEscape(_ byte: UInt8) -> Bool {
        byte == UInt8(ascii: "%") || byte == UInt8(ascii: "&") || byte == UInt8(ascii: "\\")
    }
}

extension SecretForm {
    fileprivate func headByte(_ offset: Int) -> UInt8 {
        UInt8(truncatingIfNeeded: head >> (24 - offset * 8))
    }

    /// Returns how many bytes of the form are at the position, or `nil` if it is not the form.
    ///
    /// Of one that the end of the text cuts, only the first bytes are compared.
    fileprivate func length(
        at place: Int,
        in text: UnsafeBufferPointer<UInt8>,
        isCut: Bool,
        _ digest: (_ count: Int) -> SecretDigest
    ) -> Int? {
        let length = min(count, text.count - place)
        guard length == count || isCut else { return nil }
        if case .mark(let bytes) = kind {
            return text[place..<(place + length)].elementsEqual(bytes.prefix(length)) ? length : nil
        }
        for offset in 0..<min(length, 4) where text[place + offset] != headByte(offset) {
            return nil
        }
        return length < count || digest(count) == self.digest ? length : nil
    }

    /// Returns the range with the base64 characters shared with the adjacent text, and the padding.
    fileprivate func reach(of range: Range<Int>, in text: UnsafeBufferPointer<UInt8>) -> Range<Int>
    {
        guard case .base64(let before, let behind) = kind else { return range }
        var (lower, upper) = (range.lowerBound, range.upperBound)
        if before, lower > 0, Self.isBase64(text[lower - 1]) { lower -= 1 }
        if behind, upper < text.count, Self.isBase64(text[upper]) { upper += 1 }
        while upper < text.count, upper < range.upperBound + 3, text[upper] == UInt8(ascii: "=") {
            upper += 1
        }
        return lower..<upper
    }

    private static func isBase64(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "+"), UInt8(ascii: "/"),
            UInt8(ascii: "-"), UInt8(ascii: "_"):
            true
        default: false
        }
    }
}

/// The positions of secrets in a text, and the marks to show in their place.
struct Occurrences {
    private var found: [(range: Range<Int>, mark: String)] = []

    var isEmpty: Bool { found.isEmpty }

    mutating func add(_ range: Range<Int>, mark: String) {
        found.append((range, mark))
    }

    /// Whether a range is within that of an occurrence.
    func cover(_ range: Range<Int>) -> Bool {
        found.contains { $0.range.clamped(to: range) == range }
    }

    /// Adds occurrences that were found in an unescaped reading, at their ranges in the original
    /// text.
    mutating func add(_ others: Occurrences, by reading: EscapedText) {
        for (range, mark) in others.found { found.append((reading.source(of: range), mark)) }
    }

    /// Returns the text with marks; of occurrences that overlap, the first and longest one provides
    /// the mark.
    func replaced(in text: String) -> String {
        let bytes = Array(text.utf8)
        var result: [UInt8] = []
        var end = 0
        for (range, mark) in found.sorted(by: Self.isBefore) {
            if range.lowerBound >= end {
                result += bytes[end..<range.lowerBound]
                result += mark.utf8
            }
            end = max(end, range.upperBound)
        }
        return String(decoding: result + bytes[end...], as: UTF8.self)
    }

    private static func isBefore(
        _ left: (range: Range<Int>, mark: String),
        _ right: (range: Range<Int>, mark: String)
    ) -> Bool {
        left.range.lowerBound == right.range.lowerBound
            ? left.range.upperBound > right.range.upperBound
            : left.range.lowerBound < right.range.lowerBound
    }
}
