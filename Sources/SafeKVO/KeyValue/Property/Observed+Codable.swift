/// Encodes an observed property in the same form as a plain property.
///
/// The value is encoded in place of the wrapper, with the property's name as the coding key. So the strategies of a coder for dates and
/// data apply to the value.
extension Observed: Encodable where Value: Encodable {
    /// Encodes the value in the same form as a plain property.
    ///
    /// - Parameter encoder: The encoder of the property.
    /// - Throws: Any error of the encoder or of the value.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(value)
    }
}

extension Observed: Decodable where Value: Decodable {
    /// Creates a property whose initial value is decoded like that of a plain property.
    ///
    /// - Parameter decoder: The decoder of the property.
    /// - Throws: Any error of the decoder or of the value.
    public init(from decoder: any Decoder) throws {
        self.init(wrappedValue: try decoder.singleValueContainer().decode(Value.self))
    }
}

extension AtomicObserved: Encodable where Value: Encodable {
    /// Encodes the present value in the same form as a plain property.
    ///
    /// The value is read atomically. Other threads may change the object between the reads of its properties.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(cell.load())
    }
}

extension AtomicObserved: Decodable where Value: Decodable {
    /// Creates a property whose initial value is decoded like that of a plain property.
    ///
    /// - Parameter decoder: The decoder of the property.
    /// - Throws: Any error of the decoder or of the value.
    public init(from decoder: any Decoder) throws {
        self.init(wrappedValue: try decoder.singleValueContainer().decode(Value.self))
    }
}

extension WeakObserved: Encodable where Object: Encodable {
    /// Encodes the object in the same form as a plain optional property.
    ///
    /// - Parameter encoder: The encoder of the property.
    /// - Throws: Any error of the encoder or of the object.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(object)
    }
}

extension WeakObserved: Decodable where Object: Decodable {
    /// Creates a property whose initial object is decoded like that of a plain `weak` property.
    ///
    /// The property does not retain the object. So it becomes nil at once, unless the object's own `init(from:)` lets something else retain
    /// the object.
    ///
    /// - Parameter decoder: The decoder of the property.
    /// - Throws: Any error of the decoder or of the object.
    public init(from decoder: any Decoder) throws {
        self.init(wrappedValue: try decoder.singleValueContainer().decode(Object?.self))
    }
}

/// Leaves out the key of an optional property whose value is nil, as the compiler does for plain properties.
extension KeyedEncodingContainer {
    /// Encodes the value of an optional property; leaves out the key if the value is nil.
    ///
    /// - Parameters:
    ///   - property: The property.
    ///   - key: The key of the property.
    /// - Throws: Any error of the encoder or of the value.
    public mutating func encode<Value: Encodable>(_ property: Observed<Value?>, forKey key: Key) throws {
        try encodeIfPresent(property.value, forKey: key)
    }

    /// Encodes the value of an optional property; leaves out the key if the value is nil.
    ///
    /// - Parameters:
    ///   - property: The property.
    ///   - key: The key of the property.
    /// - Throws: Any error of the encoder or of the value.
    public mutating func encode<Value: Encodable>(_ property: AtomicObserved<Value?>, forKey key: Key) throws {
        try encodeIfPresent(property.cell.load(), forKey: key)
    }

    /// Encodes the object of a `weak` property; leaves out the key if there is none.
    ///
    /// - Parameters:
    ///   - property: The property.
    ///   - key: The key of the property.
    /// - Throws: Any error of the encoder or of the object.
    public mutating func encode<Object: Encodable>(_ property: WeakObserved<Object>, forKey key: Key) throws {
        try encodeIfPresent(property.object, forKey: key)
    }
}

extension KeyedDecodingContainer {
    /// Decodes an optional property.
    ///
    /// The property is nil if the key is absent or its encoded value is null.
    ///
    /// - Parameters:
    ///   - type: The type of the property.
    ///   - key: The key of the property.
    /// - Returns: A property with the decoded value.
    /// - Throws: Any error of the decoder or of the value.
    public func decode<Value: Decodable>(_ type: Observed<Value?>.Type, forKey key: Key) throws -> Observed<Value?> {
        Observed(wrappedValue: try decodeIfPresent(Value.self, forKey: key))
    }

    /// Decodes an optional property.
    ///
    /// The property is nil if the key is absent or its encoded value is null.
    ///
    /// - Parameters:
    ///   - type: The type of the property.
    ///   - key: The key of the property.
    /// - Returns: A property with the decoded value.
    /// - Throws: Any error of the decoder or of the value.
    public func decode<Value: Decodable>(_ type: AtomicObserved<Value?>.Type, forKey key: Key) throws -> AtomicObserved<Value?> {
        AtomicObserved(wrappedValue: try decodeIfPresent(Value.self, forKey: key))
    }

    /// Decodes a `weak` property, which does not retain the decoded object.
    ///
    /// The property is nil if the key is absent or its encoded value is null.
    ///
    /// - Parameters:
    ///   - type: The type of the property.
    ///   - key: The key of the property.
    /// - Returns: A property with the decoded object.
    /// - Throws: Any error of the decoder or of the object.
    public func decode<Object: Decodable>(_ type: WeakObserved<Object>.Type, forKey key: Key) throws -> WeakObserved<Object> {
        WeakObserved(wrappedValue: try decodeIfPresent(Object.self, forKey: key))
    }
}
