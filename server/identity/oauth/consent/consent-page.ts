/** Second step of the consent page: says what would be granted, and asks. */

import type { GatewayContext } from '../../../base/http/state.ts';
import { markOf, partnerNameOf, serviceMarkOf } from '../../../base/pages/brand.ts';
import {
  alert,
  type Choice,
  checkbox,
  choices,
  type Fact,
  facts,
  foreign,
  hidden,
} from '../../../base/pages/components.ts';
import { formTargetsOf } from '../../../base/pages/form-targets.ts';
import { type Html, html } from '../../../base/pages/html.ts';
import { sendPage } from '../../../base/pages/page.ts';
import { shownName } from '../../../base/pages/plain-text.ts';
import { PAGE_STATE_FIELD } from '../../../base/pages/sealed-form.ts';
import type { OAuthClient } from '../../../base/store/repositories/oauth-clients.ts';
import { effectName, toolCounts } from '../../../call/tools/catalogue/facts.ts';
import {
  type AccessChoice,
  effectsOf,
  type Offer,
  type OfferedService,
  type ServiceChoice,
} from '../../grants/allowed/choice.ts';
import type { FoundConnectionCode } from '../connection-codes.ts';
import { AUTHORIZE_PATH } from '../paths.ts';
import { clientFacts, describeClient, loopbackCaution, unknownSiteCaution } from './client-description.ts';

/** What the page says and carries. */
interface ConsentPage {
  readonly client: OAuthClient;
  readonly redirectUri: string;
  /** Whether someone allowed a client at this redirect URI before. */
  readonly wasSentTo: boolean;
  /** The sealed page state, with the connection code in it. */
  readonly sealed: string;
  readonly code: Pick<FoundConnectionCode, 'partner' | 'externalUserId' | 'limits'>;
  readonly offer: Offer;
  /** True after a form that left nothing to allow. */
  readonly leftNothing: boolean;
}

const READ_REMARKS = {
  code: 'Your connection code allows no more.',
  request: 'The application asks for no more.',
  tools: 'These services have no tools that change anything.',
};

/** Shows what would be granted. Status 200, or 400 after a form that left nothing. */
export function showConsentPage(ctx: GatewayContext, page: ConsentPage): void {
  const { offer, leftNothing, redirectUri } = page;
  const client = describeClient(page.client, redirectUri, page.wasSentTo);
  const heading = `Allow ${client.name}?`;
  const user = shownName(page.code.externalUserId);
  const content = html`<h1>Allow <bdi>${client.name}</bdi>?</h1>
${leftNothing ? alert('Nothing is left to allow', 'Choose at least one tool that the access below includes, or Deny.') : null}
<p>If you allow it, it can use these services for you.${tickedText(offer)}</p>
${facts([
  ...clientFacts(client),
  {
    term: 'Connected through',
    value: html`${markOf(page.code.partner)}${foreign(partnerNameOf(page.code.partner))}`,
    ...(user === null ? {} : { remark: `As the user ${user}` }),
  },
  ...(offer.services.length === 0 ? [{ term: 'Services', value: 'None is connected yet.' }] : []),
  ...pinnedFacts(page),
  ...(offer.readOnlyBecause === null
    ? []
    : [
        {
          term: 'Access',
          value: 'Read only',
          remark: `It can look things up, but change nothing. ${READ_REMARKS[offer.readOnlyBecause]}`,
        },
      ]),
])}
${client.isLoopback ? loopbackCaution() : client.isUnknownSite ? unknownSiteCaution(client) : null}
<form method="post" action="${AUTHORIZE_PATH}">
${hidden(PAGE_STATE_FIELD, page.sealed)}
${offer.services.length === 0 ? null : serviceChoices(offer)}
${
  offer.readOnlyBecause === null
    ? choices(
        'access',
        'Access',
        offer.access.map((access) => accessChoice(access, offer)),
      )
    : null
}
${choices('later', 'Later', laterChoices(offer))}
<div class="actions">
<button type="submit" class="primary" name="decision" value="allow">Allow</button>
<button type="submit" name="decision" value="deny">Deny</button>
</div>
<div class="actions">
<button type="submit" name="decision" value="own-page" formtarget="_blank">See your clients and services in a new tab</button>
</div>
</form>`;
  sendPage(ctx, leftNothing ? 400 : 200, {
    title: leftNothing ? `Error: ${heading}` : heading,
    content,
    brand: page.code.partner,
    formTargets: formTargetsOf(redirectUri),
  });
}

