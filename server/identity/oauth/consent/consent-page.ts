/** Second step of the consent page: says what would be granted, and asks. */

import type { GatewayContext } from '../../../base/http/state.ts';
import { letterOf, pairOf, partnerNameOf, serviceMarkOf, serviceTiles } from '../../../base/pages/brand.ts';
import {
  alert,
  button,
  type Choice,
  checkbox,
  choices,
  type Fact,
  facts,
  foreign,
  hidden,
} from '../../../base/pages/components.ts';
import { type Html, type HtmlValue, html, shownName } from '../../../base/pages/html.ts';
import { formTargetsOf, sendPage } from '../../../base/pages/page.ts';
import { PAGE_STATE_FIELD } from '../../../base/pages/sealed-form.ts';
import type { OAuthClient } from '../../../base/store/repositories/oauth-clients.ts';
import { countEffects, type Effect, effectName, toolCounts } from '../../../call/tools/catalogue/facts.ts';
import {
  type AccessChoice,
  type ConsentOptions,
  effectsOf,
  lacksEffect,
  type OfferedService,
} from '../../grants/allowed/consent-options.ts';
import type { FoundConnectionCode } from '../connection-codes.ts';
import { AUTHORIZE_PATH } from '../paths.ts';
import { clientLineOrWarning, describeClient } from './client-description.ts';

/** Content of the page. */
interface ConsentPage {
  readonly client: OAuthClient;
  readonly redirectUri: string;
  /** True if a user allowed a client at this redirect URI before. */
  readonly wasSentTo: boolean;
  /** The sealed page state, with the connection code in it. */
  readonly sealed: string;
  readonly code: Pick<FoundConnectionCode, 'partner' | 'externalUserId' | 'accounts' | 'limits'>;
  readonly options: ConsentOptions;
  /** Id of the grant that the options compare with. Null if they compare with none. */
  readonly heldGrant: string | null;
  /** True after a form that left nothing to allow. */
  readonly leftNothing: boolean;
}

const READ_REMARKS = {
  code: 'Your connection code allows no more.',
  request: 'The application asks for no more.',
  tools: 'These services have no tools that change anything.',
  unconnected: 'It asks you again when it needs to write.',
};

/** Shows what would be granted. Status 200, or 400 after a form that left nothing. */
export function showConsentPage(ctx: GatewayContext, page: ConsentPage): void {
  const { options, leftNothing, redirectUri } = page;
  const client = describeClient(page.client, redirectUri, {
    wasSentTo: page.wasSentTo,
    partnerName: page.code.partner.name,
  });
  const heading = `Allow ${client.name}?`;
  const user = shownName(page.code.externalUserId);
  const { partner } = page.code;
  const noted = notedFacts(page);
  const content = html`<header>${pairOf(partner, tilesOf(options, client.name))}<h1>Allow <bdi>${client.name}</bdi>?</h1>
<p>${introduction(options, client.name)}</p></header>
${leftNothing ? alert('Nothing is left to allow', 'Choose at least one tool that the access below includes, or Deny.') : null}
${clientLineOrWarning(client)}
${noted.length === 0 ? null : facts(noted)}
<form method="post" action="${AUTHORIZE_PATH}">
${hidden(PAGE_STATE_FIELD, page.sealed)}
${page.heldGrant === null ? null : hidden(HELD_GRANT_FIELD, page.heldGrant)}
${options.suggests === 'everything' ? [serviceChoices(page), accessChoices(options)] : [accessChoices(options), serviceChoices(page)]}
<details><summary>Details and future access</summary>
${facts([
  { term: 'Connected through', value: foreign(partnerNameOf(partner)) },
  { term: 'Signed in as', value: foreign(user ?? 'A name that cannot be shown') },
])}
${choices('later', 'Later', laterChoices(options))}</details>
<div class="actions">
${button('Allow', { kind: 'primary', sends: ['decision', 'allow'] })}
${button('Deny', { sends: ['decision', 'deny'] })}
</div>
<div class="actions leave">
${button('See your clients and services in a new tab', { kind: 'link', sends: ['decision', 'own-page'], more: html` formtarget="_blank"` })}
</div>
</form>`;
  sendPage(ctx, leftNothing ? 400 : 200, {
    title: leftNothing ? `Error: ${heading}` : heading,
    content,
    brand: partner,
    formTargets: formTargetsOf(redirectUri),
  });
}

/** Returns the marks of the services that the client asks for, or without any the letter of the client. */
function tilesOf({ services }: ConsentOptions, clientName: string): Html {
  const connectors = services.flatMap(({ connector }) => connector ?? []);
  return connectors.length === 0 ? letterOf(clientName) : serviceTiles(connectors);
}

