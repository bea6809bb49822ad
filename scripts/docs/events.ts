/** The reference page of events: what partners receive, and what the audit trail records. */

import { CORE_EVENTS, type PartnerEventText } from '../../server/base/store/events.ts';
import type { AnyModule } from '../../server/module.ts';
import { MODULES } from '../../server/modules/index.ts';
import {
  type EventFacts,
  TEST_TYPE,
  toTestEvent,
  writeEvent,
} from '../../server/modules/notify/webhooks/event-view.ts';
import { code, table } from './markdown.ts';

const HEAD = `# Events

## Events of partners

A partner [hears of its users](../guides/partner-users.md#receive-events) by webhooks and by reading \`GET /api/partner/events\`; both carry the same JSON. Every event but \`webhook.test\` has \`data.user_id\`; one of
a connection has \`service\` and \`connection_id\`, and \`account_name\` where the user has had several accounts of the service. Another credential for a connection that works is no event, nor is a grant that expires. Events hold no secret and no text of a service, and are kept for 30 days. Those of a user of [test mode](../guides/partners.md#test-mode) have \`"test": true\` next to \`type\`.
`;

const AUDIT = `## Events of the audit trail

\`utg audit export\` writes one line of JSON for each: \`time\`, \`id\`, \`type\`, the ids of what it concerns (\`partner_id\`, \`user_id\`, \`client_id\`, \`grant_id\`), \`address\`, \`request_id\`, \`details\` and \`mac\`. They are
kept for 365 days ([the audit trail](../guides/monitoring.md#the-audit-trail)). What callers without credentials do is counted by hour and network instead.
`;

const CREATED_AT = Date.UTC(2026, 0, 1);
const EVENT_ID = 'evt_019a3c5e-8a41-7c0e-9f54-2f1f1f0c6d7b';

const LIVE = { realm: 'live' } as const;

/** Returns the events that partners can receive, by type. */
function partnerEventsOf(modules: readonly AnyModule[]): [type: string, text: PartnerEventText][] {
  return modules.flatMap(({ events }) => Object.entries(events?.toPartners ?? {}));
}

/** Returns an event of a type for its partner. */
function exampleOf(type: string, { ofConnection = false, own }: PartnerEventText): EventFacts {
  return {
    id: EVENT_ID,
    type,
    external_user_id: 'ada',
    service: ofConnection ? 'crm' : null,
    connection_id: ofConnection ? '019a3c5e-8a3f-7d0a-8c2b-6b0e6a1d2c3f' : null,
    data: Object.fromEntries(Object.entries(own).map(([name, { example }]) => [name, example])),
    created_at: CREATED_AT,
  };
}

/** Returns the TypeScript type of `data` of each type of event. */
export function emitEventData(modules: readonly AnyModule[] = MODULES): string {
  const types = partnerEventsOf(modules).map(([type, { when, ofConnection, own }]) => {
    const connection = ofConnection ? ['service: string', 'connection_id: string', 'account_name?: string'] : [];
    const members = Object.entries(own).map(
      ([name, { meaning }]) => `/** ${meaning} */ ${name}: string${/\bnull\b/.test(meaning) ? ' | null' : ''}`,
    );
    return `    /** ${when} */\n    ${JSON.stringify(type)}: { ${['user_id: string', ...connection, ...members].join('; ')} };\n`;
  });
  const test = `    ${JSON.stringify(TEST_TYPE)}: { webhook_endpoint_id: string };\n`;
  return `/** What each type of event has in \`data\`. */\nexport interface EventData {\n${types.join('')}${test}}\n`;
}

/** Every type with its members and an example body. */
export function emitEventsPage(modules: readonly AnyModule[] = MODULES): string {
  const types = partnerEventsOf(modules).map(([type, text]) => {
    const { when, own } = text;
    const members = Object.entries(own).map(([name, { meaning }]) => `- ${code(name)}: ${meaning}`);
    const list = members.length === 0 ? '' : `${members.join('\n')}\n\n`;
    return `### ${type}\n\n${when}\n\n${list}${json(exampleOf(type, text))}`;
  });
  const endpointId = '019a3c60-11f2-7b5c-a7d1-0b6f4c9f3e21';
  const test = toTestEvent({ eventId: EVENT_ID, endpointId, createdAt: CREATED_AT });
  const texts = [CORE_EVENTS, ...modules.map(({ events }) => events?.texts ?? {})].flatMap((events) =>
    Object.entries(events),
  );
  const audit = texts.flatMap(([type, meaning]) => (meaning === null ? [] : [[code(type), meaning]]));
  return [
    HEAD,
    ...types,
    `### ${TEST_TYPE}\n\nYou asked for it: \`POST /api/partner/webhook-endpoints/{id}/test\`. It is sent, and is not in the list of events.\n\n${json(test)}`,
    `${AUDIT}\n${table(['Type', 'Meaning'], audit)}`,
  ].join('\n');
}

/** Returns an event as it is sent, with line breaks. */
function json(event: EventFacts): string {
  return `\`\`\`json\n${JSON.stringify(JSON.parse(writeEvent(event, LIVE)), null, 2)}\n\`\`\`\n`;
}
