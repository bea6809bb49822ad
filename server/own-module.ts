/** The entry `unified-tool-gateway/module` of the package: everything that a company's module is written with. */

export { sql } from 'kysely';
export { table } from './base/dashboard/parts.ts';
export { html } from './base/pages/html.ts';
export { defineEvents, emit } from './base/store/events.ts';
export { defineTables, type RowsOf } from './base/store/tables/table-set.ts';
export { refuse } from './call/tools/call/call-outcome.ts';
export { ON_OFF, setting } from './config/setting.ts';
export { parsedBy } from './config/values.ts';
export { type AnyModule, type Core, defineModule, type Module, type OpenModule } from './module.ts';
