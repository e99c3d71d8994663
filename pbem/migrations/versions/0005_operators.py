"""Operators, what they do, and whom players want to be left alone by."""

import sqlalchemy as sa
from alembic import op

revision = '0005'
down_revision = '0004'
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table('block',
    sa.Column('person_id', sa.Integer(), nullable=False),
    sa.Column('blocked_id', sa.Integer(), nullable=False),
    sa.Column('since', sa.BigInteger(), nullable=False),
    sa.ForeignKeyConstraint(['blocked_id'], ['person.id'], ),
    sa.ForeignKeyConstraint(['person_id'], ['person.id'], ),
    sa.PrimaryKeyConstraint('person_id', 'blocked_id')
    )
    with op.batch_alter_table('block', schema=None) as batch_op:
        batch_op.create_index(batch_op.f('ix_block_blocked_id'), ['blocked_id'], unique=False)

    op.create_table('operatoract',
    sa.Column('id', sa.BigInteger().with_variant(sa.Integer(), 'sqlite'), autoincrement=True, nullable=False),
    sa.Column('at', sa.BigInteger(), nullable=False),
    sa.Column('operator_id', sa.Integer(), nullable=True),
    sa.Column('what', sa.String(length=30), nullable=False),
    sa.Column('about', sa.String(length=40), nullable=False),
    sa.Column('why', sa.String(length=300), nullable=False),
    sa.Column('days', sa.Integer(), nullable=True),
    sa.ForeignKeyConstraint(['operator_id'], ['person.id'], ),
    sa.PrimaryKeyConstraint('id')
    )
    with op.batch_alter_table('operatoract', schema=None) as batch_op:
        batch_op.create_index(batch_op.f('ix_operatoract_operator_id'), ['operator_id'], unique=False)

    op.create_table('recovery',
    sa.Column('id', sa.BigInteger().with_variant(sa.Integer(), 'sqlite'), autoincrement=True, nullable=False),
    sa.Column('person_id', sa.Integer(), nullable=False),
    sa.Column('address', sa.String(length=254), nullable=False),
    sa.Column('by_id', sa.Integer(), nullable=True),
    sa.Column('created', sa.BigInteger(), nullable=False),
    sa.Column('due', sa.BigInteger(), nullable=False),
    sa.Column('confirmed', sa.BigInteger(), nullable=True),
    sa.Column('stopped', sa.BigInteger(), nullable=True),
    sa.Column('done', sa.BigInteger(), nullable=True),
    sa.ForeignKeyConstraint(['person_id'], ['person.id'], ),
    sa.PrimaryKeyConstraint('id')
    )
    open_ones = sa.text('stopped is null and done is null')
    with op.batch_alter_table('recovery', schema=None) as batch_op:
        batch_op.create_index('ix_recovery_open', ['due'], unique=False, sqlite_where=open_ones, postgresql_where=open_ones)
        batch_op.create_index(batch_op.f('ix_recovery_person_id'), ['person_id'], unique=False)

    op.create_table('report',
    sa.Column('id', sa.BigInteger().with_variant(sa.Integer(), 'sqlite'), autoincrement=True, nullable=False),
    sa.Column('by_id', sa.Integer(), nullable=False),
    sa.Column('about_id', sa.Integer(), nullable=False),
    sa.Column('game_id', sa.Integer(), nullable=True),
    sa.Column('chat_id', sa.Integer(), nullable=True),
    sa.Column('said', sa.String(length=2000), nullable=True),
    sa.Column('text', sa.String(length=1000), nullable=False),
    sa.Column('at', sa.BigInteger(), nullable=False),
    sa.Column('settled', sa.BigInteger(), nullable=True),
    sa.Column('settled_by', sa.Integer(), nullable=True),
    sa.Column('outcome', sa.String(length=300), nullable=True),
    sa.ForeignKeyConstraint(['about_id'], ['person.id'], ),
    sa.ForeignKeyConstraint(['by_id'], ['person.id'], ),
    sa.PrimaryKeyConstraint('id')
    )
    with op.batch_alter_table('report', schema=None) as batch_op:
        batch_op.create_index(batch_op.f('ix_report_about_id'), ['about_id'], unique=False)
        batch_op.create_index(batch_op.f('ix_report_by_id'), ['by_id'], unique=False)

    with op.batch_alter_table('chat', schema=None) as batch_op:
        batch_op.add_column(sa.Column('removed', sa.BigInteger(), nullable=True))

    with op.batch_alter_table('game', schema=None) as batch_op:
        batch_op.add_column(sa.Column('ruleset', sa.String(length=24), nullable=True))
        batch_op.add_column(sa.Column('failed', sa.BigInteger(), nullable=True))
        batch_op.add_column(sa.Column('failure', sa.String(length=60), nullable=True))
        batch_op.add_column(sa.Column('retry', sa.BigInteger(), nullable=True))
        failed = sa.text('failed is not null')
        batch_op.create_index('ix_game_failed', ['failed'], unique=False, sqlite_where=failed, postgresql_where=failed)

    # Those that were begun go on by what they were begun with.
    op.execute(
        "update game set ruleset = (select entry.ruleset from entry"
        " where entry.game_id = game.id and entry.number = 1) where last_entry > 0")
    # Another kind of note: the index of notes is made anew, with it.
    marked = sa.text(
        "cause in ('undo', 'agreed', 'resign', 'dropped', 'handover', 'seated', 'overtime',"
        " 'outage', 'pause', 'resume', 'ruleset')")
    with op.batch_alter_table('entry', schema=None) as batch_op:
        batch_op.drop_index('ix_entry_marks')
        batch_op.create_index('ix_entry_marks', ['game_id', 'number'], unique=False, sqlite_where=marked, postgresql_where=marked)

    with op.batch_alter_table('person', schema=None) as batch_op:
        batch_op.add_column(sa.Column('operator', sa.BigInteger(), nullable=True))
        batch_op.add_column(sa.Column('mute_until', sa.BigInteger(), nullable=True))
        batch_op.add_column(sa.Column('name_stays_until', sa.BigInteger(), nullable=True))

    with op.batch_alter_table('seat', schema=None) as batch_op:
        batch_op.add_column(sa.Column('operator', sa.Boolean(), server_default=sa.text('(false)'), nullable=False))



