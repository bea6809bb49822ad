import { expect, test } from 'vitest';
import { toServed } from '../../../../../server/call/tools/catalogue/provenance.ts';
import { fakeConnector, fakeTool } from '../../../../support/fake-connector.ts';
import { describeStore } from '../../../base/store/dialects.ts';
import { createFixture } from '../support.ts';

describeStore('records of calls', (given) => {
  test('contain the digest of the definition that was called', async () => {
    const { connectors } = toServed([fakeConnector({ tools: [fakeTool({ name: 'library_list' })] })], null);
    const fixture = createFixture({ connectors });
    await fixture.call('library_list');
    await given.store.insertCallRecords(fixture.records);
    await fixture.close();
    const rows = await given.store.db.selectFrom('call_records').select(['tool', 'definition']).execute();
    expect(rows).toEqual([{ tool: 'library_list', definition: connectors[0]?.tools[0]?.provenance?.definition }]);
    expect(rows[0]?.definition).toMatch(/^[\w-]{43}$/);
  });
});
