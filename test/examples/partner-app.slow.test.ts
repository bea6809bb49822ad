import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Demo, startDemo } from '../../scripts/demo/start.ts';
import { freePort } from '../../shared/cli/free-port.ts';
import { consent } from '../support/scripted-browser.ts';
import { createWalker, type WalkedPage, type Walker } from '../support/walker.ts';

let demo: Demo;
let app: string;
beforeAll(async () => {
  const [port, sandboxPort, appPort] = [await freePort(), await freePort(), await freePort()];
  demo = await startDemo({ port, sandboxPort, appPort });
  app = demo.facts.appOrigin;
});
afterAll(() => demo.close());

async function signIn(walker: Walker, user: string): Promise<WalkedPage> {
  return walker.press(await walker.open(app), `Sign in as ${user}`);
}

function cardOf({ text }: WalkedPage, service: string): string {
  return new RegExp(`<li id="${service}">[\\s\\S]*?</li>`).exec(text)?.[0] ?? '';
}

/** Connects a service with an API key. */
async function connect(walker: Walker, page: WalkedPage, service: string, label = 'Connect'): Promise<WalkedPage> {
  const form = await walker.press(page, `${label} without a popup`, {}, `value="${service}"`);
  const [, field = ''] = /<input type="password"[^>]* name="([^"]*)"/.exec(form.text) ?? [];
  return walker.press(form, label, { [field]: demo.facts.sandboxKey });
}

async function findEvents(walker: Walker, ...types: string[]): Promise<void> {
  const listed = async () =>
    [...(await walker.open(`${app}/events`)).text.matchAll(/<code>([^<]*)/g)].map(([, type]) => type);
  await expect.poll(listed, { timeout: 20_000 }).toEqual(expect.arrayContaining(types));
}

