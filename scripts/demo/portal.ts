/** Starts the portal of the demo: sample people sign in without a provider, and an assistant is one page more. */

import { randomBytes } from 'node:crypto';
import { createServer } from 'node:http';
import type { Logger } from 'pino';
import type { GatewaySettings } from '../../packages/portal/config.ts';
import { openPortal } from '../../packages/portal/index.ts';
import { EVERYTHING, type Rules } from '../../packages/portal/rules/access.ts';
import { html } from '../../server/base/pages/html.ts';
import type { Connector } from '../../server/contract/index.ts';
import { ASSISTANT_PATH, createAssistantPages } from './assistant/index.ts';

interface DemoPortal {
  readonly port: number;
  readonly gateway: GatewaySettings;
  readonly connectors: readonly Connector[];
  /** The API key that every service of the sandbox accepts. */
  readonly sandboxKey: string;
  /** An existing folder for the store. */
  readonly folder: string;
  readonly log: Logger;
}

/** Maya may do everything and sees the rules of everyone; Noah may not delete. */
const RULES: Rules = {
  groups: new Map([
    ['sales', { ...EVERYTHING, admin: true }],
    ['support', { ...EVERYTHING, effects: ['reads', 'writes'] }],
  ]),
  default: null,
};

/** @returns a function that stops it. */
export async function startPortal(options: DemoPortal): Promise<() => Promise<void>> {
  const { port, gateway, connectors, sandboxKey, folder, log } = options;
  const portal = await openPortal({
    config: {
      publicUrl: `http://127.0.0.1:${port}`,
      gateway,
      provider: null,
      rules: RULES,
      databaseUrl: `sqlite:${folder}/portal.sqlite`,
      keys: [{ id: 'demo', key: randomBytes(32) }],
      trustedProxies: [],
      networks: [],
      checkSeconds: 600,
      graceSeconds: 86_400,
    },
    log,
    extras: {
      pages: createAssistantPages(new Map(connectors.map(({ name, title }) => [name, title]))),
      sections: [{ path: ASSISTANT_PATH, name: 'Assistant' }],
      servicesNote: html`<p class="notice">Sample services: each accepts the API key <code id="key" data-copy="the API key">${sandboxKey}</code></p>`,
    },
  });
  const server = createServer(portal.handle);
  await new Promise<void>((done, reject) => server.once('error', reject).listen(port, '127.0.0.1', done));
  return async () => {
    const closed = new Promise<void>((done) => server.close(() => done()));
    server.closeAllConnections();
    await closed;
    await portal.close();
  };
}
