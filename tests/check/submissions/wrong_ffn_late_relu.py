import numpy as np

def relu(x): return (x > 0) * x

def position_wise_ffn(x, W1, b1, W2, b2):
    return relu(np.dot(np.dot(x, W1) + b1, W2) + b2)