/** Facts that not every page has: no services, earlier access, and the limits of the code and the request. */
function notedFacts(page: ConsentPage): readonly Fact[] {
  const { services, readOnlyBecause } = page.options;
  const noted: Fact[] = [];
  if (services.length === 0) noted.push({ term: 'Services', value: 'None is connected yet.' });
  noted.push(...earlierAccess(page.options), ...pinnedFacts(page));
  if (readOnlyBecause !== null) {
    const reason =
      readOnlyBecause === 'allowance'
        ? `${partnerNameOf(page.code.partner)} does not allow you more.`
        : READ_REMARKS[readOnlyBecause];
    const remark = `It can look things up, but change nothing. ${reason}`;
    noted.push({ term: 'Access', value: 'Read only', remark });
  }
  return noted;
}

/** Field with the id of the grant that the page compared with. */
export const HELD_GRANT_FIELD = 'held';

/** First sentence of the page, which says what the user decides. */
function introduction(options: ConsentOptions, client: string): HtmlValue {
  switch (options.suggests) {
    case 'everything':
      return `If you allow it, it can use these services for you.${tickedText(options)}`;
    case 'reading':
      return 'If you allow it, it can read these services for you.';
    case 'difference': {
      const name = html`<bdi>${client}</bdi>`;
      if (options.access.length === 1) return html`You have allowed ${name} before. It gets what it may already do.`;
      return html`You have allowed ${name} before. Now it asks for more: choose below what it may do in addition.`;
    }
  }
}

/** Tools that the client may already use, by service. */
function earlierAccess({ suggests, services }: ConsentOptions): readonly Fact[] {
  if (suggests !== 'difference') return [];
  const items = services.flatMap(({ title, keeps, unticked, tools }) => {
    const may = tools.filter(({ name, effect }) => keeps.includes(effect) && !unticked.has(name));
    const counts = toolCounts(countEffects(may.map(({ effect }) => effect)));
    return counts === '' ? [] : [html`<li>${title}: ${counts}</li>`];
  });
  return [
    { term: 'It may already use', value: items.length === 0 ? 'None of these services' : html`<ul>${items}</ul>` },
  ];
}

/** Sentence about everything that the code and the request allow. */
function tickedText({ services, readOnlyBecause, access }: ConsentOptions): string {
  if (services.length === 0) return '';
  if (readOnlyBecause !== null) return ' Everything is ticked: untick what it does not need.';
  const effects = services.flatMap(({ tools }) => tools.map(({ effect }) => effect));
  const changes = effects.includes('destroys') && access[0] === 'write' ? 'write, delete and overwrite' : 'write';
  return ` Everything is ticked, also tools that ${changes}: untick what it does not need.`;
}

/** Accounts, arguments and expiry that the connection code sets, whatever the user chooses. */
function pinnedFacts({ code: { limits, accounts }, options }: ConsentPage): readonly Fact[] {
  const titleOf = (name: string) => options.services.find((service) => service.name === name)?.title ?? name;
  const pins = Object.entries(limits.permission.pins).flatMap(([service, values]) =>
    Object.entries(values).map(([argument, value]) => {
      const text = shownName(String(value)) ?? '';
      return html`<li>${titleOf(service)}: ${argument} is ${foreign(text)}</li>`;
    }),
  );
  const used = [...accounts].map(
    ([service, names]) =>
      html`<li>${titleOf(service)}: ${foreign(names.join(', ') || 'one that is connected no more')}</li>`,
  );
  const pinned: Fact[] = [];
  if (used.length > 0) pinned.push({ term: 'Accounts', value: html`<ul>${used}</ul>` });
  if (pins.length > 0) {
    const remark = 'Your connection code sets these; the application cannot.';
    pinned.push({ term: 'Fixed', value: html`<ul>${pins}</ul>`, remark });
  }
  if (limits.grantSeconds !== null) {
    pinned.push({ term: 'Expires', value: `In ${toDuration(limits.grantSeconds)}` });
  }
  return pinned;
}

/** Rounds up to whole hours, and from two days on to whole days. */
function toDuration(seconds: number): string {
  const hours = Math.ceil(seconds / 3600);
  if (hours >= 48) return `${Math.ceil(hours / 24)} days`;
  return hours === 1 ? 'an hour' : `${hours} hours`;
}

function serviceChoices({ options, code }: ConsentPage): Html | null {
  const { services, listsTools, suggests } = options;
  if (services.length === 0) return null;
  const isTicked = ({ tools, unticked }: OfferedService) => tools.length === 0 || unticked.size < tools.length;
  const rows = services.map(
    (service) => html`<div class="offered">${checkbox('service', toChoice(service), isTicked(service))}
${listsTools && service.tools.length > 0 ? toolChoices(service) : null}
${service.upstreamScopes.length === 0 ? null : html`<p class="scopes">At ${service.title}: ${service.upstreamScopes.join(', ')}</p>`}</div>`,
  );
  const fields = html`<fieldset class="services"><legend>Services in ${foreign(partnerNameOf(code.partner))}</legend>${rows}</fieldset>`;
  return suggests === 'difference'
    ? html`<details><summary>Change its services and tools</summary>${fields}</details>`
    : fields;
}

