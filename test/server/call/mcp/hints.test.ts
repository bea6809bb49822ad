import { afterEach, expect, test, vi } from 'vitest';
import { CATALOGUE_MODES, type CatalogueMode } from '../../../../server/base/principal/permission.ts';
import { loadConnectors } from '../../../../server/call/tools/catalogue/connectors.ts';
import { fakeConnector, fakeHandWritten, fakeTool } from '../../../support/fake-connector.ts';
import { type RunningGateway, startGateway } from '../../../support/gateway.ts';
import { CLIENTS } from '../../../support/official-clients.ts';

vi.setConfig({ testTimeout: 120_000, hookTimeout: 60_000 });

const ID = { properties: { id: { type: 'string' } }, required: ['id'] };
const EVERY_KIND = fakeConnector({
  tools: [
    fakeTool({ name: 'library_list', more: { gatewayArguments: ['where', 'sort', 'aggregate'] } }),
    fakeTool({ name: 'library_get', path: '/things/{id}' }),
    fakeTool({ name: 'library_search', method: 'QUERY' }),
    fakeTool({ name: 'library_rare', input: ID, request: { query: { id: 'id' } }, more: { rare: ['id'] } }),
    fakeTool({ name: 'library_drop', method: 'DELETE', path: '/things/{id}', more: { batch: ['id'] } }),
    fakeTool({ name: 'library_lend', method: 'PUT', path: '/things/{id}' }),
  ],
  handWritten: [fakeHandWritten({ uses: ['library_list'], run: async () => ({}) })],
});

const INTERNAL = ['describe_tools', 'read_kept', 'search_tools'];
const WANTED: Readonly<Record<CatalogueMode, readonly string[]>> = {
  lean: ['crm_get_person', 'describe_tools', 'library_survey'],
  full: ['crm_get_person', 'library_survey'],
  compact: ['crm_get_person', 'describe_tools', 'library_survey'],
  search: ['call_reading_tool', 'call_writing_tool', 'describe_tools', 'search_tools'],
  code: ['describe_tools', 'read_kept', 'run_code', 'search_tools'],
};

let gateway: RunningGateway;
afterEach(() => gateway.close());

test.each(CATALOGUE_MODES)(
  'every tool of a list in the mode %s says whether it reads, destroys and reaches out',
  async (mode) => {
    const connectors = [...(await loadConnectors()), EVERY_KIND];
    gateway = await startGateway({ connectors, secretOf: () => 'key', env: { CATALOGUE_MODE: mode } });
    for (const [, connect] of CLIENTS) {
      const client = await connect(gateway);
      const { tools } = await client.listTools();
      const names = tools.map(({ name }) => name);
      expect(names).toEqual(expect.arrayContaining([...WANTED[mode]]));
      const incomplete = tools.filter(({ annotations = {} }) => {
        const { readOnlyHint, destructiveHint, openWorldHint } = annotations as Record<string, unknown>;
        return [readOnlyHint, destructiveHint, openWorldHint].some((hint) => typeof hint !== 'boolean');
      });
      expect(incomplete).toEqual([]);
      const internal = tools.filter(
        ({ annotations }) => (annotations as { openWorldHint: boolean }).openWorldHint === false,
      );
      expect(internal.map(({ name }) => name)).toEqual(INTERNAL.filter((name) => names.includes(name)));
      await client.close();
    }
  },
);
