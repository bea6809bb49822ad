import { describe, expect, it } from 'vitest';
import type { Interceptor } from '../../../../../server/call/tools/call/dependencies.ts';
import { closeAfterEach } from '../../../../support/close-after-each.ts';
import { fakeTool } from '../../../../support/fake-connector.ts';
import { type Host, startHost } from '../../upstream/support.ts';
import { createFixture, type Fixture } from '../support.ts';

const open = closeAfterEach();

async function serve(interceptors: readonly Interceptor[]): Promise<{ host: Host; fixture: Fixture }> {
  const host = await startHost((_, response) => response.end('{}'));
  const tools = [fakeTool({ name: 'library_list_books', path: '/books' })];
  const fixture = createFixture({ origin: host.origin, tools, changes: { interceptors } });
  open.push(host, fixture);
  return { host, fixture };
}

describe('interceptors', () => {
  it('wrap every call, the first outermost, and see its result', async () => {
    const seen: string[] = [];
    const watch =
      (name: string): Interceptor =>
      async (call, next) => {
        seen.push(`${name} before ${call.calledAs}`);
        const ending = await next();
        seen.push(`${name} after ${ending.outcome}`);
        return ending;
      };
    const { fixture } = await serve([watch('outer'), watch('inner')]);
    await fixture.call('library_list_books');
    await fixture.call('library_list_books', {}, { waitSeconds: 5 });
    expect(seen).toEqual([
      'outer before library_list_books',
      'inner before library_list_books',
      'inner after ok',
      'outer after ok',
      'outer before library_list_books',
      'inner before library_list_books',
      'inner after too_many_calls',
      'outer after too_many_calls',
    ]);
    expect(fixture.records).toHaveLength(2);
  });
});
