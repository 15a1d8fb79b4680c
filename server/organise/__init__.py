"""Contests as they are held: what plays the games that `server.contest` asks for, and keeps them.

- `holding`: the command ``arena-server contest``
- `office`, `runner`: all contests of a server; one contest, from where it stands to its end
- `due`: which games are due, as long as what is played changes nothing in that
- `ledger`, `keeping`: what is kept of a contest that is played, when its record is on the disk
- `lost_records`: results whose records are gone
- `attendance`: for how long entrants that connect have been missing
- `desk`, `seats`: who is there for contests; both players of a game brought to the table
- `turns`: which contest takes cores
- `store`, `schema`, `definitions`: the database, its versions, and how a definition is kept in it
- `checking`: each program started once, before the contest
- `intervening`: what the organiser changes in a contest that is open
- `verifying`: a contest held against its records
- `past`: games that were over before this server began, replayed by another process
- `account`: how a contest stands, as the store tells it, and its report
- `programs`: entrants that the server starts, each for one game, and ends with all that they have started
- `sandbox`, `visible`, `sealed`, `sealing`: the sandbox around a program: command, what is seen in it, start and end,
  whether it can be made
- `refusals`: system calls that a program in it is refused
- `system_settings`: what programs in sandboxes need of /etc
- `usage`: what a program uses, and its end where that is more than it may
- `pipes`: the pipes of a program
- `blame`: whose fault it is that a program was not started
- `pauses`: a contest that pauses for what the machine lacks
- `invocation`: a command filled in, and what a program finds in its environment
- `folders`: where reports are, and what programs wrote on stderr
- `cluster`, `dask_link`, `job`, `answers`, `apart`: games that other machines play
- `kernels`: code compiled before a contest
- `cgroups`: groups of the kernel's around sealed programs, where they can be made
- `cores`: the processor core that a program has for itself, and those that the server keeps
- `descendants`: what programs leave behind, also when the server was killed
- `bounded_log`: what a program writes on stderr
- `adjudication`: running games whose position is proven end
- `proof`: when a proof holds for a game
- `prover_process`: the process that solves positions
"""
