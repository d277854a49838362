import Model
import Profiles

extension Document {
    /// Adds the appearance of a response.
    mutating func add(_ evidence: ResponseEvidence) {
        addHeading("Answer")
        add("status line", Line(evidence.statusLine))
        for header in evidence.headers { add("", Line("\(header.name): \(header.value)")) }
        if let count = evidence.fieldsLeftOut {
            add("", "\(CountFormatter.count(count, "more field")) left out", .dim)
        }
        let size = CountFormatter.bytes(evidence.bodyBytes)
        guard evidence.bodyBytes > 0 else { return add("body", "none", .dim) }
        add("body", evidence.isBodyCut ? "\(size), of which this is the beginning" : size, .dim)
        add("", Line(evidence.body))
    }
}
