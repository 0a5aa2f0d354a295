"""A short text for the language model that comes without a file: plain words, said often."""

STORY = """\
The miller had a cat and the cat had a plan. Every morning the miller went down to the river, and every morning the cat
went with him. The river was wide and the river was slow. The miller looked at the river and the cat looked at the fish.

One morning the river was low. The miller said, the wheel will not turn today. The cat said nothing, but the cat looked
at the wheel, and then the cat looked at the fish. The wheel stood still and the fish stood still.

The miller sat down on a stone. He waited for the rain. The cat sat down on the wheel. She waited for the fish. The sun
came up over the hill, and the shadow of the wheel lay on the water. A fish came into the shadow, and the cat was fast.

That night there was rain on the hill and rain on the house. In the morning the river was wide and the wheel turned. The
miller went down to the river, and he said, today the wheel will turn and there will be bread. The cat said nothing, but
the cat looked at the river, and the river was too fast and the fish were gone.

So the miller made the bread and the cat had none of the fish. He gave her a piece of the bread. She looked at the bread
and she looked at him. Then she went down to the river and sat on the stone, and she waited for the sun.

In the summer the river was low and the cat was happy. In the winter the river was wide and the miller was happy. When
the wheel stood still there was fish, and when the wheel turned there was bread. The miller had a plan for the rain and
the cat had a plan for the sun, and every morning the two of them went down to the river to look at the water.
"""
