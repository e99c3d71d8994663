"""Lists every kind of letter. A new kind is its declaration in a module, its templates and a line.
"""

from __future__ import annotations

from pbem.mail.letters import account, games, invitations, receipts, timeouts, turn

KINDS = {kind.name: kind for kind in (
    account.SIGN_IN,
    account.SECOND_ADDRESS,
    account.CONFIRM,
    account.RECOVER,
    account.RECOVERY,
    account.RECOVERED,
    invitations.INVITED,
    invitations.TAKE_OVER,
    games.STARTED,
    games.FINISHED,
    games.CANCELLED,
    games.EXPIRED,
    turn.TURN,
    receipts.RECEIPT,
    receipts.HELD,
    receipts.REFUSED,
    games.UNDONE,
    games.PROPOSAL,
    timeouts.REMINDER,
    timeouts.OVERTIME,
    timeouts.DROPPED,
    timeouts.VOTE,
    account.TEST,
    account.VACATION_OVER,
    account.HOOK_OFF,
    account.REPORT,
)}  # fmt: skip
