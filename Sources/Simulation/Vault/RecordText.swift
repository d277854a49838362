import Basics
import Client
import Model

/// The description of a record in the narrative.
enum RecordText {
    static func text(_ record: VaultRecord?) -> String {
        guard let record else { return "no record" }
        guard let pair = record.pair else { return "a tombstone of epoch \(record.epoch)" }
        let journal = record.journal.map { ", journal: sent \($0.sends)×" } ?? ""
        let refresh = pair.tokens.refresh == nil ? " without refresh token" : ""
        return "generation \(pair.generation)\(refresh) of family \(record.family.prefix(4)), "
            + "epoch \(record.epoch)\(journal)"
    }
}
