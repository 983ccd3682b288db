/// Returns the name of an enum's case without its values, by which tables of facts say an error.
package func caseName(_ value: some Any) -> String {
  Mirror(reflecting: value).children.first?.label ?? String(describing: value)
}
