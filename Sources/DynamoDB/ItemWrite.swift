import JSON

/// One write of one item, alone or in a transaction.
package struct ItemWrite: Equatable, Sendable {
  private let change: Change
  private let condition: String?
  private let values: Item

  private enum Change: Equatable, Sendable {
    case put(Item)
    case update(key: [UInt8], expression: String)
    case delete(key: [UInt8])
  }

  /// Puts an item; replaces an item with the same key.
  ///
  /// - Parameters:
  ///   - item: the item with its `pk`.
  ///   - condition: a condition expression of DynamoDB's on the existing item; `nil` for none.
  ///   - values: the values of the placeholders (`:name`) in the condition.
  package static func put(_ item: Item, if condition: String? = nil, values: Item = Item()) -> ItemWrite {
    ItemWrite(change: .put(item), condition: condition, values: values)
  }

  /// Updates attributes of an item, and creates it if it does not exist and the condition allows it.
  ///
  /// - Parameters:
  ///   - key: the `pk` of the item.
  ///   - expression: an update expression of DynamoDB's.
  ///   - condition: a condition expression; `nil` for none.
  ///   - values: the values of the placeholders (`:name`) in both.
  package static func update(_ key: [UInt8], _ expression: String, if condition: String?, values: Item)
    -> ItemWrite
  {
    ItemWrite(change: .update(key: key, expression: expression), condition: condition, values: values)
  }

  /// Deletes an item, if there is one.
  ///
  /// - Parameter key: the `pk` of the item.
  package static func delete(_ key: [UInt8]) -> ItemWrite {
    ItemWrite(change: .delete(key: key), condition: nil, values: Item())
  }

  /// The operation for this write alone.
  var operation: String {
    switch change {
    case .put: "PutItem"
    case .update: "UpdateItem"
    case .delete: "DeleteItem"
    }
  }

  /// The name of this write in a transaction.
  var transactionMember: String {
    switch change {
    case .put: "Put"
    case .update: "Update"
    case .delete: "Delete"
    }
  }

  /// Writes the parameters, which are the same alone and in a transaction.
  func writeMembers(table: String, to writer: inout JSONWriter) {
    writer.name("TableName")
    writer.string(table)
    switch change {
    case .put(let item):
      writer.name("Item")
      item.write(to: &writer)
    case .update(let key, let expression):
      writer.name("Key")
      Item.key(key).write(to: &writer)
      writer.name("UpdateExpression")
      writer.string(expression)
    case .delete(let key):
      writer.name("Key")
      Item.key(key).write(to: &writer)
    }
    writer.write(condition: condition, values)
  }
}

/// A condition on an item that a transaction does not write (DynamoDB, "ConditionCheck"). It needs the permission
/// `dynamodb:ConditionCheckItem`.
package struct ItemCheck: Equatable, Sendable {
  private let key: [UInt8]
  private let condition: String
  private let values: Item

  /// Creates a check of the item with this `pk`, which need not exist.
  ///
  /// - Parameters:
  ///   - key: the `pk` of the item.
  ///   - condition: a condition expression of DynamoDB's.
  ///   - values: the values of the placeholders (`:name`) in it.
  package init(_ key: [UInt8], _ condition: String, values: Item = Item()) {
    self.key = key
    self.condition = condition
    self.values = values
  }

  func writeMembers(table: String, to writer: inout JSONWriter) {
    writer.name("TableName")
    writer.string(table)
    writer.name("Key")
    Item.key(key).write(to: &writer)
    writer.write(condition: condition, values)
  }
}

extension JSONWriter {
  fileprivate mutating func write(condition: String?, _ values: Item) {
    if let condition {
      name("ConditionExpression")
      string(condition)
    }
    if !values.attributes.isEmpty {
      name("ExpressionAttributeValues")
      values.write(to: &self)
    }
  }
}

extension Item {
  /// The name of the table's key attribute.
  package static let keyName = "pk"

  /// An item with only its key.
  package static func key(_ key: [UInt8]) -> Item {
    var item = Item()
    item.set(keyName, .string(key))
    return item
  }
}
