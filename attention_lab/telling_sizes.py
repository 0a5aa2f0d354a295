"""Sizes that hide no fault: no two are equal. Where d_k = h or Tq = Tk, a wrong axis passes for the right one."""

B = 2  # sequences
H = 3  # heads
TQ = 5  # queries
TK = 7  # keys
D_K = 4  # width of a query and of a key; d_model = h · d_k = 12
D_V = 6  # width of a value
