import numpy as np
import sys
try:
    import matplotlib.pyplot as plt
except ImportError:
    plt = None

name = input("Your name: ")
print("hello", name)

def f(x):
    m = x.max(axis=1).reshape(-1, 1)
    y = np.exp(x - m)
    return y / y.sum(axis=1).reshape(-1, 1)

def calc(a, b, c):
    d = a.shape[1]
    s = a.dot(b.T) / d ** 0.5
    return f(s).dot(c)

x = np.random.normal(size=(4, 6))
attn = f(x.dot(x.T) / np.sqrt(6))
plt.imshow(attn)
plt.colorbar()
plt.show()
print(calc(x, x, x))
data = open("data/wmt14.en.txt").read()
print(undefined_thing)
sys.exit()
