/** The credential in a first `connector.yaml`: what users supply, and the settings of OAuth 2.0. */

import { stringify } from 'yaml';
import type { ServiceModel } from '../../codegen/model/types.ts';
import { selectScopes } from '../../codegen/select-scopes.ts';
import { writePartConfig } from '../../codegen/tools/connector/credential-parts.ts';
import { operationKey } from '../../codegen/tools/connector/tool-names.ts';
import { toShortList } from '../../codegen/tools/problems.ts';
import type { ConnectorModel, CredentialKind, OAuth2Part, ToolModel } from '../../codegen/tools/types.ts';
import { escapeInvisible } from '../../shared/invisible.ts';
import { firstSentence } from '../../shared/search/compact.ts';
import { fillVariables } from '../../shared/server-urls.ts';
import type { Assumptions } from './assumptions.ts';
import type { ProposedCredential } from './mcp/credential.ts';
import { type Draft, toCount } from './proposals/draft.ts';
import { nameOfService, toLabel } from './proposals/labels.ts';
import { findProof } from './proposals/verify.ts';
import { quoted } from './yaml.ts';

export function writeCredential(
  connector: ConnectorModel,
  { model, tools }: { readonly model: ServiceModel; readonly tools: readonly ToolModel[] },
  assumptions: Assumptions,
  draft: Draft,
): void {
  const { parts: assumedParts, extras: assumedExtras, partial, userVariables, commonArguments } = assumptions;
  if (assumptions.credential !== null) {
    writeProposed(assumptions.credential, draft);
    writeCommonArguments(commonArguments, draft);
    draft.add('');
    return;
  }
  const { name } = connector;
  const title = nameOfService(connector);
  const addedIds = new Set([...commonArguments.also.map(({ value }) => value.id), ...Object.keys(userVariables)]);
  const withoutAdded = <Of extends Pick<CredentialKind, 'parts'>>(kind: Of): Of => {
    return { ...kind, parts: kind.parts.filter(({ id }) => !addedIds.has(id)) };
  };
  const credential = withoutAdded(connector.credential);
  const credentialParts = credential.parts;
  const alternatives = (connector.credential.alternatives ?? []).map(withoutAdded);
  const { extras = [] } = credential;
  const kinds = [credential, ...alternatives, ...extras];
  const parts = [...new Map(kinds.flatMap((kind) => kind.parts).map((part) => [part.id, part])).values()];
  const signIns = parts.filter((part) => part.type === 'oauth2');
  writeCredentialUse(connector, { model, tools }, draft);
  if (assumedParts !== null) {
    draft.decide(
      'credential',
      'the descriptor asks for a sign-in that the gateway cannot run as described. Does the upstream have OAuth 2.0 with an authorization code? If so, describe it under credential.oauth2 (authorizationUrl, tokenUrl). Until then, users enter an access token. Where do they get one that lasts? Or is there an API key?',
    );
    draft.add('credential:', '  parts:');
    for (const part of assumedParts) draft.add(`    - ${JSON.stringify(writePartConfig(part))}`);
    writeExtras(assumedExtras, { title, model, tools }, draft);
    writeCommonArguments(commonArguments, draft);
  } else if (credentialParts.length === 0 && commonArguments.also.length > 0) {
    draft.decide(
      'credential',
      'the descriptor names no credential, but its tools take one. Is it this, and nothing else?',
    );
    draft.add('credential:');
    writeCommonArguments(commonArguments, draft);
  } else if (credentialParts.length === 0) {
    draft.decide(
      'credential',
      'the descriptor names no credential; is the service open? If so: credential: { schemes: [] }',
    );
    draft.add(
      '# OAuth 2.0, where the upstream has it:',
      '# credential:',
      '#   parts:',
      `#     - { id: account, type: oauth2, label: ${quoted(`${title} account`)} }`,
      '#   oauth2:',
      '#     account: { authorizationUrl: https://..., tokenUrl: https://... }',
      `# Register at the upstream as the redirect URI: ${callbackOf(name)}`,
    );
  } else {
    draft.decide(
      'credential',
      'is this what users call the credential, where do they find it, and what is that page? The labels come from the title and the names in securitySchemes. (labels, help, url)',
    );
    if (partial !== null) draft.decide('credential', partial);
    draft.add('credential:', ...kindLines(credential, alternatives, title));
    writeExtras(extras, { title, model, tools }, draft);
    if (credential.help !== '')
      draft.add('  # Seen in securitySchemes, and shown to users unless help says something else:');
    if (credential.help !== '')
      draft.add(`  # help: ${quoted(firstSentence(credential.help).replaceAll(/\s+/g, ' '))}`);
    const page = findPage(credential, model.securitySchemes);
    if (page !== null) draft.add(`  # url: ${quoted(page)} # seen in securitySchemes`);
    if (signIns.length > 0) draft.add('  oauth2:');
    for (const part of signIns) writeSignIn(part, connector, draft);
    writeCommonArguments(commonArguments, draft);
  }
  draft.add('');
}

