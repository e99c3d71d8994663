"""Entries are plain JSON, and of the positions every 25th is kept, as plain JSON too.

Letters name their person and game by columns, no longer by text ("g42", "p12", "17/2").

Until 0006 a body was deflated against a dictionary, whose number was its first byte, and a position
against its keyframe's. Releases before this one cannot read what this one has rewritten.
"""

import re
import zlib
from pathlib import Path

import sqlalchemy as sa
from alembic import op

revision = '0007'
down_revision = '0006'
branch_labels = None
depends_on = None

SNAPSHOT_EVERY = 25
FOLDER = Path(__file__).parents[1]

# Of the outbox.
OCCASION = re.compile(r'(\d+)(?:-([0-9-]+))?(?:/(\d+))?')
OF_ENTRIES = ('turn', 'reminder', 'started', 'finished', 'overtime', 'dropped', 'undone', 'vote')
OF_ROWS = ('receipt', 'held', 'refused', 'proposal', 'vacation_over')  # their occasion is a row
KEPT = ('id', 'kind', 'state', 'not_before', 'attempts', 'lease_until', 'message_id', 'raw',
        'last_code', 'last_text', 'created', 'settled', 'why', 'merged_into', 'shown', 'bounced',
        'bounce')
NEW = ('person_id', 'address', 'game_id', 'entry', 'invitation_id', 'about_id', 'repeat_of',
       'dedup_key')


def upgrade() -> None:
    # Which known browser asked, so that strangers use nothing up that the owner asks.
    op.add_column('signin', sa.Column('known', sa.String(length=64), nullable=True))
    # Who sat down by a letter and has chosen no name yet.
    op.add_column('person', sa.Column(
        'unnamed', sa.Boolean(), server_default=sa.text('(false)'), nullable=False))
    # What a form has built is played as it is, without reading its line.
    op.add_column('submission', sa.Column('moves', sa.String(), nullable=True))
    add_statistics()
    note_what_is_done()
    keep_snapshots()
    rewrite_bodies()
    name_by_columns()


def add_statistics() -> None:
    """What each finished public game adds to the statistics, and the sums."""
    op.create_table(
        'gameshare',
        sa.Column('game_id', sa.Integer(), autoincrement=False, nullable=False),
        sa.Column('game', sa.String(length=30), nullable=False),
        sa.Column('seats', sa.Integer(), nullable=False),
        sa.Column('year', sa.Integer(), nullable=False),
        sa.Column('rated', sa.Boolean(), nullable=False),
        sa.Column('sums', sa.String(), nullable=False),
        sa.ForeignKeyConstraint(['game_id'], ['game.id']),
        sa.PrimaryKeyConstraint('game_id'),
    )
    op.create_table(
        'statisticsum',
        sa.Column('game', sa.String(length=30), nullable=False),
        sa.Column('seats', sa.Integer(), autoincrement=False, nullable=False),
        sa.Column('year', sa.Integer(), autoincrement=False, nullable=False),
        sa.Column('rated', sa.Boolean(), nullable=False),
        sa.Column('group', sa.String(length=20), nullable=False),
        sa.Column('item', sa.String(length=40), nullable=False),
        sa.Column('side', sa.String(length=8), nullable=False),
        sa.Column('number', sa.Integer(), nullable=False),
        sa.Column('total', sa.Integer(), nullable=False),
        sa.PrimaryKeyConstraint('game', 'seats', 'year', 'rated', 'group', 'item', 'side'),
    )


def note_what_is_done() -> None:
    """What of the finished games is indexed, and when each is to be verified again."""
    for column, kind in (('index_release', sa.Integer()), ('verify_at', sa.BigInteger())):
        op.add_column('game', sa.Column(column, kind, server_default=sa.text('0'), nullable=False))
    op.add_column('foundgame', sa.Column('pictures', sa.Text(), nullable=True))
    op.create_index('ix_game_unindexed', 'game', ['state', 'index_release', 'ended'])
    op.create_index('ix_game_verify_at', 'game', ['state', 'verify_at'])
    # The search asks the rows themselves.
    op.drop_table('foundterm')
    op.create_index('ix_happening_key', 'happening', ['key', 'game_id', 'seat', 'round'])
    op.execute("update game set index_release = 1 where id in"
               " (select game_id from foundgame where release = '1')")
    op.execute("update game set verify_at = coalesce((select at + 86400000 from verification"
               " where game_id = game.id), 0)")


