import { expect, test } from 'vitest';
import { loadPortalSettings } from '../../../packages/portal/settings.ts';
import { ringText } from '../../support/keys.ts';

const DEMO = { keys: [{ id: 'demo', key: new Uint8Array(32) }] };
const PARTNER = { PORTAL_PARTNER_ID: 'portal', PORTAL_PARTNER_SECRET: 'secret' };
const COMPANY = {
  ...PARTNER,
  PORTAL_PUBLIC_URL: 'https://portal.example.com',
  PORTAL_ISSUER: 'https://login.example.com/realms/company',
  PORTAL_CLIENT_ID: 'portal',
  PORTAL_CLIENT_SECRET: 'secret',
  PORTAL_ENCRYPTION_KEYS: ringText('k1', 1),
};

test('the demo listens on this machine alone', () => {
  expect(loadPortalSettings(PARTNER, DEMO)).toMatchObject({
    host: '127.0.0.1',
    provider: null,
    publicUrl: 'http://127.0.0.1:3002',
  });
  for (const env of [{ PORTAL_HOST: '0.0.0.0' }, { PORTAL_PUBLIC_URL: 'https://portal.example.com' }]) {
    expect(() => loadPortalSettings({ ...PARTNER, ...env }, DEMO)).toThrow('must be this machine with --demo');
  }
});

test('a portal for a company needs its provider and keys, and stays off private networks', () => {
  const settings = loadPortalSettings(COMPANY, null);
  expect(settings).toMatchObject({ host: '0.0.0.0', networks: [], checkSeconds: 600, graceSeconds: 86_400 });
  expect(settings.provider?.issuer).toBe(COMPANY.PORTAL_ISSUER);
  expect(() => loadPortalSettings({}, null)).toThrow(
    /PORTAL_PARTNER_ID must[\s\S]*PORTAL_PARTNER_SECRET must[\s\S]*PORTAL_ENCRYPTION_KEYS must[\s\S]*PORTAL_ISSUER must/,
  );
});

test.each([
  ['PORTAL_ISSUER', 'http://login.example.com', 'must be a URL that begins with https://'],
  ['PORTAL_SCOPES', 'profile', 'must include openid'],
  ['PORTAL_CHECK_SECONDS', '5', 'must be a whole number from 30'],
  ['PORTAL_RULES', '/no/such/rules.yaml', 'which cannot be read (ENOENT)'],
])('%s=%s is refused', (variable, value, problem) => {
  expect(() => loadPortalSettings({ ...COMPANY, [variable]: value }, null)).toThrow(`${variable} `);
  expect(() => loadPortalSettings({ ...COMPANY, [variable]: value }, null)).toThrow(problem);
});