describe('the partner application', () => {
  test('connects a service with a key, and recovers with another key after the first one fails', async () => {
    const maya = createWalker();
    const home = await signIn(maya, 'Maya');
    expect(cardOf(home, 'crm')).toContain('Not connected: you paste an API key');
    for (const path of ['/client', '/clients']) {
      const { text } = await maya.open(app + path);
      expect(text).toContain('Connect a service first.');
      expect(text.match(/<button[^>]* disabled>[^<]*/g)).toHaveLength(1);
      expect(text).not.toContain('See and change what clients may do');
    }

    const form = await maya.press(home, 'Connect without a popup', {}, 'value="crm"');
    expect(form.text).toContain('This is a sample of Affinity');
    expect(form.text).not.toContain('Manage Apps');
    const connected = await connect(maya, home, 'crm');
    expect(connected.text).toContain('Connected: Affinity.');
    expect(cardOf(connected, 'crm')).toContain('class="status connected"');
    const clients = await maya.open(`${app}/clients`);
    expect(clients.text).not.toContain('Connect a service first.');
    const ownPage = await maya.press(clients, 'See and change what clients may do');
    expect([ownPage.url.origin, ownPage.url.pathname]).toEqual([new URL(demo.facts.url).origin, '/me']);

    const called = await maya.press(connected, 'Call a tool', {}, 'value="crm"');
    expect(called.text).toContain('<h1>A call to Affinity</h1>');
    expect(called.text).toMatch(/<pre[^>]*class="got">200\n/);
    expect(called.text).not.toContain('isError');
    expect(called.text).toContain('&#34;text&#34;: {\n');
    const broken = await maya.press(connected, 'Break its credential', {}, 'value="crm"');
    expect(broken.text).toContain('&#34;isError&#34;: true');
    expect(broken.text).toContain('<p>The sample service now refuses this credential');
    expect(broken.text).toContain('<blockquote class="refused">Affinity');

    const attention = await maya.open(app);
    expect(cardOf(attention, 'crm')).toContain('Needs attention');
    const [, connectUri = ''] = /The user does that at (\S+?)&#34;/.exec(broken.text) ?? [];
    const asked = await maya.open(connectUri);
    expect(asked.text).toMatch(/<ul class="cards"><li id="crm">/);
    const recovered = await connect(maya, asked, 'crm', 'Reconnect');
    expect(cardOf(recovered, 'crm')).toContain('class="status connected"');
    const gone = await maya.press(recovered, 'Disconnect', {}, 'value="crm"');
    expect(cardOf(gone, 'crm')).toContain('Not connected');
    const types = ['created', 'attention', 'recovered', 'removed'].map((type) => `connection.${type}`);
    await findEvents(maya, ...types);
    const { text } = await maya.open(`${app}/events`);
    expect(text).toContain('<code>connection.created</code> service: Affinity');
    expect(text).not.toContain('crm');
  });

  test('connects a service with OAuth, and signs in again after the user withdrew the permission', async () => {
    const noah = createWalker();
    const authorize = async (page: WalkedPage, label: string, onward: string) => {
      const form = await noah.press(page, `${label} without a popup`, {}, 'value="calendar"');
      const atService = await noah.press(form, `${onward} with Sample Calendar`);
      expect(atService.url.origin).toBe(demo.facts.sandboxOrigin);
      return noah.press(atService, 'Allow', { user: 'noah' });
    };
    const connected = await authorize(await signIn(noah, 'Noah'), 'Connect', 'Continue');
    expect(cardOf(connected, 'calendar')).toContain('class="status connected"');
    const called = await noah.press(connected, 'Call a tool', {}, 'value="calendar"');
    expect(called.text).toContain('Team lunch');

    await noah.press(connected, 'Break its credential', {}, 'value="calendar"');
    const attention = await noah.open(app);
    expect(cardOf(attention, 'calendar')).toContain('Needs attention');
    expect(cardOf(await authorize(attention, 'Reconnect', 'Reconnect'), 'calendar')).toContain(
      'class="status connected"',
    );
  });

  /** Gives the assistant access, as Ada. @returns the page of the assistant, and where she was asked. */
  async function startAssistant(ada: Walker, choice: { decision?: 'deny'; access?: 'read' } = {}) {
    await signIn(ada, 'Ada');
    const asking = await ada.press(await ada.open(`${app}/client`), 'Start the assistant');
    const [, connectionCode = ''] = /id="code">([^<]+)</.exec(asking.text) ?? [];
    const [, address = ''] = /class="button" href="([^"]+)"/.exec(asking.text) ?? [];
    const url = address.replaceAll('&#38;', '&');
    const answer = await consent({ url, connectionCode, ...choice });
    return { asking, page: await ada.open(answer) };
  }

  test('gives the assistant access, shows what it asked for, and revokes it', async () => {
    const ada = createWalker();
    const { asking, page } = await startAssistant(ada);
    expect(asking.text).toContain('401\n');
    const titles = [...page.text.matchAll(/<li><strong>([^<]*)/g)].map(([, title]) => title);
    expect(titles).toEqual([
      'Ask without a token',
      'Ask which server gives clients access',
      'Ask where its pages and endpoints are',
      'Register as a client',
      'You allowed it in the browser',
      'Exchange the code for tokens',
      'List the tools',
    ]);
    expect(page.text).toContain(`>${demo.facts.connectors.flatMap(({ tools }) => tools).length} tools: `);
    expect(page.text).toMatch(/code=utg_[a-z]+_[\w-]{4}\.\.\.\n/);
    expect(page.text).not.toMatch(/utg_[a-z]+_[\w-]{20}/);
    expect(page.text).not.toContain('isError');

    const clients = await ada.open(`${app}/clients`);
    expect(clients.text).toContain('<strong>Relay Assistant</strong>');
    const revoked = await ada.press(clients, 'Revoke Relay Assistant');
    expect(revoked.text).not.toContain('<strong>Relay Assistant</strong>');
    await findEvents(ada, 'grant.created', 'grant.revoked');
  });

  test('answers questions with what the tools returned, and keeps the latest four', async () => {
    const ada = createWalker();
    let { page } = await startAssistant(ada);
    const ask = async (question: string) => {
      page = await ada.press(page, question);
      expect([...page.text.matchAll(/ id="latest"/g)]).toHaveLength(1);
      return page.text.split(' id="latest"')[1] ?? '';
    };
    const people = await ask('Who do we know at Tidewater Analytics?');
    expect(people).toContain('<td>Omar Haddad</td><td>omar@tidewater.example</td>');
    expect(people).toContain('2 requests');
    expect(people).toContain('<strong>Call crm_list_persons</strong>');
    const leave = await ask('How much parental leave do employees in Berlin get?');
    expect(leave).toContain('up to 60 days of fully paid leave');
    expect(leave).toContain('Leave policy 2026.pdf, page 7');
    expect(await ask('Which invoices of Acme Robotics are open?')).toMatch(
      /<td>\d{4}-\d\d<\/td><td>\$[\d,]+\.\d\d<\/td>/,
    );
    const events = await ask('What is on my calendar?');
    expect(events).toContain('I cannot use Sample Calendar yet.');
    expect(events).toContain(`href="${app}/?service=calendar">Connect it</a>`);
    const deletion = await ask('Delete the newsletter list');
    expect(deletion).toContain('I need your approval to delete the list Newsletter');
    expect(page.text.match(/class="asked"/g)).toHaveLength(4);
    expect(page.text).not.toContain('Omar Haddad');
    const refused = page.text.split('<li><strong>').filter((each) => each.includes('&#34;isError&#34;: true'));
    expect(refused.map((each) => each.split('<')[0])).toEqual(['Call calendar_list_events', 'Call mailer_delete_list']);
    await ada.press(await ada.open(`${app}/clients`), 'Revoke Relay Assistant');
  });

  test('no longer offers to connect a service that the user has connected since', async () => {
    const ada = createWalker();
    const { page } = await startAssistant(ada);
    const asked = await ada.press(page, 'What is on my calendar?');
    expect(asked.text).toContain('>Connect it</a>');
    const form = await ada.press(await ada.open(app), 'Connect without a popup', {}, 'value="calendar"');
    await ada.press(await ada.press(form, 'Continue with Sample Calendar'), 'Allow', { user: 'ada' });
    const { text } = await ada.open(`${app}/client`);
    expect(text).toContain('It is connected now. Ask me again.');
    expect(text).not.toContain('>Connect it</a>');
    await ada.press(await ada.open(app), 'Disconnect', {}, 'value="calendar"');
    await ada.press(await ada.open(`${app}/clients`), 'Revoke Relay Assistant');
  });

  test.each(['Get a connection code', 'Start the assistant'])(
    'answers %j in words when nothing was ever connected',
    async (label) => {
      const walker = createWalker();
      const user = `new-${randomUUID()}`;
      const page = { ...(await walker.open(app)), text: '<form action="/sign-in"><button>Go</button></form>' };
      await walker.press(page, 'Go', { user });
      const refused = await walker.press(
        await walker.open(app + (label === 'Start the assistant' ? '/client' : '/clients')),
        label,
      );
      expect(refused.text).toContain('<p>Connect a service first.</p>');
      expect(refused.text).not.toContain('user_not_connected');
    },
  );

  test('changes nothing for a page of another origin, and takes no code of a flow from another browser', async () => {
    const maya = createWalker();
    await signIn(maya, 'Maya');
    const clients = await maya.open(`${app}/clients`);
    const foreign = { ...clients, url: new URL('http://127.0.0.1:9/') };
    const absolute = { ...foreign, text: clients.text.replaceAll('action="/', `action="${app}/`) };
    expect((await maya.press(absolute, 'Get a connection code')).status).toBe(403);
    expect((await maya.open(`${app}/clients`)).text).not.toContain('id="code"');
    const back = await maya.open(`${app}/connected?code=utg_cc_x&state=another`);
    expect(back.text).toContain('This answer does not belong to this browser.');
  });

  test('redirects from another name of this machine to its own', async () => {
    const answer = await fetch(app.replace('127.0.0.1', 'localhost'), { redirect: 'manual' });
    expect([answer.status, answer.headers.get('location')]).toEqual([303, app]);
  });

  test('has a call made that its user has to allow and to approve, in four actions', async () => {
    const ada = createWalker();
    const { page } = await startAssistant(ada, { access: 'read' });
    const asked = await ada.press(page, 'Delete the newsletter list');
    expect(asked.text).toContain('I need your approval to delete');
    const entry = await ada.press(asked, 'Review');
    const decision = await ada.press(entry, 'Open my page');
    expect(decision.url.pathname).toMatch(/^\/me\/approvals\//);
    expect(decision.text).toContain('Now it asks for');
    const done = await ada.press(decision, 'Allow the tool and approve this call');
    expect(done.text).toContain('You allowed the tool and approved this call.');
    const made = await ada.press(await ada.open(`${app}/client`), 'Try again');
    expect(made.text).toContain('Deleted the list Newsletter');
    await ada.press(await ada.open(`${app}/clients`), 'Revoke Relay Assistant');
  });

  test('signs a user in for a page of the gateway, and leads there', async () => {
    const noah = createWalker();
    const target = new URL('/me/approvals', demo.facts.url).href;
    const signInPage = await noah.open(`${app}/?target=${encodeURIComponent(target)}`);
    const entry = await noah.press(signInPage, 'Sign in as Noah');
    expect((await noah.press(entry, 'Open my page')).url.href).toBe(target);
  });

  test('says that the assistant has no access after the user denied it', async () => {
    const ada = createWalker();
    const { page } = await startAssistant(ada, { decision: 'deny' });
    expect(page.text).toContain('The assistant has no access');
    expect((await ada.open(`${app}/clients`)).text).not.toContain('<strong>Relay Assistant</strong>');
  });

  test('refuses a webhook with a wrong signature', async () => {
    const maya = createWalker();
    await signIn(maya, 'Maya');
    const event = { id: 'evt_1', type: 'user.removed', timestamp: new Date().toISOString(), data: { user_id: 'maya' } };
    const headers = {
      'webhook-id': event.id,
      'webhook-timestamp': String(Math.floor(Date.now() / 1000)),
      'webhook-signature': `v1,${Buffer.alloc(32).toString('base64')}`,
    };
    const sent = await fetch(`${app}/webhooks`, { method: 'POST', headers, body: JSON.stringify(event) });
    expect(sent.status).toBe(400);
    expect((await maya.open(`${app}/events`)).text).not.toContain('user.removed');
  });
});
