import { describe, expect, test } from 'vitest';
import { FULL_PERMISSION, SCOPES } from '../../../../server/base/principal/permission.ts';
import { createCatalogue } from '../../../../server/call/tools/catalogue/catalogue.ts';
import {
  buildConsentOptions,
  type ConsentOptions,
  readConsent,
} from '../../../../server/identity/grants/allowed/consent-options.ts';
import { fakeConnector, fakeTool } from '../../../support/fake-connector.ts';
import { oauth2Part } from '../../../support/oauth-rules.ts';
import { CATALOGUE } from './support.ts';

const LIMITS = { services: null, readOnly: false, permission: FULL_PERMISSION };
const offerOf = (services: string[], limits: object = {}): ConsentOptions =>
  buildConsentOptions({ services, signedInAt: [], limits: { ...LIMITS, ...limits } }, SCOPES, CATALOGUE);

describe('an offer', () => {
  test.each([
    ['everything that the services support', ['mailer'], {}, ['write', 'no-delete', 'read'], null],
    ['writing without deleting, only if something deletes', ['retrieval'], {}, ['write', 'read'], null],
    ['only reading, if no service writes', ['crm', 'billing'], {}, ['read'], 'tools'],
    ['only reading, if the code allows no more', ['mailer'], { readOnly: true }, ['read'], 'code'],
    ['the requested access, if nothing is connected', [], {}, ['write', 'read'], null],
  ])('is %s', (_title, services, changes, access, readOnlyBecause) => {
    expect(offerOf(services, changes)).toMatchObject({ access, readOnlyBecause });
  });

  test('names the tools of each service with their effect, without those that its access excludes', () => {
    const toolsOf = (changes: object) =>
      offerOf(['mailer'], changes).services[0]?.tools.map(({ name, effect }) => `${name} ${effect}`);
    expect(toolsOf({})).toEqual(['mailer_list reads', 'mailer_send writes', 'mailer_remove destroys']);
    expect(toolsOf({ readOnly: true })).toEqual(['mailer_list reads']);
  });

  test('is only reading, if the request asks for no more', () => {
    const offer = buildConsentOptions(
      { services: ['mailer'], signedInAt: [], limits: LIMITS },
      ['tools:read'],
      CATALOGUE,
    );
    expect(offer).toMatchObject({ access: ['read'], readOnlyBecause: 'request' });
  });

  test('includes a service that the gateway no longer serves, without tools', () => {
    expect(offerOf(['gone']).services).toEqual([
      { name: 'gone', title: 'gone', tools: [], upstreamScopes: [], keeps: [], unticked: new Set() },
    ]);
  });

  test('names the scopes of a service if the user signed in to it', () => {
    const connector = fakeConnector({
      tools: [fakeTool({ name: 'library_find', more: { scopes: [['repo'], ['admin', 'repo']] } })],
      parts: [oauth2Part('https://library.example', { scopes: ['read:user'] })],
    });
    const scopesWhere = (signedInAt: string[]) =>
      buildConsentOptions(
        { services: ['library'], signedInAt, limits: LIMITS },
        SCOPES,
        createCatalogue([connector]),
      ).services.map(({ upstreamScopes }) => upstreamScopes);
    expect(scopesWhere(['library'])).toEqual([['read:user', 'repo']]);
    expect(scopesWhere([])).toEqual([[]]);
  });
});

const SERVICES = ['mailer', 'retrieval'];
const TOOLS = ['mailer_list', 'mailer_send', 'mailer_remove', 'retrieval_search', 'retrieval_add'];

function choose(changes: Record<string, string | string[]>, offer = offerOf(SERVICES)) {
  const form = new URLSearchParams();
  for (const [name, value] of Object.entries({ service: SERVICES, tool: TOOLS, ...changes })) {
    for (const each of [value].flat()) form.append(name, each);
  }
  return readConsent(form, offer);
}

const without = (...names: string[]) => TOOLS.filter((name) => !names.includes(name));

describe('a choice', () => {
  test.each([
    ['everything, as suggested', {}, { scopes: SCOPES, services: null, permission: FULL_PERMISSION }],
    ['reading', { access: 'read' }, { scopes: ['tools:read'], services: null, permission: FULL_PERMISSION }],
    [
      'nothing that deletes',
      { access: 'no-delete' },
      { scopes: SCOPES, services: null, permission: { ...FULL_PERMISSION, destructive: false } },
    ],
    [
      'no mailer, now or later',
      { service: 'retrieval' },
      { scopes: SCOPES, services: null, permission: { ...FULL_PERMISSION, without: ['mailer/*'] } },
    ],
    [
      'no mailer, tool by tool',
      { tool: ['retrieval_search', 'retrieval_add'] },
      { scopes: SCOPES, services: null, permission: { ...FULL_PERMISSION, without: ['mailer/*'] } },
    ],
    [
      'all but one tool',
      { tool: without('mailer_send') },
      { scopes: SCOPES, services: null, permission: { ...FULL_PERMISSION, without: ['mailer_send'] } },
    ],
    [
      'the current tools and none later',
      { later: 'freeze', access: 'no-delete', service: 'mailer' },
      {
        scopes: SCOPES,
        services: ['mailer'],
        permission: { ...FULL_PERMISSION, destructive: false, only: ['mailer_list', 'mailer_send'] },
      },
    ],
  ])('is %s', (_title, changes, consented) => {
    expect(choose(changes)).toEqual(consented);
  });

  test('stays within the services of the code', () => {
    const offer = offerOf(SERVICES, { services: ['billing', 'mailer', 'retrieval'] });
    expect(choose({ service: 'retrieval' }, offer)).toMatchObject({ services: ['billing', 'retrieval'] });
  });

  test.each([
    ['no service', { service: [] }],
    ['no tool', { tool: [] }],
    ['reading of tools that write', { access: 'read', tool: ['mailer_send'] }],
  ])('is nothing for %s', (_title, changes) => {
    expect(choose(changes)).toBe('nothing');
  });

  test.each([
    ['an unknown access', { access: 'admin' }],
    ['an access that is not offered', { access: 'no-delete' }],
    ['an unknown value of later', { later: 'never' }],
  ])('is refused for %s', (_title, changes) => {
    expect(choose(changes, offerOf(['retrieval']))).toBeNull();
  });

  test('ignores tools and services that were not offered', () => {
    expect(choose({ service: [...SERVICES, 'crm'], tool: [...TOOLS, 'crm_list'] })).toEqual(choose({}));
  });
});

test('many tools are chosen by service, not one by one', () => {
  const tools = Array.from({ length: 2001 }, (_, index) => fakeTool({ name: `library_${index}` }));
  const catalogue = createCatalogue([fakeConnector({ tools })]);
  const offer = buildConsentOptions({ services: ['library'], signedInAt: [], limits: LIMITS }, SCOPES, catalogue);
  expect(offer.listsTools).toBe(false);
  const form = new URLSearchParams({ service: 'library' });
  expect(readConsent(form, offer)).toMatchObject({ scopes: ['tools:read'], permission: FULL_PERMISSION });
});
