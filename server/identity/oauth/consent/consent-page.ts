/** Second step of the consent page: says what would be granted, and asks. */

import type { GatewayContext } from '../../../base/http/state.ts';
import { letterOf, pairOf, partnerNameOf, serviceMarkOf } from '../../../base/pages/brand.ts';
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
import { formTargetsOf } from '../../../base/pages/form-targets.ts';
import { type Html, type HtmlValue, html } from '../../../base/pages/html.ts';
import { sendPage } from '../../../base/pages/page.ts';
import { shownName } from '../../../base/pages/plain-text.ts';
import { PAGE_STATE_FIELD } from '../../../base/pages/sealed-form.ts';
import type { OAuthClient } from '../../../base/store/repositories/oauth-clients.ts';
import { countEffects, type Effect, effectName, toolCounts } from '../../../call/tools/catalogue/facts.ts';
import {
  type AccessChoice,
  effectsOf,
  lacksEffect,
  type Offer,
  type OfferedService,
} from '../../grants/allowed/choice.ts';
import type { FoundConnectionCode } from '../connection-codes.ts';
import { AUTHORIZE_PATH } from '../paths.ts';
import { clientLine, describeClient, loopbackCaution, unknownSiteCaution } from './client-description.ts';

/** What the page says and carries. */
interface ConsentPage {
  readonly client: OAuthClient;
  readonly redirectUri: string;
  /** Whether someone allowed a client at this redirect URI before. */
  readonly wasSentTo: boolean;
  /** The sealed page state, with the connection code in it. */
  readonly sealed: string;
  readonly code: Pick<FoundConnectionCode, 'partner' | 'externalUserId' | 'accounts' | 'limits'>;
  readonly offer: Offer;
  /** Id of the grant that the offer compares with; null: it compares with none. */
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
  const { offer, leftNothing, redirectUri } = page;
  const client = describeClient(page.client, redirectUri, {
    wasSentTo: page.wasSentTo,
    partnerName: page.code.partner.name,
  });
  const heading = `Allow ${client.name}?`;
  const user = shownName(page.code.externalUserId);
  const { partner } = page.code;
  const noted = notedFacts(page);
  const content = html`<header>${pairOf(partner, letterOf(client.name))}<h1>Allow <bdi>${client.name}</bdi>?</h1>
<p>${introduction(offer, client.name)}</p></header>
${leftNothing ? alert('Nothing is left to allow', 'Choose at least one tool that the access below includes, or Deny.') : null}
${clientLine(client)}
${client.isLoopback ? loopbackCaution() : client.isUnknownSite ? unknownSiteCaution(client) : null}
${noted.length === 0 ? null : facts(noted)}
<form method="post" action="${AUTHORIZE_PATH}">
${hidden(PAGE_STATE_FIELD, page.sealed)}
${page.heldGrant === null ? null : hidden(HELD_GRANT_FIELD, page.heldGrant)}
${offer.suggests === 'everything' ? [serviceChoices(page), accessChoices(offer)] : [accessChoices(offer), serviceChoices(page)]}
<details><summary>Details, and what is added later</summary>
${facts([
  { term: 'Connected through', value: foreign(partnerNameOf(partner)) },
  { term: 'Signed in as', value: foreign(user ?? 'A name that cannot be shown') },
])}
${choices('later', 'Later', laterChoices(offer))}</details>
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

/** What is not so every time: no services, what the client may do already, and what the code and the request limit. */
function notedFacts(page: ConsentPage): readonly Fact[] {
  const { services, readOnlyBecause } = page.offer;
  const readOnly = `It can look things up, but change nothing. ${readOnlyBecause === null ? '' : READ_REMARKS[readOnlyBecause]}`;
  return [
    ...(services.length === 0 ? [{ term: 'Services', value: 'None is connected yet.' }] : []),
    ...keptFacts(page.offer),
    ...pinnedFacts(page),
    ...(readOnlyBecause === null ? [] : [{ term: 'Access', value: 'Read only', remark: readOnly }]),
  ];
}

/** Field with the id of the grant that the page compared with. */
export const HELD_GRANT_FIELD = 'held';

/** What the person decides, and what the page begins with. */
function introduction(offer: Offer, client: string): HtmlValue {
  switch (offer.suggests) {
    case 'everything':
      return `If you allow it, it can use these services for you.${tickedText(offer)}`;
    case 'reading':
      return 'If you allow it, it can read in these services for you. It writes or deletes only if you choose that below.';
    case 'difference': {
      const name = html`<bdi>${client}</bdi>`;
      if (offer.access.length === 1) return html`You have allowed ${name} before. It gets what it may already do.`;
      return html`You have allowed ${name} before. Now it asks for more: choose below what it may do in addition.`;
    }
  }
}

/** What the client may already do, by service. */
function keptFacts({ suggests, services }: Offer): readonly Fact[] {
  if (suggests !== 'difference') return [];
  const kept = services.flatMap(({ title, keeps, unticked, tools }) => {
    const may = tools.filter(({ name, effect }) => keeps.includes(effect) && !unticked.has(name));
    const counts = toolCounts(countEffects(may.map(({ effect }) => effect)), 'clause');
    return counts === '' ? [] : [html`<li>${title}: ${counts}</li>`];
  });
  return [{ term: 'It may already use', value: kept.length === 0 ? 'None of these services' : html`<ul>${kept}</ul>` }];
}

/** All that the code and the request allow. */
function tickedText({ services, readOnlyBecause, access }: Offer): string {
  if (services.length === 0) return '';
  if (readOnlyBecause !== null) return " Everything is ticked: untick any it doesn't need.";
  const effects = services.flatMap(({ tools }) => tools.map(({ effect }) => effect));
  const changes = effects.includes('destroys') && access[0] === 'write' ? 'write, delete and overwrite' : 'write';
  return ` Everything is ticked, with tools that ${changes}: untick any it doesn't need.`;
}

