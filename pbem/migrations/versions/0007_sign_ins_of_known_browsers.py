"""Sign-ins say which known browser asked, so that strangers use nothing up that the owner asks."""

import sqlalchemy as sa
from alembic import op

revision = '0007'
down_revision = '0006'
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column('signin', sa.Column('known', sa.String(length=64), nullable=True))


def downgrade() -> None:
    with op.batch_alter_table('signin') as batch_op:
        batch_op.drop_column('known')
