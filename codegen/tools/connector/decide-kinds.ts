/** Decides which kinds of credential a user is asked for: as connector.yaml says, else as the operations with tools need. */

import type { ConnectorConfig } from '../../load/connector-config.ts';
import type { KindConfig } from '../../load/credential-config.ts';
import type { CredentialKind, CredentialPart, UnlabelledKind } from '../types.ts';
import { toPlainText } from '../words/plain-text.ts';
import { reportUnusable } from './credential-checks.ts';
import { chooseExtras, chooseKinds, type WeakestRequirements } from './credential-kinds.ts';
import { type ConfigContext, findClashes, readPartConfig, type SchemeParts } from './credential-parts.ts';

export interface DecidedKinds {
  /** The kind that is offered first. */
  readonly main: UnlabelledKind;
  /** Kinds that a user may choose in its place. */
  readonly alternatives: readonly CredentialKind[];
  /** Credentials that few operations need in addition. */
  readonly extras: readonly CredentialKind[];
  /** The schemes that the first kind was chosen for. Null if connector.yaml says what to ask for: then no operation is excluded. */
  readonly chosenIds: readonly string[] | null;
  /** OAuth 2.0 that not every operation accepts, and that therefore is no kind. Null if there is none. */
  readonly partial: readonly string[] | null;
}

/** True if connector.yaml says what the first kind asks for. */
export function isCredentialDecided({ credential }: ConnectorConfig): boolean {
  return credential.parts !== undefined || credential.schemes !== undefined;
}

/** @param connectionParts what each connection has of its own in the addresses of the service. */
export function decideKinds(
  config: ConnectorConfig,
  requirements: WeakestRequirements,
  connectionParts: readonly CredentialPart[],
  context: ConfigContext,
): DecidedKinds {
  const { credential } = config;
  const { schemes } = context;
  const isDecided = isCredentialDecided(config);
  const { kinds, partial } = isDecided ? { kinds: [], partial: null } : chooseKinds(requirements, schemes);
  const [first = [], ...otherKinds] = kinds;
  const baseMain = isDecided
    ? buildConfiguredKind(credential, ['credential'], context)
    : toKind(first, schemes, credential);
  const baseAlternatives =
    credential.alternatives === undefined
      ? otherKinds.map((ids) => toLabelled(toKind(ids, schemes, {})))
      : buildLabelledKinds(credential.alternatives, 'alternatives', context);
  const addParts = createPartAdder(config, connectionParts, context);
  const main = addParts(baseMain, ['credential']);
  const alternatives = baseAlternatives.map((kind, index) => addParts(kind, ['credential', 'alternatives', index]));
  const mainIds = main.parts.map(({ id }) => id);
  const foundExtras = isDecided ? [] : chooseExtras(requirements, mainIds, schemes);
  const extras =
    credential.extras === undefined
      ? foundExtras.map((ids) => toExtra(ids, schemes))
      : buildLabelledKinds(credential.extras, 'extras', context);
  return { main, alternatives, extras, chosenIds: isDecided ? null : first, partial };
}

/** Adds to a kind what every kind asks for. */
function createPartAdder(
  { serverVariables, credential }: ConnectorConfig,
  connectionParts: readonly CredentialPart[],
  context: ConfigContext,
): <AnyKind extends UnlabelledKind>(kind: AnyKind, path: readonly (string | number)[]) => AnyKind {
  const addedParts = [
    ...connectionParts,
    ...(credential.also ?? []).flatMap((part) => readPartConfig(part, context) ?? []),
  ];
  const helpTexts = Object.values(serverVariables).flatMap(({ ask }) => ask?.help ?? []);
  return (kind, path) => {
    if (addedParts.length === 0) return kind;
    const allParts = [...addedParts, ...kind.parts];
    for (const clash of findClashes(allParts)) context.report.config('config-credential', path, clash);
    return { ...kind, parts: allParts, help: [...helpTexts, kind.help].filter((text) => text !== '').join('\n\n') };
  };
}

/** Words of a text that helps a person: how a secret comes about or where it is, not how it is sent. */
const HELP_WORDS =
  /https?:|\b(?:account|click|console|contact|create|dashboard|enter|find|generate|issue|log ?in|menu|obtain|page|portal|profile|register|request one|settings?|sign ?(?:in|up)|visit)\w*\b/i;

function toKind(ids: readonly string[], schemes: SchemeParts, { help, url }: KindConfig): UnlabelledKind {
  const schemeParts = ids.flatMap((id) => schemes.get(id) ?? []);
  const texts = schemeParts.flatMap((schemePart) => ('part' in schemePart ? toPlainText(schemePart.description) : []));
  return {
    parts: schemeParts.flatMap((schemePart) => ('part' in schemePart ? schemePart.part : [])),
    help: help ?? [...new Set(texts.filter((text) => HELP_WORDS.test(text)))].join('\n\n'),
    url: url ?? null,
  };
}

function toLabelled(kind: UnlabelledKind): CredentialKind {
  return { label: kind.parts.map(({ label }) => label).join(' and '), ...kind };
}

/** Its label names the scheme: the first kind may have a key as well. */
function toExtra(ids: readonly string[], schemes: SchemeParts): CredentialKind {
  const kind = toKind(ids, schemes, {});
  return { label: kind.parts.map(({ id, label }) => `${label} (${id})`).join(' and '), ...kind };
}

/** The alternatives or extras that connector.yaml describes. */
function buildLabelledKinds(
  kinds: readonly (KindConfig & { readonly label: string })[],
  key: 'alternatives' | 'extras',
  context: ConfigContext,
): readonly CredentialKind[] {
  return kinds.map((kind, index) => {
    return { label: kind.label, ...buildConfiguredKind(kind, ['credential', key, index], context) };
  });
}

/** A kind that connector.yaml describes. */
function buildConfiguredKind(
  kindConfig: KindConfig,
  path: readonly (string | number)[],
  context: ConfigContext,
): UnlabelledKind {
  const { schemes, report } = context;
  if (kindConfig.parts !== undefined && kindConfig.schemes !== undefined) {
    report.config('config-credential', path, 'Both `schemes` and `parts` say what to ask for.');
  }
  const schemeIds = kindConfig.schemes ?? [];
  reportUnusable(schemeIds, [...path, 'schemes'], schemes, report);
  const kind = toKind(schemeIds, schemes, kindConfig);
  const parts = kindConfig.parts?.flatMap((part) => readPartConfig(part, context) ?? []) ?? kind.parts;
  for (const clash of findClashes(parts)) report.config('config-credential', path, clash);
  return { ...kind, parts };
}
