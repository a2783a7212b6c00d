import SafeKVO
print(ObservationBroker.shared.counters)
