/// What a peer's subject would be if nobody could observe it.
final class PlainFive {
    var first = 0
    var second = 0
    var third = 0
    var fourth = 0
    var fifth = 0
}
