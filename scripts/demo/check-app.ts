/** Part of `npm run demo -- --check`: checks the portal and the sandbox's page as a browser would. */

import type { DemoFacts } from './text.ts';

/** @throws {Error} saying which page is not as expected. */
export async function checkApp(facts: DemoFacts, print: (line: string) => void): Promise<void> {
  const { appOrigin, sandboxOrigin, connectors } = facts;
  const cookies = new Map<string, string>();
  const signInPage = await send(`${appOrigin}/sign-in`, cookies);
  expectText('The sign-in page', signInPage, ['Maya', 'Noah']);
  await send(`${appOrigin}/sign-in`, cookies, { ...hiddenFieldsOf(signInPage), person: 'maya' });

  const start = await send(appOrigin, cookies);
  const cards = connectors.map(({ name }) => ` id="${name}">`);
  expectText('The page of services', start, [facts.sandboxKey, ...cards]);
  print(`portal, services\n  ${cards.length} can be connected`);

  const assistant = await send(`${appOrigin}/assistant`, cookies);
  expectText('The page of the assistant', assistant, ['Start the assistant']);
  print('portal, assistant\n  can be started');

  const sandbox = await fetch(sandboxOrigin);
  expectText('The page of the sandbox', await sandbox.text(), [
    'Make a service fail',
    ...connectors.map(({ name }) => `/${name}`),
  ]);
}

/** Sends what a browser sends, and keeps its cookies. @param form fields of a form. Default: a page is opened. @returns the page. */
async function send(
  url: string,
  cookies: Map<string, string>,
  form?: Readonly<Record<string, string>>,
): Promise<string> {
  const Cookie = [...cookies].map((pair) => pair.join('=')).join('; ');
  const headers = { Origin: new URL(url).origin, Cookie };
  const init: RequestInit =
    form === undefined ? { headers } : { method: 'POST', body: new URLSearchParams(form), headers };
  const answer = await fetch(url, { ...init, redirect: 'manual' });
  for (const line of answer.headers.getSetCookie()) {
    const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
    cookies.set(name, value);
  }
  return answer.text();
}

function hiddenFieldsOf(page: string): Record<string, string> {
  const inputs = page.matchAll(/type="hidden" name="([^"]*)" value="([^"]*)"/g);
  return Object.fromEntries([...inputs].map(([, name = '', value = '']) => [name, value]));
}

function expectText(what: string, page: string, texts: readonly string[]): void {
  const missing = texts.filter((text) => !page.includes(text));
  if (missing.length > 0) throw new Error(`${what} lacks: ${missing.join(', ')}.`);
}
