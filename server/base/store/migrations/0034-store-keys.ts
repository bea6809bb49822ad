/** The store's own key, sealed. */

import { createTables } from './table-set.ts';

export const storeKeys = createTables(() => 'create table store_keys (id text primary key, sealed text not null)');