/** Every text is in double quotes and on one line: nothing of what a server says can leave its place. */
function writeProposed({ config, question }: ProposedCredential, draft: Draft): void {
  draft.decide('credential', question);
  draft.add('credential:');
  for (const line of stringify(config, YAML_STYLE).trimEnd().split('\n')) draft.add(`  ${escapeInvisible(line)}`);
}

const YAML_STYLE = {
  defaultStringType: 'QUOTE_DOUBLE',
  defaultKeyType: 'PLAIN',
  doubleQuotedMinMultiLineLength: Number.MAX_SAFE_INTEGER,
  lineWidth: 0,
} as const;

/** Longer lists say nothing that a person would read. */
const MAX_CREDENTIAL_LINES = 12;

/** Writes which credentials operations accept if there are several, which of them is sent, and which other hosts receive one. */
function writeCredentialUse(
  connector: ConnectorModel,
  { model, tools }: { readonly model: ServiceModel; readonly tools: readonly ToolModel[] },
  draft: Draft,
): void {
  const operations = new Map(model.operations.map((operation) => [operationKey(operation), operation]));
  const all = connector.credential.parts.flatMap(({ id, type }) => (type === 'server' ? [] : [id]));
  const uses = tools.flatMap((tool) => {
    const security = operations.get(operationKey(tool.operation))?.security ?? [];
    if (security.length < 2) return [];
    const accepted = [...new Set(security.map((needs) => needs.map(({ id }) => id).join(' and ') || 'no credential'))];
    const sentCredentials = (tool.credential ?? [all]).map((ids) => ids.join(' and ')).filter((text) => text !== '');
    return [
      { tool, text: `accept ${accepted.join(', or ')}, and are sent ${sentCredentials.join(', or ') || 'none'}` },
    ];
  });
  const lines = [...Map.groupBy(uses, ({ text }) => text)].slice(0, MAX_CREDENTIAL_LINES);
  for (const [text, sameUses] of lines) {
    const names = toShortList(sameUses.map(({ tool }) => tool.name));
    draft.decide(
      'credential',
      `these tools ${text}: ${names}. Is that the one with the fewest rights? (credential.schemes)`,
    );
  }
  const [first] = connector.servers;
  const otherHostTools = tools.filter(
    ({ operation, credential }) => operation.server !== first?.url && credential?.length !== 0,
  );
  const hosts = Map.groupBy(otherHostTools, ({ operation }) => hostOf(operation.server, connector));
  for (const [host, hostTools] of all.length === 0 ? [] : hosts) {
    if (host === hostOf(first?.url ?? '', connector)) continue;
    const names = toShortList(hostTools.map(({ name }) => name));
    draft.decide('credential', `${host} gets the credential too, with ${names}. Does it belong to the service?`);
  }
}

function hostOf(server: string, { servers }: ConnectorModel): string {
  const variables = servers.flatMap((candidate) => candidate.variables);
  const url = fillVariables(server, (name) => variables.find((variable) => variable.name === name)?.default);
  return URL.canParse(url) ? new URL(url).host : url;
}

/** Writes the credentials that a few tools need in addition. */
function writeExtras(
  extras: readonly CredentialKind[],
  {
    title,
    model,
    tools,
  }: { readonly title: string; readonly model: ServiceModel; readonly tools: readonly ToolModel[] },
  draft: Draft,
): void {
  if (extras.length === 0) return;
  draft.say('Few tools need these in addition. A user adds them when a tool asks for them.', '  ');
  draft.add('  extras:');
  for (const { label: extra, parts } of extras) {
    const ids = parts.map(({ id }) => quoted(id)).join(', ');
    const label = [...new Set(parts.map((part) => toLabel(part, title, parts)))].join(' and ');
    draft.add(`    - label: ${quoted(`${label} (${ids})`)}`, `      schemes: [${ids}]`);
    const proof = findProof(
      tools.filter((tool) => tool.extra === extra),
      model,
      () => true,
    );
    if (proof !== null) draft.add(`      verify: { tool: ${proof.tool.name} }`);
  }
}