def downgrade() -> None:
    marked = sa.text(
        "cause in ('undo', 'agreed', 'resign', 'dropped', 'handover', 'seated', 'overtime',"
        " 'outage', 'pause', 'resume')")
    with op.batch_alter_table('entry', schema=None) as batch_op:
        batch_op.drop_index('ix_entry_marks')
        batch_op.create_index('ix_entry_marks', ['game_id', 'number'], unique=False, sqlite_where=marked, postgresql_where=marked)

    with op.batch_alter_table('seat', schema=None) as batch_op:
        batch_op.drop_column('operator')

    with op.batch_alter_table('person', schema=None) as batch_op:
        batch_op.drop_column('name_stays_until')
        batch_op.drop_column('mute_until')
        batch_op.drop_column('operator')

    with op.batch_alter_table('game', schema=None) as batch_op:
        batch_op.drop_index('ix_game_failed')
        batch_op.drop_column('retry')
        batch_op.drop_column('failure')
        batch_op.drop_column('failed')
        batch_op.drop_column('ruleset')

    with op.batch_alter_table('chat', schema=None) as batch_op:
        batch_op.drop_column('removed')

    with op.batch_alter_table('report', schema=None) as batch_op:
        batch_op.drop_index(batch_op.f('ix_report_by_id'))
        batch_op.drop_index(batch_op.f('ix_report_about_id'))

    op.drop_table('report')
    with op.batch_alter_table('recovery', schema=None) as batch_op:
        batch_op.drop_index('ix_recovery_open')
        batch_op.drop_index(batch_op.f('ix_recovery_person_id'))

    op.drop_table('recovery')
    with op.batch_alter_table('operatoract', schema=None) as batch_op:
        batch_op.drop_index(batch_op.f('ix_operatoract_operator_id'))

    op.drop_table('operatoract')
    with op.batch_alter_table('block', schema=None) as batch_op:
        batch_op.drop_index(batch_op.f('ix_block_blocked_id'))

    op.drop_table('block')
