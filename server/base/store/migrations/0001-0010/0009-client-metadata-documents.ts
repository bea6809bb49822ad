/** Public keys of OAuth clients, what is known of their metadata documents, and where a grant's code was sent. */

import type { Kysely } from 'kysely';
import type { Migration } from 'kysely/migration';

export const clientMetadataDocuments: Migration = {
  async up(db: Kysely<unknown>): Promise<void> {
    const clients = db.schema.alterTable('oauth_clients');
    await clients.addColumn('jwks', 'text').execute();
    await clients.addColumn('jwks_uri', 'text').execute();
    await clients.addColumn('document_fetched_at', 'bigint').execute();
    await clients.addColumn('document_expires_at', 'bigint').execute();
    await db.schema.createIndex('oauth_clients_by_fetch').on('oauth_clients').column('document_fetched_at').execute();
    await db.schema.alterTable('oauth_grants').addColumn('redirect_uri', 'text').execute();
  },
};
