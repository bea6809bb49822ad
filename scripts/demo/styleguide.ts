/** The page /styleguide of the demo: every component of the pages, to look at while one is changed. */

import Router from '@koa/router';
import { checkbox as box, cardForm, checkboxes, field } from '../../server/base/dashboard/forms.ts';
import { pageLinks } from '../../server/base/dashboard/list.ts';
import { success, table } from '../../server/base/dashboard/parts.ts';
import type { GatewayContext } from '../../server/base/http/state.ts';
import type { Brand } from '../../server/base/pages/brand.ts';
import { markOf, serviceMarkOf } from '../../server/base/pages/brand.ts';
import {
  alert,
  badge,
  button,
  caution,
  checkbox,
  choices,
  confirmation,
  emptyState,
  facts,
  toast,
} from '../../server/base/pages/components.ts';
import { type Html, html } from '../../server/base/pages/html.ts';
import { type Layout, sendPage } from '../../server/base/pages/page.ts';
import type { Connector } from '../../server/contract/index.ts';
import { defineModule } from '../../server/module.ts';
import { chart } from '../../server/modules/admin/view/chart.ts';

export const styleguide = defineModule({
  name: 'styleguide',
  summary: 'Shows the components of the pages on one page.',
  open: ({ catalogue: { connectors } }) => ({
    routes: async () => {
      const router = new Router();
      router.get('/styleguide', (ctx) =>
        sendPage(ctx as GatewayContext, 200, { title: 'Style guide', content: showAll(connectors), layout: LAYOUT }),
      );
      return [router];
    },
  }),
});

const LAYOUT: Layout = { name: 'dashboard', frame: (content) => html`<main>${content}</main>` };
const PARTNER: Brand = {
  clientId: 'partner',
  accentColor: null,
  logoHash: null,
  logoText: 'A',
  suspendedAt: null,
  realm: 'live',
  footer: true,
};
const LABELS = ['09:00', '10:00', '11:00', '12:00', '13:00', '14:00'];
const SLICES = {
  labels: LABELS,
  clock: { since: Date.UTC(2026, 0, 1, 9), step: 3_600_000, labelRange: [11, 16] as const },
  linkOf: () => '#chips',
};
const NO_SESSION = { csrf: '' };

function showAll(connectors: readonly Connector[]): Html {
  const [first] = connectors;
  return html`<h1>Style guide</h1>
<p>Text of a page with <a href="#links">a link</a>, <code>code</code>, <strong>weight</strong> and <span class="quiet">a quiet remark</span>.</p>
<div class="cards">
<section class="card"><h2>Buttons</h2><div class="actions">${button('Connect', { kind: 'primary', type: 'button' })}${button('Deny', { type: 'button' })}
${button('Sign out', { kind: 'plain', type: 'button' })}${button('Remove', { kind: 'danger', type: 'button' })}${button('Wait', { type: 'button', more: html` disabled` })}
${button('Cancel', { kind: 'link', type: 'button' })}</div></section>
<section class="card"><h2>Marks</h2><div class="pair">${markOf(PARTNER)}${first === undefined ? null : serviceMarkOf(first)}</div>
<p>${connectors.map(serviceMarkOf)}</p></section>
<section class="card"><h2>Fields</h2>${field({ name: 'name', label: 'Name', value: 'Acme', help: 'Shown on the consent page.' })}
${field({ name: 'role', label: 'Role', options: [['act', 'May act']] })}
${checkboxes('services', 'Services', [
  { value: 'crm', label: 'CRM', checked: true },
  { value: 'mailer', label: 'Mailer', checked: false },
])}${box('agree', 'Send a copy')}</section>
<section class="card"><h2>Choices</h2>${choices('access', 'What it may do', [
    { value: 'read', label: 'Only read', remark: 'It changes nothing.' },
    { value: 'write', label: 'Read and write', remark: 'It creates and changes things.' },
  ])}
${checkbox('service', { value: 'crm', label: 'CRM', remark: '22 read-only tools.' }, true)}</section>
<section class="card"><h2>Facts and badges</h2>${facts([
    { term: 'Application', value: 'Acme', remark: 'Unverified name.' },
    {
      term: 'State',
      value: html`${badge('active', 'good')} ${badge('expires', 'warn')} ${badge('failed', 'bad')} ${badge('none')}`,
    },
  ])}</section>
<section class="card"><h2>Notices</h2>${alert('Affinity rejected this key', 'Copy the key again, and paste it whole.', 'notice')}
${caution('A program on this computer asks', 'Continue only if you started it.')}${success('Saved', html`<p>The change applies at once.</p>`)}</section>
</div>
<h2>Table and chips</h2>
<nav aria-label="Filters"><ul class="chips"><li><a href="#chips" aria-current="true">All</a></li><li><a href="#chips">Failed</a></li></ul></nav>
${table(LABELS.slice(0, 3), {
  caption: 'Calls',
  columns: { Time: (label) => label, Tool: ['long', () => 'crm_list_people'], Took: ['number', () => '3 ms'] },
  buttons: [() => button('Open', { kind: 'plain', type: 'button' })],
})}
${pageLinks('#newer', '#older', { words: ['Newer', 'Older'] })}
<div class="cards">
${chart({
  title: 'Tool calls',
  kind: 'columns',
  ...SLICES,
  axis: 'calls',
  series: [
    { name: 'answered', color: 1, values: [12, 18, 9, 22, 17, 25] },
    { name: 'failed', color: 2, values: [1, 0, 2, 1, 0, 3] },
  ],
})}
${chart({ title: 'Latency', kind: 'lines', ...SLICES, unit: 'ms', series: [{ name: 'p95', color: 3, values: [8, 12, null, 9, 30, 11] }] })}
</div>
<h2>Empty state, form and dialog</h2>
${emptyState('No connections yet', html`They appear once a user connects a service. <a href="#guide">How users connect</a>`)}
${cardForm(NO_SESSION, '#form', { content: html`<p>A form in a card.</p>`, button: 'Save', kind: 'primary' })}
${confirmation({ opener: 'Remove Affinity', text: 'No client can use it then.', action: '#remove', fields: {} })}
${toast('Saved')}`;
}
