/// Which locales to try for characters, best first.
///
/// Only `LC_CTYPE` is ever set: decimal points and dates of the process stay as they are. A UTF-8
/// locale that is not installed (a bare container) still means a UTF-8 terminal, so `C.UTF-8`
/// stands in for it.
package func localeNames(in environment: [String: String]) -> [String] {
    let named = ["LC_ALL", "LC_CTYPE", "LANG"].lazy
        .compactMap { environment[$0] }
        .first { !$0.isEmpty }
    guard let named else { return ["C"] }
    let encoding = named.lowercased().filter { $0 != "-" }
    return encoding.contains("utf8") ? [named, "C.UTF-8", "C"] : [named, "C"]
}
