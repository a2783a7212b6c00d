/// Encoding and decoding of observed properties: what a coder sees is what it would see of a plain property.
///
/// The keys that a class synthesises name the properties, not their wrappers. Each value passes through the container of its property, so that
/// the strategies of a coder for dates and data apply to it.
extension Observed: Encodable where Value: Encodable {
    /// Encodes the value, as that of a plain property.
    ///
    /// - Parameter encoder: The encoder of the property.
    /// - Throws: An error of the encoder or of the value.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(value)
    }
}

extension Observed: Decodable where Value: Decodable {
    /// Makes a property whose first value is decoded, as that of a plain property.
    ///
    /// - Parameter decoder: The decoder of the property.
    /// - Throws: An error of the decoder or of the value.
    public init(from decoder: any Decoder) throws {
        self.init(wrappedValue: try decoder.singleValueContainer().decode(Value.self))
    }
}

extension AtomicObserved: Encodable where Value: Encodable {
    /// Encodes the value that the property has at the moment, as that of a plain property.
    ///
    /// The value is read in one step. What other properties have at that moment is not part of it.
    ///
    /// - Parameter encoder: The encoder of the property.
    /// - Throws: An error of the encoder or of the value.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(cell.load())
    }
}

extension AtomicObserved: Decodable where Value: Decodable {
    /// Makes a property whose first value is decoded, as that of a plain property.
    ///
    /// - Parameter decoder: The decoder of the property.
    /// - Throws: An error of the decoder or of the value.
    public init(from decoder: any Decoder) throws {
        self.init(wrappedValue: try decoder.singleValueContainer().decode(Value.self))
    }
}

/// An optional property that is nil is left out, and one that is absent is nil, as the compiler has it for plain properties.
extension KeyedEncodingContainer {
    /// Encodes the value of an optional property, unless it is nil.
    ///
    /// - Parameters:
    ///   - property: The property.
    ///   - key: The key of the property.
    /// - Throws: An error of the encoder or of the value.
    public mutating func encode<Value: Encodable>(_ property: Observed<Value?>, forKey key: Key) throws {
        try encodeIfPresent(property.value, forKey: key)
    }

    /// Encodes the value of an optional property, unless it is nil.
    ///
    /// - Parameters:
    ///   - property: The property.
    ///   - key: The key of the property.
    /// - Throws: An error of the encoder or of the value.
    public mutating func encode<Value: Encodable>(_ property: AtomicObserved<Value?>, forKey key: Key) throws {
        try encodeIfPresent(property.cell.load(), forKey: key)
    }
}

extension KeyedDecodingContainer {
    /// Decodes an optional property, which is nil if the key is absent or its value is null.
    ///
    /// - Parameters:
    ///   - type: The type of the property.
    ///   - key: The key of the property.
    /// - Returns: A property with that first value.
    /// - Throws: An error of the decoder or of the value.
    public func decode<Value: Decodable>(_ type: Observed<Value?>.Type, forKey key: Key) throws -> Observed<Value?> {
        Observed(wrappedValue: try decodeIfPresent(Value.self, forKey: key))
    }

    /// Decodes an optional property, which is nil if the key is absent or its value is null.
    ///
    /// - Parameters:
    ///   - type: The type of the property.
    ///   - key: The key of the property.
    /// - Returns: A property with that first value.
    /// - Throws: An error of the decoder or of the value.
    public func decode<Value: Decodable>(_ type: AtomicObserved<Value?>.Type, forKey key: Key) throws -> AtomicObserved<Value?> {
        AtomicObserved(wrappedValue: try decodeIfPresent(Value.self, forKey: key))
    }
}
