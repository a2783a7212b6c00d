/// Operations, and the order in which everything is let go of at the end.
package struct Program: Sendable {
    package static let places = 4
    package static let slots = 3
    private static let mostOperations = 80

    package var operations: [Operation]
    /// Places, then slots.
    package var ending: [Int]

    package init(operations: [Operation], ending: [Int]) {
        self.operations = operations
        self.ending = ending
    }

    /// Reads a program out of bytes: all bytes are a program.
    package init(bytes: [UInt8]) {
        var reader = ByteReader(bytes)
        var rest = Array(0..<Self.places + Self.slots)
        ending = []
        while !rest.isEmpty { ending.append(rest.remove(at: reader.below(rest.count))) }
        operations = (0..<Self.places).map { .make(place: $0) }
        operations += (0..<Self.slots).map {
            .makeController(slot: $0, observer: reader.below(Self.places), retaining: reader.chance(1, of: 2))
        }
        while !reader.isAtEnd, operations.count < Self.mostOperations {
            operations.append(Self.operation(&reader, nesting: 0))
        }
    }

    private static func operation(_ reader: inout ByteReader, nesting: Int) -> Operation {
        let place = reader.below(places)
        switch reader.below(64) {
        case 0..<3: return .make(place: place)
        case 3..<5: return .release(place: place)
        case 5..<9: return .makeController(slot: reader.below(slots), observer: place, retaining: reader.chance(1, of: 2))
        case 9..<12: return .releaseController(slot: reader.below(slots))
        case 12..<15: return .unobserve(controller(&reader), place: place, key(&reader), isTagged: reader.chance(1, of: 4))
        case 15:
            let keys = (0..<1 + reader.below(3)).map { _ in key(&reader) }
            return .unobserveKeys(controller(&reader), place: place, keys, isTagged: reader.chance(1, of: 4))
        case 16: return .unobserveObject(controller(&reader), place: place)
        case 17: return reader.chance(2, of: 3) ? .unobserveAll(controller(&reader)) : .invalidate(controller(&reader))
        case 18..<21 where nesting < 3:
            return .batch((0..<1 + reader.below(3)).map { _ in operation(&reader, nesting: nesting + 1) })
        case 21 where nesting < 3:
            return .elsewhere((0..<1 + reader.below(2)).map { _ in operation(&reader, nesting: nesting + 1) })
        case 22..<27: return .link(place: place, to: reader.chance(1, of: 4) ? nil : reader.below(places))
        case 27..<45: return .set(place: place, reader.chance(3, of: 4) ? .value : .other, reader.next())
        default: return .observe(controller(&reader), place: place, key(&reader), wish(&reader, nesting: nesting))
        }
    }

    private static func controller(_ reader: inout ByteReader) -> ControllerName {
        if reader.chance(3, of: 4) { return .slot(reader.below(slots)) }
        return .automatic(place: reader.below(places), retaining: reader.chance(1, of: 2))
    }

    private static func key(_ reader: inout ByteReader) -> Key { Key(rawValue: [0, 0, 0, 1, 2, 2, 3, 3][reader.below(8)]) ?? .value }

    private static func wish(_ reader: inout ByteReader, nesting: Int) -> Wish {
        let bits = reader.next()
        let hasReaction = nesting < 3 && bits & 3 != 0
        return Wish(
            initial: bits & 4 != 0, prior: bits & 24 == 24, old: bits & 32 != 0, isTagged: bits & 192 == 192,
            replaces: bits & 192 == 128,
            reaction: hasReaction ? (0..<1 + reader.below(3)).map { _ in operation(&reader, nesting: nesting + 1) } : [],
            shots: 1 + reader.below(3))
    }
}