def keep_snapshots() -> None:
    op.create_table('snapshot',
    sa.Column('game_id', sa.Integer(), nullable=False),
    sa.Column('number', sa.Integer(), nullable=False),
    sa.Column('state', sa.Text(), nullable=False),
    sa.ForeignKeyConstraint(['game_id'], ['game.id'], ),
    sa.PrimaryKeyConstraint('game_id', 'number')
    )
    entry = sa.table('entry', *map(sa.column, ('game_id', 'number', 'base')))
    position = sa.table('position', *map(sa.column, ('game_id', 'number', 'keyframe', 'data')))
    keyframe = position.alias('keyframe')
    kept = (
        sa.select(position.c.number, position.c.keyframe, position.c.data,
                  keyframe.c.data.label('of'))
        .join(entry, (entry.c.game_id == position.c.game_id) & (entry.c.number == position.c.number))
        .join(keyframe, (keyframe.c.game_id == position.c.game_id)
              & (keyframe.c.number == position.c.keyframe))
        .where(position.c.game_id == sa.bindparam('game'),
               ((entry.c.number - 1) % SNAPSHOT_EVERY == 0) | (entry.c.base != entry.c.number - 1))
    )
    snapshot = sa.table('snapshot', *map(sa.column, ('game_id', 'number', 'state')))
    for game in games(position):
        rows = [{'game_id': game, 'number': number, 'state': state_of(number, of, data, whole)}
                for number, of, data, whole in op.get_bind().execute(kept, {'game': game})]
        if rows:
            op.get_bind().execute(snapshot.insert(), rows)
    op.drop_table('position')


def rewrite_bodies() -> None:
    entry = sa.table('entry', *map(sa.column, ('game_id', 'number', 'body')))
    stored = sa.select(entry.c.number, entry.c.body).where(entry.c.game_id == sa.bindparam('game'))
    rewritten = (
        sa.update(entry).values(body=sa.bindparam('plain', type_=sa.LargeBinary()))
        .where(entry.c.game_id == sa.bindparam('game'), entry.c.number == sa.bindparam('entry'))
    )
    for game in games(entry):
        rows = [{'game': game, 'entry': number, 'plain': unpacked(bytes(body))}
                for number, body in op.get_bind().execute(stored, {'game': game})]
        op.get_bind().execute(rewritten, rows)
    with op.batch_alter_table('entry', schema=None) as batch_op:
        batch_op.alter_column('body', existing_type=sa.LargeBinary(), type_=sa.Text(),
                              existing_nullable=False,
                              postgresql_using="convert_from(body, 'UTF8')")


def games(table: sa.TableClause) -> list[int]:
    """The games that have rows there."""
    return list(op.get_bind().scalars(sa.select(table.c.game_id).distinct()))


def state_of(number: int, keyframe: int, data: bytes, of: bytes) -> str:
    """A position as JSON: that of its keyframe, or deflated against it."""
    whole = unpacked(bytes(of))
    return (whole if number == keyframe else inflated(bytes(data), whole)).decode()


def unpacked(stored: bytes) -> bytes:
    """What was deflated against the dictionary that the first byte numbers."""
    return inflated(stored[1:], (FOLDER / f'dictionary_{stored[0]}.json').read_bytes())


def inflated(deflated: bytes, against: bytes) -> bytes:
    return zlib.decompressobj(wbits=-15, zdict=against).decompress(deflated)


# ---- letters ------------------------------------------------------------------------------------


def name_by_columns() -> None:
    if op.get_bind().dialect.name == 'postgresql':
        in_place()
    else:
        by_copying()
    some = {
        'ix_outbox_address': ['address'], 'ix_outbox_game': ['game_id', 'kind', 'person_id'],
        'ix_outbox_invitation': ['invitation_id'], 'ix_outbox_about': ['about_id'],
        'ix_outbox_repeats': ['repeat_of'],
    }
    for name, columns in some.items():
        there = sa.text(f'{columns[0]} is not null')
        op.create_index(name, 'outbox', columns, sqlite_where=there, postgresql_where=there)
    waits = sa.text('settled is null')
    op.create_index('ix_outbox_waiting', 'outbox', ['person_id'], sqlite_where=waits,
                    postgresql_where=waits)
    op.create_index('ix_outbox_person', 'outbox', ['person_id', 'id'])


def new_columns() -> list[sa.Column]:
    big = sa.BigInteger().with_variant(sa.Integer(), 'sqlite')
    return [
        sa.Column('person_id', sa.Integer(), nullable=True),
        sa.Column('address', sa.String(length=260), nullable=True),
        sa.Column('game_id', sa.Integer(), nullable=True),
        sa.Column('entry', sa.Integer(), nullable=True),
        sa.Column('invitation_id', big, nullable=True),
        sa.Column('about_id', sa.BigInteger(), nullable=True),
        sa.Column('repeat_of', sa.BigInteger(), nullable=True),
    ]


def in_place() -> None:
    for column in new_columns():
        op.add_column('outbox', column)
    op.add_column('outbox', sa.Column('dedup_key', sa.String(length=340), nullable=True))
    set_all('outbox')
    for name in ('recipient', 'subject', 'occasion'):
        op.drop_column('outbox', name)  # and with it all indexes and constraints that name it
    op.alter_column('outbox', 'dedup_key', nullable=False)
    op.create_unique_constraint('outbox_dedup_key_kind_key', 'outbox', ['dedup_key', 'kind'])
    for table in ('person', 'game', 'invitation'):
        op.create_foreign_key(f'outbox_{table}_id_fkey', 'outbox', table, [f'{table}_id'], ['id'])


