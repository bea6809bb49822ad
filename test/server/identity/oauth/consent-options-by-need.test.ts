import { describe, expect, test } from 'vitest';
import {
  FULL_PERMISSION,
  type Permission,
  SCOPES,
  writePermission,
} from '../../../../server/base/principal/permission.ts';
import {
  buildConsentOptions,
  type ConsentOptions,
  readConsent,
} from '../../../../server/identity/grants/allowed/consent-options.ts';
import { CATALOGUE } from './support.ts';

const LIMITS = { services: null, readOnly: false, permission: FULL_PERMISSION };
const SERVICES = ['mailer', 'retrieval'];
const ALL_TOOLS = ['mailer_list', 'mailer_send', 'mailer_remove', 'retrieval_search', 'retrieval_add'];

interface Given {
  readonly services?: string[];
  readonly limits?: object;
  readonly held?: { scopes?: readonly string[]; services?: string[] | null; permission?: Partial<Permission> } | null;
  readonly asked?: (typeof SCOPES)[number][];
}

function offerOf({ services = SERVICES, limits = {}, held = null, asked = [...SCOPES] }: Given): ConsentOptions {
  const code = { services, signedInAt: [], limits: { ...LIMITS, ...limits } };
  return buildConsentOptions(code, asked, CATALOGUE, {
    earlierGrant: held && {
      scopes: [...(held.scopes ?? ['tools:read'])],
      services: held.services ?? null,
      permission: writePermission({ ...FULL_PERMISSION, ...held.permission }),
    },
  });
}

function choose(given: Given, changes: Record<string, string | string[]> = {}) {
  const form = new URLSearchParams();
  for (const [name, value] of Object.entries({ service: given.services ?? SERVICES, tool: ALL_TOOLS, ...changes })) {
    for (const each of [value].flat()) form.append(name, each);
  }
  return readConsent(form, offerOf(given));
}

const NONE = { writes: [], destroys: [] };
const WRITES = { scopes: SCOPES, permission: { agreed: { writes: SERVICES, destroys: [] as string[] } } };

describe('an offer by need', () => {
  test.each([
    ['only reading first, then writing, then destroying', {}, ['read', 'no-delete', 'write'], null, 'reading'],
    ['only reading or writing, if nothing destroys', { services: ['retrieval'] }, ['read', 'write'], null, 'reading'],
    ['only reading, if nothing writes', { services: ['crm'] }, ['read'], 'tools', 'reading'],
    ['only reading, if nothing is connected', { services: [] }, ['read'], 'unconnected', 'reading'],
    ['only reading, if the code allows no more', { limits: { readOnly: true } }, ['read'], 'code', 'reading'],
    ['what a client that reads lacks', { held: {} }, ['read', 'no-delete', 'write'], null, 'difference'],
    ['what a client that writes lacks', { held: WRITES }, ['read', 'write'], null, 'difference'],
    [
      'nothing more for a client of an older grant that has all',
      { held: { scopes: SCOPES } },
      ['read'],
      null,
      'difference',
    ],
  ] as const)('is %s', (_title, given, access, readOnlyBecause, suggests) => {
    expect(offerOf(given as Given)).toMatchObject({ access, readOnlyBecause, suggests });
  });

  test('begins without what the user unticked before, and with what is new', () => {
    const permission = { without: ['mailer_send', 'retrieval/*', 'crm/*'] };
    const { services, leftOut } = offerOf({ held: { permission } });
    expect(services.map(({ name, unticked, keeps }) => [name, [...unticked].sort(), keeps])).toEqual([
      ['mailer', ['mailer_send'], ['reads']],
      ['retrieval', ['retrieval_add', 'retrieval_search'], []],
    ]);
    expect(leftOut).toEqual(['crm/*']);
  });
});

describe('a choice by need', () => {
  test.each([
    ['reading', {}, {}, ['tools:read'], NONE],
    ['reading, for a form that names no access', {}, { access: [] }, ['tools:read'], NONE],
    ['writing', {}, { access: 'no-delete' }, SCOPES, { writes: SERVICES, destroys: [] }],
    ['everything', {}, { access: 'write' }, SCOPES, { writes: SERVICES, destroys: ['mailer'] }],
    [
      'writing in the ticked services',
      {},
      { access: 'write', service: 'retrieval' },
      SCOPES,
      { writes: ['retrieval'], destroys: [] },
    ],
    ['what the client had', { held: WRITES }, { access: 'read' }, SCOPES, { writes: SERVICES, destroys: [] }],
    [
      'what the client had and more',
      { held: WRITES },
      { access: 'write' },
      SCOPES,
      { writes: SERVICES, destroys: ['mailer'] },
    ],
    [
      'what the client had in one service, and not the same in another',
      { held: { scopes: SCOPES, permission: { agreed: { writes: ['mailer'], destroys: [] } } } },
      { access: 'read' },
      SCOPES,
      { writes: ['mailer'], destroys: [] },
    ],
    ['no more than the request asks for', { held: WRITES, asked: ['tools:read'] }, {}, ['tools:read'], NONE],
    ['no more than the code allows', { held: WRITES, limits: { readOnly: true } }, {}, ['tools:read'], NONE],
  ] as const)('is %s', (_title, given, changes, scopes, agreed) => {
    expect(choose(given as Given, changes as Record<string, string>)).toEqual({
      scopes,
      services: null,
      permission: {
        ...FULL_PERMISSION,
        agreed,
        without: 'service' in changes ? ['mailer/*'] : [],
      },
    });
  });

  test('that freezes keeps tools that wait for the user, so that they stay listed', () => {
    expect(choose({}, { later: 'freeze', tool: ['mailer_list', 'mailer_remove'] })).toMatchObject({
      scopes: ['tools:read'],
      permission: { only: ['mailer_list', 'mailer_remove'], agreed: NONE },
    });
  });

  test('keeps out a service that the user refused and is not connected now', () => {
    const held = { permission: { without: ['crm/*', 'mailer_send'] } };
    expect(choose({ held })).toMatchObject({ permission: { without: ['crm/*'] } });
  });

  test.each([
    ['an access that is not offered', { services: ['retrieval'] }, { access: 'no-delete' }],
    ['an unknown access', {}, { access: 'all' }],
  ])('is refused for %s', (_title, given, changes) => {
    expect(choose(given, changes as Record<string, string>)).toBeNull();
  });

  test.each(['write', 'no-delete'])('of access %s gets no more than reading from a code that only reads', (access) => {
    expect(choose({ limits: { readOnly: true } }, { access })).toMatchObject({ scopes: ['tools:read'] });
  });
});
