import AsyncAlgorithms
import SafeKVO

final class SearchModel: Sendable {
    let query = ObservedValue("")
}

/// Recipes that need another package besides the library.
@main
enum Recipes {
    static func main() async {
        let model = SearchModel()
        let searching = Task {
            var searched: [String] = []
            // snippet: debounce
            for await query in model.query.sharedValues(of: \.value).debounce(for: .milliseconds(300)) {
                searched.append(query)
                if query == "kvo" { break }
            }
            // end snippet
            return searched
        }
        for query in ["k", "kv", "kvo"] {
            model.query.value = query
            await Task.yield()
        }
        print("searched: \(await searching.value.last ?? "nothing")")
    }
}
