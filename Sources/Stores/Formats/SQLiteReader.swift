import Basics
import CSQLite

/// Reads the tables of a SQLite database from its bytes, as lists of objects.
///
/// SQLite sees no file: what is in a log beside the database is not read.
enum SQLiteReader {
    private static let tableLimit = 64
    private static let rowLimit = 1_000
    private static let textLimit = 1 << 20
    /// The most bytes of all values: computed columns can be larger than the file.
    private static let totalLimit = 32 << 20
    /// The most instructions of SQLite's machine, in thousands; a query of a store takes a few.
    private static let stepLimit = 2_000

    /// Returns the tables, or `nil` unless the bytes are a database within the limits.
    static func read(_ bytes: [UInt8]) -> JSONValue? {
        guard bytes.starts(with: "SQLite format 3\0".utf8), bytes.count >= 100 else { return nil }
        var connection: OpaquePointer?
        let flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_MEMORY | SQLITE_OPEN_NOMUTEX
        defer { sqlite3_close(connection) }
        guard sqlite3_open_v2(":memory:", &connection, flags, nil) == SQLITE_OK,
            let database = connection, cs_distrust(database) == SQLITE_OK,
            let copy = sqlite3_malloc64(UInt64(bytes.count))
        else { return nil }
        bytes.withUnsafeBytes { source in
            UnsafeMutableRawBufferPointer(start: copy, count: bytes.count).copyMemory(from: source)
        }
        // A database with a log beside it says so in two bytes; in memory there is none.
        for place in [18, 19] where bytes[place] == 2 {
            copy.storeBytes(of: 1, toByteOffset: place, as: UInt8.self)
        }
        let size = Int64(bytes.count)
        let options = UInt32(SQLITE_DESERIALIZE_FREEONCLOSE | SQLITE_DESERIALIZE_READONLY)
        let buffer = copy.assumingMemoryBound(to: UInt8.self)
        guard sqlite3_deserialize(database, "main", buffer, size, size, options) == SQLITE_OK
        else { return nil }
        sqlite3_limit(database, SQLITE_LIMIT_LENGTH, Int32(textLimit))
        var steps = 0
        return withUnsafeMutablePointer(to: &steps) { steps in
            sqlite3_progress_handler(
                database,
                1_000,
                { context in
                    guard let steps = context?.assumingMemoryBound(to: Int.self) else { return 1 }
                    steps.pointee += 1
                    return steps.pointee > SQLiteReader.stepLimit ? 1 : 0
                },
                steps
            )
            return tables(of: database)
        }
    }

    private static func tables(of database: OpaquePointer) -> JSONValue? {
        let query = "SELECT name FROM sqlite_schema WHERE type = 'table' LIMIT \(tableLimit)"
        var room = totalLimit
        guard let found = rows(of: query, in: database, room: &room) else { return nil }
        var tables: [String: JSONValue] = [:]
        for name in found.compactMap({ $0["name"]?.stringValue }) {
            let quoted = name.replacing(bytes: "\"", with: "\"\"")
            let query = "SELECT * FROM \"\(quoted)\" LIMIT \(rowLimit)"
            let rows = rows(of: query, in: database, room: &room) ?? []
            tables[name] = .array(rows.map { .object($0) })
            guard room > 0 else { return nil }
        }
        return .object(tables)
    }

    private static func rows(
        of query: String,
        in database: OpaquePointer,
        room: inout Int
    ) -> [[String: JSONValue]]? {
        var prepared: OpaquePointer?
        defer { sqlite3_finalize(prepared) }
        guard sqlite3_prepare_v2(database, query, -1, &prepared, nil) == SQLITE_OK,
            let statement = prepared
        else { return nil }
        var rows: [[String: JSONValue]] = []
        while room > 0, sqlite3_step(statement) == SQLITE_ROW {
            var row: [String: JSONValue] = [:]
            for column in 0..<sqlite3_column_count(statement) {
                guard let name = sqlite3_column_name(statement, column) else { continue }
                row[String(cString: name)] = value(column, of: statement)
                room -= Int(sqlite3_column_bytes(statement, column))
            }
            rows.append(row)
        }
        return rows
    }

    private static func value(_ column: Int32, of statement: OpaquePointer) -> JSONValue {
        switch sqlite3_column_type(statement, column) {
        case SQLITE_INTEGER: return .integer(sqlite3_column_int64(statement, column))
        case SQLITE_FLOAT: return .number(sqlite3_column_double(statement, column))
        case SQLITE_TEXT, SQLITE_BLOB:
            guard let start = sqlite3_column_blob(statement, column) else { return .string("") }
            let count = Int(sqlite3_column_bytes(statement, column))
            let bytes = UnsafeRawBufferPointer(start: start, count: count)
            return .string(String(decoding: bytes, as: UTF8.self))
        default: return .null
        }
    }
}