function toChoice(service: OfferedService): Choice {
  const { name, title, connector } = service;
  const counts = toolCounts(effectsOf(service));
  const remark = counts === '' ? 'No tool that it could use.' : `${counts}.`;
  const mark = connector === undefined ? letterOf(title) : serviceMarkOf(connector);
  return { value: name, label: html`${mark}${title}`, remark };
}

function toolChoices({ title, tools, unticked }: OfferedService): Html {
  const list = tools.map((tool) => {
    const remark = `${tool.name}, ${effectName(tool.effect)}`;
    return checkbox('tool', { value: tool.name, label: tool.title, remark }, !unticked.has(tool.name));
  });
  return html`<details><summary>Tools<span class="unseen"> of ${title}</span></summary>${list}</details>`;
}

function accessChoices(options: ConsentOptions): Html | null {
  const { suggests, readOnlyBecause, access } = options;
  if (readOnlyBecause !== null || access.length === 1) return null;
  if (suggests === 'everything') {
    const list = access.map((choice) => accessChoice(choice, options));
    return choices('access', 'Access', list);
  }
  const legend = suggests === 'reading' ? 'What it may do' : 'What it may do in addition';
  const list = access.map((choice) => neededChoice(choice, options));
  return choices('access', legend, list);
}

function accessChoice(access: AccessChoice, { services }: ConsentOptions): Choice {
  const tools = services.flatMap((service) => service.tools);
  const deletes = tools.some(({ effect }) => effect === 'destroys');
  switch (access) {
    case 'write':
      return {
        value: access,
        label: deletes ? 'Read, write, delete and overwrite' : 'Read and write',
        remark: `It can also create${deletes ? ', change, delete and overwrite' : ' and change'} what is in these services, on your behalf.`,
      };
    case 'no-delete':
      return { value: access, label: 'Read and write', remark: 'Without the tools that can delete or overwrite.' };
    case 'read':
      return { value: access, label: 'Read only', remark: 'It can look things up, but change nothing.' };
  }
}

/** A choice by need: what it adds, and where. */
function neededChoice(value: AccessChoice, { services, suggests }: ConsentOptions): Choice {
  const isFirst = suggests === 'reading';
  const titlesOf = (effect: Effect) =>
    services.filter((service) => lacksEffect(service, effect)).map(({ title }) => title);
  const writes = titlesOf('writes');
  const destroys = titlesOf('destroys');
  if (value === 'read') {
    const remark = 'It asks before doing more.';
    return isFirst
      ? { value, label: 'Only read', remark: `It changes nothing. ${remark}` }
      : { value, label: 'Nothing more', remark };
  }
  const also = isFirst ? 'Read and' : 'Also';
  if (value === 'no-delete' || destroys.length === 0) {
    const asks = value === 'no-delete' ? ' It asks you before it first uses a tool that deletes or overwrites.' : '';
    return { value, label: `${also} write`, remark: `It creates and changes things in ${toList(writes)}.${asks}` };
  }
  const isSame = writes.join() === destroys.join();
  if (isSame && isFirst) {
    const remark = `It creates, changes, deletes and overwrites things in ${toList(writes)}.`;
    return { value, label: 'Read, write and delete', remark };
  }
  const deletes = `and overwrites things in ${toList(destroys)}.`;
  if (writes.length === 0) return { value, label: `${also} delete`, remark: `It deletes ${deletes}` };
  return {
    value,
    label: isFirst ? 'Read, write and delete' : 'Also write and delete',
    remark: `It creates and changes things in ${toList(writes)}. It also deletes ${deletes}`,
  };
}

function toList(titles: readonly string[]): string {
  return new Intl.ListFormat('en', { type: 'conjunction' }).format(titles);
}

function laterChoices({ narrowedTo, suggests, wasFrozen }: ConsentOptions): readonly Choice[] {
  const joins =
    narrowedTo === null
      ? 'Services that you connect later are included, and so are new tools that only read.'
      : 'New tools that only read are included.';
  const riskier = 'A tool that becomes riskier, for example by writing, is blocked until you allow it.';
  const list: Choice[] = [
    {
      value: 'join',
      label: 'Stay current',
      remark: `${joins} ${suggests === 'everything' ? riskier : 'A new tool that writes or deletes asks you first.'}`,
    },
    { value: 'freeze', label: 'Freeze', remark: 'Only the tools that exist now. Later ones are not included.' },
  ];
  return wasFrozen ? list.toReversed() : list;
}
