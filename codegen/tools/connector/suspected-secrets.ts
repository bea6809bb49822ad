/** Arguments that look like credentials, with lines for connector.yaml that turn them into credentials. */

import type { ConnectorConfig } from '../../load/connector-config.ts';
import type { OperationModel } from '../../model/types.ts';
import { wordSet } from '../../word-set.ts';
import type { Reporter } from '../problems.ts';
import type { Slot, SlotPlan } from '../request/slots.ts';
import { toWireText } from '../request/wire.ts';
import type { CredentialPart } from '../types.ts';
import { toCamelCase, toWords } from '../words/words.ts';
import { placeOf, writePartConfig } from './credential-parts.ts';
import type { PlannedTool } from './exposure.ts';

interface Suspect {
  readonly part: CredentialPart;
  readonly slots: readonly Slot[];
}

/**
 * Warns about arguments for which a model would need a secret.
 *
 * For most parameters the name is enough. In a path or a body, the name of a credential can be data, such as the key
 * of a webhook: it only counts if two or more tools have it, and half of those that could have it do.
 *
 * @param parts of the credential that the service has
 */
export function reportSuspectedSecrets(
  tools: readonly PlannedTool[],
  plan: (operation: OperationModel) => { readonly request: Pick<SlotPlan, 'slots'> },
  { config: { credential }, parts }: { readonly config: ConnectorConfig; readonly parts: readonly CredentialPart[] },
  report: Reporter,
): void {
  const slotsOf = ({ operation }: PlannedTool) => plan(operation).request.slots;
  const suspectSlots = tools.flatMap((tool) => {
    const { config, operation } = tool;
    const configuredWires = new Set([...(config?.omit ?? []), ...Object.keys(config?.fixed ?? {})]);
    const path = operation.target?.path ?? operation.path;
    return slotsOf(tool).filter((slot) => looksSecret(slot, path) && !configuredWires.has(toWireText(slot)));
  });
  const withBody = tools.filter((tool) => slotsOf(tool).some(({ in: place }) => place === 'body'));
  const toolCounts = { path: tools.length, body: withBody.length };
  const groups = [...Map.groupBy(suspectSlots, toWireText).values()].filter(([first, ...otherSlots]) => {
    if (first === undefined || (first.in !== 'path' && first.in !== 'body')) return true;
    return otherSlots.length > 0 && otherSlots.length + 1 >= toolCounts[first.in] / 2;
  });
  const suspects = groups.map((slots): Suspect => ({ part: toPart(slots[0], parts), slots }));
  const lines = [...parts, ...suspects.map(({ part }) => part)].map(toLine).join(', ');
  const fix =
    credential.parts === undefined
      ? `Write \`credential: { parts: [${lines}] }\` into connector.yaml: users then give it when they connect, and no tool takes it.`
      : `Add to credential.parts in connector.yaml: \`${suspects.map(({ part }) => toLine(part)).join(', ')}\`. Users then give it when they connect, and no tool takes it.`;
  for (const { part, slots } of suspects) {
    for (const { pointer } of slots) {
      report.descriptor(
        'argument-looks-secret',
        pointer,
        `An argument fills ${placeOf(part).replace(' ', '.')}, which looks like a credential.`,
        fix,
      );
    }
  }
}

function toPart(slot: Slot | undefined, parts: readonly CredentialPart[]): CredentialPart {
  const { in: place = 'query', name } = slot ?? {};
  const words = toWords(name ?? '');
  const preferredId = toCamelCase(words) || 'key';
  const id = parts.some((part) => part.id === preferredId) ? `${preferredId}2` : preferredId;
  const label = words.includes('token') ? 'Access token' : words.includes('secret') ? 'Secret' : 'API key';
  return { id, type: place, label, name: name ?? null };
}

/** One part as a line of connector.yaml. */
function toLine(part: CredentialPart): string {
  const members = Object.entries(writePartConfig(part));
  return `{ ${members.map(([key, value]) => `${key}: ${toScalar(value)}`).join(', ')} }`;
}

function toScalar(text: string | false): string {
  if (text === false) return 'false';
  return /^[A-Za-z][\w. -]*$/.test(text) && !text.endsWith(' ') ? text : JSON.stringify(text);
}

/** In lower case, without separators. */
const SECRET_NAMES = wordSet(
  'accesstoken apikey apisecret apitoken appkey applicationkey authtoken clientsecret oauthtoken ' +
    'privatetoken subscriptionkey xaccesstoken xapikey xapitoken xauthtoken',
);

/**
 * True if the name of a place suggests a credential, which a model should never see.
 *
 * @param path of the operation: `/bot{token}` has a credential, `/tokens/{token}` does not.
 */
function looksSecret({ in: place, name, schema, path: nested }: Slot, path: string): boolean {
  if (name === null || nested !== undefined) return false;
  if (SECRET_NAMES.has(name.toLowerCase().replaceAll(/[^a-z0-9]/g, ''))) return true;
  if (place === 'path') return name === 'token' && /[A-Za-z0-9]\{token\}/.test(path);
  return place === 'body' && name === 'key' && /\bapi[ _-]?key\b/i.test(String(schema.description ?? ''));
}
