"""Which faults a learner's own tests would miss."""
