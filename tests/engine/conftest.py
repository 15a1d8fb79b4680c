"""Quick tests of the engine compile nothing: what is true compiled is for slow ones to show."""

from tests.interpreting import quick_tests_run_interpreted as quick_tests_run_interpreted
