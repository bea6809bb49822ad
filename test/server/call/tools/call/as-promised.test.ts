import type { RequestListener } from 'node:http';
import { describe, expect, it } from 'vitest';
import { connectors } from '../../../../../generated/index.ts';
import { FULL_PERMISSION } from '../../../../../server/base/principal/permission.ts';
import { prepareArguments } from '../../../../../server/call/tools/call/arguments.ts';
import { completeConnector } from '../../../../../server/call/tools/catalogue/connectors.ts';
import { createValidators } from '../../../../../server/call/tools/validate.ts';
import type { Tool } from '../../../../../server/contract/index.ts';
import { closeAfterEach } from '../../../../support/close-after-each.ts';
import { fakeTool } from '../../../../support/fake-connector.ts';
import { startHost } from '../../upstream/support.ts';
import { createFixture, errorOf, textOf } from '../support.ts';

const open = closeAfterEach();

const OUTPUT = {
  properties: {
    data: {
      type: 'array',
      items: {
        type: 'object',
        properties: { id: {}, name: {}, total: {}, owner: { type: 'object', properties: { id: {}, first_name: {} } } },
      },
    },
    next: {},
  },
} as const;

async function serve(listener: RequestListener, more: Partial<Tool> = {}) {
  const text = { type: 'string' };
  const tool = fakeTool({
    name: 'library_list',
    input: {
      properties: { branch: text, cursor: text, fields: { type: 'array', items: text, minItems: 1 } },
      required: ['branch'],
    },
    output: OUTPUT,
    request: { query: { branch: 'branch', cursor: 'cursor' } },
    more: {
      page: { argument: 'cursor', next: '/next', more: null, queryParameter: null, items: '/data' },
      gatewayArguments: ['fields'],
      ...more,
    },
  });
  const host = await startHost(listener);
  const fixture = createFixture({ origin: host.origin, tools: [tool] });
  open.push(host, fixture);
  return fixture;
}

const answer =
  (body: unknown, type = 'application/json'): RequestListener =>
  (_, response) =>
    response.writeHead(200, { 'content-type': type }).end(typeof body === 'string' ? body : JSON.stringify(body));

const ROWS = [{ id: 1, name: 'One', total: 5, owner: { id: 9, first_name: 'Ada' } }];

describe('an answer that is not as promised', () => {
  it('of a cursor that repeats is no last page', async () => {
    const fixture = await serve(answer({ data: ROWS, next: 'abc' }));
    const result = await fixture.call('library_list', { branch: 'b', cursor: 'abc' });
    expect(errorOf(result).code).toBe('upstream_invalid_answer');
    expect(textOf(result)).not.toContain('last page');
  });

  it('of an empty page with the same cursor is the last page', async () => {
    const fixture = await serve(answer({ data: [], next: 'abc' }));
    expect(textOf(await fixture.call('library_list', { branch: 'b', cursor: 'abc' }))).toContain('last page');
  });

  it('of an object in the place of the list is an error', async () => {
    const fixture = await serve(answer({ data: { id: 1 } }));
    const result = await fixture.call('library_list', { branch: 'b' });
    expect(errorOf(result)).toMatchObject({ code: 'upstream_invalid_answer' });
    expect(textOf(result)).toContain('has no list at "/data"');
  });

  it.each(['application/xml', 'text/xml', 'application/atom+xml'])(
    'of %s in place of JSON is an error',
    async (type) => {
      const fixture = await serve(answer('<data><id>1</id></data>', type));
      const result = await fixture.call('library_list', { branch: 'b' });
      expect(errorOf(result).code).toBe('upstream_invalid_answer');
      expect(textOf(result)).toContain(`is XML (${type}) instead of JSON`);
    },
  );
});

describe('the paths of fields', () => {
  it.each<[unknown, unknown]>([
    [['data[].total'], { total: 5 }],
    [['total'], { total: 5 }],
    ['id,name', { id: 1, name: 'One' }],
    [['$.data[0].name', ' total'], { name: 'One', total: 5 }],
    ['firstName', { owner: { first_name: 'Ada' } }],
    [['owner.id'], { owner: { id: 9 } }],
    ['["data.id"]', { id: 1 }],
  ])('are understood as %j', async (fields, record) => {
    const fixture = await serve(answer({ data: ROWS, next: null }));
    const result = await fixture.call('library_list', { branch: 'b', fields });
    expect(result.structuredContent).toMatchObject({ data: [record] });
    expect((result.structuredContent as { data: unknown[] }).data).toEqual([record]);
  });
});

it('the arguments of the next page are without pinned ones', async () => {
  const fixture = await serve(answer({ data: ROWS, next: 'abc' }));
  const permission = { ...FULL_PERMISSION, pins: { library: { branch: 'secret' } } };
  const result = await fixture.call('library_list', {}, { principal: { permission } });
  expect(result.structuredContent).toMatchObject({ page: { nextArguments: { cursor: 'abc' } } });
  expect(JSON.stringify(result)).not.toContain('secret');
});

it('a service that the code of a token leaves out is not called not connected', async () => {
  const fixture = await serve(answer({}));
  const principal = { services: [], connections: new Map(), narrowedTo: ['crm'] };
  expect(errorOf(await fixture.call('library_list', { branch: 'b' }, { principal })).code).toBe('not_allowed');
});

describe('arguments that repeat others', () => {
  const tool = connectors
    .map(completeConnector)
    .flatMap(({ tools }) => tools)
    .find(({ name }) => name === 'datatable_get_datatable_metadata')!;
  const whole = { datatableCode: 'ZACKS/FC', vendorCode: 'ZACKS', tableCode: 'FC' };

  it.each<Record<string, string>>([{ datatableCode: 'ZACKS/FC' }, { vendorCode: 'ZACKS', tableCode: 'FC' }])(
    'are completed from %j',
    (given) => {
      const validator = createValidators()(tool.inputSchema);
      expect(prepareArguments(tool, given, validator)).toEqual({ ok: true, args: whole });
    },
  );

  it('still have to agree', () => {
    const given = { datatableCode: 'ZACKS/FC', vendorCode: 'SHARADAR' };
    expect(prepareArguments(tool, given, createValidators()(tool.inputSchema)).ok).toBe(false);
  });
});