/** What the page begins with: everything that the code and the request allow. */
function tickedText({ services, readOnlyBecause, access }: Offer): string {
  if (services.length === 0) return '';
  const everything = services.length > 1 ? 'All of them and every tool are ticked' : 'Every tool is ticked';
  if (readOnlyBecause !== null) return ` ${everything}. Untick what it does not need.`;
  const effects = services.flatMap(({ tools }) => tools.map(({ effect }) => effect));
  const changes = effects.includes('destroys') && access[0] === 'write' ? 'write, delete and overwrite' : 'write';
  return ` ${everything}, with those that ${changes}. Untick what it does not need, or choose less access below.`;
}

/** What the connection code sets for the client, whatever the user chooses. */
function pinnedFacts({ code: { limits }, offer }: ConsentPage): readonly Fact[] {
  const titleOf = (name: string) => offer.services.find((service) => service.name === name)?.title ?? name;
  const pins = Object.entries(limits.permission.pins).flatMap(([service, values]) =>
    Object.entries(values).map(([argument, value]) => {
      const shown = shownName(String(value)) ?? '';
      return html`<li>${titleOf(service)}: ${argument} is ${foreign(shown)}</li>`;
    }),
  );
  return [
    ...(pins.length === 0
      ? []
      : [
          {
            term: 'Fixed',
            value: html`<ul>${pins}</ul>`,
            remark: 'Your connection code sets these; the application cannot.',
          },
        ]),
    ...(limits.grantSeconds === null ? [] : [{ term: 'Ends', value: `In ${toDuration(limits.grantSeconds)}` }]),
  ];
}

/** Rounds up to whole hours, and from two days on to whole days. */
function toDuration(seconds: number): string {
  const hours = Math.ceil(seconds / 3600);
  if (hours >= 48) return `${Math.ceil(hours / 24)} days`;
  return hours === 1 ? 'an hour' : `${hours} hours`;
}

function serviceChoices({ services, listsTools }: Offer): Html {
  return html`<fieldset><legend>Services</legend>${services.map(
    (service) => html`${checkbox('service', toChoice(service), true)}
${service.upstreamScopes.length === 0 ? null : html`<p class="scopes">At ${service.title}: ${service.upstreamScopes.join(', ')}</p>`}
${listsTools && service.tools.length > 0 ? toolChoices(service) : null}`,
  )}</fieldset>`;
}

function toChoice(service: OfferedService): Choice {
  const { name, title, logoPath } = service;
  const counts = toolCounts(effectsOf(service), 'clause');
  const remark = counts === '' ? 'No tool that it could use.' : `${counts}.`;
  return { value: name, label: html`${serviceMarkOf(logoPath)}${title}`, remark };
}

function toolChoices({ title, tools }: ServiceChoice): Html {
  return html`<details><summary>Choose tools of ${title}</summary>${tools.map((tool) =>
    checkbox('tool', { value: tool.name, label: tool.title, remark: `${tool.name}, ${effectName(tool.effect)}` }, true),
  )}</details>`;
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

function laterChoices({ narrowedTo }: Offer): readonly Choice[] {
  const joins =
    narrowedTo === null
      ? 'Services that you connect later are included, and so are new tools that only read.'
      : 'New tools that only read are included.';
  return [
    {
      value: 'join',
      label: 'Stay current',
      remark: `${joins} A tool that becomes riskier, for example by writing, is blocked until you allow it.`,
    },
    { value: 'freeze', label: 'Freeze', remark: 'Only the tools that exist now. Later ones are not included.' },
  ];
}
