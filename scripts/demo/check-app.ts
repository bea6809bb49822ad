/** Part of `npm run demo -- --check`: checks the partner application and the sandbox's page as a browser would. */

import type { DemoFacts } from './text.ts';

/** @throws {Error} saying which page is not as expected. */
export async function checkApp(facts: DemoFacts, print: (line: string) => void): Promise<void> {
  const { appOrigin, sandboxOrigin, user, connectors } = facts;
  const start = await fetch(appOrigin);
  expectText('The sign-in page', await start.text(), ['Sign in as Maya']);

  const signedIn = await post(`${appOrigin}/sign-in`, new URLSearchParams({ user }));
  const [cookie = ''] = (signedIn.headers.getSetCookie()[0] ?? '').split(';', 1);
  const open = async (path: string): Promise<string> =>
    (await fetch(appOrigin + path, { headers: { Cookie: cookie } })).text();
  const home = await open('/');
  expectText(
    'The page of services',
    home,
    connectors.map(({ name }) => `<li id="${name}">`),
  );
  const connected = home.match(/class="status connected"/g)?.length ?? 0;
  if (connected !== connectors.length) throw new Error(`The page of services shows ${connected} as connected.`);
  print(`partner application, services\n  ${connected} connected`);

  await post(`${appOrigin}/client`, new URLSearchParams(), cookie);
  const asking = await open('/client');
  const steps = ['Ask without a token', 'Register as a client', 'Open the gateway’s page', 'id="code"'];
  expectText('The page of the assistant', asking, steps);
  print(`partner application, assistant\n  signs in up to the consent page`);

  const sandbox = await fetch(sandboxOrigin);
  expectText('The page of the sandbox', await sandbox.text(), [
    'Make a service fail',
    ...connectors.map(({ name }) => `/${name}`),
  ]);
}

function post(url: string, body: URLSearchParams, cookie = ''): Promise<Response> {
  const headers = { Origin: new URL(url).origin, Cookie: cookie };
  return fetch(url, { method: 'POST', body, headers, redirect: 'manual' });
}

function expectText(what: string, page: string, texts: readonly string[]): void {
  const missing = texts.filter((text) => !page.includes(text));
  if (missing.length > 0) throw new Error(`${what} lacks: ${missing.join(', ')}.`);
}
