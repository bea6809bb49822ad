import { mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { FULL_PERMISSION, writePermission } from '../../../server/base/principal/permission.ts';
import { countAccess } from '../../../server/base/store/repositories/live-access.ts';
import { insertClient } from '../../../server/base/store/repositories/oauth-clients.ts';
import { insertGrant } from '../../../server/base/store/repositories/oauth-grants.ts';
import { findPartnerByClientId, updatePartner } from '../../../server/base/store/repositories/partners.ts';
import { findUsersByExternalId } from '../../../server/base/store/repositories/users.ts';
import { MCP_PATH } from '../../../server/gateway-paths.ts';
import { DATABASES } from '../../support/migrated-database.ts';
import { type PortalWorld, type RunningPortal, startPortalWorld } from '../../support/portal.ts';
import { createWalker, type WalkedPage, type Walker } from '../../support/walker.ts';

let world: PortalWorld;
let portal: RunningPortal;
let folder: string;
beforeAll(async () => {
  world = await startPortalWorld();
  folder = await mkdtemp(join(DATABASES, 'portal-'));
  const at = await world.listen();
  const { db } = world.gateway.store;
  const { id } = (await findPartnerByClientId(db, 'test'))!;
  await updatePartner(db, id, { redirectUris: [`${at.origin}/services/connected`] });
  portal = await world.open(at, { databaseUrl: `sqlite:${join(folder, 'portal.sqlite')}`, rules: null });
});
afterAll(async () => {
  await portal.close();
  await world.close();
  await rm(folder, { recursive: true });
});

async function signIn(walker: Walker, name: string): Promise<WalkedPage> {
  return walker.press(await walker.open(portal.origin), name);
}

async function allowWithPins(userId: string): Promise<void> {
  const { db } = world.gateway.store;
  const now = Date.now();
  const clientId = 'client-with-pins';
  const redirectUris = ['http://127.0.0.1:7000/callback'];
  await insertClient(db, {
    clientId,
    clientName: 'Claude',
    redirectUris,
    applicationType: 'native',
    secretHash: null,
    authenticationMethod: 'none',
    now,
  });
  await insertGrant(db, {
    clientId,
    userId,
    scopes: ['tools:read', 'tools:write'],
    services: null,
    resource: world.gatewayOrigin + MCP_PATH,
    permission: writePermission({ ...FULL_PERMISSION, pins: { library: { name: 'fixed' } } }),
    now,
    expiresAt: now + 3_600_000,
  });
}

describe('the pages of the portal', () => {
  test('connect a service, give a client a code, and remove the service', async () => {
    const maya = createWalker();
    const start = await signIn(maya, 'Sign in as Maya');
    expect(start.text).toContain('Nothing is connected yet');
    expect((await maya.open(`${portal.origin}/clients/codex`)).text).toContain('Connect a service first.');
    expect((await maya.open(`${portal.origin}/activity`)).text).toContain('<a href="/clients">Add an AI client</a>');
    expect((await maya.open(`${portal.origin}/access`)).text).toContain('<h1>Access</h1>');

    const form = await maya.press(start, 'Connect Library');
    expect(form.url.origin).toBe(world.gatewayOrigin);
    const [, field = ''] = /<input type="password"[^>]* name="([^"]*)"/.exec(form.text) ?? [];
    const connected = await maya.press(form, 'Connect', { [field]: 'key-of-maya' });
    expect(connected.url.href).toBe(`${portal.origin}/services`);
    expect(connected.text).toContain('<span class="badge good">connected</span>');
    const { db } = world.gateway.store;
    const [user] = await findUsersByExternalId(db, 'maya');
    expect((await countAccess(db, { userId: user!.id }, Date.now())).grants).toBe(0);

    const steps = await maya.open(`${portal.origin}/clients/codex`);
    expect(steps.text).toContain(`codex mcp add unified-tools --url ${world.gatewayOrigin}${MCP_PATH}`);
    const code = await maya.press(steps, 'Get a connection code');
    expect(code.text).toMatch(/data-copy="the connection code">\w{4}-\w{4}-\w{4}</);
    expect((await maya.open(steps.url)).text).not.toContain('data-copy="the connection code"');

    await allowWithPins(user!.id);
    const clients = await maya.open(`${portal.origin}/clients`);
    expect(clients.text).toContain('<li>Library: some arguments are fixed.</li>');

    const removed = await maya.press(connected, 'Remove Library now');
    expect(removed.text).toContain('Nothing is connected yet');
  });

  test('refuse the answer of a connect flow that another session began, and the grant of someone else', async () => {
    const noah = createWalker();
    await signIn(noah, 'Sign in as Noah');
    const back = await noah.open(`${portal.origin}/services/connected?code=utg_cc_x&state=of-another`);
    expect(back.text).toContain('Nothing was connected: this answer belongs to another sign-in.');
    const [, csrf = ''] = /name="csrf" value="([^"]*)"/.exec(back.text) ?? [];
    const id = '00000000-0000-4000-8000-000000000000';
    const forged = `<form method="post" action="/grants/${id}/revoke"><input type="hidden" name="csrf" value="${csrf}"><button>Revoke</button></form>`;
    const refused = await noah.press({ ...back, text: forged }, 'Revoke');
    expect([refused.status, refused.text]).toEqual([502, expect.stringContaining('no such')]);
  });

  test('lead to the page of the gateway that waits for the person, and to no other address', async () => {
    const maya = createWalker();
    const connectUri = (target: string) => `${portal.origin}/?target=${encodeURIComponent(target)}`;
    const asked = await maya.open(connectUri(`${world.gatewayOrigin}/me/approvals`));
    const entry = await maya.press(asked, 'Sign in as Maya');
    expect((await maya.press(entry, 'Open my page')).url.href).toBe(`${world.gatewayOrigin}/me/approvals`);
    expect((await maya.open(connectUri('https://elsewhere.example/me'))).status).toBe(502);
  });

  test('may run scripts and show frames of the gateway alone', async () => {
    const maya = createWalker();
    await signIn(maya, 'Sign in as Maya');
    const answer = await maya.open(`${portal.origin}/access`);
    expect(answer.text).toContain('so everyone who signs in may use everything.');
    expect(answer.headers.get('content-security-policy')).toMatch(
      new RegExp(`script-src 'sha256-[^']+' ${world.gatewayOrigin}; frame-src ${world.gatewayOrigin};`),
    );
  });
});
