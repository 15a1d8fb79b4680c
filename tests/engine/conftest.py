"""Quick tests of the engine compile nothing: what is true compiled is for slow ones to show."""

from tests.interpreting import what_is_compiled as what_is_compiled