def by_copying() -> None:
    """SQLite can neither drop a column of a constraint nor add a foreign key."""
    for index in ('due', 'waiting', 'recipient', 'merged'):
        op.drop_index(f'ix_outbox_{index}', 'outbox')
    op.rename_table('outbox', 'outbox_before')
    op.create_table(
        'outbox',
        sa.Column('id', sa.Integer(), autoincrement=True, nullable=False),
        sa.Column('kind', sa.String(length=20), nullable=False),
        *new_columns(),
        sa.Column('dedup_key', sa.String(length=340), nullable=False),
        sa.Column('state', sa.String(length=10), nullable=False),
        sa.Column('not_before', sa.BigInteger(), nullable=False),
        sa.Column('attempts', sa.Integer(), nullable=False),
        sa.Column('lease_until', sa.BigInteger(), nullable=True),
        sa.Column('message_id', sa.String(length=120), nullable=True),
        sa.Column('raw', sa.LargeBinary(), nullable=True),
        sa.Column('last_code', sa.Integer(), nullable=True),
        sa.Column('last_text', sa.String(length=300), nullable=True),
        sa.Column('created', sa.BigInteger(), nullable=False),
        sa.Column('settled', sa.BigInteger(), nullable=True),
        sa.Column('why', sa.String(length=30), nullable=True),
        sa.Column('merged_into', sa.Integer(), nullable=True),
        sa.Column('shown', sa.Integer(), nullable=True),
        sa.Column('bounced', sa.BigInteger(), nullable=True),
        sa.Column('bounce', sa.String(length=10), nullable=True),
        sa.ForeignKeyConstraint(['person_id'], ['person.id'], ),
        sa.ForeignKeyConstraint(['game_id'], ['game.id'], ),
        sa.ForeignKeyConstraint(['invitation_id'], ['invitation.id'], ),
        sa.PrimaryKeyConstraint('id'),
        sa.UniqueConstraint('dedup_key', 'kind'),
    )
    kept = ', '.join(KEPT)
    op.execute(f"insert into outbox ({kept}, dedup_key) "  # nosec B608  (names of our own)
               f"select {kept}, 'row ' || id from outbox_before")
    set_all('outbox_before')
    op.drop_table('outbox_before')
    waits, merged = sa.text('settled is null'), sa.text('merged_into is not null')
    op.create_index('ix_outbox_due', 'outbox', ['not_before'], sqlite_where=waits)
    op.create_index('ix_outbox_merged', 'outbox', ['merged_into'], sqlite_where=merged)


def set_all(said: str) -> None:
    """Fill in the new columns from the text in the table `said`."""
    bind = op.get_bind()
    known = {table: set(bind.execute(sa.text(f'select id from {table}')).scalars())  # nosec B608  (names of our own)
             for table in ('person', 'game', 'invitation')}
    texts = sa.text(f'select id, kind, recipient, subject, occasion from {said} order by id')  # nosec B608  (names of our own)
    rows = bind.execute(texts).all()
    firsts = {(row.kind, row.recipient, row.subject, row.occasion): row.id for row in rows}
    values = [of_row(row, known, firsts) for row in rows]
    changed = ', '.join(f'{name} = :{name}' for name in NEW)
    for first in range(0, len(values), 1000):
        bind.execute(sa.text(f'update outbox set {changed} where id = :id'),  # nosec B608  (names of our own)
                     values[first:first + 1000])


def of_row(row, known, firsts):
    """The new columns of a letter. What names no row (any more) is kept as an address or a key."""
    person = number_in(row.recipient, 'p', known['person'])
    address = None if person else row.recipient.removeprefix('a:')
    found = OCCASION.fullmatch(row.occasion)
    base, part, nth = found.groups() if found else ('0', None, None)
    game = number_in(row.subject, 'g', known['game'])
    invitation = number_in(row.subject, 'i', known['invitation'])
    entry = int(base) if game and row.kind in OF_ENTRIES else None
    is_number = row.subject[:1] in 'shrn' and row.kind not in OF_ROWS
    about = number_in(row.subject, row.subject[:1]) if is_number else None
    if row.kind in OF_ROWS:
        about = int(base)
    if row.kind in ('invited', 'take_over', 'test', 'hook_off') or row.kind.startswith('recover'):
        part = base
    values = {'person_id': person, 'address': address, 'game_id': game, 'entry': entry,
              'invitation_id': invitation, 'about_id': about}
    key = '|'.join('' if each is None else str(each) for each in (*values.values(), part))
    first = None
    if nth is not None:
        of_first = row.occasion.partition('/')[0]
        first = firsts.get((row.kind, row.recipient, row.subject, of_first), row.id)
        key = f'repeat|{first}|{nth}'
    elif game is None and invitation is None and about is None and row.kind != 'test':
        key = f'row|{row.id}'
    return values | {'id': row.id, 'repeat_of': first, 'dedup_key': key}


def number_in(said, letter, known=None):
    """The row that a text names: 42 for "g42"; None if it names none of these."""
    if said[:1] != letter or not said[1:].isdecimal():
        return None
    number = int(said[1:])
    return number if known is None or number in known else None
