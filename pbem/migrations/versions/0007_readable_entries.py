"""Entries are plain JSON, and of the positions every 25th is kept, as plain JSON too.

Until 0006 a body was deflated against a dictionary, whose number was its first byte, and a position
against its keyframe's. Releases before this one cannot read what this one has rewritten.
"""

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


def upgrade() -> None:
    # Which known browser asked, so that strangers use nothing up that the owner asks.
    op.add_column('signin', sa.Column('known', sa.String(length=64), nullable=True))
    # Who sat down by a letter and has chosen no name yet.
    op.add_column('person', sa.Column(
        'unnamed', sa.Boolean(), server_default=sa.text('(false)'), nullable=False))
    note_what_is_done()
    keep_snapshots()
    rewrite_bodies()


def note_what_is_done() -> None:
    """What of the finished games is indexed, and when each is to be verified again."""
    for column, kind in (('index_release', sa.Integer()), ('verify_at', sa.BigInteger())):
        op.add_column('game', sa.Column(column, kind, server_default=sa.text('0'), nullable=False))
    op.create_index('ix_game_unindexed', 'game', ['state', 'index_release', 'ended'])
    op.create_index('ix_game_verify_at', 'game', ['state', 'verify_at'])
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
