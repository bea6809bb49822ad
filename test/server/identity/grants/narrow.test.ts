import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { readPermission, writePermission } from '../../../../server/base/principal/permission.ts';
import { createCatalogue } from '../../../../server/call/tools/catalogue/catalogue.ts';
import { namesAllowed } from '../../../../server/identity/grants/allowed/list.ts';
import { type Narrowing, narrow } from '../../../../server/identity/grants/allowed/narrow.ts';
import { fakeConnector, fakeTool } from '../../../support/fake-connector.ts';
import { numRuns } from '../../../support/num-runs.ts';

const DESTROYS = { readOnlyHint: false, destructiveHint: true, idempotentHint: true, openWorldHint: true };

const SERVICES = ['archive', 'library', 'museum'];
const KINDS = ['find', 'lend', 'burn'];
const TOOLS = SERVICES.flatMap((service) => KINDS.map((kind) => `${service}_${kind}`));

const catalogue = createCatalogue(
  SERVICES.map((name) =>
    fakeConnector({
      name,
      tools: [
        fakeTool({ name: `${name}_find` }),
        fakeTool({
          name: `${name}_lend`,
          method: 'POST',
          more: { aliases: [{ name: `${name}_give`, until: '2031-01-01' }] },
        }),
        fakeTool({ name: `${name}_burn`, method: 'DELETE', more: { annotations: DESTROYS } }),
      ],
    }),
  ),
);

const WHOLE = { scopes: ['tools:read', 'tools:write'], services: null, permission: null };
const permissionWith = (changes: object) => writePermission({ ...readPermission(null), ...changes });

describe('narrow', () => {
  test.each<[string, Narrowing, object]>([
    ['services', { services: ['museum', 'library', 'library'] }, { services: ['library', 'museum'] }],
    ['writing', { readOnly: true }, { scopes: ['tools:read'] }],
    ['destroying', { destructive: false }, { permission: permissionWith({ destructive: false }) }],
    [
      'tools, by their old names too',
      { without: ['library_give', 'archive_find'] },
      { permission: permissionWith({ without: ['archive_find', 'library_lend'] }) },
    ],
    ['nothing if nothing would change', { readOnly: false, destructive: true, without: [] }, {}],
  ])('removes %s', (_, wanted, changed) => {
    expect(narrow(WHOLE, wanted, catalogue)).toEqual({ refusal: null, access: { ...WHOLE, ...changed } });
  });

  test('keeps what the request does not name', () => {
    const permission = permissionWith({ pins: { library: { brandId: 7 } }, only: ['library_find'], seen: 'hash' });
    const { access } = narrow({ ...WHOLE, permission }, { destructive: false }, catalogue) as {
      access: { permission: string };
    };
    expect(readPermission(access.permission)).toMatchObject({
      destructive: false,
      pins: { library: { brandId: 7 } },
      only: ['library_find'],
      seen: 'hash',
    });
  });

  const narrowed = {
    scopes: ['tools:read'],
    services: ['library'],
    permission: permissionWith({ destructive: false, without: ['library_burn', 'library_gone'] }),
  };
  test.each<[string, Narrowing, string]>([
    ['a service', { services: ['library', 'museum'] }, 'services: this grant does not include "museum"'],
    ['a service that does not exist', { services: ['nothing'] }, 'services: this grant does not include "nothing"'],
    ['no service', { services: [] }, 'revoke the grant instead'],
    ['writing', { readOnly: false }, 'read_only: this grant only reads'],
    ['destroying', { destructive: true }, 'destructive: this grant has no tools that delete'],
    ['a tool that was left out', { without: ['library_burn'] }, 'leaves "library_gone" out'],
    ['every tool', { without: [] }, 'leaves "library_burn" out'],
    ['a tool that does not exist', { without: ['library_burn', 'library_gone', 'x'] }, 'there is no tool "x"'],
  ])('refuses %s with the reason', (_, wanted, reason) => {
    expect(narrow(narrowed, wanted, catalogue).refusal).toContain(reason);
  });

  test('refuses a service that the gateway does not know', () => {
    expect(narrow(WHOLE, { services: ['nothing'] }, catalogue).refusal).toBe(
      'services: there is no service "nothing".',
    );
  });

  test('never lets a client call more than before, and is all or nothing', () => {
    const some = <Value>(values: readonly Value[]) => fc.subarray([...values]);
    const grants = fc.record({
      scopes: fc.constantFrom(['tools:read'], ['tools:read', 'tools:write'], ['tools:write']),
      services: fc.option(some(SERVICES)),
      permission: fc
        .record({
          destructive: fc.boolean(),
          without: fc.oneof(fc.constant([]), some(TOOLS)),
          only: fc.option(some(TOOLS)),
        })
        .map(permissionWith),
    });
    const wishes = fc.record(
      {
        services: some(SERVICES),
        readOnly: fc.boolean(),
        destructive: fc.boolean(),
        without: some([...TOOLS, 'library_give']),
      },
      { requiredKeys: [] },
    );
    let taken = 0;
    fc.assert(
      fc.property(grants, wishes, some(SERVICES), (grant, wish, connected) => {
        const result = narrow(grant, wish, catalogue);
        if (result.refusal !== null) return;
        const before = namesAllowed(grant, { connected, catalogue, allowance: null });
        const after = namesAllowed(result.access, { connected, catalogue, allowance: null });
        taken += before.length - after.length;
        expect(before).toEqual(expect.arrayContaining([...after]));
        if (wish.without !== undefined) expect(after.filter((name) => wish.without?.includes(name))).toEqual([]);
        if (wish.readOnly) expect(after.filter((name) => !name.endsWith('_find'))).toEqual([]);
      }),
      { numRuns: numRuns(2000), seed: 7 },
    );
    expect(taken).toBeGreaterThan(numRuns(100));
  });
});