/** What the connection code sets for the client, whatever the user chooses. */
function pinnedFacts({ code: { limits, accounts }, offer }: ConsentPage): readonly Fact[] {
  const titleOf = (name: string) => offer.services.find((service) => service.name === name)?.title ?? name;
  const pins = Object.entries(limits.permission.pins).flatMap(([service, values]) =>
    Object.entries(values).map(([argument, value]) => {
      const shown = shownName(String(value)) ?? '';
      return html`<li>${titleOf(service)}: ${argument} is ${foreign(shown)}</li>`;
    }),
  );
  const used = [...accounts].map(
    ([service, names]) =>
      html`<li>${titleOf(service)}: ${foreign(names.join(', ') || 'one that is connected no more')}</li>`,
  );
  return [
    ...(used.length === 0 ? [] : [{ term: 'Accounts', value: html`<ul>${used}</ul>` }]),
    ...(pins.length === 0
      ? []
      : [
          {
            term: 'Fixed',
            value: html`<ul>${pins}</ul>`,
            remark: 'Your connection code sets these; the application cannot.',
          },
        ]),
    ...(limits.grantSeconds === null ? [] : [{ term: 'Expires', value: `In ${toDuration(limits.grantSeconds)}` }]),
  ];
}

/** Rounds up to whole hours, and from two days on to whole days. */
function toDuration(seconds: number): string {
  const hours = Math.ceil(seconds / 3600);
  if (hours >= 48) return `${Math.ceil(hours / 24)} days`;
  return hours === 1 ? 'an hour' : `${hours} hours`;
}

function serviceChoices({ offer, code }: ConsentPage): Html | null {
  const { services, listsTools, suggests } = offer;
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
  const counts = toolCounts(effectsOf(service), 'clause');
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

function accessChoices(offer: Offer): Html | null {
  const { suggests, readOnlyBecause, access } = offer;
  if (readOnlyBecause !== null || access.length === 1) return null;
  if (suggests === 'everything') {
    return choices(
      'access',
      'Access',
      access.map((one) => accessChoice(one, offer)),
    );
  }
  const legend = suggests === 'reading' ? 'What it may do' : 'What it may do in addition';
  return choices(
    'access',
    legend,
    access.map((one) => neededChoice(one, offer)),
  );
}

function accessChoice(access: AccessChoice, { services }: Offer): Choice {
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
function neededChoice(value: AccessChoice, { services, suggests }: Offer): Choice {
  const isFirst = suggests === 'reading';
  const titlesOf = (effect: Effect) =>
    services.filter((service) => lacksEffect(service, effect)).map(({ title }) => title);
  const [writes, destroys] = [titlesOf('writes'), titlesOf('destroys')];
  if (value === 'read') {
    const remark = 'It asks you when it needs more.';
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
  const deletes = `${writes.length > 0 ? 'It also deletes' : 'It deletes'} and overwrites things in ${toList(destroys)}.`;
  const label = writes.length === 0 ? `${also} delete` : isFirst ? 'Read, write and delete' : 'Also write and delete';
  return {
    value,
    label,
    remark: writes.length === 0 ? deletes : `It creates and changes things in ${toList(writes)}. ${deletes}`,
  };
}

function toList(titles: readonly string[]): string {
  return new Intl.ListFormat('en', { type: 'conjunction' }).format(titles);
}

function laterChoices({ narrowedTo, suggests, wasFrozen }: Offer): readonly Choice[] {
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
