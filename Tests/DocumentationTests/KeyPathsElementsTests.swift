import SafeKVO
import Testing

/// The examples of the article on key paths, of elements and protocols.
@Suite struct KeyPathsElementsTests {
    // snippet: elements
    final class Item: KeyValueObservable {
        let keyValueRegistrar = KeyValueRegistrar()
        @Observed var price: Int
        init(_ price: Int) { self.price = price }
    }

    final class Cart: KeyValueObservable {
        let keyValueRegistrar = KeyValueRegistrar()
        @Observed var items: [Item] = []
        var total: Int { items.reduce(0) { $0 + $1.price } }
    }
    // end snippet

    @Test("A value that is computed of the elements of an array follows elements that come, change and go")
    func elementsAreFollowed() {
        let (cart, log) = (Cart(), Log())
        let (pen, book) = (Item(2), Item(10))
        log.observations.observe(cart, \.total) { log, total in log.lines.append("\(total)") }
        cart.items.append(pen)
        cart.items.append(book)
        book.price = 12
        cart.items.removeFirst()
        pen.price = 3
        cart.items = []
        book.price = 1
        #expect(log.lines == ["0", "2", "12", "14", "12", "0"])
    }

    // snippet: any-protocol
    protocol Priced: KeyValueObservable {
        var price: Int { get }
    }

    final class PriceTag {
        private lazy var observations = ObservationController(observer: self)
        private(set) var text = ""

        // Swift opens the existential for the generic function.
        func show(_ item: any Priced) { watch(item) }

        private func watch(_ item: some Priced) {
            observations.unobserveAll()
            observations.observe(item, \.price) { tag, price in
                tag.text = "\(price) €"
            }
        }
    }
    // end snippet

    final class Ticket: KeyValueObject, Priced {
        @Observed var price = 40
    }

    @Test("An object that is known by its protocol is observed through a generic function")
    func objectsOfAProtocolAreObserved() {
        let (ticket, tag) = (Ticket(), PriceTag())
        tag.show(ticket)
        #expect(tag.text == "40 €")
        ticket.price = 45
        #expect(tag.text == "45 €")
    }
}
