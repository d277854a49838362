// Asks the table of conformances and the runtime's own search about many types and every protocol of this
// program; linked like a release. Fails at the first difference.
import Foundation

@_silgen_name("swift_conformsToProtocolCommon")
func answer(_ type: UnsafeRawPointer, _ protocol: UnsafeRawPointer) -> UnsafeRawPointer?

@_silgen_name("__real_swift_conformsToProtocolCommon")
func runtimesAnswer(_ type: UnsafeRawPointer, _ protocol: UnsafeRawPointer) -> UnsafeRawPointer?

protocol Shape { var sides: Int { get } }
protocol Named { associatedtype Name }
protocol Absent {}

struct Square: Shape, Hashable, Codable { var sides: Int { 4 } }
struct Pair<First, Second> {}
extension Pair: Shape { var sides: Int { 2 } }
extension Pair: Equatable where First: Equatable, Second: Equatable {
    static func == (one: Self, other: Self) -> Bool { true }
}
extension Pair: Named { typealias Name = First }
enum Kind: String, CaseIterable, Error { case one, two }
enum Tree<Leaf>: Shape { case leaf(Leaf); indirect case branch(Self); var sides: Int { 0 } }
class Base {}
class Derived: Base, Shape { var sides: Int { 1 } }
final class Further<Element>: Derived {}
final class Other<Element>: Base, Named { typealias Name = Element }
actor Counter {}
@MainActor final class Isolated {}
extension Isolated: @MainActor Shape { var sides: Int { 5 } }
extension Array: Shape where Element: Shape { var sides: Int { count } }

let types: [Any.Type] = [
    Square.self, Pair<Int, String>.self, Pair<Base, Int>.self, Kind.self, Tree<Int>.self, Base.self,
    Derived.self, Further<Int>.self, Other<String>.self, Counter.self, Isolated.self, [Square].self,
    [Base].self, Int.self, UInt8.self, Double.self, Bool.self, Character.self, String.self,
    Substring.self,
    Int?.self, Square??.self, Base?.self, [String: Int].self, Set<Square>.self, Range<Int>.self,
    Result<Int, Kind>.self, (Int, String).self, Void.self, (() -> Void).self, Any.self,
    AnyObject.self,
    (any Shape).self, (any Error).self, (any Shape & Hashable).self, Int.Type.self,
    (any Shape).Type.self,
    Data.self, Date.self, URL.self, UUID.self, Locale.self, NSNumber.self, NSString.self,
    NSError.self,
    JSONEncoder.self, CocoaError.self, POSIXError.self, POSIXErrorCode.self, timespec.self,
    stat.self,
    AsyncStream<Int>.self, Task<Int, any Error>.self, LazyMapSequence<[Int], String>.self,
    UnsafeRawPointer.self, CodingUserInfoKey.self, Mirror.self, AnyHashable.self, Never.self,
]

/// Where a relative reference leads to; its lowest bit says that the address stands there.
func relative(_ field: UnsafePointer<Int32>) -> UnsafeRawPointer {
    let target = UnsafeRawPointer(field) + Int(field.pointee & ~1)
    return field.pointee & 1 == 0 ? target : target.load(as: UnsafeRawPointer.self)
}

let protocols = Set((0..<recordCount()).map { relative(record($0)) })
var found = 0
for type in types {
    let metadata = unsafeBitCast(type, to: UnsafeRawPointer.self)
    for sought in protocols {
        let witnesses = answer(metadata, sought)
        guard witnesses == runtimesAnswer(metadata, sought) else {
            fatalError("\(type): another answer than the runtime's")
        }
        if witnesses != nil { found += 1 }
    }
}
precondition(!(Square() as Any is any Absent) && Square() as Any is any Shape)
precondition(types.count * protocols.count > 1_000 && found > 100)
