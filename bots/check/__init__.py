"""A conformance test for bots: a small server that brings a bot into situations, and reports its faults.

- `bot_under_test`: the bot under test: started or waited for, logged in, seeking
- `cases`: the situations of the conformance test, by subject
- `conformance_match`: one match with the bot under test: messages, clocks, and verification of the bot's moves
- `formats`: the results of a conformance test for programs: JSON, JUnit's XML, and Gradescope's points
- `peer`: the connection to the bot under test, seen from the server's end
- `position_search`: search for positions of a situation: known ones, or reproducible random ones
- `report`: faults of a bot, the lines that report them, and the results of all situations
- `resumption`: a bot that comes back after a lost connection
- `run`: runs all situations, one after the other
- `situation`: a situation: its name, and the function that brings the bot into it
"""
