/// A value of a template whose intrinsic functions have been replaced by their values.
struct TemplateValue {
  /// The line in the file, starting at 1.
  let line: Int
  let content: Content

  enum Content {
    /// Any scalar as a string: CloudFormation treats `"true"` and `true`, `"300"` and `300` the same.
    case text(String)
    case list([TemplateValue])
    case map([Member])
    case null
  }

  struct Member {
    let name: String
    let value: TemplateValue
  }

  var text: String? { if case .text(let text) = content { text } else { nil } }
  var list: [TemplateValue]? { if case .list(let list) = content { list } else { nil } }
  var members: [Member]? { if case .map(let members) = content { members } else { nil } }

  /// The kind of value, for messages.
  var kindName: String {
    switch content {
    case .text: "a string"
    case .list: "a list"
    case .map: "a map"
    case .null: "nothing"
    }
  }
}