/** Writes the values that nearly every tool takes and that no security scheme declares. */
function writeCommonArguments({ also, repeated }: Assumptions['commonArguments'], draft: Draft): void {
  if (also.length > 0) {
    draft.decide(
      'credential.also',
      'does each connection have one value of these? Users give it, and no tool takes it.',
      '  ',
    );
    draft.add('  also:');
    for (const { value, count, total } of also) {
      draft.add(`    - ${JSON.stringify(value)} # seen on ${count} of ${toCount(total, 'tool')}`);
    }
  }
  if (repeated.length > 0) {
    draft.decide('credential.repeated', 'do these repeat what the credential sends? They are left out.', '  ');
    draft.add('  repeated:');
    for (const { value, count, total } of repeated) {
      draft.add(`    - ${quoted(value)} # seen on ${count} of ${toCount(total, 'tool')}`);
    }
  }
}

function kindLines(
  credential: ConnectorModel['credential'],
  alternatives: readonly CredentialKind[],
  title: string,
): string[] {
  const ids = ({ parts }: { readonly parts: CredentialKind['parts'] }) =>
    `[${parts.map(({ id }) => quoted(id)).join(', ')}]`;
  const all = [credential, ...alternatives, ...(credential.extras ?? [])].flatMap((kind) => kind.parts);
  const parts = [...new Map(all.map((part) => [part.id, part])).values()];
  const prefixed = parts.flatMap((part) =>
    part.type === 'header' && part.prefix !== undefined ? [[part.id, part.prefix] as const] : [],
  );
  const lines = alternatives.length === 0 ? [] : [`  schemes: ${ids(credential)}`];
  lines.push('  labels:');
  for (const part of parts) lines.push(`    ${quoted(part.id)}: ${quoted(toLabel(part, title, parts))}`);
  if (prefixed.length > 0) lines.push('  prefixes:');
  for (const [id, prefix] of prefixed) lines.push(`    ${quoted(id)}: ${quoted(prefix)}`);
  if (alternatives.length > 0) {
    lines.push('  # The user chooses one kind; the one above is offered first.', '  alternatives:');
  }
  for (const kind of alternatives) {
    const label = [...new Set(kind.parts.map((part) => toLabel(part, title, parts)))].join(' and ');
    lines.push(`    - label: ${quoted(label)}`, `      schemes: ${ids(kind)}`);
  }
  return lines;
}

function writeSignIn({ id, oauth2 }: OAuth2Part, { name, tools }: ConnectorModel, draft: Draft) {
  const scopes = selectScopes(
    oauth2.scopes,
    tools.map((tool) => tool.scopes),
  );
  const configPath = `credential.oauth2.${id}`;
  draft.decide(
    configPath,
    `register an application at the upstream, with the redirect URI ${callbackOf(name)}. How does it want the client secret: basic, body, or none?`,
    '    ',
  );
  draft.add(`    ${quoted(id)}:`, `      clientAuthentication: ${oauth2.clientAuthentication}`);
  draft.decide(
    configPath,
    'does a refresh token need a scope or a parameter? For instance: scopes: [offline_access], or authorizeParameters: { access_type: offline }',
    '      ',
  );
  draft.decide(
    configPath,
    'is there a revocation endpoint, and do unused refresh tokens expire? (revocationUrl, refreshTokenIdleSeconds)',
    '      ',
  );
  draft.decide(
    configPath,
    scopes.length === 0
      ? 'no tool says which scopes it needs. Which do they need? (tools.<name>.scopes, defaults.scopes)'
      : `users are asked for ${scopes.join(', ')}. Does a tool need less, or something else? (tools.<name>.scopes)`,
    '      ',
  );
}

/** Returns the first https address in the descriptor's text about one of the schemes. */
function findPage({ parts }: CredentialKind | ConnectorModel['credential'], schemes: ServiceModel['securitySchemes']) {
  const texts = schemes.filter(({ id }) => parts.some((part) => part.id === id)).map(({ description }) => description);
  return /https:\/\/[^\s()[\]"'<>`\\]+[^\s()[\]"'<>`\\.,;:!?]/.exec(texts.join('\n'))?.[0] ?? null;
}

function callbackOf(service: string): string {
  return `<PUBLIC_URL>/connect/${service}/callback`;
}
